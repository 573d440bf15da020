"""Text search over passages: candidates by their telling words from the engine's index, then exact BM25 here.

The engine only lists rows; the score is computed in one place, so SQLite and PostgreSQL order alike. Words that very
many passages hold choose no candidates (listing their rows is what costs), they only add to the score.
"""

# ruff: noqa: S608 - statements are put together from constants only, values are parameters
from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import BindParameter, String, bindparam, text

from doso.db.connection import AsyncConnection
from doso.ids import OwnerId
from doso.records import Passage
from doso.records.passages import PassageFilter, PassageHit
from ingest.library.rows import OWNED, PASSAGE_COLUMNS, AnyRow, micros, passage_of
from ingest.library.terms import in_namespace, namespaces, tag

#: Rows that the words of one question may list together, and candidates that are then scored exactly.
LISTED_ROWS = 4000
SCORED_ROWS = 300
SCORED_PER_HIT = 4
MAX_QUERY_TOKENS = 64
#: BM25's usual constants, and what a word of the title counts against one of the text.
K1, B, TITLE_WEIGHT = 1.2, 0.75, 0.5

_OWNER = text("SELECT number, passages, tokens FROM owners WHERE owner = :owner")
_FREQUENCIES = text("SELECT term, passages FROM search_terms WHERE term IN :terms").bindparams(
    bindparam("terms", expanding=True)
)
_SCOPE = "SELECT COALESCE(SUM(passages_count), 0) FROM documents WHERE owner = :owner"
_IN_CHATS = " AND chat_id IN :chat_ids"
_IN_DOCUMENTS = " AND id IN :document_ids"
_SQLITE_ARM = (
    "SELECT * FROM (SELECT s.rowid AS seq, CAST(:w{n} AS DOUBLE PRECISION) AS w FROM passage_search s{join} "
    "WHERE s.passage_search MATCH :m{n}{when} ORDER BY s.rowid DESC LIMIT :cap) AS arm{n}"
)
_POSTGRES_ARM = (
    "SELECT * FROM (SELECT s.seq AS seq, CAST(:w{n} AS DOUBLE PRECISION) AS w FROM passage_search s{join} "
    "WHERE s.terms @@ CAST(CAST(:m{n} AS TEXT) AS tsquery){when} ORDER BY s.seq DESC LIMIT :cap) AS arm{n}"
)
_CANDIDATES = (
    "SELECT s.{key}, s.body, s.title FROM (SELECT seq, SUM(w) AS weight FROM ({arms}) AS listed GROUP BY seq "
    "ORDER BY weight DESC, seq DESC LIMIT :scored) AS best JOIN passage_search s ON s.{key} = best.seq"
)
_SINCE = " AND p.occurred_at >= :since"
_UNTIL = " AND p.occurred_at < :until"
_HYDRATE = text(
    f"SELECT {PASSAGE_COLUMNS} FROM passages p JOIN documents d ON d.id = p.document_id "
    f"WHERE {OWNED} AND d.state <> 'deleting' AND p.seq IN :seqs"
).bindparams(bindparam("seqs", expanding=True))


@dataclass(frozen=True, slots=True)
class Word:
    """One token of the question: its terms (one per namespace), in how many passages it is, what it tells."""

    terms: tuple[str, ...]
    frequency: int
    weight: float


@dataclass(frozen=True, slots=True)
class Corpus:
    """The owner's passages as BM25 sees them."""

    number: int
    passages: int
    tokens: int

    def weight(self, frequency: int) -> float:
        """Inverse document frequency, always positive."""
        return math.log(1 + (self.passages - frequency + 0.5) / (frequency + 0.5))

    @property
    def mean_length(self) -> float:
        """Tokens per passage."""
        return max(1.0, self.tokens / max(1, self.passages))


async def search_lexical(
    connection: AsyncConnection,
    owner: OwnerId,
    tokens: Sequence[str],
    filter: PassageFilter,
    *,
    limit: int,
    is_sqlite: bool,
) -> tuple[PassageHit, ...]:
    """The best passages by BM25; no tokens, no hits."""
    row = (await connection.execute(_OWNER, {"owner": owner})).first()
    if row is None or not tokens or limit < 1:
        return ()
    corpus = Corpus(*row)
    words = await _words(connection, corpus, tokens, filter)
    chosen = _chosen(words, await scope_size(connection, owner, filter))
    if not chosen:
        return ()
    rows = await _candidates(connection, corpus, chosen, filter, limit, is_sqlite=is_sqlite)
    scores = {row[0]: _score(row, words, corpus) for row in rows}
    best = sorted(scores, key=lambda seq: (-scores[seq], -seq))[:limit]
    passages = await hydrate(connection, owner, best)
    return tuple(PassageHit(passages[seq], scores[seq]) for seq in best if seq in passages)


async def hydrate(connection: AsyncConnection, owner: OwnerId, seqs: Iterable[int]) -> dict[int, Passage]:
    """The owner's passages of these numbers that are not being deleted."""
    rows = await connection.execute(_HYDRATE, {"owner": owner, "seqs": list(seqs)})
    return {row[18]: passage_of(row) for row in rows}


