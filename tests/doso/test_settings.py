"""Settings from the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from doso.errors import InvalidInput
from doso.settings import Settings


def test_everything_lies_under_the_home_by_default() -> None:
    settings = Settings.from_env({"DOSO_HOME": "/tmp/doso"})
    assert settings.home == Path("/tmp/doso")
    assert settings.database_url == "sqlite:////tmp/doso/doso.db"
    assert settings.graph_url == "sqlite:////tmp/doso/graph.db"
    assert (settings.host, settings.port) == ("127.0.0.1", 8765)
    assert settings.embed.provider == "auto"


def test_aliases_are_pairs() -> None:
    settings = Settings.from_env({"DOSO_ENTITY_ALIASES": "Big Blue=IBM; Acme Corp = Acme ;"})
    assert settings.entity_aliases == {"Big Blue": "IBM", "Acme Corp": "Acme"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DOSO_PORT", "eighty"),
        ("ASK_INCLUDE_CANDIDATES", "perhaps"),
        ("DOSO_ENTITY_ALIASES", "Big Blue"),
        ("DOSO_PORT", "-1"),
    ],
)
def test_a_wrong_value_names_its_variable(name: str, value: str) -> None:
    with pytest.raises(InvalidInput, match=name) as caught:
        Settings.from_env({name: value})
    assert caught.value.param == name
