"""Zones and moments of imported items: every stored moment is UTC-aware."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from doso.errors import InvalidInput

#: The zone of naive times when the person states none.
DEFAULT_ZONE = "UTC"


def zone_of(name: str | None) -> ZoneInfo:
    """The zone of this IANA name, UTC for none. Raises InvalidInput for an unknown one."""
    try:
        return ZoneInfo(name or DEFAULT_ZONE)
    except (KeyError, ValueError, OSError):
        raise InvalidInput(
            f"Unknown time zone {name!r}; give an IANA name such as Asia/Jakarta.", param="zone"
        ) from None


def to_utc(moment: datetime, zone: ZoneInfo) -> datetime | None:
    """The moment in UTC, a naive one read in `zone`; None when it lies outside the calendar."""
    try:
        aware = moment if moment.tzinfo is not None and moment.utcoffset() is not None else moment.replace(tzinfo=zone)
        return aware.astimezone(UTC)
    except (OverflowError, ValueError):
        return None


def parse_moment(text: str) -> datetime | None:
    """An ISO 8601 moment, naive when it names no zone; None when it is not one."""
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        return None


def assumed_zone_note(zone: str | None) -> str:
    """What the person is told when the file's times carry no zone."""
    if zone:
        return f"Times without a zone were read as {zone}."
    return f"Times without a zone were read as {DEFAULT_ZONE}: state the zone to correct them."
