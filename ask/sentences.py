"""What single sentences of a draft are: whole, a heading of sources, chatter about the work, a statement."""

from __future__ import annotations

from dataclasses import dataclass, field

import regex

#: Shorter sentences than this may be said twice, and state nothing.
LEAST_WORDS = 3
#: A sentence this long is one without waiting for its end.
MAX_SENTENCE = 1_200
_ALWAYS_ENDS = frozenset("\n。！？")
_FULL_STOP = regex.compile(r"[.!?…]+[\"'”’»)\]*_]*$")
_ABBREVIATION = regex.compile(
    r"(?:^|[\s(\"“])(?:Mr|Mrs|Ms|Dr|Prof|St|Jl|No|Nr|vs|e\.g|i\.e|approx|ca|cf|\p{Lu}|\d{1,3})\.$", regex.IGNORECASE
)
_WORD = regex.compile(r"[\p{L}\p{N}]+")
_BULLET = regex.compile(r"[\s\-*•>#]*(?:\d{1,3}[.)])?\s*")
_HEADING = regex.compile(
    r"[\s#*_]*(?:sources?|citations?|references?|evidence|facts used|sumber|quellen)[\s*_]*:?[\s*_]*", regex.IGNORECASE
)
_LISTED = regex.compile(r"[\s\-*•]*(?:\[?S\d{1,4}\]?|\d{1,3}[.):])\s*\S", regex.IGNORECASE)
_CHATTER = regex.compile(
    r"[\s*_(\[]*(?:(?:gathering|searching|looking (?:up|through|for)|fetching|checking|retrieving|updating|loading"
    r"|consulting|running)\b[^.!?\n]{0,60}(?:\.\.\.|…)|updated from (?:the )?(?:graph|memory)\.?)[\s*_)\]]*",
    regex.IGNORECASE,
)
_KNOWS_NOTHING = regex.compile(
    r"\b(?:(?:do|does|did|could|can|was|were|is|are)(?:n['’]t|not| not)\b.{0,40}\b(?:know|find|found|have|say"
    r"|mention\w*|contain\w*|hold|enough|information|evidence|any)|(?:found|find|know) nothing"
    r"|no (?:\w+ )?(?:information|evidence|mention|record)|unknown|tidak (?:tahu|ada|menemukan)|belum tahu)\b",
    regex.IGNORECASE,
)


@dataclass(slots=True)
class Sentence:
    """A sentence being read: its words without marks, and where the marks stand in them."""

    is_line_start: bool = True
    text: str = ""
    marks: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)  # (offset in text, numbers)
    flows: bool = False  # nothing can take back what of it is shown

    @property
    def has_words(self) -> bool:
        return _WORD.search(self.text, _body_at(self.text)) is not None

    @property
    def is_heading(self) -> bool:
        """ "Sources:" on a line of its own."""
        return self.is_line_start and _HEADING.fullmatch(self.text) is not None

    @property
    def is_chatter(self) -> bool:
        """ "Searching the memory…": a word about the work, not part of an answer."""
        return _CHATTER.fullmatch(self.text) is not None

    @property
    def is_listed(self) -> bool:
        """A line that opens with a mark, as lists of sources do."""
        opens = bool(self.marks) and not _WORD.search(self.text[: self.marks[0][0]], _body_at(self.text))
        return self.is_line_start and (opens or _LISTED.match(self.text) is not None)

    @property
    def is_statement(self) -> bool:
        """Whether it states something that a source should stand behind."""
        is_long_enough = len(_WORD.findall(self.text)) >= LEAST_WORDS
        return is_long_enough and not self.text.rstrip().endswith(("?", ":")) and not _KNOWS_NOTHING.search(self.text)

    def may_be_special(self) -> bool:
        """Whether it may still turn out a heading or chatter."""
        if self.is_line_start and _HEADING.fullmatch(self.text, partial=True):
            return True
        return _CHATTER.fullmatch(self.text, partial=True) is not None

    def ends_before(self, char: str) -> bool:
        """Whether it is over when this blank or full stop follows."""
        if char in _ALWAYS_ENDS:
            return True
        end = self.text[-16:]
        return _FULL_STOP.search(end) is not None and _ABBREVIATION.search(end) is None

    def claims(self) -> list[str]:
        """For each mark what it is to stand behind: its own clause where the sentence has several, else all of it."""
        groups: list[tuple[int, int]] = []  # offsets of the first and last mark of each row
        places: list[int] = []
        for offset, _ in self.marks:
            if groups and not _WORD.search(self.text[groups[-1][1] : offset]):
                groups[-1] = (groups[-1][0], offset)
            else:
                groups.append((offset, offset))
            places.append(len(groups) - 1)
        if len(groups) < 2:
            return [self.text] * len(self.marks)
        opens = not _WORD.search(self.text[: groups[0][0]], _body_at(self.text))
        clauses = []
        for at, (first, last) in enumerate(groups):
            is_last = at == len(groups) - 1
            if opens:
                clause = self.text[last : len(self.text) if is_last else groups[at + 1][0]]
            else:
                clause = self.text[groups[at - 1][1] if at else 0 : len(self.text) if is_last else first]
            clauses.append(clause if _WORD.search(clause) else self.text)
        return [clauses[place] for place in places]


def flat(text: str) -> str:
    """The words alone, to see whether two texts say the same."""
    return " ".join(_WORD.findall(text.casefold()))


def _body_at(text: str) -> int:
    match = _BULLET.match(text)
    return 0 if match is None else match.end()
