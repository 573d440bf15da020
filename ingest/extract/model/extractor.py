"""Asks the owner's configured model for the facts of passages; does nothing where none is configured."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from doso.ids import OwnerId
from doso.llm.chat import Profile
from doso.llm.ports import Models
from doso.records import FactDraft, Incoming, Passage, Source
from doso.text import words
from ingest.extract.model.asking import Told, ask
from ingest.extract.model.drafting import Drafting
from ingest.extract.model.prompting import Batch, batches
from ingest.ports import MODEL_FAMILY

T = TypeVar("T")
#: The models of an owner as the settings stand now.
ModelsOf = Callable[[OwnerId], Awaitable[Models]]

#: Calls at once, of all owners of this process.
CALLS_AT_ONCE = 4
#: Fewer words state nothing.
MIN_WORDS = 3


@dataclass(slots=True)
class ModelReader:
    """Implements ingest.ports.Reader."""

    models_of: ModelsOf
    family: str = MODEL_FAMILY
    _calls: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(CALLS_AT_ONCE))

    async def serves(self, owner: OwnerId) -> bool:
        """Whether a model is configured for this."""
        return (await self.models_of(owner)).ability(Profile.EXTRACT) is not None

    async def read(
        self, owner: OwnerId, document: Incoming, passages: Sequence[Passage], certain: Sequence[FactDraft]
    ) -> Sequence[FactDraft]:
        """Candidates with confidence and span, without those that rules state as `certain`. Raises ProviderUnavailable
        or one below it."""
        models = await self.models_of(owner)
        ability = models.ability(Profile.EXTRACT)
        if ability is None:
            return ()

        async def told(batch: Batch) -> tuple[Told, ...]:
            async with self._calls:
                return await ask(models, ability, batch)

        runs = batches(document, [passage for passage in passages if is_worth_reading(passage)], ability)
        parts = await _all(told(batch) for batch in runs)
        return await asyncio.to_thread(_drafts, [one for part in parts for one in part], certain)


def _drafts(told: Sequence[Told], certain: Sequence[FactDraft]) -> list[FactDraft]:
    return [draft for one in told for draft in Drafting(one.batch, one.model or "unnamed", certain).drafts(one.claims)]


def is_worth_reading(passage: Passage) -> bool:
    """Whether a model should see it: not a bare greeting, and nothing that a chat's assistant said."""
    if passage.source is Source.CHAT and not passage.is_owner:
        return False
    return len(words(passage.text)) >= MIN_WORDS


async def _all(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """All results in order; the first failure ends the rest."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
