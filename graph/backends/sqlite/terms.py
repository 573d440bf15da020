"""Full-text search that stays cheap: tokens of one owner, and of a question only those that tell something.

FTS5 reads the whole posting list of each term and ranks every row that matches. So rows per term are counted as they
are written, and a query takes its rarest terms up to a bound on rows; the rest only sharpens the order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from doso.text import query_tokens
from graph.backends.sqlite.scope import Scope, listed

#: Distinct tokens of a row that are searched, and of a query that are looked at.
INDEXED_TOKENS = 256
QUERY_TOKENS = 32
#: Rows that the terms of one query may hold together; a single term may hold more when it is all there is.
QUERY_ROWS = 3_000
#: Characters of a token: longer ones are cut alike on both sides.
TOKEN_CHARS = 64

COUNT_TERM = """
INSERT INTO terms (kind, term, rows_count) VALUES (?, ?, ?)
ON CONFLICT (kind, term) DO UPDATE SET rows_count = rows_count + excluded.rows_count"""
TERM_COUNTS = """
SELECT term, rows_count FROM terms
WHERE kind = ? AND term IN (SELECT value FROM json_each(?)) AND rows_count > 0"""


@dataclass(frozen=True, slots=True)
class Query:
    """`telling` match expression finds; `sharper` (None where nothing is left over) finds the better of these first.
    `is_ranked` is False when even the rarest term is so common that ranking every row would cost too much."""

    telling: str
    sharper: str | None
    is_ranked: bool
    rows_count: int  # at most so many rows match


def indexed(scope: Scope, texts: Iterable[str]) -> str:
    """The tokens of a row as its search column holds them."""
    tokens = dict.fromkeys(token for text in texts for token in query_tokens(text, limit=INDEXED_TOKENS))
    return " ".join(_scoped(scope, tokens))


async def count_terms(scope: Scope, kind: str, added: Iterable[str], removed: Iterable[str] = ()) -> None:
    """Keep the counts in step with search rows that come and go."""
    counts: Counter[str] = Counter()
    for tokens in added:
        counts.update(tokens.split())
    for tokens in removed:
        counts.subtract(tokens.split())
    await scope.many(COUNT_TERM, [(kind, term, count) for term, count in sorted(counts.items()) if count])


async def query(scope: Scope, kind: str, tokens: Sequence[str]) -> Query | None:
    """The expressions for these tokens, or None when no row holds any of them."""
    terms = _scoped(scope, dict.fromkeys(tokens[:QUERY_TOKENS]))
    counts: dict[str, int] = {row[0]: row[1] for row in await scope.all(TERM_COUNTS, kind, listed(terms))}
    if not counts:
        return None
    rarest = sorted(counts, key=lambda term: (counts[term], term))
    telling = _within_bound(rarest, counts)
    common = [term for term in rarest if term not in telling]
    is_ranked = counts[rarest[0]] <= QUERY_ROWS * 2
    if not is_ranked:
        both = _all_of([rarest[0], common[0]]) if common else None
        return Query(_any_of([rarest[0]]), both, is_ranked=False, rows_count=counts[rarest[0]])
    sharper = f"({_any_of(telling)}) AND ({_any_of(common)})" if common else None
    return Query(_any_of(telling), sharper, is_ranked, sum(counts[term] for term in telling))


def _within_bound(rarest: Sequence[str], counts: Mapping[str, int]) -> Collection[str]:
    taken, rows = [rarest[0]], counts[rarest[0]]
    for term in rarest[1:]:
        rows += counts[term]
        if rows > QUERY_ROWS:
            break
        taken.append(term)
    return taken


def _scoped(scope: Scope, tokens: Iterable[str]) -> list[str]:
    cut = dict.fromkeys(token[:TOKEN_CHARS] for token in tokens if token.strip() and '"' not in token)
    return [f"o{scope.no}x{token}" for token in cut if not any(character.isspace() for character in token)]


def _any_of(terms: Iterable[str]) -> str:
    return " OR ".join(f'"{term}"' for term in terms)


def _all_of(terms: Iterable[str]) -> str:
    return " AND ".join(f'"{term}"' for term in terms)
