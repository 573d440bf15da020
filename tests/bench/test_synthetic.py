"""The synthetic world: always the same, and every question has an answer in it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bench.figures import Timed
from bench.remembered import RememberingEmbedder
from bench.synthetic import World
from doso.llm.embedders.hashing import HashingEmbedder


def test_the_same_seed_gives_the_same_world() -> None:
    one, other, third = World(500), World(500), World(500, seed=8)
    assert list(one.drafts()) == list(other.drafts())
    assert list(one.threads(30)) == list(other.threads(30))
    assert one.questions(9) == other.questions(9)
    assert list(third.drafts()) != list(World(500).drafts())


def test_it_has_as_many_facts_and_messages_as_asked_for() -> None:
    world = World(1234)
    assert len(list(world.drafts())) == 1234
    assert sum(len(thread.messages) for thread in world.threads(1001)) == 1001


def test_every_question_is_answered_by_a_fact() -> None:
    world = World(2000)
    told = {(draft.subject.name, getattr(draft.object, "name", "")) for draft in world.drafts()}
    assert {(asked.subject, asked.object) for asked in world.questions(250)} <= told


def test_percentiles_are_of_the_ordered_durations() -> None:
    timed = Timed("x", [5.0, 1.0, 3.0, 2.0, 4.0])
    assert (timed.at(0), timed.at(50), timed.at(95)) == (1.0, 3.0, 5.0)


async def test_a_remembered_vector_is_the_one_that_was_made(tmp_path: Path) -> None:
    texts = ["Ana", "Bruno", "Ana"]
    first = RememberingEmbedder(HashingEmbedder(), tmp_path, 3)
    made = await first.embed_passages(texts)
    await first.aclose()
    again = RememberingEmbedder(HashingEmbedder(), tmp_path, 3)
    more = [*texts, "new"]
    np.testing.assert_array_equal(await again.embed_passages(more), await HashingEmbedder().embed_passages(more))
    np.testing.assert_array_equal(made, await HashingEmbedder().embed_passages(texts))
    await again.aclose()
