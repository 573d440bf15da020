"""Mailboxes and single mails, with everything that senders' programs get wrong."""

# ruff: noqa: E501 - lines of mails stand as they are written

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doso.errors import NoText
from doso.records import DocumentKind, Source
from ingest.importers import mbox
from ingest.importers._mail_quotes import part
from ingest.importers.mbox import build, split_mails
from ingest.ports import ImportOptions
from tests.support.imports import Read, read, write

POSTMARK = "From 1790@xxx Wed Mar 11 03:00:00 +0000 2026\n"
HEAD = "Message-ID: <a@x>\nFrom: Ana <ana@x.example>\nTo: Mara <mara@x.example>\nSubject: Boat\nDate: Wed, 11 Mar 2026 10:00:00 +0700\n"


def mails(folder: Path, *texts: str | bytes, options: ImportOptions | None = None) -> Read:
    raw = b"\n".join(POSTMARK.encode() + (text if isinstance(text, bytes) else text.encode()) + b"\n" for text in texts)
    return read(write(folder, "mail.mbox", raw), options)


def test_a_mail_becomes_a_document_with_people_time_and_thread(tmp_path: Path) -> None:
    got = mails(
        tmp_path,
        f'X-GM-THRID: 99\n{HEAD}In-Reply-To: <b@x>\nCc: "Lee, Bo" <bo@x.example>\n\nHello',
        options=ImportOptions(me=("ANA@x.example",)),
    )
    (mail,) = got.documents
    assert (mail.kind, mail.source, mail.uri, mail.title, mail.text) == (
        DocumentKind.MAIL,
        Source.GMAIL,
        "mail:<a@x>",
        "Boat",
        "Hello",
    )
    assert (mail.author, mail.is_owner, mail.chat_id, mail.in_reply_to, mail.external_id) == (
        "Ana",
        True,
        "gmail:99",
        "b@x",
        "a@x",
    )
    assert [(who.name, who.address, who.role) for who in mail.participants] == [
        ("Ana", "ana@x.example", "from"), ("Mara", "mara@x.example", "to"), ("Lee, Bo", "bo@x.example", "cc"),
    ]  # fmt: skip
    assert mail.occurred_at is not None
    assert mail.occurred_at.isoformat() == "2026-03-11T03:00:00+00:00"


def test_lines_that_begin_with_from_do_not_split_a_mail(tmp_path: Path) -> None:
    body = "From now on we meet at five.\n\nFrom the desk of Ana\n\nFrom Ana Wed Mar 11 03:00:00 2026\nnot a header line\n>From here"
    got = mails(tmp_path, f"{HEAD}\n{body}", "Subject: two\n\nsecond")
    assert got.texts == [body.replace(">From", "From"), "second"]


def test_what_is_quoted_or_signed_is_not_the_senders_own_text(tmp_path: Path) -> None:
    body = "I agree.\n\nOn Tue, 10 Mar 2026 at 09:00,\nMara <mara@x.example> wrote:\n> I live in Solo.\n>> older\n\nSee you\n-- \nAna\n+62 1"
    (mail,) = mails(tmp_path, f"{HEAD}\n{body}").documents
    assert mail.text == "I agree.\n\nSee you"
    assert mail.notes == ("Quoted earlier mails were left out.",)


@pytest.mark.parametrize(
    "quote",
    [
        "Am 10.03.2026 um 09:00 schrieb Mara <m@x.example>:\n> alt", "El mar, 10 mar 2026 a las 9:00, Mara escribió:\n> viejo",
        "Le mar. 10 mars 2026 à 09:00, Mara <m@x.example> a écrit :\n> vieux", "Pada Sel, 10 Mar 2026, Mara menulis:\n> lama",
        "-----Original Message-----\nFrom: Mara\nSent: Tuesday\nSubject: old\n\nold words",
        "From: Mara <m@x.example>\nSent: Tuesday, March 10, 2026\nTo: Ana\nSubject: Boat\n\nold words",
        "Von: Mara\nGesendet: Dienstag\nAn: Ana\nBetreff: Boot\n\nalte Worte", "Sent from my phone",
    ],
)  # fmt: skip
def test_quotes_are_known_in_many_programs_and_languages(quote: str) -> None:
    assert part(f"My own words.\n\n{quote}").own == "My own words."


