"""Every way in which phones write the head of a WhatsApp line."""

# ruff: noqa: E501 - lines of exports stand as they are written

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.ports import ImportOptions
from tests.support.imports import read, write

#: Name of the dialect, text of the file, times of its messages in UTC.
DIALECTS = [
    ("ios german", "[11.03.26, 10:00:05] Ana: a\n[12.03.26, 23:59:59] Budi: b", "2026-03-11T10:00:05Z 2026-03-12T23:59:59Z"),
    ("android british", "31/03/26, 10:00 - Ana: a\n01/04/26, 00:05 - Budi: b", "2026-03-31T10:00:00Z 2026-04-01T00:05:00Z"),
    (
        "android american",
        "3/11/26, 3:07\u202fPM - Ana: a\n3/31/26, 12:00\u202fAM - Budi: b",
        "2026-03-11T15:07:00Z 2026-03-31T00:00:00Z",
    ),
    (
        "spanish",
        "28/3/2025, 9:29\u202fp.\u00a0m. - Ana: a\n29/3/2025, 12:01\u202fa.\u00a0m. - Budi: b",
        "2025-03-28T21:29:00Z 2025-03-29T00:01:00Z",
    ),
    ("old spanish", "20/6/2017 8:28 p. m. - Ana: a\n20/6/2017 8:29 p. m. - Budi: b", "2017-06-20T20:28:00Z 2017-06-20T20:29:00Z"),
    (
        "canadian",
        "2023-12-20, 5:46\u202fp.m. - Ana: a\n2023-12-21, 12:05\u202fa.m. - Budi: b",
        "2023-12-20T17:46:00Z 2023-12-21T00:05:00Z",
    ),
    ("south african", "2023/12/20, 5:46 pm - Ana: a\n2023/12/20, 11:46 am - Budi: b", "2023-12-20T17:46:00Z 2023-12-20T11:46:00Z"),
    ("chinese", "2024/10/31 下午3:50 - Ana: a\n2024/11/01 上午12:05 - Budi: b", "2024-10-31T15:50:00Z 2024-11-01T00:05:00Z"),
    ("chinese noon", "2024/10/31 中午12:50 - Ana: a\n2024/10/31 晚上8:05 - Budi: b", "2024-10-31T12:50:00Z 2024-10-31T20:05:00Z"),
    ("japanese", "[2024/10/31 15:50:01] Ana: a\n[2024/11/01 0:05:00] Budi: b", "2024-10-31T15:50:01Z 2024-11-01T00:05:00Z"),
    ("korean", "2021. 8. 3. 오후 12:30 - Ana: a\n2021. 8. 4. 오전 12:30 - Budi: b", "2021-08-03T12:30:00Z 2021-08-04T00:30:00Z"),
    ("finnish", "3.8.2021 klo 12.30 - Ana: a\n14.8.2021 klo 9.05 - Budi: b", "2021-08-03T12:30:00Z 2021-08-14T09:05:00Z"),
    ("hungarian", "2021. 08. 03. 12:30 - Ana: a\n2021. 08. 14. 9:05 - Budi: b", "2021-08-03T12:30:00Z 2021-08-14T09:05:00Z"),
    ("french", "03/08/2021 à 12:30 - Ana: a\n14/08/2021 à 09:05 - Budi: b", "2021-08-03T12:30:00Z 2021-08-14T09:05:00Z"),
    ("indonesian", "03/04/26 09.15 - Ana: a\n25/04/26 10.00 - Budi: b", "2026-04-03T09:15:00Z 2026-04-25T10:00:00Z"),
    ("dutch", "03-08-2021 12:30 - Ana: a\n14-08-2021 09:05 - Budi: b", "2021-08-03T12:30:00Z 2021-08-14T09:05:00Z"),
    ("vietnamese", "13/8/21, 12:30 SA - Ana: a\n14/8/21, 1:30 CH - Budi: b", "2021-08-13T00:30:00Z 2021-08-14T13:30:00Z"),
    ("turkish", "13.08.2021 ÖS 12:30 - Ana: a\n14.08.2021 ÖÖ 1:30 - Budi: b", "2021-08-13T12:30:00Z 2021-08-14T01:30:00Z"),
    ("greek", "13/8/21, 12:30 μ.μ. - Ana: a\n14/8/21, 1:30 π.μ. - Budi: b", "2021-08-13T12:30:00Z 2021-08-14T01:30:00Z"),
    ("thai", "13/8/2564 12:30 - Ana: a\n14/8/2564 01:30 - Budi: b", "2021-08-13T12:30:00Z 2021-08-14T01:30:00Z"),
    (
        "arabic",
        "\u200f[١٣\u200f/٣\u200f/٢٠٢٦، ٩:٠٥:١٢ ص] Ana: a\n\u200f[١٣\u200f/٣\u200f/٢٠٢٦، ٩:٠٥:١٣ م] Budi: b",
        "2026-03-13T09:05:12Z 2026-03-13T21:05:13Z",
    ),
    ("arabic android", "١٣/٣/٢٠٢٦، ٩:٠٥ ص - Ana: a\n١٣/٣/٢٠٢٦، ١٢:٠٥ م - Budi: b", "2026-03-13T09:05:00Z 2026-03-13T12:05:00Z"),
    ("old ios", "20/06/2017, 8:28:15 PM: Ana: a\n20/06/2017, 8:29:15 PM: Budi: b", "2017-06-20T20:28:15Z 2017-06-20T20:29:15Z"),
    ("mark, bom, crlf", "\ufeff\u200e[11.03.26, 10:00:05] Ana: a\r\n[13.03.26, 9:00:00] Budi: b\r\n", "2026-03-11T10:00:05Z 2026-03-13T09:00:00Z"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "times"), [case[1:] for case in DIALECTS], ids=[case[0] for case in DIALECTS])
