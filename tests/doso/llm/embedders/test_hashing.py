"""The embedder that always starts."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from doso.llm.embedders.hashing import HashingEmbedder


async def likeness(one: str, other: str) -> float:
    rows = await HashingEmbedder().embed_passages([one, other])
    return float(rows[0] @ rows[1])


@given(st.lists(st.text(max_size=80), max_size=5))
@settings(max_examples=80, deadline=None)
async def test_every_text_has_a_unit_vector_that_depends_on_it_alone(texts: list[str]) -> None:
    embedder = HashingEmbedder()
    rows = await embedder.embed_passages(texts)
    assert rows.shape == (len(texts), embedder.info.dimensions)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
    for text, row in zip(texts, rows, strict=True):
        np.testing.assert_array_equal(row, await embedder.embed_query(text))


async def test_texts_that_share_words_are_nearer_than_texts_that_do_not() -> None:
    near = await likeness("Ana moved to Lisbon in March", "When did Ana move to Lisbon?")
    far = await likeness("Ana moved to Lisbon in March", "The kettle is broken again")
    assert near > 0.4
    assert abs(far) < 0.2


async def test_misspelt_words_are_nearer_than_other_words() -> None:
    assert await likeness("restaurant", "restaraunt") > 0.15
    assert abs(await likeness("restaurant", "bicycle")) < 0.1


async def test_scripts_without_blanks_share_features() -> None:
    assert await likeness("東京タワーに行きました", "東京タワー") > 0.3


async def test_spelling_is_all_it_claims() -> None:
    assert not HashingEmbedder().info.is_semantic


async def test_vectors_are_the_same_on_every_machine() -> None:
    vector = await HashingEmbedder().embed_query("Ana moved to Lisbon")
    assert np.argsort(-np.abs(vector))[:3].tolist() == [257, 214, 85]
