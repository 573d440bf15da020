"""Plain statements become facts of the right person and day; everything else states nothing."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doso.ids import DocumentId, OwnerId, PassageId
from doso.records import DocumentKind, FactDraft, Incoming, Literal, Passage, Source, Status, Trust
from ingest.extract.rules import build

AT = datetime(2024, 3, 5, 10, tzinfo=UTC)
TEXT, THREAD, MAIL = DocumentKind.TEXT, DocumentKind.THREAD, DocumentKind.MAIL


async def read(
    text: str,
    *,
    author: str | None = None,
    is_owner: bool = False,
    at: datetime | None = AT,
    zone: str = "UTC",
    source: Source = Source.WHATSAPP,
    kind: DocumentKind = THREAD,
) -> list[FactDraft]:
    passage = Passage(
        PassageId("p"), OwnerId("o"), DocumentId("d"), 0, text, 0, len(text), "hash", source, "title", "uri",
        author=author, occurred_at=at, zone=zone, is_owner=is_owner,
    )  # fmt: skip
    document = Incoming("uri", "title", source, kind, text=text, zone=zone)
    return list(await build().extract(OwnerId("o"), document, [passage]))


def triple(draft: FactDraft) -> tuple[str, str, str]:
    object = draft.object.text if isinstance(draft.object, Literal) else draft.object.name
    return draft.subject.name, draft.predicate, object


async def triples(text: str, **more: object) -> list[tuple[str, str, str]]:
    return [triple(draft) for draft in await read(text, **more)]  # type: ignore[arg-type]


def day(draft: FactDraft) -> str | None:
    return draft.valid_from.isoformat() if draft.valid_from else None


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I live in Solo.", [("me", "lives_in", "Solo")]),
        ("I live in Porto, near the river.", [("me", "lives_in", "Porto")]),
        ("My name is Mara Lindqvist.", [("me", "named", "Mara Lindqvist")]),
        ("I live in Solo and I work at Grab", [("me", "lives_in", "Solo"), ("me", "works_at", "Grab")]),
        ("I was born on 14 February 1991.", [("me", "birthday", "1991-02-14")]),
        ("My birthday is the 3rd of September.", [("me", "birthday", "09-03")]),
        ("My sister's name is Ana.", [("Ana", "sister_of", "me")]),
        ("Rina Hartono is my colleague.", [("Rina Hartono", "colleague_of", "me")]),
        ("I have a dog named Rex.", [("me", "has_pet", "Rex"), ("Rex", "species", "dog")]),
        ("I'm allergic to penicillin.", [("me", "allergic_to", "penicillin")]),
        ("My email is mara.lindqvist@example.org", [("me", "email", "mara.lindqvist@example.org")]),
        ("Saya tinggal di Solo.", [("me", "lives_in", "Solo")]),
        ("Nama saya Dewi Anggraini.", [("me", "named", "Dewi Anggraini")]),
        ("Pak Budi Santoso adalah tetangga saya.", [("Pak Budi Santoso", "neighbour_of", "me")]),
        ("I broke my arm three weeks ago.", [("me", "event", "broke arm")]),
    ],
)  # fmt: skip
async def test_the_owner_speaks_of_themselves(text: str, facts: list[tuple[str, str, str]]) -> None:
    assert await triples(text, is_owner=True, author="me") == facts
    assert all(
        one.role == "owner" for draft in await read(text, is_owner=True) for one in (draft.subject,) if one.name == "me"
    )


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("P0 lives in Town0. P0 works at Firm0.", [("P0", "lives_in", "Town0"), ("P0", "works_at", "Firm0")]),
        ("Doc1: Person1 lives in Town1.", [("Person1", "lives_in", "Town1")]),
        ("Nina lives in Bogor and works at Grab.", [("Nina", "lives_in", "Bogor"), ("Nina", "works_at", "Grab")]),
        ("Kompas Gramedia was founded in 1965.", [("Kompas Gramedia", "founded_in", "1965")]),
        ("Kompas Gramedia owns Hotel Santika.", [("Kompas Gramedia", "owns", "Hotel Santika")]),
        ("Recommendation SR-2023-052 is closed.", [("SR-2023-052", "status", "closed")]),
        ("Bulletin SB-2024-001 Rev A replaces nothing.", [("SB-2024-001 Rev A", "replaces", "nothing")]),
        ("Pixel's breed is beagle", [("Pixel", "breed", "beagle")]),
        ("GraphKit is a Python library.", [("GraphKit", "is_a", "Python library")]),
        ("Norrland Rail is based in Umeå.", [("Norrland Rail", "located_in", "Umeå")]),
    ],
)  # fmt: skip
async def test_a_document_speaks_of_others_by_name(text: str, facts: list[tuple[str, str, str]]) -> None:
    drafts = await read(text, source=Source.FILE, kind=TEXT)
    assert [triple(draft) for draft in drafts] == facts
    assert {draft.status for draft in drafts} == {Status.VERIFIED}
    assert {draft.provenance.trust for draft in drafts} == {Trust.IMPORTED}


@pytest.mark.parametrize(
    "text",
    [
        "Do I live in Solo?", "I don't live in Solo.", "I no longer live in Solo.", "If I live in Solo, call me.",
        "If it rains, I live in Solo.", "Maybe I live in Solo.", "I might live in Solo.", "Ana said I live in Solo.",
        "“I live in Solo.”", 'She wrote "I live in Solo".', "> I live in Solo", "`I live in Solo`",
        "Translate this: I live in Solo.", "Forwarded message\nI live in Solo.", "Ana: I live in Solo.",
        "I wish I lived in Solo. I want to live in Solo.", "Katanya saya tinggal di Solo.",
        "He lives in Paris.", "Everyone lives in Fear.", "This is from Ana.", "I live in a house.",
        "Not for your memory, I live in Solo.", "Ukraine joined NATO.", "Saya tidak tinggal di Solo.",
    ],
)  # fmt: skip
async def test_what_is_not_plainly_asserted_states_nothing(text: str) -> None:
    assert await triples(text, is_owner=True) == []


@pytest.mark.parametrize(
    ("source", "kind", "author", "is_owner"),
    [
        (Source.NOTE, TEXT, None, False),
        (Source.FILE, TEXT, "Mara Lindqvist", False),
        (Source.FIRECRAWL, TEXT, None, False),
        (Source.FIRECRAWL, TEXT, "me", True),
        (Source.X, THREAD, "me", True),
        (Source.WHATSAPP, THREAD, "+62 812 0000", False),
        (Source.GMAIL, MAIL, None, False),
    ],
)
async def test_a_text_never_speaks_in_the_owners_name(
    source: Source, kind: DocumentKind, author: str | None, is_owner: bool
) -> None:
    assert await triples("I live in Solo.", source=source, kind=kind, author=author, is_owner=is_owner) == []


async def test_another_author_speaks_of_themselves() -> None:
    (draft,) = await read("I live in Solo.", author="Rina")
    assert (triple(draft), draft.subject.role) == (("Rina", "lives_in", "Solo"), None)


async def test_a_mail_does_not_repeat_what_it_quotes() -> None:
    text = "I live in Solo.\n\nOn 3 May 2024, Ana wrote:\nI live in Tegal."
    assert await triples(text, author="Rina", source=Source.GMAIL, kind=MAIL) == [("Rina", "lives_in", "Solo")]


async def test_what_the_web_says_is_a_candidate() -> None:
    (draft,) = await read("Nina lives in Bogor.", source=Source.FIRECRAWL, kind=TEXT)
    assert (draft.status, draft.provenance.trust) == (Status.CANDIDATE, Trust.WEB)


async def test_today_is_the_local_day_of_the_message() -> None:
    at = datetime(2019, 12, 31, 20, tzinfo=UTC)
    (draft,) = await read("Hari ini saya pindah ke Malang.", author="Rina", at=at, zone="Asia/Jakarta")
    assert (triple(draft), day(draft), draft.zone) == (
        ("Rina", "lives_in", "Malang"), "2019-12-31T17:00:00+00:00", "Asia/Jakarta",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("I live in Ottawa", "2024-03-05", None),
        ("I moved to Vienna in 2020.", "2020-01-01", None),
        ("I live in Vienna since March.", "2024-03-01", None),
        ("I moved to Vienna two weeks ago.", "2024-02-20", None),
        ("I moved to Vienna last Friday.", "2024-03-01", None),
        ("I worked at Kestrel Air from 2019 to 2021.", "2019-01-01", "2021-12-31"),
        ("I worked at Kestrel Air until last year.", None, "2023-12-31"),
        ("I broke my arm three weeks ago.", "2024-02-13", None),
    ],
)
async def test_days_count_from_the_message(text: str, since: str | None, until: str | None) -> None:
    (draft,) = await read(text, is_owner=True)
    assert (draft.valid_from and draft.valid_from.date().isoformat()) == since
    assert (draft.valid_until and draft.valid_until.date().isoformat()) == until


async def test_without_a_time_relative_words_say_nothing() -> None:
    (draft,) = await read("I moved to Vienna two weeks ago.", is_owner=True, at=None)
    assert (draft.valid_from, draft.zone) == (None, None)


@given(st.text(max_size=300))
@settings(deadline=None, max_examples=50)
async def test_any_text_is_read_without_harm(text: str) -> None:
    for draft in await read(text, is_owner=True):
        span = draft.provenance.span
        assert span is not None and 0 <= span[0] < span[1] <= len(text)
