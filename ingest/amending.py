"""Corrections that the owner says in words, carried out in the graph before what they say is read for facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from doso.errors import AmbiguousTarget, Conflict, InvalidInput, NotFound
from doso.ids import DocumentId, OperationId, OwnerId
from doso.records import Actor, Change, Incoming, Skipped
from doso.telemetry import log
from graph.corrections import Correction, Retract
from graph.service import Graph
from ingest.extract.spoken import corrections_of, reading_of, rivals_of
from ingest.operations import SqlOperations

ACTOR = "user"
_log = log()


@dataclass(frozen=True, slots=True)
class Amending:
    """Reads what was said for corrections: one transaction for all, and the same operation never does them twice."""

    graph: Graph
    operations: SqlOperations

    async def run(
        self, owner: OwnerId, said: Incoming, document_id: DocumentId, operation_id: OperationId
    ) -> tuple[Change, ...]:
        """Carry out what the text corrects. An ambiguous target changes nothing; the receipt tells of it."""
        reading = reading_of(said)
        actor = Actor(ACTOR, "said so", document_id)
        corrections = corrections_of(reading) or await self._on_file(owner, rivals_of(reading), actor)
        if not corrections:
            return ()
        try:
            return await self._known(owner, corrections, actor, str(operation_id))
        except (AmbiguousTarget, Conflict, InvalidInput) as error:
            _log.info("amending.refused", code=error.code)
            refused = Skipped(said.uri, error.code, error.message)
            await self.operations.add_failure(owner, operation_id, refused, is_whole=False)
            return ()

    async def _known(
        self, owner: OwnerId, corrections: Sequence[Correction], actor: Actor, key: str
    ) -> tuple[Change, ...]:
        """All at once; where one of them is about nothing on file, those that are about something."""
        try:
            return await self.graph.correct(owner, corrections, actor, request_id=f"amend:{key}")
        except NotFound:
            if len(corrections) == 1:
                return ()
        found = await self._on_file(owner, corrections, actor)
        return await self.graph.correct(owner, found, actor, request_id=f"amend:{key}") if found else ()

    async def _on_file(self, owner: OwnerId, wanted: Sequence[Correction], actor: Actor) -> list[Correction]:
        """Those that find what they are about."""
        found: list[Correction] = []
        for correction in wanted:
            trial = replace(correction, why="ended") if isinstance(correction, Retract) else correction
            try:
                await self.graph.correct(owner, [trial], actor, dry_run=True)
            except (NotFound, AmbiguousTarget):
                continue
            found.append(correction)
        return found
