"""Hostile files cost little memory and work, whatever they claim: all are read in one child whose processor time is
bounded by the system and whose memory is measured."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import pytest

MAX_GROWTH_MB = 100
MAX_WORK_S = 20
_CHILD = f"""
import json, resource, sys
from pathlib import Path
from ingest import registry
from ingest.ports import ImportOptions
from doso.errors import DosoError
for name in registry.IMPORTERS:
    registry.importer(name)
def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_maxrss // 1024, usage.ru_utime + usage.ru_stime
before, _ = used()
path = Path(sys.argv[1])
_, spent = used()
resource.setrlimit(resource.RLIMIT_CPU, (int(spent) + {MAX_WORK_S}, int(spent) + {MAX_WORK_S}))
try:
    items = sum(1 for _ in registry.detect(path).read(path, ImportOptions()))
    outcome = "read"
except DosoError as error:
    items, outcome = 0, error.code
print(json.dumps({{"grown_mb": used()[0] - before, "outcome": outcome}}))
"""
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_MAIL = b"From x Wed Mar 11 10:00:00 2026\nFrom: a@x.example\nTo: b@x.example\nSubject: s\n"


def zipped(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def word(path: Path, body: str) -> Path:
    return zipped(path, {"word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>"})


def pdf(path: Path, stream: bytes, *, pages: int = 1) -> Path:
    """A PDF whose pages all draw the same compressed stream."""
    kids = b" ".join([b"4 0 R"] * pages)
    font = b"/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[" + kids + b"]/Count %d>>" % pages,
        b"<</Length %d/Filter/FlateDecode>>stream\n" % len(stream) + stream + b"\nendstream",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Contents 3 0 R" + font + b">>",
    ]
    whole, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(whole))
        whole += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    whole += b"xref\n0 5\n0000000000 65535 f \n" + table + b"trailer<</Size 5/Root 1 0 R>>\nstartxref\n"
    path.write_bytes(whole + b"%d\n%%%%EOF" % whole.rfind(b"xref\n0 5"))
    return path


def calendar(path: Path, *events: str) -> Path:
    body = "".join(
        f"BEGIN:VEVENT\nUID:{number}\nDTSTART:20200101T000000Z\n{event}SUMMARY:a\nEND:VEVENT\n"
        for number, event in enumerate(events)
    )
    path.write_text(f"BEGIN:VCALENDAR\nVERSION:2.0\n{body}END:VCALENDAR\n")
    return path


def page(path: Path, body: str) -> Path:
    path.write_text(f"<html><body>{body}")
    return path


def mails(path: Path, rest: bytes) -> Path:
    path.write_bytes(_MAIL + rest)
    return path


BOMBS = {
    "a cell of a hundred million columns": lambda d: word(
        d / "a.docx", '<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="100000000"/></w:tcPr></w:tc></w:tr></w:tbl>'
    ),
    "a million paragraphs": lambda d: word(
        d / "a.docx", "".join(f"<w:p><w:r><w:t>{n * 7919:x}</w:t></w:r></w:p>" for n in range(1_000_000))
    ),
    "a page of a million operations": lambda d: pdf(
        d / "a.pdf", zlib.compress(b"BT /F1 12 Tf " + b"(a) Tj " * 1_000_000 + b"ET")
    ),
    "many costly pages": lambda d: pdf(
        d / "a.pdf", zlib.compress(b"BT /F1 12 Tf " + b"(a) Tj " * 20_000 + b"ET"), pages=1_000
    ),
    "a stream that inflates to nothing but zeros": lambda d: pdf(d / "a.pdf", zlib.compress(b"0" * 200_000_000)),
    "rules that never come true": lambda d: calendar(
        d / "a.ics", *["RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30\n"] * 200
    ),
    "an event of millions of folded lines": lambda d: calendar(d / "a.ics", "DESCRIPTION:a\n" + " b\n" * 2_000_000),
    "an event of endless dates": lambda d: calendar(
        d / "a.ics", "RDATE:" + ",".join(f"2026{n % 12 + 1:02d}01T{n % 24:02d}0000Z" for n in range(200_000)) + "\n"
    ),
    "two million open tags": lambda d: page(d / "a.html", "<div>" * 2_000_000),
    "tables in tables": lambda d: page(d / "a.html", "<table><tr><td>a" * 300_000),
    "a mail of many parts": lambda d: mails(
        d / "a.mbox", b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nhi\n" * 300_000
    ),
    "a mail of many headers": lambda d: mails(d / "a.mbox", b"a: b\n" * 1_000_000 + b"\nhi\n"),
    "a postmark line of blanks": lambda d: mails(d / "a.mbox", b"\nhi\n\nFrom a" + b" " * 900_000 + b"\n"),
    "a chat of millions of lines": lambda d: zipped(
        d / "WhatsApp Chat with A.zip", {"_chat.txt": "1/2/20, 10:10 - Ana: hi\n" + "x\n" * 20_000_000}
    ),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_hostile_file_stays_within_memory_and_work(bomb: str, tmp_path: Path) -> None:
    path = BOMBS[bomb](tmp_path)
    child = subprocess.run([sys.executable, "-c", _CHILD, str(path)], capture_output=True, text=True, check=False)
    assert child.returncode == 0, f"{child.returncode}: {child.stderr[-500:]}"
    assert json.loads(child.stdout)["grown_mb"] <= MAX_GROWTH_MB
