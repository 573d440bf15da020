"""Whether an item says what a sentence claims with its mark, judged by words alone: names, numbers, negation.

It errs on the side of the mark: only what contradicts or has nothing in common falls (decision 112).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import regex

from ask.claims import Stated, is_noun_capitalising, stated
from ask.orders import without_orders
from doso.records import Entity
from doso.records.evidence import EvidenceItem, spoken_at
from doso.text import stem

#: Share of a claim's content words that must stand in what it cites, where both are in one script.
LEAST_SHARED = 0.15
_RELATIVE_DAY = regex.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|last night|(?:next|last|this|coming) \w+|in \w+ (?:days|weeks)|\w+ ago"
    r"|hari ini|besok|lusa|kemarin|minggu depan|\w+ lalu|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b",
    regex.IGNORECASE,
)
_WORD = regex.compile(r"\p{L}\p{L}+")


@dataclass(slots=True)
class SupportCheck:
    """The check over one pack. Items are taken apart when they are first cited."""

    items: Sequence[EvidenceItem]
    question: str
    _known: dict[str, Stated] = field(default_factory=dict)
    _people: frozenset[str] | None = None

    def why_not(self, claim: str, item: EvidenceItem, beside: Sequence[EvidenceItem] = ()) -> str | None:
        """Why the item does not bear the claim; None when nothing speaks against it. `beside` are items cited at the
        same place: together they may hold what each does not."""
        said = stated(claim)
        own = self._of(item)
        others = [self._of(other) for other in beside]
        if not said.content and not said.numbers:
            return None
        return (
            self._foreign_name(claim, said, own, others)
            or _foreign_number(said, own, others, item)
            or _foreign_day(said, own, others, item)
            or _contradiction(said, own)
            or _nothing_shared(said, own)
        )

    def _of(self, item: EvidenceItem) -> Stated:
        known = self._known.get(item.mark)
        if known is None:
            known = self._known[item.mark] = stated(_whole(item))
        return known

    def _foreign_name(self, claim: str, said: Stated, own: Stated, others: Sequence[Stated]) -> str | None:
        """A name in the claim that nothing cited for it holds."""
        held = own.tokens.union(*(other.tokens for other in others))
        wanted = dict(said.names)
        wanted |= {word: form for word, form in said.starters.items() if form in self._names_known()}
        if is_noun_capitalising(claim):
            wanted = {word: form for word, form in wanted.items() if form in self._names_known()}
        missing = [word for word, form in wanted.items() if not _holds(held, form)]
        asked = {stem(word.casefold()) for word in _WORD.findall(self.question)}
        for word in missing:
            if wanted[word] in asked and not self._names_another(own, said):
                continue  # the question named it, and the item speaks of nobody else
            return f"It does not mention {word}."
        return None

    def _names_another(self, own: Stated, said: Stated) -> bool:
        """Whether the item names someone or something known that the claim does not."""
        named = {form for form in (*own.names.values(), *own.starters.values()) if form in self._names_known()}
        return not all(_holds(said.tokens, form) for form in named)

    def _names_known(self) -> frozenset[str]:
        """Stems of the names in the pack: speakers, sides of facts, words written as names within sentences."""
        if self._people is None:
            found: set[str] = set(stated(self.question).names.values())
            for item in self.items:
                found.update(self._of(item).names.values())
                found.update(stem(word.casefold()) for word in _WORD.findall(" ".join(_authors(item))))
                for side in () if item.fact is None else (item.fact.subject, item.fact.object):
                    if isinstance(side, Entity) and side.role is None:
                        found.update(stem(word.casefold()) for word in _WORD.findall(side.name))
            self._people = frozenset(form for form in found if not form.startswith("month:"))
        return self._people


def _whole(item: EvidenceItem) -> str:
    """All that an item says: its text, whose it is, where and when it stands."""
    days = []
    for source in item.sources:
        moment = spoken_at(source.occurred_at, None)
        if moment is not None:
            days.append(f"{moment:%A} {moment.day} {moment:%B %Y}")
    titles = [f"{source.title} {source.source.value} {source.uri or ''}" for source in item.sources]
    return "\n".join([without_orders(item.text), *_authors(item), *titles, *days])


def _authors(item: EvidenceItem) -> list[str]:
    return [source.author for source in item.sources if source.author]


def _holds(tokens: frozenset[str], form: str) -> bool:
    """Whether a name stands there, also as part of a compound or with another ending."""
    return form in tokens or (len(form) > 4 and any(token.startswith(form) for token in tokens))


def _foreign_number(said: Stated, own: Stated, others: Sequence[Stated], item: EvidenceItem) -> str | None:
    held = own.tokens.union(*(form for one in (own, *others) for form in one.numbers.values()))
    held = held.union(*(other.tokens for other in others))
    has_words = any(not number[0].isdigit() for number in own.numbers)
    for number, forms in said.numbers.items():
        if forms & held or (not number[0].isdigit() and not has_words):
            continue
        is_day = any(name.startswith("month:") for name in (*said.names.values(), *said.starters.values()))
        if is_day and _RELATIVE_DAY.search(item.text):
            continue  # a day that was worked out from "tomorrow"
        return f"It does not say {number}."
    return None


def _foreign_day(said: Stated, own: Stated, others: Sequence[Stated], item: EvidenceItem) -> str | None:
    """A date that is another one than all that are cited for it."""
    held = own.days.union(*(other.days for other in others))
    if not said.days or not held or said.days & held or _RELATIVE_DAY.search(item.text):
        return None
    if own.ordinals & {day for day, _ in said.days}:
        return None
    return "It speaks of another day."


def _contradiction(said: Stated, own: Stated) -> str | None:
    shared = said.content & own.content if said.languages & own.languages else frozenset()
    if (said.denied ^ own.denied) & shared and not (said.denied & own.denied):
        return "One of them denies what the other says."
    return None


def _nothing_shared(said: Stated, own: Stated) -> str | None:
    if not said.content or not (said.languages & own.languages):
        return None
    numbers = {form for forms in said.numbers.values() for form in forms}
    shared = said.content & own.tokens
    shared_numbers = numbers & own.tokens.union(*own.numbers.values()) if numbers else frozenset()
    share = (len(shared) + len(shared_numbers)) / (len(said.content) + len(said.numbers))
    return None if share >= LEAST_SHARED else "It says nothing of this."
