"""The list of models is read strictly, and faults in it are named."""

from __future__ import annotations

import json

import pytest

from doso.errors import InvalidInput
from doso.llm.chat import Profile
from doso.llm.config import (
    Capability,
    DataPolicy,
    ModelConfig,
    Structured,
    TimeLimits,
    candidates,
    parse_models,
)
from doso.llm.prices import Price


def parse(*entries: dict[str, object]) -> tuple[ModelConfig, ...]:
    return parse_models(json.dumps(entries), param="LLM_MODELS")


def entry(**more: object) -> dict[str, object]:
    return {"base_url": "https://api.test/v1", "model": "m", **more}


def test_what_is_not_stated_is_unknown_or_usual() -> None:
    [model] = parse(entry())
    assert model == ModelConfig("m", "https://api.test/v1", "m", data_policy=DataPolicy.REMOTE)
    assert model.ability == Capability(None, None, None, None, None, None)
    assert all(model.serves(profile) for profile in Profile)


def test_everything_can_be_stated() -> None:
    [model] = parse(
        entry(
            name="big",
            base_url="https://api.test/v1/",
            api_key="sk-1",
            profiles=["skeptic", "extract"],
            ability={"structured": "json_object", "tools": False, "context_tokens": 32_000},
            data_policy="local",
            price={"input": 100, "output": 300, "cached_input": 10},
            limits={"idle_s": 5},
            extra={"reasoning_effort": "low"},
        )
    )
    assert model == ModelConfig(
        name="big",
        base_url="https://api.test/v1",
        model="m",
        api_key="sk-1",
        profiles=(Profile.SKEPTIC, Profile.EXTRACT),
        ability=Capability(structured=Structured.JSON_OBJECT, tools=False, context_tokens=32_000),
        data_policy=DataPolicy.LOCAL,
        price=Price(100, 300, 10),
        limits=TimeLimits(idle_s=5),
        extra='{"reasoning_effort":"low"}',
    )
    assert "sk-1" not in repr(model)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[{", "LLM_MODELS is not a JSON list"),
        ("\ud800", "LLM_MODELS is not a JSON list"),
        ("[" * 100_000, "Expected `object`"),
        ('{"model": "m"}', "Expected `array`"),
        ('[{"model": "m"}]', "base_url"),
        ('[{"base_url": "https://a.test"}]', "model"),
        ('[{"base_url": "https://a.test", "model": " "}]', "LLM_MODELS[0].model"),
        ('[{"base_url": "a.test", "model": "m"}]', "LLM_MODELS[0].base_url"),
        ('[{"base_url": "ftp://a.test", "model": "m"}]', "LLM_MODELS[0].base_url"),
        ('[{"base_url": "http://a.test:99999", "model": "m"}]', "LLM_MODELS[0].base_url"),
        ('[{"base_url": "http://u:p@a.test", "model": "m"}]', "LLM_MODELS[0].base_url"),
        ('[{"base_url": "http://a.test/ x", "model": "m"}]', "LLM_MODELS[0].base_url"),
        ('[{"base_url": "https://a.test", "model": "m", "modle": "x"}]', "modle"),
        ('[{"base_url": "https://a.test", "model": "m", "profiles": ["chat"]}]', "profiles"),
        ('[{"base_url": "https://a.test", "model": "m", "api_key": "sk\\n1"}]', "LLM_MODELS[0].api_key"),
        ('[{"base_url": "https://a.test", "model": "m", "provider": "x"}]', "LLM_MODELS[0].provider"),
        ('[{"base_url": "https://a.test", "model": "m", "limits": {"idle_s": 0}}]', "limits.idle_s"),
        ('[{"base_url": "https://a.test", "model": "m", "limits": {"total_s": 1e9}}]', "limits.total_s"),
        ('[{"base_url": "https://a.test", "model": "m", "ability": {"context_tokens": -1}}]', "ability.context_tokens"),
        ('[{"base_url": "https://a.test", "model": "m", "price": {"input": -1, "output": 1}}]', "price"),
        ('[{"base_url": "https://a.test", "model": "m"}, {"base_url": "https://b.test", "model": "m"}]', "name"),
        (json.dumps([entry(name=str(n)) for n in range(21)]), "at most 20"),
    ],
)
def test_a_fault_is_named_with_its_place(text: str, named: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_models(text, param="LLM_MODELS")
    assert named in caught.value.message
    assert caught.value.param == "LLM_MODELS"
    assert "sk" not in caught.value.message


@pytest.mark.parametrize(
    ("base_url", "policy"),
    [
        ("http://localhost:1234/v1", DataPolicy.LOCAL),
        ("http://127.0.0.1/v1", DataPolicy.LOCAL),
        ("http://[::1]:80/v1", DataPolicy.LOCAL),
        ("http://192.168.1.7/v1", DataPolicy.LOCAL),
        ("http://ollama:11434/v1", DataPolicy.LOCAL),
        ("https://8.8.8.8/v1", DataPolicy.REMOTE),
        ("https://api.openai.com/v1", DataPolicy.REMOTE),
    ],
)
def test_how_far_data_goes_is_told_by_the_address_where_nothing_is_declared(base_url: str, policy: DataPolicy) -> None:
    assert parse(entry(base_url=base_url))[0].data_policy is policy


def test_candidates_are_those_that_serve_the_task_in_order() -> None:
    models = parse(entry(name="a", profiles=["skeptic"]), entry(name="b"), entry(name="c", profiles=["title"]))
    assert [model.name for model in candidates(models, Profile.SKEPTIC)] == ["a", "b"]
    assert [model.name for model in candidates(models, Profile.TITLE)] == ["b", "c"]
    assert candidates(models[:1], Profile.TITLE) == ()


def test_a_fallback_never_takes_data_further_than_the_first_candidate() -> None:
    near, far = entry(name="near", data_policy="local"), entry(name="far", data_policy="remote")
    assert [model.name for model in candidates(parse(near, far), Profile.TITLE)] == ["near"]
    assert [model.name for model in candidates(parse(far, near), Profile.TITLE)] == ["far", "near"]
