"""Text, Markdown, PDF, DOCX and HTML files, and folders of them."""

# ruff: noqa: E501 - sample files stand as they are written

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doso.errors import NoText, TooLarge, UnknownFormat
from doso.records import Source
from ingest.importers import _docx_text
from ingest.importers import html as html_importer
from ingest.importers import pdf as pdf_importer
from ingest.importers import text as text_importer
from ingest.importers._files import decode
from ingest.importers.html import visible_text
from ingest.ports import ImportOptions
from ingest.registry import detect
from tests.support.imports import read, write
from tools.make_fixtures import packed, pdf

EMPTY_PDF = b"%PDF-1.4\n%%EOF\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252", "utf-16-le"])
def test_a_text_file_of_any_encoding_is_one_document(encoding: str, tmp_path: Path) -> None:
    text = "Die Straße führt über die Brücke.\nEs war sehr schön, und alle fühlten sich großartig dabei."
    (document,) = read(write(tmp_path, "weg.txt", text.replace("\n", "\r\n").encode(encoding))).documents
    assert (document.text, document.title, document.source) == (text, "weg", Source.FILE)


def test_japanese_text_in_a_legacy_encoding_is_recognised(tmp_path: Path) -> None:
    text = "今日は天気がとても良いので、公園に散歩に行きました。桜の花がきれいに咲いていました。" * 4
    assert read(write(tmp_path, "a.txt", text.encode("shift_jis"))).texts == [text]


@pytest.mark.parametrize("name", ["a.txt", "a.md"])
@pytest.mark.parametrize("content", ["", "  \n\n\t ", "\ufeff", "\u200b\u2060\ufeff", "\0\0"])
def test_a_blank_file_says_that_it_holds_no_text(content: str, name: str, tmp_path: Path) -> None:
    path = write(tmp_path, name, content)
    with pytest.raises(NoText, match="no text"):
        read(path, importer=text_importer.build())


def test_unstorable_characters_are_taken_out(tmp_path: Path) -> None:
    assert read(write(tmp_path, "a.txt", "I live\0 in Solo\x1b"), importer=text_importer.build()).texts == [
        "I live in Solo"
    ]


def test_a_note_says_its_title_day_and_author(tmp_path: Path) -> None:
    note = '\ufeff---\ntitle: "Balcony"\ndate: 2026-02-15\nauthor: Mara\ntags: [a]\n---\n\n# Garden\n\nChillies.'
    (document,) = read(write(tmp_path, "n.md", note), ImportOptions(zone="Asia/Jakarta")).documents
    assert (document.title, document.author, document.source) == ("Balcony", "Mara", Source.NOTE)
    assert document.text == "# Garden\n\nChillies."
    assert document.occurred_at == datetime(2026, 2, 14, 17, tzinfo=UTC)
    assert document.notes == ("Times without a zone were read as Asia/Jakarta.",)


@pytest.mark.parametrize(
    ("note", "title"), [("# Garden\n\nx", "Garden"), ("plain words", "n"), ("---\ntitle: a\nno end", "n")]
)
def test_a_note_without_a_stated_title_takes_its_heading_or_name(note: str, title: str, tmp_path: Path) -> None:
    assert read(write(tmp_path, "n.md", note)).documents[0].title == title


def test_a_note_with_a_date_that_nobody_understands_says_so(tmp_path: Path) -> None:
    (document,) = read(write(tmp_path, "n.md", "---\ndate: yesterday\n---\nx")).documents
    assert document.occurred_at is None
    assert document.notes == ("The note's date 'yesterday' is not understood.",)


def test_the_pages_of_a_pdf_stay_apart(tmp_path: Path) -> None:
    got = read(write(tmp_path, "a.pdf", pdf((("First page.", "More."), ("Second page.",)))))
    assert got.texts == ["First page.\nMore.\n\nSecond page."]
    assert got.documents[0].source is Source.FILE


