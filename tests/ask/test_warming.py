"""Questions that come before the vectors are read: answered by words, told so, complete later."""

from __future__ import annotations

import asyncio

import pytest

from ask.kit import AskKit, Warmth
from ask.pipeline import find_evidence
from ask.question import Question, SearchMode
from ask.warming import warm
from doso.errors import EmbedderUnavailable
from doso.ids import OwnerId
from doso.llm.ports import EmbedderInfo
from doso.records.evidence import Evidence
from tests.ask.test_evidence import DownEmbedder
from tests.support.asking import Asked, passages_of
from tests.support.library import WordEmbedder

HERON = "(1 March 2026, 09:00) Ana: The boat is called Heron."
EARLY = "The vectors are still being read after the start: searched by words only."


def _kit(asked: Asked, warmth: Warmth) -> AskKit:
    return AskKit(asked.graph, asked.library, asked.embedder, lambda: asked.now, warmth)


async def _ask(kit: AskKit, owner: OwnerId, mode: SearchMode = SearchMode.HYBRID) -> Evidence:
    return await find_evidence(kit, Question(owner, "What is the boat called?", mode=mode))


async def test_an_early_question_is_answered_by_words_and_told_so(asked: Asked) -> None:
    await asked.chat("Ana: The boat is called Heron.")
    warmth = Warmth(within_s=0)
    early = await _ask(_kit(asked, warmth), asked.owner)
    assert passages_of(early) == [HERON]
    assert early.index_status.warnings == (EARLY,)
    assert early.items[0].scores.vector is None
    warmth.reached()
    later = await _ask(_kit(asked, warmth), asked.owner)
    assert later.index_status.warnings == ()
    assert later.items[0].scores.vector is not None


async def test_a_question_waits_a_moment_for_the_vectors(asked: Asked) -> None:
    await asked.chat("Ana: The boat is called Heron.")
    warmth = Warmth(within_s=60)
    asking = asyncio.create_task(_ask(_kit(asked, warmth), asked.owner))
    await asyncio.sleep(0)
    warmth.reached()
    assert (await asking).index_status.warnings == ()


async def test_a_search_by_nearness_alone_does_not_do_without(asked: Asked) -> None:
    await asked.chat("Ana: The boat is called Heron.")
    found = await _ask(_kit(asked, Warmth(within_s=0)), asked.owner, SearchMode.VECTOR)
    assert passages_of(found) == [HERON]


async def test_warming_up_takes_vectors_of_another_model_as_they_come(asked: Asked) -> None:
    await asked.chat("Ana: The boat is called Heron.")
    asked.embedder = WordEmbedder(dimensions=32, model="other")
    await warm(_kit(asked, Warmth()), (asked.owner, OwnerId("nobody")))


class NeverUp(DownEmbedder):
    """Of a model that nobody has measured."""

    info = EmbedderInfo("never-up", 256, "1")


async def test_warming_up_raises_what_does_not_answer(asked: Asked) -> None:
    asked.embedder = NeverUp()
    with pytest.raises(EmbedderUnavailable):
        await warm(_kit(asked, Warmth()), (asked.owner,))
