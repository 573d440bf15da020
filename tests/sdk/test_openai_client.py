"""OpenAI's own client for Python against a server with a model behind it."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np
import openai
import pytest
from openai import OpenAI
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam

from tests.sdk.conftest import Place

TEXT = "Nina lives in Bogor [S1]."
QUESTION: list[ChatCompletionMessageParam] = [{"role": "user", "content": "Where does Nina live?"}]
WARMTH: ChatCompletionMessageParam = {"role": "user", "content": "Where does Nina live, and how warm is it there?"}
LOOK_UP: ChatCompletionToolParam = {
    "type": "function",
    "function": {
        "name": "look_up",
        "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
    },
}


@pytest.fixture
def client(place: Place) -> Iterator[OpenAI]:
    with OpenAI(base_url=place.base_url, api_key=place.key, max_retries=0) as client:
        yield client


def asking(text: str) -> list[ChatCompletionMessageParam]:
    return [{"role": "user", "content": text}]


def test_a_whole_answer(client: OpenAI) -> None:
    reply = client.chat.completions.create(model="doso", messages=QUESTION)
    (choice,) = reply.choices
    assert (choice.message.content, choice.finish_reason) == (TEXT, "stop")
    assert (choice.message.model_extra or {})["reasoning_content"] == "Let me see."
    (annotation,) = choice.message.annotations or []
    assert (annotation.url_citation.start_index, annotation.url_citation.end_index) == (20, 24)
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.total_tokens) == (100, 20, 120)
    doso: dict[str, Any] = (reply.model_extra or {})["doso"]
    assert [one["text"] for one in doso["citations"]] == ["Nina lives in Bogor"]
    assert doso["served_by"] == {"provider": "stub", "model": "stub-1"}


def test_a_stream_and_what_its_accumulator_makes_of_it(client: OpenAI) -> None:
    asked = {"model": "doso", "messages": QUESTION, "stream_options": {"include_usage": True}}
    reasoning = ""
    with client.chat.completions.stream(**asked) as stream:  # type: ignore[arg-type]
        for event in stream:
            if event.type == "chunk" and event.chunk.choices:
                reasoning += (event.chunk.choices[0].delta.model_extra or {}).get("reasoning_content", "")
        whole = stream.get_final_completion()
    (choice,) = whole.choices
    assert (choice.message.content, choice.finish_reason, reasoning) == (TEXT, "stop", "Let me see.")
    assert len(choice.message.annotations or []) == 1
    assert whole.usage is not None
    assert whole.usage.total_tokens == 120


def test_the_pieces_come_as_the_model_made_them(client: OpenAI) -> None:
    chunks = list(client.chat.completions.create(model="doso", messages=QUESTION, stream=True))
    pieces = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices[0].delta.content]
    assert "".join(pieces) == TEXT
    assert len(pieces) > 1
    assert len({chunk.id for chunk in chunks}) == 1
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices[0].finish_reason] == ["stop"]


@pytest.mark.parametrize("is_streamed", [True, False])
def test_a_call_of_a_tool_and_its_result(client: OpenAI, is_streamed: bool) -> None:
    if is_streamed:
        with client.chat.completions.stream(model="doso", messages=[WARMTH], tools=[LOOK_UP]) as stream:
            choice: Any = stream.get_final_completion().choices[0]
    else:
        choice = client.chat.completions.create(model="doso", messages=[WARMTH], tools=[LOOK_UP]).choices[0]
    (call,) = choice.message.tool_calls
    assert (choice.finish_reason, call.id, call.function.name) == ("tool_calls", "call_1", "look_up")
    assert call.function.arguments == '{"q": "Bogor"}'
    turn: list[Any] = [WARMTH, choice.message, {"role": "tool", "tool_call_id": call.id, "content": "21 degrees"}]
    answer = client.chat.completions.create(model="doso", messages=turn, tools=[LOOK_UP])
    assert answer.choices[0].message.content == "It is 21 degrees."


def test_the_model_got_the_evidence_with_the_tools(client: OpenAI, place: Place) -> None:
    client.chat.completions.create(model="doso", messages=[WARMTH], tools=[LOOK_UP])
    seen = place.stub.chats[-1]
    assert seen.body["tools"] == [LOOK_UP]
    assert "Nina lives in Bogor" in seen.prompt


@pytest.mark.parametrize(
    ("more", "error", "code", "param"),
    [
        ({"model": "gpt-4o"}, openai.NotFoundError, "model_not_found", "model"),
        ({"n": 2}, openai.BadRequestError, "validation", "n"),
        ({"extra_body": {"effort": "max"}}, openai.BadRequestError, "validation", "effort"),
        ({"messages": asking("Where does Nina live? refuse")}, openai.InternalServerError, "provider.refused", None),
    ],
    ids=str,
)
@pytest.mark.parametrize("stream", [True, False])
def test_errors_have_their_class_and_code(
    client: OpenAI, more: dict[str, Any], error: type[openai.APIStatusError], code: str, param: str | None, stream: bool
) -> None:
    asked: dict[str, Any] = {"model": "doso", "messages": QUESTION, "stream": stream}
    with pytest.raises(error) as raised:
        client.chat.completions.create(**(asked | more))
    assert (raised.value.code, raised.value.param) == (code, param)
    assert raised.value.request_id
    assert "sk-live-1" not in str(raised.value)


def test_a_wrong_key_is_an_authentication_error(place: Place) -> None:
    stranger = OpenAI(base_url=place.base_url, api_key="doso_0000000000000000_" + "x" * 43, max_retries=0)
    with pytest.raises(openai.AuthenticationError) as raised:
        stranger.models.list()
    assert raised.value.code == "invalid_api_key"


def test_what_no_repetition_mends_is_not_repeated(place: Place) -> None:
    before = len(place.stub.chats)
    patient = OpenAI(base_url=place.base_url, api_key=place.key, max_retries=2)
    with pytest.raises(openai.InternalServerError):
        patient.chat.completions.create(model="doso", messages=asking("Where does Nina live? refuse"))
    assert len(place.stub.chats) == before + 1


def test_an_answer_that_breaks_off_raises_after_its_words(client: OpenAI) -> None:
    told = ""
    with pytest.raises(openai.APIError) as raised:
        for chunk in client.chat.completions.create(
            model="doso", messages=asking("Where does Nina live? break off"), stream=True
        ):
            told += chunk.choices[0].delta.content or ""
            assert chunk.choices[0].finish_reason is None
    assert told.startswith("Nina lives in Bogor")
    assert raised.value.code == "provider.stream_failed"
    assert raised.value.body is not None
    assert raised.value.body["request_id"]  # type: ignore[index]


def test_the_list_of_models(client: OpenAI) -> None:
    names = [model.id for model in client.models.list()]
    assert names == ["doso", "doso-fast", "doso-expert", "doso-embed", "hashing"]
    assert client.models.retrieve("doso-expert").object == "model"
    with pytest.raises(openai.NotFoundError) as raised:
        client.models.retrieve("gpt-4o")
    assert raised.value.code == "model_not_found"


def test_embeddings_in_the_form_the_client_asks_for_unasked(client: OpenAI, place: Place) -> None:
    unasked = client.embeddings.create(model="doso-embed", input=["A meter.", "A cake."])
    floats = client.embeddings.create(model="hashing", input=["A meter.", "A cake."], encoding_format="float")
    assert [one.embedding for one in unasked.data] == [pytest.approx(one.embedding) for one in floats.data]
    assert [one.index for one in unasked.data] == [0, 1]
    assert unasked.usage.prompt_tokens == unasked.usage.total_tokens == 4
    raw = client.embeddings.create(model="doso-embed", input="A meter.", encoding_format="base64").data[0].embedding
    row = np.frombuffer(base64.b64decode(str(raw)), dtype="<f4")
    assert row.shape == (512,)
    assert row.tolist() == unasked.data[0].embedding


def test_a_response_and_its_stream(client: OpenAI) -> None:
    whole = client.responses.create(model="doso", input="Where does Nina live?")
    assert (whole.output_text, whole.status) == (TEXT, "completed")
    assert whole.usage is not None
    assert (whole.usage.input_tokens, whole.usage.output_tokens) == (100, 20)
    with client.responses.stream(model="doso", input="Where does Nina live?") as stream:
        told = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        last = stream.get_final_response()
    assert told == last.output_text == TEXT


def test_a_response_that_calls_a_function(client: OpenAI) -> None:
    question = str(WARMTH["content"])
    tool: Any = {"type": "function", "name": "look_up", "parameters": {"type": "object"}, "strict": False}
    first = client.responses.create(model="doso", input=question, tools=[tool])
    (call,) = [item for item in first.output if item.type == "function_call"]
    assert (call.call_id, call.name, call.arguments) == ("call_1", "look_up", '{"q": "Bogor"}')
    items: list[Any] = [
        {"role": "user", "content": question},
        *first.output,
        {"type": "function_call_output", "call_id": call.call_id, "output": "21 degrees"},
    ]
    assert client.responses.create(model="doso", input=items, tools=[tool]).output_text == "It is 21 degrees."
