"""What the lexical index holds of a passage: its search tokens, each under the owner's own namespace.

The namespace makes every posting list one owner's: a search can't meet a foreign row, and costs nothing for them.
Documents that stay out of the document arm have a second namespace, so that leaving them out costs nothing either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from doso.ids import digest
from doso.records import UNLISTED_SOURCES, Source
from doso.text import search_tokens

#: Longer words are cut, alike in index and query: PostgreSQL refuses lexemes over 2 KB.
MAX_TOKEN_CHARS = 64


@dataclass(frozen=True, slots=True)
class Terms:
    """The indexed forms of one passage. Text and title are kept apart since a title's words count less."""

    body: tuple[str, ...]
    title: tuple[str, ...]
    tags: tuple[str, ...]

    @property
    def distinct(self) -> frozenset[str]:
        """The terms whose document frequency this passage raises by one."""
        return frozenset(self.body) | frozenset(self.title)


def namespace(owner_number: int, source: Source) -> str:
    """The prefix of every term of this owner's documents of this source."""
    return f"{owner_number:x}{'u' if source in UNLISTED_SOURCES else ''}."


def namespaces(owner_number: int, sources: frozenset[Source] | None) -> list[str]:
    """The namespaces that a search over these sources must read; None means all that are listed."""
    if sources is None:
        return [f"{owner_number:x}."]
    return sorted({namespace(owner_number, source) for source in sources})


def in_namespace(prefix: str, tokens: Iterable[str]) -> tuple[str, ...]:
    """Terms of these tokens."""
    return tuple(prefix + token[:MAX_TOKEN_CHARS] for token in tokens)


def tag(prefix: str, kind: str, value: str) -> str:
    """The term by which a chat, document or source narrows a search; never equal to a word's term."""
    return f"{prefix[:-1]}:{kind}{digest(value)[:16]}"


def terms_of(
    prefix: str, tokens: Sequence[str], title: str, *, document_id: str, chat_id: str | None, source: Source
) -> Terms:
    """The terms of one passage of these search tokens; `title` is "" where its words should not find the passage."""
    tags = [tag(prefix, "d", document_id), tag(prefix, "s", source)]
    if chat_id is not None:
        tags.append(tag(prefix, "c", chat_id))
    return Terms(in_namespace(prefix, tokens), in_namespace(prefix, search_tokens(title)), tuple(tags))


def joined(terms: Sequence[str]) -> str:
    """Terms as one text; none holds a blank."""
    return " ".join(terms)
