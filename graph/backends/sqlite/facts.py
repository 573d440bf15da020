"""Facts and their provenance in SQLite."""

# ruff: noqa: S608 - statements are joined from the constants below only; values are always parameters

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from doso.ids import DocumentId, EntityId, FactId, PassageId
from doso.records import Fact, Page, Provenance
from graph.backends.sqlite import terms
from graph.backends.sqlite.entities import NEWEST
from graph.backends.sqlite.rows import (
    fact_from_row,
    row_from_fact,
    row_from_provenance,
    to_text,
)
from graph.backends.sqlite.scope import Rows, Scope, listed
from graph.backends.sqlite.vectors import forget_vectors
from graph.backends.sqlite.views import seen
from graph.ports import View

COLUMNS = """f.id, f.key, f.subject_id, f.predicate, f.object_id, f.literal_kind, f.literal_text, f.status,
  f.confidence, f.trust, f.recorded_at, f.verified_at, f.retired_at, f.superseded_by, f.valid_from, f.valid_until,
  f.zone, f.text,
  (SELECT json_group_array(json_array(p.document_id, p.passage_id, p.extractor, p.source, p.trust, p.author,
     p.occurred_at, p.span_start, p.span_end, p.fingerprint))
   FROM (SELECT * FROM provenance WHERE owner = f.owner AND fact_id = f.id ORDER BY n) p)"""
BY_ID = f"SELECT {COLUMNS} FROM facts f WHERE f.owner = ? AND f.id IN (SELECT value FROM json_each(?)) ORDER BY f.id"
BY_KEY = f"""
SELECT {COLUMNS} FROM facts f WHERE f.owner = ? AND f.key IN (SELECT value FROM json_each(?)) ORDER BY f.id DESC"""
OF_SUBJECTS = f"""
SELECT {COLUMNS} FROM facts f WHERE f.owner = ? AND f.subject_id IN (SELECT value FROM json_each(?))
  AND f.retired_at IS NULL ORDER BY f.id"""
OF_SUBJECTS_AND_PREDICATES = f"""
SELECT {COLUMNS} FROM facts f WHERE f.owner = ? AND f.subject_id IN (SELECT value FROM json_each(?))
  AND f.predicate IN (SELECT value FROM json_each(?)) AND f.retired_at IS NULL ORDER BY f.id"""
OF_OBJECTS = f"""
SELECT {COLUMNS} FROM facts f WHERE f.owner = ? AND f.object_id IN (SELECT value FROM json_each(?))
  AND f.retired_at IS NULL ORDER BY f.id"""
OF_OBJECTS_AND_PREDICATES = f"""
SELECT {COLUMNS} FROM facts f WHERE f.owner = ? AND f.object_id IN (SELECT value FROM json_each(?))
  AND f.predicate IN (SELECT value FROM json_each(?)) AND f.retired_at IS NULL ORDER BY f.id"""
FROM_DOCUMENT = f"""
SELECT {COLUMNS} FROM facts f WHERE f.owner = ? AND f.id IN (
  SELECT fact_id FROM provenance WHERE owner = ? AND document_id = ? AND document_id <> '') ORDER BY f.id"""
FROM_PASSAGES = f"""
SELECT {COLUMNS} FROM facts f WHERE f.owner = ? AND f.id IN (
  SELECT fact_id FROM provenance WHERE owner = ? AND document_id = ? AND document_id <> ''
    AND passage_id IN (SELECT value FROM json_each(?))) ORDER BY f.id"""
SUPERSEDED_BY = f"""
SELECT {COLUMNS} FROM facts f WHERE f.owner = ? AND f.superseded_by IN (SELECT value FROM json_each(?))
ORDER BY f.id"""
NUMBERS = """
SELECT id, n, text, retired_at IS NULL, status = 'candidate' FROM facts
WHERE owner = ? AND id IN (SELECT value FROM json_each(?))"""
PUT = """
INSERT INTO facts (owner, id, key, subject_id, predicate, object_id, literal_kind, literal_text, status, confidence,
  trust, recorded_at, verified_at, retired_at, superseded_by, valid_from, valid_until, zone, text)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (owner, id) DO UPDATE SET key = excluded.key, subject_id = excluded.subject_id,
  predicate = excluded.predicate, object_id = excluded.object_id, literal_kind = excluded.literal_kind,
  literal_text = excluded.literal_text, status = excluded.status, confidence = excluded.confidence,
  trust = excluded.trust, recorded_at = excluded.recorded_at, verified_at = excluded.verified_at,
  retired_at = excluded.retired_at, superseded_by = excluded.superseded_by, valid_from = excluded.valid_from,
  valid_until = excluded.valid_until, zone = excluded.zone, text = excluded.text"""
