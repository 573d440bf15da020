"""A PassageFilter as conditions over passages `p` and documents `d`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import BindParameter, String, bindparam

from doso.records import UNLISTED_SOURCES, Source
from doso.records.passages import PassageFilter
from ingest.library.rows import micros

LISTED = frozenset(Source) - UNLISTED_SOURCES

_CHATS = " AND d.chat_id IN :chat_ids"
_DOCUMENTS = " AND d.id IN :document_ids"
_SOURCES = " AND d.source IN :sources"
_SINCE = " AND p.occurred_at >= :since"
_UNTIL = " AND p.occurred_at < :until"


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Conditions to append to a WHERE, with their lists and values."""

    sql: str
    lists: tuple[BindParameter[str], ...]
    values: Mapping[str, object]


def is_open(filter: PassageFilter) -> bool:
    """Whether the filter leaves the whole document arm."""
    return filter == PassageFilter()


def narrowing(filter: PassageFilter) -> Narrowing:
    """The conditions of a filter; without sources, those of the document arm."""
    sql = _SOURCES
    lists = {"sources": sorted(source.value for source in (LISTED if filter.sources is None else filter.sources))}
    values: dict[str, object] = {}
    if filter.chat_ids is not None:
        sql, lists["chat_ids"] = sql + _CHATS, list(filter.chat_ids)
    if filter.document_ids is not None:
        sql, lists["document_ids"] = sql + _DOCUMENTS, list(filter.document_ids)
    if filter.since is not None:
        sql, values["since"] = sql + _SINCE, micros(filter.since)
    if filter.until is not None:
        sql, values["until"] = sql + _UNTIL, micros(filter.until)
    return Narrowing(
        sql, tuple(bindparam(name, items, String, expanding=True) for name, items in lists.items()), values
    )