@pytest.mark.parametrize("data", [EMPTY_PDF, b"%PDF-1.7 garbage", pdf(((),)), pdf((("x",),))[:200]])
def test_a_pdf_without_text_says_so(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(NoText, match="no text"):
        read(write(tmp_path, "empty.pdf", data))


def test_an_encrypted_pdf_says_so(tmp_path: Path) -> None:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf((("secret",),)))))
    writer.encrypt("password", algorithm="RC4-128")
    buffer = io.BytesIO()
    writer.write(buffer)
    with pytest.raises(NoText, match=r"no text: .* is encrypted"):
        read(write(tmp_path, "locked.pdf", buffer.getvalue()))


def test_pages_beyond_the_bound_are_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_importer, "MAX_PAGES", 1)
    got = read(write(tmp_path, "a.pdf", pdf((("one",), ("two",), ("three",)))))
    assert (got.texts, got.codes) == (["one"], ["too_large"])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 900), st.binary(min_size=1, max_size=12))
def test_a_scrambled_pdf_gives_text_or_says_no_text(at: int, junk: bytes) -> None:
    import tempfile

    data = bytearray(pdf((("First page.",), ("Second.",))))
    data[at : at + len(junk)] = junk
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), "a.pdf", bytes(data))
        try:
            assert read(path, importer=pdf_importer.build()).texts
        except NoText as error:
            assert error.message.startswith("no text")


def word_file(*paragraphs: str) -> bytes:
    document = docx.Document()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Light table", "2,300,000"
    document.add_paragraph("After.")
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def test_paragraphs_and_tables_of_a_docx_come_in_reading_order(tmp_path: Path) -> None:
    got = read(write(tmp_path, "plan.docx", word_file("Before.")))
    assert got.texts == ["Before.\n\nLight table | 2,300,000\n\nAfter."]
    assert got.documents[0].title == "plan"


