"""The text of an answer as far as it was shown, with the places of its marks."""

from __future__ import annotations

from collections.abc import Sequence

from ask.events import Citation
from doso.records.evidence import EvidenceItem


class ShownText:
    """Grows only at its end. Blanks wait for what follows them: those before a mark that goes, go with it."""

    def __init__(self) -> None:
        self.citations: list[Citation] = []
        self._parts: list[str] = []
        self._length = 0
        self._given = 0  # parts that were given out
        self._blanks = ""
        self._skips_blanks = True

    def add(self, text: str) -> None:
        if self._skips_blanks:
            text = text.lstrip(" \t") if self._length else text.lstrip()
            if not text:
                return
            self._skips_blanks = False
        text = self._blanks + text
        body = text.rstrip(" \t\n")
        self._blanks = text[len(body) :]
        self._put(body)

    def cite(self, items: Sequence[EvidenceItem], claim: str) -> None:
        """Marks of these items behind the claim; none: what stood here is gone."""
        at_start = not self._length or self._blanks.endswith("\n")
        if not items:
            self._blanks = self._blanks.rstrip(" \t")
            self._skips_blanks = self._skips_blanks or at_start
            return
        self._put(self._blanks)
        self._blanks, self._skips_blanks = "", False
        for item in items:
            mark = f"[{item.mark}]"
            if self.citations and self.citations[-1].end == self._length and self._is_in_row(item.mark):
                continue
            self.citations.append(Citation(item.mark, self._length, self._length + len(mark), item, claim))
            self._put(mark)

    def _is_in_row(self, mark: str) -> bool:
        """Whether the same mark stands in the row of marks that ends here."""
        end = self._length
        for citation in reversed(self.citations):
            if citation.end != end:
                return False
            if citation.mark == mark:
                return True
            end = citation.start
        return False

    def fresh(self) -> str:
        parts = self._parts[self._given :]
        self._given = len(self._parts)
        return "".join(parts)

    def text(self) -> str:
        return "".join(self._parts)

    def _put(self, text: str) -> None:
        if text:
            self._parts.append(text)
            self._length += len(text)