@pytest.mark.parametrize(
    "text", ["On Monday Ana wrote: hello", "From: Solo\nwe go by train", "I wrote:\n- milk\n- eggs", "a > b\nb -- c"]
)
def test_ordinary_text_is_no_quote(text: str) -> None:
    assert part(text).own == text


def test_a_forwarded_mail_is_a_document_of_its_own_author(tmp_path: Path) -> None:
    body = "FYI\n\n---------- Forwarded message ---------\nFrom: Bo Lee <Bo@y.example>\nDate: Mon, Mar 9, 2026\nSubject: x\n\nI live in Solo."
    outer, inner = mails(tmp_path, f"{HEAD}\n{body}", options=ImportOptions(me=("Ana",))).documents
    assert (outer.text, outer.is_owner) == ("FYI", True)
    assert (inner.text, inner.author, inner.is_owner, inner.uri) == (
        "I live in Solo.",
        "Bo Lee",
        False,
        "mail:<a@x>#forwarded",
    )


@pytest.mark.parametrize(
    ("header", "title"),
    [
        ("=?utf-8?q?Caf=C3=A9?=", "Café"), ("=?iso-8859-1?Q?Caf=E9?= today", "Café today"), ("=?x-unknown?q?Caf=C3=A9?=", "Café"),
        ("=?utf-8?b?4pyT?=\n =?utf-8?q?_ok?=", "✓ ok"), ("=?utf-8?q?broken", "=?utf-8?q?broken"), ("a\x00b", "ab"),
    ],
)  # fmt: skip
def test_subjects_are_decoded_whatever_they_claim(header: str, title: str, tmp_path: Path) -> None:
    assert mails(tmp_path, f"From: a@x.example\nTo: b@x.example\nSubject: {header}\n\nx").documents[0].title == title


def test_raw_bytes_in_headers_are_read(tmp_path: Path) -> None:
    got = mails(tmp_path, b"From: Jos\xe9 <jose@x.example>\nSubject: \xc3\xa9t\xc3\xa9\n\nx")
    assert (got.documents[0].author, got.documents[0].title) == ("José", "été")


@pytest.mark.parametrize("charset", ["x-unknown", "cp-850", "utf-8", "us-ascii", ""])
def test_a_body_with_a_wrong_charset_is_read_as_what_it_is(charset: str, tmp_path: Path) -> None:
    got = mails(
        tmp_path, f"{HEAD}Content-Type: text/plain; charset={charset}\n\nGrüße aus Köln, schöne Tage und große Freude"
    )
    assert got.texts == ["Grüße aus Köln, schöne Tage und große Freude"]


@pytest.mark.parametrize(
    ("lines", "at"),
    [
        ("Date: garbage\nReceived: from x; Thu, 12 Mar 2026 01:00:00 +0000\n", "2026-03-12T01:00:00+00:00"),
        ("Date: garbage\n", "2026-03-11T03:00:00+00:00"),
        ("Date: Wed, 11 Mar 2026 10:00:00 -0000\n", "2026-03-11T10:00:00+00:00"),
    ],
)  # fmt: skip
def test_a_bad_date_falls_back(lines: str, at: str, tmp_path: Path) -> None:
    (mail,) = mails(tmp_path, f"From: a@x.example\n{lines}\nx").documents
    assert mail.occurred_at is not None
    assert mail.occurred_at.isoformat() == at


@pytest.mark.parametrize(
    ("labels", "code"),
    [("Spam", "spam"), ("=?UTF-8?Q?Papierkorb?=", "spam"), ("Inbox,Chat", "unsupported"), ("=?UTF-8?Q?Correo_no_deseado?=", "spam")],
)  # fmt: skip
def test_spam_trash_and_chat_lines_are_skipped_in_any_language(labels: str, code: str, tmp_path: Path) -> None:
    got = mails(tmp_path, f"X-Gmail-Labels: {labels}\n{HEAD}\nx")
    assert (got.documents, got.codes) == ((), [code])


