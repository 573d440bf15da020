"""What one pass over a whole WhatsApp file settles: its head shape, its date order, the names in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ingest.importers._whatsapp_header import DateOrder, Header, match_header, visible
from ingest.importers._whatsapp_phrases import is_deleted, is_marked, is_media, is_system

#: Distinct names counted; a chat has at most some thousand members, a hostile file any number.
MAX_NAMES = 20_000
MAX_NAME_CHARS = 120
_DAY_ORDERS = (DateOrder.DAY_FIRST, DateOrder.MONTH_FIRST)
#: Where people write the month first: settles a file that nothing in it settles.
_MONTH_FIRST_ZONES = frozenset(
    f"America/{city}" for city in ("New_York", "Detroit", "Chicago", "Denver", "Boise", "Phoenix", "Los_Angeles")
) | {"America/Anchorage", "Pacific/Honolulu"}
_UNSAVED = re.compile(r"^~\s*")
_COLON = re.compile(r":(?:\s|$)")


@dataclass(slots=True)
class _Order:
    """How well one date order fits the heads of a shape."""

    impossible_count: int = 0
    backward_count: int = 0
    last: datetime | None = None

    def add(self, moment: datetime | None) -> None:
        if moment is None:
            self.impossible_count += 1
            return
        if self.last is not None and moment < self.last:
            self.backward_count += 1
        self.last = moment


@dataclass(slots=True)
class _Shape:
    count: int = 0
    american_count: int = 0
    orders: dict[DateOrder, _Order] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Survey:
    """What the whole file says about each of its lines."""

    shape: str | None
    order: DateOrder
    is_order_assumed: bool
    other_heads_count: int
    first: str  # moment and rest of the first head: what the chat is known by when its file has no telling name
    names: Counter[str]
    second_names: Counter[tuple[str, str]]
    app_names: frozenset[str]  # labels under which only the app itself speaks (the group's own name)

    def is_known(self, name: str | None) -> bool:
        """Whether the name heads more than one line."""
        return name is not None and self.names[name] > 1

    def split(self, rest: str) -> tuple[str | None, str]:
        """Author and body of what follows a head; no author for a line of the app."""
        found = _name_and_body(rest)
        if found is None:
            return None, rest
        name, body = found
        if self.names[name] <= 1 and is_system(rest):
            return None, rest
        more = _name_and_body(body)
        if more is not None and self._is_one_name(name, more[0]):
            return f"{name}: {more[0]}", more[1]
        return name, body

    def _is_one_name(self, name: str, second: str) -> bool:
        """A name with a colon in it: every line of the first part goes on with the same second part."""
        return self.names[name] >= 2 and self.second_names[name, second] == self.names[name]


def survey(lines: Iterable[str], title: str | None, zone: str | None = None) -> Survey:
    """Read the whole file once, keeping only counts.

    An export begins with a head, so a file that does so has told its shape; in any other the most frequent one counts.
    """
    shapes: dict[str, _Shape] = {}
    names: Counter[str] = Counter()
    seconds: Counter[tuple[str, str]] = Counter()
    spoken: Counter[str] = Counter()
    firsts: dict[str, str] = {}
    told: str | None = None
    is_start = True
    for line in lines:
        header = match_header(line)
        moments = [] if header is None else [(order, header.moment(order)) for order in _orders(header)]
        if header is not None and any(moment for _, moment in moments):
            told = header.shape if is_start else told
            if header.shape not in shapes:
                firsts[header.shape] = f"{header.numbers} {header.hour}:{header.minute} {visible(header.rest)}"
            _count_head(shapes.setdefault(header.shape, _Shape()), header, moments)
            if told in (None, header.shape):
                _count_names(header.rest, names, seconds, spoken)
        is_start = is_start and not visible(line)
    if not shapes:
        return Survey(None, DateOrder.DAY_FIRST, True, 0, "", names, seconds, frozenset())
    best = told or max(shapes, key=lambda key: shapes[key].count)  # the first seen of equals
    order, assumed = _choose_order(best, shapes[best], zone)
    others = sum(shape.count for key, shape in shapes.items() if key != best)
    app_names = frozenset(name for name, count in names.items() if not spoken[name] and (count > 1 or name == title))
    return Survey(best, order, assumed, others, firsts[best], names, seconds, app_names)


def _count_head(shape: _Shape, header: Header, moments: Sequence[tuple[DateOrder, datetime | None]]) -> None:
    shape.count += 1
    shape.american_count += header.is_american
    for order, moment in moments:
        if order not in shape.orders:
            shape.orders[order] = _Order()
        shape.orders[order].add(moment)


def _orders(header: Header) -> tuple[DateOrder, ...]:
    return (DateOrder.YEAR_FIRST,) if header.is_year_first else _DAY_ORDERS


def _choose_order(key: str, shape: _Shape, zone: str | None) -> tuple[DateOrder, bool]:
    """The order that makes the fewest impossible days, then the fewest steps back in time, then the usual one.

    The flag says that nothing in the file decided it.
    """
    if DateOrder.YEAR_FIRST in shape.orders:
        return DateOrder.YEAR_FIRST, False
    day, month = (shape.orders[order] for order in _DAY_ORDERS)
    if day.impossible_count != month.impossible_count:
        chosen = _DAY_ORDERS[day.impossible_count > month.impossible_count]
        return chosen, False
    if day.backward_count != month.backward_count:
        return _DAY_ORDERS[day.backward_count > month.backward_count], False
    american = "/" in key and key.startswith("dash") and key.rstrip("s").endswith("2") and shape.american_count > 0
    return (DateOrder.MONTH_FIRST if american or zone in _MONTH_FIRST_ZONES else DateOrder.DAY_FIRST), True


def _count_names(rest: str, names: Counter[str], seconds: Counter[tuple[str, str]], spoken: Counter[str]) -> None:
    found = _name_and_body(rest)
    if found is None or (found[0] not in names and len(names) >= MAX_NAMES):
        return
    name, body = found
    names[name] += 1
    if not is_marked(body) or is_media(body) or is_deleted(body) or _is_shared(body):
        spoken[name] += 1
    more = _name_and_body(body)
    if more is not None and more[1].strip() and len(seconds) < MAX_NAMES and more[0][:1].isupper():
        seconds[name, more[0]] += 1


def _is_shared(body: str) -> bool:
    """A poll or a place: the app writes it, but a person shared it."""
    return visible(body).endswith(":") or "://" in body


def _name_and_body(rest: str) -> tuple[str, str] | None:
    """Split at the first colon that a blank or the end follows; the name loses marks and a stranger's tilde."""
    found = _COLON.search(rest, 1, MAX_NAME_CHARS)
    if found is None:
        return None
    name = _UNSAVED.sub("", visible(rest[: found.start()]))
    return (name, rest[found.end() :]) if name else None
