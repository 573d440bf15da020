"""The word lists that are made beforehand: what they hold, and that their sources are named."""

from __future__ import annotations

from importlib.resources import files

import pytest

from graph.naming.lists import english_words, family_names, full_names, given_names, packed_lines
from graph.naming.places import place_id, region_names

PACKED = sorted(path.name for path in files("graph.naming").joinpath("data").iterdir() if path.name.endswith(".gz"))


@pytest.mark.parametrize("name", PACKED)
def test_a_packed_list_has_distinct_lines_and_names_its_source(name: str) -> None:
    list_name = name.removesuffix(".txt.gz")
    lines = packed_lines(list_name)
    keys = lines[::2] if list_name == "towns" else lines
    assert all(keys)
    assert len(set(keys)) == len(keys)
    readme = files("graph.naming").joinpath("data", "README.md").read_text(encoding="utf-8")
    assert f"`{list_name}`" in readme


def test_the_lists_know_common_names_and_words() -> None:
    assert {"budi", "elizabeth", "kenji"} <= given_names()
    assert {"santoso", "stone", "tanaka"} <= family_names()
    assert {"meeting", "recommendation"} <= english_words()
    assert "elizabeth" in full_names()["liz"]
    assert region_names()["tx"] == "texas"


def test_a_town_is_one_place_in_every_language() -> None:
    assert place_id("Munich") == place_id("München") == place_id("Monaco di Baviera")
    assert place_id("Munich") != place_id("Vienna")
    assert place_id("Springfield") is None