def test_a_damaged_docx_says_that_it_holds_no_text(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(word_file("x"))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    broken = packed({**files, "word/document.xml": b"<not xml"})
    with pytest.raises(NoText, match="no text"):
        read(write(tmp_path, "a.docx", broken))


def test_entities_that_multiply_in_a_docx_are_not_expanded(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(word_file("x"))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    head = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">{laughs}]>'.encode()
    body = files["word/document.xml"].partition(b"?>")[2].replace(b"Light table", b"&l9;")
    path = write(tmp_path, "a.docx", packed({**files, "word/document.xml": head + body}))
    try:
        assert all(len(text) < 100_000 for text in read(path).texts)
    except NoText as error:
        assert error.message.startswith("no text")


def body_of(xml: str) -> bytes:
    """A DOCX of this body, as little as is needed."""
    head = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    return packed({"word/document.xml": f"{head}{xml}</w:body></w:document>".encode()})


def cell(text: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"


def test_a_docx_whose_text_inflates_beyond_the_bound_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_docx_text, "MAX_PART_BYTES", 1_000)
    path = write(tmp_path, "a.docx", body_of("<w:p><w:r><w:t>word</w:t></w:r></w:p>" * 100))
    with pytest.raises(TooLarge, match="1000 bytes"):
        read(path)


def test_cells_of_a_docx_that_span_columns_and_rows_are_said_where_they_stand(tmp_path: Path) -> None:
    rows = (
        cell("Monday", '<w:gridSpan w:val="2"/>') + cell("wide"),
        cell("Ana", '<w:vMerge w:val="restart"/>') + cell("9:00") + cell("boat"),
        cell("", "<w:vMerge/>") + cell("10:00") + cell("lunch"),
    )
    table = "".join(f"<w:tr>{row}</w:tr>" for row in rows)
    got = read(write(tmp_path, "a.docx", body_of(f"<w:tbl>{table}</w:tbl>")))
    assert got.texts == ["Monday | wide\nAna | 9:00 | boat\nAna | 10:00 | lunch"]


def test_a_cell_of_a_docx_that_claims_a_hundred_million_columns_costs_nothing(tmp_path: Path) -> None:
    row = cell("ab", '<w:gridSpan w:val="100000000"/>') + cell("cd")
    assert read(write(tmp_path, "a.docx", body_of(f"<w:tbl><w:tr>{row}</w:tr></w:tbl>"))).texts == ["ab | cd"]


def test_breaks_and_inserted_words_of_a_docx_are_read_and_deleted_ones_are_not(tmp_path: Path) -> None:
    said = "<w:r><w:t>one</w:t><w:tab/><w:t>two</w:t><w:br/><w:t>three</w:t></w:r>"
    tracked = "<w:ins><w:r><w:t> new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
    assert read(write(tmp_path, "a.docx", body_of(f"<w:p>{said}{tracked}</w:p>"))).texts == ["one\ttwo\nthree new"]


def test_of_a_page_with_too_many_tags_the_beginning_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_importer, "MAX_TAGS", 10)
    got = read(write(tmp_path, "a.html", "<html><body>" + "".join(f"<p>p{n}</p>" for n in range(50))))
    assert got.texts == ["p0\n\np1\n\np2\n\np3"]
    assert got.codes == ["too_large"]


def test_only_what_a_reader_sees_of_a_page_is_text(tmp_path: Path) -> None:
    page = (
        "<!doctype html><html><head><title> My  page </title><style>p{}</style></head><body><!-- secret -->"
        "<nav hidden>menu</nav><p>One<b>two</b> three<br>four</p><div style='display: none'>hidden</div>"
        "<span style='font-size:0'>tiny</span><table><tr><td>a</td><td>b</td></tr></table><script>evil()</script>"
        "<template>t</template><p aria-hidden=true>no</p></body></html>"
    )
    (document,) = read(write(tmp_path, "p.html", page)).documents
    assert (document.title, document.text) == ("My page", "Onetwo three\nfour\n\na b")


def test_a_page_in_its_stated_encoding_is_read(tmp_path: Path) -> None:
    page = '<html><head><meta charset="iso-8859-2"></head><body><p>Zażółć gęślą jaźń</p></body></html>'
    assert read(write(tmp_path, "p.html", page.encode("iso-8859-2"))).texts == ["Zażółć gęślą jaźń"]


def test_deep_and_broken_markup_is_read_as_far_as_it_goes() -> None:
    assert visible_text("<div>" * 5_000 + "deep")[1] == "deep"
    assert visible_text("<p>open <b>bold <p>next</b>")[1].split() == ["open", "bold", "next"]


def test_a_page_of_scripts_only_holds_no_text(tmp_path: Path) -> None:
    with pytest.raises(NoText, match="no text"):
        read(write(tmp_path, "p.html", "<!doctype html><html><script>x</script></html>"))


def test_a_folder_is_read_in_order_and_each_file_by_its_own_importer(tmp_path: Path) -> None:
    write(tmp_path, "b.txt", "a plain note")
    write(tmp_path, "a/one.md", "# One")
    write(tmp_path, "chat.txt", "13/03/26, 10:00 - Ana: hi")
    write(tmp_path, "blank.txt", "  ")
    write(tmp_path, "empty.pdf", EMPTY_PDF)
    write(tmp_path, "photo.jpg", b"\xff\xd8\xff\xe0\0")
    write(tmp_path, ".hidden.txt", "x")
    write(tmp_path, ".git/x.txt", "x")
    got = read(tmp_path)
    assert [(document.title, document.source) for document in got.documents] == [
        ("b", Source.NOTE), ("Ana", Source.WHATSAPP), ("One", Source.NOTE),
    ]  # fmt: skip
    assert [(skip.ref, skip.code) for skip in got.skipped] == [
        ("blank.txt", "no_text"), ("empty.pdf", "no_text"), ("photo.jpg", "unsupported"),
    ]  # fmt: skip
    assert (got.progress[-1].done, got.progress[-1].total) == (6, 6)


def test_links_that_lead_out_of_a_folder_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "outside/secret.txt", "The vault code is 4417.")
    write(tmp_path, "notes/in.txt", "inside")
    (tmp_path / "notes/out.txt").symlink_to(tmp_path / "outside/secret.txt")
    (tmp_path / "notes/dir").symlink_to(tmp_path / "outside")
    (tmp_path / "notes/loop").symlink_to(tmp_path / "notes")
    assert read(tmp_path / "notes").texts == ["inside"]


def test_an_empty_folder_says_that_it_holds_no_text(tmp_path: Path) -> None:
    with pytest.raises(NoText, match="no text"):
        read(tmp_path)


