"""Turns the text of a draft into the prose that is shown: canonical marks that were checked, each thing said once.

It works while the draft is being written. Text flows through; held back is only what may still change: a mark until its
sentence is whole and was checked, a sentence while it may repeat an earlier one, a line while it may be a heading of
sources. How the draft was cut changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from ask.events import Citation, DroppedCitation
from ask.links import addresses_in
from ask.markup import Code, Marks, Markup, Plain
from ask.sentences import LEAST_WORDS, MAX_SENTENCE, Sentence, flat
from ask.shown import ShownText
from ask.support import SupportCheck
from doso.records.evidence import EvidenceItem

#: Who takes out a mark that names no item, and one whose item does not bear the sentence.
BY_MARK, BY_SUPPORT = "mark", "support"
_UNSENDABLE = regex.compile(r"[\p{Cs}\x00]")
_BREAKS = regex.compile(r"[\s。！？]")
_STOPS = frozenset(".!?")
_FENCE = "```"


@dataclass(frozen=True, slots=True)
class Prose:
    """The whole prose with its citations. `is_claiming`: it states something, so that something should stand behind."""

    text: str
    citations: tuple[Citation, ...]
    dropped: tuple[DroppedCitation, ...]
    is_claiming: bool


class CitedProse:
    """One draft on its way to the reader. Feed it, then finish; what they return is shown, in order."""

    def __init__(self, items: Sequence[EvidenceItem], question: str) -> None:
        sources = [source.uri or "" for item in items for source in item.sources]
        self._items = items
        self._check = SupportCheck(items, question)
        self._markup = Markup(len(items), addresses_in([question, *(item.text for item in items), *sources]))
        self._shown = ShownText()
        self._sentence = Sentence()
        self._held: list[str | tuple[int, ...]] = []
        self._said: set[str] = set()
        self._last = ""  # the sentence before, which marks after its full stop belong to
        self._heading: str | None = None  # a heading that is not shown before what follows it is known
        self._dropped: dict[tuple[str, str], DroppedCitation] = {}
        self._is_claiming = False

    def feed(self, text: str) -> str:
        """What can be shown now."""
        self._take(self._markup.feed(_UNSENDABLE.sub("", text)))
        return self._shown.fresh()

    def finish(self) -> str:
        """What is left to show."""
        self._take(self._markup.finish())
        self._end_sentence()
        return self._shown.fresh()

    def prose(self) -> Prose:
        """The whole, once it is finished."""
        return Prose(self._shown.text(), tuple(self._shown.citations), tuple(self._dropped.values()), self._is_claiming)

    # -- reading

    def _take(self, pieces: Sequence[Plain | Code | Marks]) -> None:
        for piece in pieces:
            if isinstance(piece, Marks):
                self._mark(piece.numbers)
            elif isinstance(piece, Plain):
                self._plain(piece.text)
            elif "\n" in piece.text or piece.text.startswith(_FENCE):
                self._end_sentence(is_line_end=True)
                self._shown.add(piece.text)
            else:
                self._text(piece.text, flows=True)

    def _plain(self, text: str) -> None:
        """Cut at the ends of sentences; the blank that shows an end belongs to what follows."""
        if text and self._is_stop_after_mark(text[0]):
            self._text(text[0])
            self._end_sentence()
            text = text[1:]
        start = 0
        for match in _BREAKS.finditer(text):
            char = match.group()
            at = match.start() if char.isspace() else match.end()
            self._text(text[start:at])
            start = at
            if self._sentence.ends_before(char):
                self._end_sentence(is_line_end=char == "\n")
        self._text(text[start:])

    def _is_stop_after_mark(self, char: str) -> bool:
        marks = self._sentence.marks
        return char in _STOPS and bool(marks) and marks[-1][0] == len(self._sentence.text)

    def _text(self, text: str, *, flows: bool = False) -> None:
        while text:
            room = MAX_SENTENCE - len(self._sentence.text)
            self._sentence.text += text[:room]
            self._held.append(text[:room])
            text = text[room:]
            if len(self._sentence.text) == MAX_SENTENCE:
                self._end_sentence()
        self._sentence.flows = self._sentence.flows or flows
        self._let_go()

    def _mark(self, numbers: tuple[int, ...]) -> None:
        sentence = self._sentence
        sentence.marks.append((len(sentence.text), numbers))
        self._held.append(numbers)
        if numbers and not sentence.has_words and not sentence.is_line_start:
            self._show_as_of_last(sentence)  # after the full stop: they belong to the sentence before
            sentence.marks.clear()

    def _let_go(self) -> None:
        """Show what is held where nothing can change it any more."""
        sentence = self._sentence
        if sentence.marks or not sentence.text.strip():
            return
        if not sentence.flows:
            if not sentence.has_words:
                return
            plain = flat(sentence.text)
            may_repeat = bool(plain) and any(earlier.startswith(plain) for earlier in self._said)
            if may_repeat or sentence.may_be_special() or self._heading is not None:
                return
            sentence.flows = True
        self._show_held([])

    # -- deciding

    def _end_sentence(self, *, is_line_end: bool = False) -> None:
        sentence, self._sentence = self._sentence, Sentence(is_line_start=is_line_end)
        if not sentence.text and not sentence.marks:
            self._sentence.is_line_start = is_line_end or sentence.is_line_start
            return
        if not sentence.has_words:
            self._sentence.is_line_start = is_line_end or (sentence.is_line_start and not sentence.text.strip())
            self._show_as_of_last(sentence)
        elif not sentence.flows and self._is_left_out(sentence):
            self._held.clear()
        else:
            self._show_sentence(sentence)

    def _is_left_out(self, sentence: Sentence) -> bool:
        """Headings wait for what follows; lists of sources, chatter and what was said before are not shown."""
        if sentence.is_heading:
            self._heading = sentence.text
            return True
        words = flat(sentence.text)
        if sentence.is_listed and (self._heading is not None or self._is_echo(sentence, words)):
            self._heading = None if self._heading is None else ""
            return True
        return sentence.is_chatter or (words in self._said and words.count(" ") >= LEAST_WORDS - 1)

    def _is_echo(self, sentence: Sentence, words: str) -> bool:
        """A line "[S1] its text" after an answer that cites S1 already."""
        cited = {citation.mark for citation in self._shown.citations}
        marks = [f"S{number}" for _, numbers in sentence.marks for number in numbers]
        items = [item for item in self._items if item.mark in marks]
        return bool(items) and cited.issuperset(marks) and any(f" {words} " in f" {flat(i.text)} " for i in items)

    def _show_sentence(self, sentence: Sentence) -> None:
        if self._heading:
            self._shown.add(self._heading)
        self._heading = None
        claims = sentence.claims()
        cited = [(numbers, claim) for (_, numbers), claim in zip(sentence.marks, claims, strict=True)]
        beside = {claim: [n for numbers, other in cited if other == claim for n in numbers] for claim in claims}
        self._show_held([(self._accepted(numbers, claim, beside[claim]), claim) for numbers, claim in cited])
        self._said.add(flat(sentence.text))
        self._last = sentence.text
        self._is_claiming = self._is_claiming or sentence.is_statement

    def _show_as_of_last(self, sentence: Sentence) -> None:
        last = self._last
        self._show_held([(self._accepted(numbers, last, numbers), last) for _, numbers in sentence.marks])

    def _accepted(self, numbers: Sequence[int], claim: str, beside: Sequence[int]) -> tuple[EvidenceItem, ...]:
        """The items that bear the claim; the others are noted as dropped."""
        known = {number: self._items[number - 1] for number in beside if 1 <= number <= len(self._items)}
        accepted = []
        for number in numbers:
            item = known.get(number)
            why = "There is no such item." if item is None else self._why_not(claim, item, list(known.values()))
            if item is not None and why is None:
                accepted.append(item)
                continue
            mark = f"S{number}" if item is None else item.mark
            by = BY_MARK if item is None else BY_SUPPORT
            self._dropped.setdefault((mark, by), DroppedCitation(mark, (by,), why or ""))
        return tuple(accepted)

    def _why_not(self, claim: str, item: EvidenceItem, cited: Sequence[EvidenceItem]) -> str | None:
        return self._check.why_not(claim, item, [other for other in cited if other is not item])

    def _show_held(self, judged: Sequence[tuple[tuple[EvidenceItem, ...], str]]) -> None:
        verdicts = iter(judged)
        for piece in self._held:
            if isinstance(piece, str):
                self._shown.add(piece)
            else:
                self._shown.cite(*next(verdicts))
        self._held.clear()
