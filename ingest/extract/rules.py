"""The extractor that needs no model: what structure and plain sentences state for certain."""

from __future__ import annotations

from collections.abc import Sequence

from doso.ids import OwnerId
from doso.records import FactDraft, Incoming, Passage
from ingest.extract.spoken import is_spoken, spoken
from ingest.extract.statements import statements
from ingest.extract.structure import structure
from ingest.ports import Extractor


class RulesExtractor:
    """Never guesses: what has no certain form gives no fact."""

    name = "rules"

    async def extract(self, owner: OwnerId, document: Incoming, passages: Sequence[Passage]) -> Sequence[FactDraft]:
        """Facts of the passages, with the passage that states each."""
        if is_spoken(document):
            return list(spoken(document, passages))
        drafts = list(structure(document, passages))
        for passage in passages:
            drafts.extend(statements(document, passage))
        return drafts


def build() -> Extractor:
    """The extractor, for `ingest.registry.EXTRACTORS`."""
    return RulesExtractor()
