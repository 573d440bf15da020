"""LiteLLM, LangChain, pydantic-ai and OpenAI's client for Node: what each makes of a server, word for word."""

from __future__ import annotations

from typing import Any

import pytest

TEXT = "Nina lives in Bogor [S1]."
THOUGHT = "Let me see."
USAGE = [100, 20]
CALL = ["call_1", "look_up", '{"q": "Bogor"}']
Told = dict[str, Any]


@pytest.mark.parametrize("form", ["plain", "stream"])
def test_litellm_reads_an_answer(litellm: Told, form: str) -> None:
    told = litellm[form]
    assert (told["text"], told["reasoning"], told["finish"], told["usage"]) == (TEXT, THOUGHT, "stop", USAGE)


def test_litellm_reads_citations(litellm: Told) -> None:
    (annotation,) = litellm["plain"]["annotations"]
    assert (annotation["start_index"], annotation["end_index"]) == (20, 24)


@pytest.mark.parametrize("form", ["tools", "tools_streamed"])
def test_litellm_calls_tools(litellm: Told, form: str) -> None:
    assert litellm[form] == {"finish": "tool_calls", "call": CALL, "answer": "It is 21 degrees."}


def test_litellm_embeds(litellm: Told) -> None:
    assert litellm["embeddings"] == [2, 512]


def test_litellm_knows_errors_by_their_class(litellm: Told) -> None:
    assert {name: litellm[name] for name in ("unknown_model", "wrong_key", "refused", "provider_down")} == {
        "unknown_model": ["NotFoundError", 404],
        "wrong_key": ["AuthenticationError", 401],
        "refused": ["BadRequestError", 400],
        "provider_down": ["BadGatewayError", 502],
    }
    assert litellm["breaks_off"] == ["MidStreamFallbackError", 500]


@pytest.mark.parametrize(
    ("form", "finish"), [("plain", "stop"), ("stream", "stop"), ("responses", None), ("responses_stream", None)]
)
def test_langchain_reads_an_answer(langchain: Told, form: str, finish: str | None) -> None:
    assert langchain[form] == {"text": TEXT, "finish": finish, "usage": USAGE}


@pytest.mark.parametrize("form", ["tools", "tools_streamed"])
def test_langchain_calls_tools(langchain: Told, form: str) -> None:
    assert langchain[form] == {"call": ["call_1", "look_up", {"q": "Bogor"}], "answer": "It is 21 degrees."}


def test_langchain_gets_an_object_of_its_schema(langchain: Told) -> None:
    assert langchain["structured"] == {"city": "Bogor"}


def test_langchain_embeds(langchain: Told) -> None:
    assert langchain["embeddings"] == [2, 512]


def test_langchain_knows_errors_by_class_and_code(langchain: Told) -> None:
    names = ("unknown_model", "wrong_key", "refused", "provider_down", "breaks_off")
    assert {name: langchain[name] for name in names} == {
        "unknown_model": ["OpenAIModelNotFoundError", 404, "model_not_found"],
        "wrong_key": ["OpenAIAuthenticationError", 401, "invalid_api_key"],
        "refused": ["OpenAIInvalidRequestError", 400, "validation"],
        "provider_down": ["OpenAIAPIError", 502, "provider.refused"],
        "breaks_off": ["APIError", None, "provider.stream_failed"],
    }


@pytest.mark.parametrize("form", ["plain", "responses"])
def test_pydantic_ai_reads_an_answer(pydantic_ai: Told, form: str) -> None:
    assert pydantic_ai[form] == {"text": TEXT, "usage": USAGE, "reasoning": THOUGHT}


@pytest.mark.parametrize("form", ["stream", "responses_stream"])
def test_pydantic_ai_reads_a_stream(pydantic_ai: Told, form: str) -> None:
    told = pydantic_ai[form]
    assert (told["text"], told["usage"]) == (TEXT, USAGE)
    assert told["pieces"] > 1


@pytest.mark.parametrize("form", ["tools", "tools_streamed"])
def test_pydantic_ai_runs_its_loop_of_tools(pydantic_ai: Told, form: str) -> None:
    assert pydantic_ai[form] == {"calls": ["Bogor"], "answer": "It is 21 degrees."}


def test_pydantic_ai_gets_an_object_of_its_type(pydantic_ai: Told) -> None:
    assert pydantic_ai["structured"] == "Bogor"


def test_pydantic_ai_knows_errors_by_class_and_code(pydantic_ai: Told) -> None:
    names = ("unknown_model", "wrong_key", "refused", "provider_down", "breaks_off")
    assert {name: pydantic_ai[name] for name in names} == {
        "unknown_model": ["ModelNotFoundError", 404, "model_not_found"],
        "wrong_key": ["ModelAuthenticationError", 401, "invalid_api_key"],
        "refused": ["ModelRequestRejectedError", 400, "validation"],
        "provider_down": ["ModelServerError", 502, "provider.refused"],
        "breaks_off": ["ModelServerError", 500, "provider.stream_failed"],
    }


@pytest.mark.parametrize("form", ["plain", "stream"])
def test_node_reads_an_answer(node: Told, form: str) -> None:
    told = node[form]
    assert (told["text"], told["reasoning"], told["finish"], told["usage"]) == (TEXT, THOUGHT, "stop", USAGE)
    assert told["marks"] == ["S1"]


def test_node_reads_citations_and_the_id_of_the_request(node: Told) -> None:
    (annotation,) = node["plain"]["annotations"]
    assert (annotation["start_index"], annotation["end_index"]) == (20, 24)
    assert node["plain"]["requestId"] == "string"


def test_node_reads_a_response(node: Told) -> None:
    assert node["responses"] == {"text": TEXT, "streamed": TEXT, "last": "response.completed", "usage": USAGE}


@pytest.mark.parametrize("form", ["tools", "tools_streamed"])
def test_node_calls_tools(node: Told, form: str) -> None:
    assert node[form] == {"finish": "tool_calls", "call": CALL, "answer": "It is 21 degrees."}


def test_node_embeds(node: Told) -> None:
    assert node["embeddings"] == [2, 512]


def test_node_knows_errors_by_class_and_code(node: Told) -> None:
    names = ("unknown_model", "wrong_key", "refused", "provider_down", "breaks_off")
    assert {name: node[name] for name in names} == {
        "unknown_model": ["NotFoundError", 404, "model_not_found"],
        "wrong_key": ["AuthenticationError", 401, "invalid_api_key"],
        "refused": ["BadRequestError", 400, "validation"],
        "provider_down": ["InternalServerError", 502, "provider.refused"],
        "breaks_off": ["APIError", None, "provider.stream_failed"],
    }