def test_the_same_file_again_has_the_same_identity_and_an_upload_that_of_its_name(tmp_path: Path) -> None:
    one, two = write(tmp_path, "x/a.txt", "one"), write(tmp_path, "y/a.txt", "two")
    assert read(one).documents[0].uri == read(one).documents[0].uri != read(two).documents[0].uri
    uploads = [read(path, ImportOptions(origin="a.txt")).documents[0] for path in (one, two)]
    assert [(upload.uri, upload.title) for upload in uploads] == [("upload:a.txt", "a")] * 2


@pytest.mark.parametrize(
    ("name", "content", "format_name"),
    [
        ("x.bin", b"%PDF-1.4\n", "pdf"), ("x.bin", b"BEGIN:VCALENDAR\r\nEND:VCALENDAR", "ics"), ("x.pdf", b"just words", "text"),
        ("x.bin", b"<!DOCTYPE html><html><body>x</body></html>", "html"), ("x.dat", b"From a@b Wed Mar 11 03:00:00 2026\nSubject: x\n\nx", "mbox"),
        ("x.dat", b"13/03/26, 10:00 - Ana: hi", "whatsapp"), ("x.dat", b'{"chat_id":"c","messages":[]}', "thread"),
        ("x.dat", b"---\ntitle: a\n---\nwords", "markdown"), ("x.txt", b"Dear diary: hello\nFrom now on.", "text"),
        ("letter.txt", b"On 13/03/26, 10:00 - we met: hi", "text"), ("x.csv", b"From,To\n1,2", "text"),
    ],
)  # fmt: skip
def test_a_format_is_known_by_its_bytes_not_its_name(
    name: str, content: bytes, format_name: str, tmp_path: Path
) -> None:
    assert detect(write(tmp_path, name, content)).name == format_name


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\0", b"\x00\x01\x02\x03\x04binary", b"SQLite format 3\x00x"])
def test_an_unknown_format_is_refused_naming_the_known_ones(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(
        UnknownFormat, match=r"known formats: docx, folder, html, ics, markdown, mbox, pdf, text, thread, whatsapp"
    ):
        detect(write(tmp_path, "x.txt", data))


@given(st.binary(max_size=400))
def test_any_bytes_decode(data: bytes) -> None:
    assert isinstance(decode(data), str)


def archive(path: Path, *entries: tuple[str, bytes]) -> Path:
    """A ZIP of these names and contents."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in entries:
            made.writestr(name, content)
    return path


def test_a_damaged_archive_is_told_from_an_unknown_one(tmp_path: Path) -> None:
    whole = archive(tmp_path / "whole.zip", ("a.bin", b"not a chat" * 50))
    with pytest.raises(UnknownFormat, match="known formats"):
        detect(whole)
    data = bytearray(whole.read_bytes())
    data[data.index(b"a.bin") + len("a.bin")] ^= 0xFF
    (tmp_path / "bad.zip").write_bytes(data)
    with pytest.raises(UnknownFormat, match=r"damaged: 'a\.bin'"):
        detect(tmp_path / "bad.zip")
    with pytest.raises(UnknownFormat, match="damaged: it has no directory"):
        detect(write(tmp_path, "cut.zip", b"PK\x03\x04zip"))


def test_an_archive_that_inflates_without_end_is_too_large(tmp_path: Path) -> None:
    with pytest.raises(TooLarge, match="bomb"):
        detect(archive(tmp_path / "bomb.zip", ("a.txt", b"0" * 8_000_000)))


def test_texts_of_an_archive_that_are_left_out_are_told(tmp_path: Path) -> None:
    chat = b"11/03/26, 10:00 - Ana: hi\n"
    names = ("../../out.txt", "/abs.txt", "C:\\x.txt", "a/../../b.txt")
    path = archive(
        tmp_path / "chat.zip", ("ok/_chat.txt", chat), ("list.txt", b"milk"), *((name, chat) for name in names)
    )
    found = read(path)
    assert [message.text for message in found.documents[0].messages] == ["hi"]
    assert {(skip.ref, skip.code) for skip in found.skipped} == {
        ("list.txt", "no_chat"),
        ("out.txt", "unsafe_path"),
        ("abs.txt", "unsafe_path"),
        ("x.txt", "unsafe_path"),
        ("b.txt", "unsafe_path"),
    }