PUT_TOKENS = """
INSERT INTO fact_search (rowid, tokens) VALUES ((SELECT n FROM facts WHERE owner = ? AND id = ?), ?)"""
TOKENS = "SELECT rowid, tokens FROM fact_search WHERE rowid IN (SELECT value FROM json_each(?))"
DELETE_TOKENS = "DELETE FROM fact_search WHERE rowid = ?"
DELETE = "DELETE FROM facts WHERE owner = ? AND id IN (SELECT value FROM json_each(?))"
DELETE_SUPPORTS = "DELETE FROM provenance WHERE owner = ? AND fact_id IN (SELECT value FROM json_each(?))"
COUNT = "UPDATE owners SET facts = facts + ?, candidates = candidates + ? WHERE no = ?"
PUT_SUPPORT = """
INSERT INTO provenance (owner, fact_id, document_id, passage_id, extractor, source, trust, author, occurred_at,
  span_start, span_end, fingerprint) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"""
DROP_DOCUMENT = "DELETE FROM provenance WHERE owner = ? AND document_id = ? AND document_id <> ''"
DROP_PASSAGES = """
DELETE FROM provenance WHERE owner = ? AND document_id = ? AND document_id <> ''
  AND passage_id IN (SELECT value FROM json_each(?))"""
DROP_SUPPORT = """
DELETE FROM provenance WHERE owner = ? AND fact_id = ? AND document_id = ? AND passage_id = ? AND extractor = ?"""
LISTED = f"SELECT {COLUMNS} FROM facts f WHERE f.owner = ? AND f.id < ?"
AND_OF_ENTITIES = """
  AND f.id IN (SELECT id FROM facts WHERE owner = ? AND subject_id IN (SELECT value FROM json_each(?))
    UNION SELECT id FROM facts WHERE owner = ? AND object_id IN (SELECT value FROM json_each(?)))"""
AND_PREDICATE = " AND f.predicate = ?"
AND_FROM = " AND f.valid_from >= ?"
AND_UNTIL = " AND f.valid_from < ?"
LISTED_TAIL = " ORDER BY f.id DESC LIMIT ?"


async def by_id(scope: Scope, ids: Collection[FactId]) -> dict[FactId, Fact]:
    """The facts of these ids."""
    found = records(scope, await scope.all(BY_ID, scope.no, listed(ids))) if ids else ()
    return {fact.id: fact for fact in found}


async def by_key(scope: Scope, keys: Collection[str]) -> dict[str, tuple[Fact, ...]]:
    """Every row of these keys, newest first."""
    arranged: dict[str, list[Fact]] = defaultdict(list)
    for fact in records(scope, await scope.all(BY_KEY, scope.no, listed(keys))) if keys else ():
        arranged[fact.key].append(fact)
    return {key: tuple(facts) for key, facts in arranged.items()}


async def of_entities(
    scope: Scope, ids: Collection[EntityId], predicates: Collection[str] | None, *, as_object: bool
) -> tuple[Fact, ...]:
    """Unretired facts of these subjects or objects."""
    if not ids:
        return ()
    if predicates is None:
        rows = await scope.all(OF_OBJECTS if as_object else OF_SUBJECTS, scope.no, listed(ids))
    else:
        statement = OF_OBJECTS_AND_PREDICATES if as_object else OF_SUBJECTS_AND_PREDICATES
        rows = await scope.all(statement, scope.no, listed(ids), listed(predicates))
    return records(scope, rows)


async def from_document(
    scope: Scope, document_id: DocumentId, passage_ids: Collection[PassageId] | None
) -> tuple[Fact, ...]:
    """Facts that the document, or these passages of it, support."""
    if passage_ids is None:
        return records(scope, await scope.all(FROM_DOCUMENT, scope.no, scope.no, document_id))
    return records(scope, await scope.all(FROM_PASSAGES, scope.no, scope.no, document_id, listed(passage_ids)))


async def superseded_by(scope: Scope, ids: Collection[FactId]) -> tuple[Fact, ...]:
    """Facts that gave way to these."""
    return records(scope, await scope.all(SUPERSEDED_BY, scope.no, listed(ids))) if ids else ()


