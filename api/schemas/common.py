"""What several routes share: pages, moments, ids, bounded texts."""

import re
import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Generic, TypeVar
from zoneinfo import ZoneInfo

import msgspec
from litestar.params import QueryParameter

from doso.errors import InvalidInput, NotFound
from doso.records import Page
from doso.runtime import check_zone
from doso.text import clean, is_blank

_MISSING = re.compile(r"missing required field `(\w+)`")

T = TypeVar("T")
R = TypeVar("R")

DEFAULT_PAGE = 50
MAX_PAGE = 200
MAX_NAME_CHARS = 500
MAX_REASON_CHARS = 2_000

Limit = Annotated[int | None, QueryParameter(ge=1, le=MAX_PAGE)]
Cursor = Annotated[str | None, QueryParameter(pattern=r"^[A-Za-z0-9._:~=+/-]{1,500}$")]
QueryText = Annotated[str | None, QueryParameter(max_length=MAX_NAME_CHARS)]

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_NAME_CHARS)]
Reason = Annotated[str, msgspec.Meta(max_length=MAX_REASON_CHARS)]
Moment = Annotated[str, msgspec.Meta(min_length=4, max_length=64)]
RequestId = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class PageOut(msgspec.Struct, Generic[T], frozen=True):
    """One page of a list; `next_cursor` is null at the end."""

    data: list[T]
    next_cursor: str | None


def to_page(page: Page[R], convert: Callable[[R], T]) -> PageOut[T]:
    """A page of records as a page of wire objects."""
    return PageOut([convert(item) for item in page.data], page.next_cursor)


def decoded(body: bytes, kind: type[T]) -> T:
    """A JSON body as this struct, by the letter: "1" is no number. Raises InvalidInput naming the field at fault."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError as error:
        fault, _, place = str(error).splitlines()[0][:300].partition(" - at `$")
        missing = _MISSING.search(fault)
        path = place.rstrip("`") + (f".{missing[1]}" if missing else "")
        raise InvalidInput(fault, param=path.lstrip(".") or None) from error


def to_moment(text: str | None, *, zone: str | None, param: str) -> datetime | None:
    """An aware moment. A bare day or time is read in `zone`. Raises InvalidInput naming the field."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(clean(text).strip())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=_zone(zone))
        moment.utctimetuple()  # a year outside 1..9999 in UTC
    except (ValueError, OverflowError) as error:
        raise InvalidInput(f"{param} is not an ISO 8601 time.", param=param) from error
    return moment


def to_id(text: str) -> str:
    """An id in canonical form. Anything else is an id nobody has."""
    try:
        return str(uuid.UUID(text))
    except ValueError as error:
        raise NotFound("There is nothing with this id.") from error


def after(cursor: str | None) -> str | None:
    """The id that a page of the graph ended with. Raises InvalidInput for a cursor that no page gave."""
    if cursor is not None and not is_id(cursor):
        raise InvalidInput("This cursor is not one that a page gave.", param="cursor")
    return cursor


def is_id(text: str) -> bool:
    """Whether the text has the form of an id."""
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False


def visible(text: str, *, param: str) -> str:
    """The text as it can be stored. Raises InvalidInput when nothing visible is left of it."""
    cleaned = clean(text)
    if is_blank(cleaned):
        raise InvalidInput(f"{param} is blank.", param=param)
    return cleaned


def _zone(name: str | None) -> ZoneInfo:
    return check_zone(name or "UTC")
