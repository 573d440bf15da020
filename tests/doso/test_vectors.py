"""The in-process vector index against brute force."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from doso.errors import InvalidInput
from doso.vectors import EXACT_ROWS, VectorIndex

PRECISION = 5e-4


def directions(count: int, dimensions: int, *, seed: int) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).standard_normal((count, dimensions))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def exact(rows: dict[str, NDArray[np.float32]], query: NDArray[np.float32], limit: int) -> list[tuple[str, float]]:
    scored = [(key, float(row @ query)) for key, row in rows.items()]
    return sorted(scored, key=lambda hit: (-hit[1], hit[0]))[:limit]


def assert_as_good(found: list[tuple[str, float]], wanted: list[tuple[str, float]]) -> None:
    """Same length, same scores place by place up to the precision of stored rows (near ties may swap)."""
    assert len(found) == len(wanted)
    assert len({key for key, _ in found}) == len(found)
    for (_, got), (_, want) in zip(found, wanted, strict=True):
        assert got == pytest.approx(want, abs=PRECISION)


@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["add", "remove"]), st.lists(st.integers(0, 30), min_size=1, max_size=12)),
        max_size=25,
    ),
    dimensions=st.sampled_from([1, 3, 64, 70]),
    limit=st.integers(0, 40),
    seed=st.integers(0, 2**20),
)
@settings(max_examples=150, deadline=None)
def test_any_sequence_of_adds_and_removes_finds_what_brute_force_finds(
    steps: list[tuple[str, list[int]]], dimensions: int, limit: int, seed: int
) -> None:
    index, model = VectorIndex(dimensions), dict[str, NDArray[np.float32]]()
    for turn, (verb, numbers) in enumerate(steps):
        keys = [f"k{number}" for number in numbers]
        if verb == "add":
            rows = directions(len(keys), dimensions, seed=seed + turn)
            index.add(keys, rows)
            model.update(zip(keys, rows, strict=True))
        else:
            index.remove(keys)
            for key in keys:
                model.pop(key, None)
    query = directions(1, dimensions, seed=seed + 999)[0]
    assert len(index) == len(model)
    assert_as_good(index.search(query, limit=limit), exact(model, query, limit))
    kept = {f"k{number}" for number in range(0, 40, 3)}
    part = {key: row for key, row in model.items() if key in kept}
    found = index.search(query, limit=limit, keep=kept)
    assert {key for key, _ in found} <= kept
    assert_as_good(found, exact(part, query, limit))


def topical(count: int, dimensions: int, *, bias: float) -> NDArray[np.float32]:
    """Vectors like a model's: a few dozen directions of meaning, some noise, and a common way they all point."""
    generator = np.random.default_rng(1)
    meaning = generator.standard_normal((count, 32)) @ generator.standard_normal((32, dimensions))
    rows = meaning / 32**0.5 + 0.3 * generator.standard_normal((count, dimensions))
    rows += bias * generator.standard_normal(dimensions)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


@pytest.mark.parametrize("bias", [0.0, 2.0], ids=["spread", "one-way"])
def test_choosing_by_sign_codes_loses_next_to_nothing(bias: float) -> None:
    count = EXACT_ROWS * 3
    rows = topical(count, 384, bias=bias)
    index = VectorIndex(384)
    for start in range(0, count, 1000):
        index.add([f"k{i}" for i in range(start, min(start + 1000, count))], rows[start : start + 1000])
    generator = np.random.default_rng(2)
    hits, wanted = 0, 0
    for row in generator.choice(count, 40, replace=False):
        near = rows[row] + 0.02 * generator.standard_normal(384).astype(np.float32)
        query = np.asarray(near / np.linalg.norm(near), dtype=np.float32)
        best = set(np.argsort(-(rows @ query))[:10].tolist())
        found = {int(key[1:]) for key, _ in index.search(query, limit=10)}
        hits, wanted = hits + len(found & best), wanted + len(best)
    assert hits / wanted >= 0.97


def test_a_replaced_key_is_found_at_its_new_place_only_once() -> None:
    index = VectorIndex(2)
    index.add(["a", "b"], [[1, 0], [0, 1]])
    index.add(["a"], [[0, -1]])
    assert index.search([0, -1], limit=5) == [("a", 1.0), ("b", -1.0)]
    assert len(index) == 2


def test_many_replacements_do_not_grow_the_index() -> None:
    index = VectorIndex(8)
    for turn in range(60):
        index.add([f"k{i}" for i in range(100)], directions(100, 8, seed=turn))
    assert len(index) == 100
    assert index._now.size <= 500
    wanted = {f"k{i}": row for i, row in enumerate(directions(100, 8, seed=59))}
    query = directions(1, 8, seed=777)[0]
    assert_as_good(index.search(query, limit=10), exact(wanted, query, 10))


def test_equal_vectors_come_by_key() -> None:
    index = VectorIndex(3)
    index.add([f"k{i}" for i in (5, 3, 9, 1)], [[1, 2, 3]] * 4)
    assert [key for key, _ in index.search([1, 2, 3], limit=3)] == ["k1", "k3", "k5"]


@pytest.mark.parametrize(
    "bad",
    [[[1.0, float("nan")]], [[float("inf"), 1.0]], [[0.0, 0.0]], [[1.0, 2.0, 3.0]], [1.0, 2.0], [[1.0, 0.0]] * 2],
    ids=["nan", "infinite", "zero", "wrong size", "flat", "too many"],
)
def test_a_vector_that_cannot_be_compared_is_refused_and_nothing_is_added(bad: list[object]) -> None:
    index = VectorIndex(2)
    with pytest.raises(InvalidInput):
        index.add(["a"], bad)  # type: ignore[arg-type]
    assert len(index) == 0
    assert index.search([1, 0], limit=3) == []


@pytest.mark.parametrize("bad", [[0, 0], [float("nan"), 1], [1, 2, 3], [[1, 0]], 3])
def test_a_question_that_cannot_be_compared_is_refused(bad: object) -> None:
    index = VectorIndex(2)
    index.add(["a"], [[1, 0]])
    with pytest.raises(InvalidInput):
        index.search(bad, limit=3)  # type: ignore[arg-type]


def test_tiny_and_huge_vectors_keep_their_direction() -> None:
    index = VectorIndex(2)
    index.add(["tiny", "huge"], np.array([[1e-38, 0], [0, 3e38]], dtype=np.float32))
    assert index.search([1, 0], limit=1) == [("tiny", 1.0)]
    assert index.search([0, 1], limit=1) == [("huge", 1.0)]


def test_searches_see_whole_states_while_a_writer_replaces_and_tidies() -> None:
    index, count = VectorIndex(16), 600
    keys = [f"k{i}" for i in range(count)]
    rows = directions(count, 16, seed=3)
    index.add(keys, rows)
    faults: list[str] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            found = [key for key, _ in index.search(rows[0], limit=count)]
            if sorted(found) != sorted(keys):
                faults.append(f"{len(found)} of {count}")
            if len(index.search(rows[1], limit=9, keep=keys[:9])) != 9:
                faults.append("kept keys missing")

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for turn in range(40):
        index.add(keys, directions(count, 16, seed=turn))
    done.set()
    for reader in readers:
        reader.join()
    assert faults == []


def test_an_index_without_dimensions_is_refused() -> None:
    with pytest.raises(InvalidInput):
        VectorIndex(0)