async def page(
    scope: Scope,
    view: View,
    *,
    entity_ids: Collection[EntityId] | None,
    predicate: str | None,
    cursor: str | None,
    limit: int,
    valid_from: datetime | None,
    valid_until: datetime | None,
) -> Page[Fact]:
    """Facts that the view sees, newest first."""
    parts, values = [LISTED], [scope.no, cursor or NEWEST]
    if entity_ids is not None:
        parts.append(AND_OF_ENTITIES)
        values += [scope.no, listed(entity_ids), scope.no, listed(entity_ids)]
    for condition, value in (
        (AND_PREDICATE, predicate),
        (AND_FROM, to_text(valid_from)),
        (AND_UNTIL, to_text(valid_until)),
    ):
        if value is not None:
            parts.append(condition)
            values.append(value)
    condition, more = seen(view)
    rows = await scope.all(f"{''.join(parts)} AND {condition}{LISTED_TAIL}", *values, *more, limit + 1)
    data = records(scope, rows[:limit])
    return Page(data, data[-1].id if len(rows) > limit else None)


async def put(scope: Scope, facts: Sequence[Fact]) -> None:
    """Insert or replace facts with their search rows; a changed text drops the vectors."""
    last = {fact.id: fact for fact in facts}
    if not last:
        return
    known = {row[0]: row for row in await scope.all(NUMBERS, scope.no, listed(last))}
    reworded = [fact.id for fact in last.values() if fact.id in known and known[fact.id][2] != fact.text]
    if reworded:
        await forget_vectors(scope, reworded)
        await _forget_tokens(scope, [known[id][1] for id in reworded])
    await scope.many(PUT, [row_from_fact(scope.no, fact) for fact in last.values()])
    searched = [*(id for id in last if id not in known), *reworded]
    tokens = {id: terms.indexed(scope, (last[id].text,)) for id in searched}
    await scope.many(PUT_TOKENS, [(scope.no, id, held) for id, held in tokens.items()])
    await terms.count_terms(scope, "fact", tokens.values())
    await _count(scope, list(last.values()), list(known.values()))


async def delete(scope: Scope, ids: Collection[FactId]) -> None:
    """Remove facts for good."""
    known = await scope.all(NUMBERS, scope.no, listed(ids)) if ids else ()
    if not known:
        return
    gone = [FactId(row[0]) for row in known]
    await forget_vectors(scope, gone)
    await _forget_tokens(scope, [row[1] for row in known])
    await scope.run(DELETE_SUPPORTS, scope.no, listed(gone))
    await scope.run(DELETE, scope.no, listed(gone))
    await _count(scope, [], known)


async def add_provenance(scope: Scope, rows: Sequence[tuple[FactId, Provenance]]) -> None:
    """Add supports."""
    await scope.many(PUT_SUPPORT, [row_from_provenance(scope.no, id, support) for id, support in rows])


async def drop_provenance(scope: Scope, document_id: DocumentId, passage_ids: Collection[PassageId] | None) -> int:
    """Take a document's (or some of its passages') support away."""
    if passage_ids is None:
        return await scope.run(DROP_DOCUMENT, scope.no, document_id)
    return await scope.run(DROP_PASSAGES, scope.no, document_id, listed(passage_ids))


async def drop_supports(scope: Scope, rows: Sequence[tuple[FactId, Provenance]]) -> None:
    """Take exactly these supports away."""
    await scope.many(
        DROP_SUPPORT,
        [(scope.no, id, held.document_id or "", held.passage_id or "", held.extractor) for id, held in rows],
    )


def records(scope: Scope, rows: Rows) -> tuple[Fact, ...]:
    """Records of fact rows, in order."""
    return tuple(fact_from_row(scope.owner, row) for row in rows)


async def _forget_tokens(scope: Scope, numbers: Sequence[int]) -> None:
    held = await scope.all(TOKENS, json.dumps(numbers))
    await terms.count_terms(scope, "fact", (), (row[1] for row in held))
    await scope.many(DELETE_TOKENS, [(row[0],) for row in held])


async def _count(scope: Scope, now: Sequence[Fact], before: Sequence[Sequence[Any]]) -> None:
    facts = sum(fact.retired_at is None for fact in now) - sum(row[3] for row in before)
    candidates = sum(fact.status == "candidate" for fact in now) - sum(row[4] for row in before)
    if facts or candidates:
        await scope.run(COUNT, facts, candidates, scope.no)