async def _words(
    connection: AsyncConnection, corpus: Corpus, tokens: Sequence[str], filter: PassageFilter
) -> list[Word]:
    """The tokens that anything holds, the rarest first."""
    prefixes = namespaces(corpus.number, filter.sources)
    forms = {
        token: tuple(term for prefix in prefixes for term in in_namespace(prefix, (token,)))
        for token in list(dict.fromkeys(tokens))[:MAX_QUERY_TOKENS]
    }
    every = [term for terms in forms.values() for term in terms]
    if not every:
        return []
    counts = {row[0]: row[1] for row in await connection.execute(_FREQUENCIES, {"terms": every})}
    words = []
    for terms in forms.values():
        frequency = sum(counts.get(term, 0) for term in terms)
        if frequency > 0:
            words.append(Word(terms, frequency, corpus.weight(min(frequency, corpus.passages))))
    return sorted(words, key=lambda word: (word.frequency, word.terms))


async def scope_size(connection: AsyncConnection, owner: OwnerId, filter: PassageFilter) -> int | None:
    """How many passages the named chats or documents hold; None where the filter names neither."""
    if filter.chat_ids is None and filter.document_ids is None:
        return None
    query, values = _SCOPE, {"owner": owner}
    parameters: list[BindParameter[str]] = []
    if filter.chat_ids is not None:
        query += _IN_CHATS
        parameters.append(bindparam("chat_ids", list(filter.chat_ids), String, expanding=True))
    if filter.document_ids is not None:
        query += _IN_DOCUMENTS
        parameters.append(bindparam("document_ids", list(filter.document_ids), String, expanding=True))
    total = (await connection.execute(text(query).bindparams(*parameters), values)).scalar_one()
    return int(total)


def _chosen(words: Sequence[Word], scope: int | None) -> list[Word]:
    """The words that list candidates: the rarest, as many as the bound allows, one in any case."""
    chosen: list[Word] = []
    listed = 0
    for word in words:
        listed += word.frequency if scope is None else min(word.frequency, scope)
        if chosen and listed > LISTED_ROWS:
            break
        chosen.append(word)
    return chosen if scope is None or scope > 0 else []


async def _candidates(
    connection: AsyncConnection,
    corpus: Corpus,
    words: Sequence[Word],
    filter: PassageFilter,
    limit: int,
    *,
    is_sqlite: bool,
) -> Sequence[AnyRow]:
    when = (_SINCE if filter.since else "") + (_UNTIL if filter.until else "")
    key = "rowid" if is_sqlite else "seq"
    join = f" JOIN passages p ON p.seq = s.{key}" if when else ""
    arm = _SQLITE_ARM if is_sqlite else _POSTGRES_ARM
    arms = " UNION ALL ".join(arm.format(n=n, join=join, when=when) for n in range(len(words)))
    narrowing = _narrowing(corpus, filter)
    values: dict[str, object] = {"cap": LISTED_ROWS, "scored": max(SCORED_ROWS, SCORED_PER_HIT * limit)}
    if filter.since:
        values["since"] = micros(filter.since)
    if filter.until:
        values["until"] = micros(filter.until)
    for n, word in enumerate(words):
        values[f"w{n}"] = word.weight
        values[f"m{n}"] = expression([word.terms, *narrowing], is_sqlite=is_sqlite)
    return (await connection.execute(text(_CANDIDATES.format(key=key, arms=arms)), values)).all()


def _narrowing(corpus: Corpus, filter: PassageFilter) -> list[tuple[str, ...]]:
    prefixes = namespaces(corpus.number, filter.sources)
    groups: list[tuple[str, ...]] = []
    for kind, wanted in (("c", filter.chat_ids), ("d", filter.document_ids), ("s", filter.sources)):
        if wanted is not None:
            groups.append(tuple(tag(prefix, kind, value) for prefix in prefixes for value in sorted(wanted)))
    return groups


def expression(groups: Sequence[Sequence[str]], *, is_sqlite: bool) -> str:
    """One of each group, in the engine's query language. Terms hold no quote and no backslash."""
    quote, either, both = ('"', " OR ", " AND ") if is_sqlite else ("'", " | ", " & ")
    return both.join("(" + either.join(f"{quote}{term}{quote}" for term in group) + ")" for group in groups)


def _score(row: AnyRow, words: Sequence[Word], corpus: Corpus) -> float:
    body, title = row[1].split(" "), row[2].split(" ")
    norm = K1 * (1 - B + B * len(body) / corpus.mean_length)
    total = 0.0
    for word in words:
        count = sum(body.count(term) + TITLE_WEIGHT * title.count(term) for term in word.terms)
        if count:
            total += word.weight * count * (K1 + 1) / (count + norm)
    return total


__all__ = ["Corpus", "expression", "hydrate", "scope_size", "search_lexical"]
