"""Gets ready in the background what searching by meaning needs: the model, its scale, the vector indexes.

Over 100,000 facts that takes seconds. A question that comes earlier waits for it a moment, then does without.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from ask.calibrate import calibration_of
from ask.kit import AskKit
from doso.errors import IndexMismatch
from doso.ids import OwnerId
from doso.llm.ports import Embedder
from doso.records.passages import PassageFilter

#: Owners whose vectors are read at the start; those of others are read when they first ask.
MAX_OWNERS = 8


async def warm(kit: AskKit, owners: Sequence[OwnerId]) -> None:
    """Use everything once. Raises DosoError for what does not answer; a later question tells of it."""
    embedder = kit.embedder
    if embedder is None:
        return
    searches = [_read_vectors(kit, embedder, owner) for owner in owners[:MAX_OWNERS]]
    outcomes = await asyncio.gather(calibration_of(embedder), *searches, return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome


async def warm_drafting() -> None:
    """Load what reads and checks drafts, beside the loop: a first answer should not wait for it."""
    await asyncio.to_thread(_load_drafting)


def _load_drafting() -> None:
    from ask.topologies import prepare  # noqa: PLC0415  # loading it is what is wanted

    prepare()


async def _read_vectors(kit: AskKit, embedder: Embedder, owner: OwnerId) -> None:
    """Search for something: any direction will do, so this need not wait for the model."""
    direction = np.full(embedder.info.dimensions, embedder.info.dimensions**-0.5, dtype=np.float32)
    with suppress(IndexMismatch):
        await kit.passages.search_vector(owner, direction, embedder.info, PassageFilter(), limit=1)
    with suppress(IndexMismatch):
        await kit.graph.near_facts(owner, direction, embedder, kit.graph.view(), limit=1)