def test_plain_text_is_preferred_and_html_read_as_seen(tmp_path: Path) -> None:
    both = "MIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=B\n\n--B\nContent-Type: text/plain\n\nplain\n--B\nContent-Type: text/html\n\n<b>page</b>\n--B--\n"
    page = "Content-Type: text/html; charset=utf-8\n\n<style>x</style><p>Hi <b>you</b></p><script>y</script>"
    assert mails(tmp_path, HEAD + both, f"{HEAD}{page}").texts == ["plain", "Hi you"]


def test_attachments_are_named_as_skipped(tmp_path: Path) -> None:
    text = (
        f"{HEAD}MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\nContent-Type: text/plain\n\nsee file\n"
        "--B\nContent-Type: application/pdf; name=a.pdf\nContent-Disposition: attachment; filename=a.pdf\n\nxx\n--B--\n"
    )
    got = mails(tmp_path, text)
    assert got.texts == ["see file"]
    assert [(skip.ref, skip.code) for skip in got.skipped] == [("<a@x>: attachment a.pdf", "unsupported")]


def test_the_same_mail_under_two_labels_is_one_document(tmp_path: Path) -> None:
    got = mails(
        tmp_path,
        f"{HEAD}\nx",
        f"X-Gmail-Labels: Work\n{HEAD}\nx",
        "From: a@x.example\nSubject: no id\n\nq",
        "From: a@x.example\nSubject: no id\n\nq",
    )
    assert [got.documents[0].uri, got.documents[2].uri] == [got.documents[1].uri, got.documents[3].uri]
    assert got.documents[0].uri != got.documents[2].uri


def test_one_hopeless_mail_does_not_stop_the_others(tmp_path: Path) -> None:
    deep = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(2_000))
    got = mails(tmp_path, f"{HEAD}\nfirst", f"From: x@y.example\nTo: z@y.example\n{deep}x", "Subject: last\n\nlast")
    assert (got.texts[0], got.texts[-1]) == ("first", "last")


def test_a_single_mail_is_read_too(tmp_path: Path) -> None:
    got = read(
        write(
            tmp_path,
            "hello.eml",
            f"Return-Path: <x@y.example>\r\n{HEAD}\r\nBody".replace("\n", "\r\n").replace("\r\r", "\r"),
        )
    )
    assert got.texts == ["Body"]


def test_a_mail_beyond_the_bound_is_read_to_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mbox, "MAX_MAIL_BYTES", 400)
    got = mails(tmp_path, HEAD + "\n" + "word \n" * 200, "Subject: last\n\nlast")
    assert got.texts[0].startswith("word")
    assert (got.texts[-1], got.codes) == ("last", ["too_large"])


def test_a_file_without_a_mail_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoText, match="no text"):
        read(write(tmp_path, "x.mbox", "\n\n"), importer=build())


body_lines = st.one_of(
    st.text(st.characters(exclude_characters="\r\n", exclude_categories=("Cs", "Cc")), max_size=30),
    st.sampled_from(["From me", "From the start", "", "From a@b Wed Mar 11", ">From x", "From: me", "-- "]),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(body_lines, max_size=6).map("\n".join), min_size=1, max_size=5))
def test_random_bodies_come_back_mail_by_mail(bodies: list[str]) -> None:
    raw = "".join(f"{POSTMARK}Subject: {number}\n\n{body}\n\n" for number, body in enumerate(bodies))
    got = [mail.data.decode().partition("\n\n")[2].rstrip("\n") for mail in split_mails(io.BytesIO(raw.encode()))]
    assert got == [
        body.replace("\n>From ", "\nFrom ").removeprefix(">" if body.startswith(">From ") else "").rstrip("\n")
        for body in bodies
    ]


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=1_000))
def test_no_bytes_make_it_fail(data: bytes) -> None:
    raw = POSTMARK.encode() + b"Subject: x\n" + data
    for mail in split_mails(io.BytesIO(raw)):
        list(mbox._read_mail(mail, ImportOptions()))