def test_each_dialect_is_read_to_the_minute(text: str, times: str, tmp_path: Path) -> None:
    got = read(write(tmp_path, "chat.txt", text))
    assert [(message.author, message.text) for message in got.messages] == [("Ana", "a"), ("Budi", "b")]
    assert got.times() == times.split()
    assert got.skipped == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_the_file_may_be_in_any_unicode_encoding(encoding: str, tmp_path: Path) -> None:
    text = "11/03/26, 10:00 - Ana: Grüße, 東京 🎉\r\n13/03/26, 10:01 - Budi: ok\r\n"
    got = read(write(tmp_path, "chat.txt", text.encode(encoding)))
    assert [message.text for message in got.messages] == ["Grüße, 東京 🎉", "ok"]


def test_times_take_the_stated_zone_and_the_import_says_so(tmp_path: Path) -> None:
    text = "2023-12-20, 5:46 p.m. - Farid: I live in Ottawa\n2023-12-21, 12:05 a.m. - Ana: midnight here"
    got = read(write(tmp_path, "c.txt", text), ImportOptions(zone="America/Toronto", me=("Farid",)))
    assert got.times() == ["2023-12-20T22:46:00Z", "2023-12-21T05:05:00Z"]
    assert [message.is_owner for message in got.messages] == [True, False]
    assert got.notes == ["Times without a zone were read as America/Toronto."]
    assert got.documents[0].zone == "America/Toronto"


def test_without_a_stated_zone_the_import_says_that_it_took_utc(tmp_path: Path) -> None:
    got = read(write(tmp_path, "c.txt", "13/03/26, 10:00 - Ana: a"))
    assert got.times() == ["2026-03-13T10:00:00Z"]
    assert got.notes == ["Times without a zone were read as UTC: state the zone to correct them."]


def test_one_late_day_decides_the_order_of_the_whole_file(tmp_path: Path) -> None:
    got = read(
        write(tmp_path, "c.txt", "03/04/26, 09:15 - Budi: a\n03/05/26, 09:15 - Budi: b\n04/25/26, 10:00 - Budi: c")
    )
    assert got.times() == ["2026-03-04T09:15:00Z", "2026-03-05T09:15:00Z", "2026-04-25T10:00:00Z"]


def test_time_that_only_runs_forward_one_way_decides_the_order(tmp_path: Path) -> None:
    got = read(
        write(tmp_path, "c.txt", "05/03/26, 09:15 - Budi: a\n06/02/26, 09:15 - Budi: b\n07/01/26, 09:15 - Budi: c")
    )
    assert got.times()[0] == "2026-05-03T09:15:00Z"


@pytest.mark.parametrize(("zone", "first"), [("America/Chicago", "2026-03-04"), ("Europe/Berlin", "2026-04-03")])
def test_a_file_that_decides_nothing_takes_the_order_of_the_zone_and_says_so(
    zone: str, first: str, tmp_path: Path
) -> None:
    got = read(write(tmp_path, "c.txt", "03/04/26, 12:15 - Budi: a"), ImportOptions(zone=zone))
    assert got.times()[0].startswith(first)
    assert any("Nothing in the file tells day from month" in note for note in got.notes)


def test_a_day_that_does_not_exist_is_text_of_the_message_before(tmp_path: Path) -> None:
    got = read(write(tmp_path, "c.txt", "13/03/26, 10:00 - Ana: a\n45/45/26, 10:00 - Budi: b"))
    assert got.texts == ["a\n45/45/26, 10:00 - Budi: b"]
