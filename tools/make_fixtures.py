"""Writes the binary files of the sample archive (PDF, DOCX, ZIP) from the texts below, the same bytes every time."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import docx

ARCHIVE = Path(__file__).resolve().parent.parent / "fixtures" / "archive"
LEASE_PAGES = (
    (
        "Lease agreement",
        "Landlord: Budi Santoso. Tenant: Mara Lindqvist.",
        "Flat: Jalan Anggrek 14, Bandung, second floor.",
        "The lease begins on 1 February 2026 and ends on 31 January 2028.",
        "The deposit is two months of rent, 9,500,000 rupiah.",
    ),
    (
        "House rules",
        "Dogs are allowed. Notice must be given three months ahead.",
        "The water tank on the roof is cleaned every June by the landlord.",
    ),
)
BOAT_CHAT = "\r\n".join(
    (
        "[14.02.26, 18:00:00] Boat trip: \u200eMessages and calls are end-to-end encrypted. No one outside of "
        "this chat, not even WhatsApp, can read or listen to them.",
        "\u200e[14.02.26, 18:00:00] Boat trip: \u200eKarim Haddad created this group",
        "[14.02.26, 18:01:12] Karim Haddad: Halo semua! The boat to Pulau Pahawang leaves Ketapang pier at "
        "06:30 on 2 May",
        "[14.02.26, 18:02:40] Rania Haddad: Berapa orang?",
        "[14.02.26, 18:03:05] Karim Haddad: Seven with Mara and Yoga. The captain is called Pak Jumadi",
        "\u200e[14.02.26, 18:03:30] Yoga Pratama: \u200eimage omitted",
        "[15.02.26, 07:15:09] Mara Lindqvist: I get seasick, I will bring ginger sweets for everyone",
        "[15.02.26, 07:16:44] Yoga Pratama: \u200ePOLL:\r\nWhere do we sleep?\r\n"
        "\u200eOPTION: Homestay Bu Ratna (\u200e4 votes)\r\n"
        "\u200eOPTION: Tents (\u200e1 vote)",
        "[20.02.26, 21:30:00] Karim Haddad: Homestay Bu Ratna it is, 350.000 per room, I paid the deposit "
        "\u200e<This message was edited>",
        "\u200e[20.02.26, 21:31:00] Rania Haddad: \u200eThis message was deleted.",
        "",
    )
)


def main() -> None:
    """Write all three."""
    (ARCHIVE / "lease.pdf").write_bytes(pdf(LEASE_PAGES))
    (ARCHIVE / "studio-plan.docx").write_bytes(studio_plan())
    (ARCHIVE / "WhatsApp Chat - Boat trip.zip").write_bytes(packed({"_chat.txt": BOAT_CHAT.encode()}))


def pdf(pages: tuple[tuple[str, ...], ...]) -> bytes:
    """A plain PDF of these lines, written by hand: no library is needed for text in a built-in font."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in enumerate(pages):
        shown = "".join(f"({line.replace('(', '[').replace(')', ']')}) Tj T* " for line in lines)
        stream = f"BT /F1 12 Tf 16 TL 60 760 Td {shown}ET"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    return _assembled(objects)


def _assembled(objects: list[str]) -> bytes:
    data = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    start = len(data)
    rows = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    data += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{rows}".encode()
    data += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(data)


def studio_plan() -> bytes:
    """A DOCX with a heading, paragraphs and a table; its ZIP is packed anew so that no clock shows in it."""
    document = docx.Document()
    document.core_properties.title = "Plan for the studio"
    document.core_properties.author = "Mara Lindqvist"
    document.core_properties.created = document.core_properties.modified = datetime(2026, 3, 1, 3, 0, tzinfo=UTC)
    document.add_heading("Plan for the studio", level=1)
    document.add_paragraph("The studio opens in the back room on 1 June 2026. Yoga Pratama builds the shelves.")
    table = document.add_table(rows=0, cols=2)
    for item, price in (("Item", "Price in rupiah"), ("Light table", "2,300,000"), ("Paper cutter", "1,150,000")):
        cells = table.add_row().cells
        cells[0].text, cells[1].text = item, price
    document.add_paragraph("First customer: Kopi Selaras.")
    buffer = io.BytesIO()
    document.save(buffer)
    with zipfile.ZipFile(buffer) as archive:
        return packed({name: archive.read(name) for name in archive.namelist()})


def packed(files: dict[str, bytes]) -> bytes:
    """A ZIP of these files with a fixed date."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return buffer.getvalue()


if __name__ == "__main__":
    main()
