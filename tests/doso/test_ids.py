"""Identifiers."""

from __future__ import annotations

from doso.ids import digest, new_id, stable_id


def test_new_ids_sort_by_the_time_they_were_made() -> None:
    made = [new_id() for _ in range(1000)]
    assert made == sorted(made)
    assert len(set(made)) == 1000


def test_the_same_parts_give_the_same_id_and_borders_count() -> None:
    assert stable_id("a", "bc") == stable_id("a", "bc")
    assert stable_id("a", "bc") != stable_id("ab", "c")


def test_any_text_has_a_digest() -> None:
    assert len(digest("\ud800")) == 64
