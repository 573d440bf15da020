"""Which entities a question names: its word runs as alias keys, the first person, and namesakes, never one chosen. Pure
but for the look-ups that graph.reading makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import regex

from doso.ids import EntityId
from doso.records import Entity, EntityType
from doso.text import STOPWORDS, search_tokens
from graph.names import name_key, stored_key
from graph.resolving import FIRST_PERSON

#: Words of a question that are looked at, words of the longest name, characters of a name in an unspaced script.
MAX_WORDS = 200
MAX_NAME_WORDS = 6
MAX_UNSPACED_CHARS = 10
MAX_KEYS = 2_000

_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}ー\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]{2,}")


@dataclass(frozen=True, slots=True)
class Span:
    """A run of words [start, end) that may be a name; `key` is its stored key."""

    start: int
    end: int
    key: str


def question_words(question: str) -> list[str]:
    """The question in the normal form of names, word by word."""
    return name_key(question).split()[:MAX_WORDS]


def spans(words: Sequence[str]) -> list[Span]:
    """Every run that may be a name, longest first; no single stopword."""
    found: list[Span] = []
    for size in range(min(MAX_NAME_WORDS, len(words)), 0, -1):
        for start in range(len(words) - size + 1):
            run = words[start : start + size]
            if any(word not in STOPWORDS for word in run):
                found.append(Span(start, start + size, stored_key(" ".join(run))))
    for position, word in enumerate(words):
        found += [Span(position, position + 1, stored_key(part)) for part in _parts(word)]
    return found[:MAX_KEYS]


def taken(found: Sequence[Span], bearers: Mapping[str, Sequence[Entity]]) -> list[tuple[Span, Sequence[Entity]]]:
    """The runs that are names, longest first, none within another's words."""
    used: set[int] = set()
    names: list[tuple[Span, Sequence[Entity]]] = []
    for span in sorted(found, key=lambda span: (span.start - span.end, span.start)):
        is_free = not used.intersection(range(span.start, span.end))
        if span.key in bearers and (is_free or (span.end - span.start == 1 and span.start not in used)):
            names.append((span, bearers[span.key]))
            used.update(range(span.start, span.end))
    return sorted(names, key=lambda name: name[0].start)


def is_first_person(words: Iterable[str]) -> bool:
    """Whether the question speaks of the one who asks."""
    return any(word in FIRST_PERSON for word in words)


def is_namesake(entity: Entity, words: frozenset[str]) -> bool:
    """Whether the words hold a person's first or last name, or at least half of the words of another's name."""
    for name in dict.fromkeys((entity.name, *(alias.name for alias in entity.aliases))):
        parts = name_key(name).split()
        if not parts:
            continue
        if entity.type is EntityType.PERSON:
            if parts[0] in words or (len(parts) > 1 and parts[-1] in words and parts[-1] not in STOPWORDS):
                return True
        elif _overlap(name, words) >= 0.5:
            return True
    return False


def unique(entities: Iterable[Entity]) -> list[EntityId]:
    """Their groups' ids, each once, in order."""
    return list(dict.fromkeys(entity.group_id for entity in entities))


def _overlap(name: str, words: frozenset[str]) -> float:
    parts = [part for part in search_tokens(name) if part not in STOPWORDS]
    stems = {token for word in words for token in search_tokens(word)}
    return sum(part in stems for part in parts) / len(parts) if parts else 0.0


def _parts(word: str) -> Iterable[str]:
    """Parts of a run of an unspaced script that may be a name."""
    for run in _UNSPACED.findall(word):
        for size in range(min(MAX_UNSPACED_CHARS, len(run)), 1, -1):
            for start in range(len(run) - size + 1):
                if run[start : start + size] != word:
                    yield run[start : start + size]
