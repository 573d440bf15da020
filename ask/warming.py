"""Gets ready in the background what searching by meaning needs: the model, its scale, the vector indexes.

Over 100,000 facts that takes seconds. A question that comes earlier waits for it a moment, then does without.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from ask.calibrate import PROBES, calibration_of
from ask.kit import AskKit
from doso.errors import IndexMismatch
from doso.ids import OwnerId
from doso.records.passages import PassageFilter

#: Owners whose vectors are read at the start; those of others are read when they first ask.
MAX_OWNERS = 8


async def warm(kit: AskKit, owners: Sequence[OwnerId]) -> None:
    """Use everything once. Raises DosoError for what does not answer; a later question tells of it."""
    if kit.embedder is None:
        return
    await calibration_of(kit.embedder)
    vector = await kit.embedder.embed_query(PROBES[0][0])
    for owner in owners[:MAX_OWNERS]:
        searches = await asyncio.gather(
            kit.passages.search_vector(owner, vector, kit.embedder.info, PassageFilter(), limit=1),
            kit.graph.near_facts(owner, vector, kit.embedder, kit.graph.view(), limit=1),
            return_exceptions=True,
        )
        for found in searches:
            if isinstance(found, BaseException) and not isinstance(found, IndexMismatch):
                raise found
