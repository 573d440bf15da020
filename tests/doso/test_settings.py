"""Settings from the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from doso.errors import InvalidInput
from doso.settings import AskSettings, Settings


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
        ("ASK_SKEPTICS", "some"),
        ("ASK_DEADLINE_S", "long"),
        ("TOOLS_X_SEARCH", "2"),
        ("DOSO_ENTITY_ALIASES", "Big Blue"),
        ("DOSO_PORT", "-1"),
    ],
)
def test_a_wrong_value_names_its_variable(name: str, value: str) -> None:
    with pytest.raises(InvalidInput, match=name) as caught:
        Settings.from_env({name: value})
    assert caught.value.param == name


def test_skeptics_are_on_and_live_sources_off_unless_told_otherwise() -> None:
    assert Settings.from_env({}).ask == AskSettings()
    told = Settings.from_env(
        {"ASK_SKEPTICS": "no", "TOOLS_FIRECRAWL": "1", "FIRECRAWL_API_KEY": "fc-1", "XAI_BASE_URL": "http://x"}
    ).ask
    assert told == AskSettings(
        has_skeptics=False, uses_firecrawl=True, firecrawl_api_key="fc-1", xai_base_url="http://x"
    )


def test_secrets_are_not_in_the_text_of_settings() -> None:
    secrets = ("LLM_API_KEY", "FIRECRAWL_API_KEY", "XAI_API_KEY", "LLM_EMBED_API_KEY", "DOSO_GRAPH_PASSWORD")
    env = {name: f"secret-{place}" for place, name in enumerate(secrets)}
    env["DOSO_DATABASE_URL"] = "postgresql://doso:secret-9@host/doso"
    env["LLM_MODELS"] = '[{"name": "a", "api_key": "secret-8"}]'
    assert "secret-" not in repr(Settings.from_env(env))
