"""Which model is asked, how often, which one after it, and what is recorded of it."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import ExitStack, aclosing

import pytest

from doso.errors import (
    PromptTooLong,
    ProviderLimited,
    ProviderRefused,
    ProviderStreamFailed,
    ProviderTimeout,
    ProviderUnavailable,
)
from doso.ids import OwnerId
from doso.llm.chat import ChatMessage, FinishReason, ModelRequest, Profile, ReplyShape, Role, TextDelta, ToolCall
from doso.llm.config import parse_models
from doso.llm.ports import Ability, Outcome
from doso.llm.runtime import LONGEST_WAIT_S
from doso.telemetry import configure_logging
from doso.tracing import Trace
from tests.doso.llm.models import HELLO, KEY, NOW, OWNER, SHORT, Bench, Told, at, bench, told
from tests.support.provider import (
    Answer,
    End,
    Gate,
    ProviderStub,
    Scripted,
    chunk,
    chunked_stream,
    completion,
    failure,
    http,
    provider_stub,
    raw_stream,
    sse,
    text_stream,
)


@pytest.fixture
async def stub() -> AsyncIterator[ProviderStub]:
    async with provider_stub() as made:
        yield made


@pytest.fixture
async def other() -> AsyncIterator[ProviderStub]:
    async with provider_stub(text_stream("From the ", "other.")) as made:
        yield made


@pytest.fixture
async def work() -> AsyncIterator[Bench]:
    async with bench() as made:
        yield made


# ── repeats ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("status", [500, 502, 503, 529, 408])
async def test_a_failure_that_may_pass_is_asked_about_again(stub: ProviderStub, work: Bench, status: int) -> None:
    stub.script = [failure(status)]
    assert (await told(work.models(at(stub)))).text == "Hello."
    assert len(stub.requests) == 2
    [wait_s] = work.waits
    assert 0.25 <= wait_s <= 0.5
    assert [event.outcome for event in work.sink.events] == [Outcome.OK]


async def test_repeats_end(stub: ProviderStub, work: Bench) -> None:
    stub.respond = lambda _: failure(503, f"no, {KEY}")
    with pytest.raises(ProviderUnavailable) as caught:
        await told(work.models(at(stub)))
    assert len(stub.requests) == 4
    assert work.waits == sorted(work.waits)
    assert KEY not in caught.value.message
    [event] = work.sink.events
    assert (event.outcome, event.code) == (Outcome.FAILED, "provider.unavailable")
    assert event.usage.output_tokens == 0
    assert event.ttft_ms is None


@pytest.mark.parametrize(
    ("spelled", "wait_s"),
    [
        ({"retry_after": "1"}, 1.0),
        ({"retry_after_ms": "1500"}, 1.5),
        ({"retry_after": "Sun, 01 Mar 2026 12:00:07 GMT"}, 7.0),
    ],
)
async def test_the_pause_that_is_asked_for_is_made(
    stub: ProviderStub, work: Bench, spelled: dict[str, str], wait_s: float
) -> None:
    stub.script = [failure(429, **spelled)]
    assert (await told(work.models(at(stub)))).text == "Hello."
    assert work.waits == [wait_s]


@pytest.mark.parametrize(
    ("spelled", "told_s"),
    [
        ({"retry_after_ms": "274579000"}, 274_579),
        ({"retry_after": "86400"}, 86_400),
        ({"retry_after": str(int(LONGEST_WAIT_S) + 1)}, int(LONGEST_WAIT_S) + 1),
    ],
)
async def test_a_long_pause_is_told_on_and_not_slept_through(
    stub: ProviderStub, work: Bench, spelled: dict[str, str], told_s: int
) -> None:
    stub.respond = lambda _: failure(429, **spelled)
    with pytest.raises(ProviderLimited) as caught:
        await told(work.models(at(stub)))
    assert caught.value.retry_after_s == told_s
    assert (len(stub.requests), work.waits) == (1, [])


@pytest.mark.parametrize("spelled", ["-5", "abc", "1e9", "0", "nan", "Wed, 21 Oct 2099 07:28:00 GMT"])
async def test_a_pause_that_makes_no_sense_is_none(stub: ProviderStub, work: Bench, spelled: str) -> None:
    stub.respond = lambda _: failure(429, retry_after=spelled)
    with pytest.raises(ProviderLimited) as caught:
        await told(work.models(at(stub)))
    assert caught.value.retry_after_s is None
    assert len(stub.requests) == 4
    assert sum(work.waits) < LONGEST_WAIT_S


ONCE: dict[str, tuple[Answer, type[ProviderUnavailable], int]] = {
    "a refused key": (failure(401), ProviderRefused, 502),
    "a key without permission": (failure(403), ProviderRefused, 502),
    "no credit": (failure(402), ProviderUnavailable, 503),
    "no quota": (failure(429, "see plan", code="insufficient_quota"), ProviderUnavailable, 503),
    "no such model": (failure(404), ProviderRefused, 502),
    "a prompt too long by code": (failure(400, "no", code="context_length_exceeded"), PromptTooLong, 400),
    "a prompt too long in words": (
        failure(400, "This model's maximum context length is 4096 tokens, however you requested 9000"),
        PromptTooLong,
        400,
    ),
    "a body too large": (http(413, "Payload Too Large"), PromptTooLong, 400),
    "a redirect": (http(302, "", location="http://127.0.0.1:1/"), ProviderRefused, 502),
    "a request it dislikes": (failure(400, "temperament is odd"), ProviderRefused, 502),
}


@pytest.mark.parametrize(("answer", "kind", "status"), ONCE.values(), ids=ONCE.keys())
async def test_what_will_not_pass_is_not_asked_about_again(
    stub: ProviderStub, work: Bench, answer: Answer, kind: type[ProviderUnavailable], status: int
) -> None:
    models = work.models(at(stub, ability={"usage": True}))
    stub.respond = lambda _: answer
    with pytest.raises(kind) as caught:
        await told(models)
    assert caught.value.status == status
    assert (len(stub.requests), work.waits) == (1, [])


@pytest.mark.parametrize("status", [401, 403, 402])
async def test_a_key_that_does_not_work_is_an_alarm(
    stub: ProviderStub, work: Bench, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logging("WARNING")
    stub.script = [failure(status, f"bad {KEY}")]
    with pytest.raises(ProviderUnavailable):
        await told(work.models(at(stub)))
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    [alarm] = [line for line in lines if line["level"] == "error"]
    assert alarm["model"] == "one"
    assert KEY not in json.dumps(lines)


async def test_time_outs_are_tried_once_more(stub: ProviderStub, work: Bench) -> None:
    stub.respond = lambda _: Answer((), End.HOLD)
    async with asyncio.timeout(30):
        with pytest.raises(ProviderTimeout):
            await told(work.models(at(stub, limits=SHORT)))
    assert len(stub.requests) == 2


async def test_who_can_not_be_reached_is_told_soon(work: Bench) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: refused
        port = taken.getsockname()[1]
        for base_url in (f"http://127.0.0.1:{port}/v1", "http://doso.invalid/v1"):
            async with asyncio.timeout(10):
                with pytest.raises(ProviderUnavailable) as caught:
                    await told(work.models({"base_url": base_url, "model": "m"}))
            assert caught.value.code == "provider.unavailable"
            assert str(port) not in caught.value.message


async def test_a_connection_that_is_never_taken_is_tried_once_more(work: Bench) -> None:
    with ExitStack() as sockets:
        full = sockets.enter_context(socket.socket())
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for _ in range(4):  # nobody accepts: beyond these, the kernel lets a caller wait
            caller = sockets.enter_context(socket.socket())
            caller.setblocking(False)
            caller.connect_ex(full.getsockname())
        entry: dict[str, object] = {
            "base_url": f"http://127.0.0.1:{full.getsockname()[1]}/v1",
            "model": "m",
            "limits": {"connect_s": 0.2},
        }
        async with asyncio.timeout(10):
            with pytest.raises(ProviderTimeout):
                await told(work.models(entry))
    assert len(work.waits) == 1


async def test_a_far_end_that_speaks_no_tls_is_not_asked_twice(work: Bench) -> None:
    calls: list[bytes] = []

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        calls.append(await reader.read(100))
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    async with server, asyncio.timeout(10):
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(ProviderUnavailable):
            await told(work.models({"base_url": f"https://127.0.0.1:{port}/v1", "model": "m"}))
    assert len(calls) == 1


# ── fallbacks ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("answer", "calls"),
    [
        (failure(401), 1),
        (failure(402), 1),
        (failure(429, retry_after="600"), 1),
        (failure(500), 2),
        (http(200, "<html>"), 2),
        (Answer((), End.RESET), 2),
        (failure(404), 1),
    ],
    ids=str,
)
async def test_the_next_candidate_answers_where_the_first_fails(
    stub: ProviderStub, other: ProviderStub, work: Bench, answer: Answer, calls: int
) -> None:
    stub.respond = lambda _: answer
    found = await told(work.models(at(stub), at(other, "two")))
    assert found.text == "From the other."
    assert (found.end.provider, found.end.model) == ("two", "m")
    assert len(stub.requests) == calls
    first, second = work.sink.events
    assert (first.provider, first.outcome, first.is_fallback) == ("one", Outcome.FAILED, False)
    assert (second.provider, second.outcome, second.is_fallback) == ("two", Outcome.OK, True)


async def test_a_fallback_is_a_span_of_the_trace(stub: ProviderStub, other: ProviderStub, work: Bench) -> None:
    trace = Trace()
    configs = parse_models(json.dumps([at(stub), at(other, "two")]))
    models = work.runtime.bind(OWNER, configs, trace)
    await told(models)
    assert trace.spans == []
    stub.script = [failure(401)]
    await told(models)
    [span] = trace.spans
    assert (span.name, span.error) == ("model.fallback", None)
    assert span.attributes == {"profile": "draft_fast", "provider": "two", "model": "m"}
    stub.script, other.script = [failure(401)], [failure(402)]
    with pytest.raises(ProviderRefused):
        await told(models)
    assert trace.spans[1].error == "provider.unavailable"


async def test_there_is_no_fallback_once_a_word_was_shown(stub: ProviderStub, other: ProviderStub, work: Bench) -> None:
    stub.script = [raw_stream(*sse(chunk({"content": "A"})))]
    found = Told()
    with pytest.raises(ProviderStreamFailed):
        await told(work.models(at(stub), at(other, "two")), into=found)
    assert found.events == [TextDelta("A")]
    assert other.requests == []


async def test_when_all_fail_the_first_failure_is_told(stub: ProviderStub, other: ProviderStub, work: Bench) -> None:
    stub.respond = lambda _: failure(429, retry_after="99")
    other.respond = lambda _: failure(401)
    with pytest.raises(ProviderLimited) as caught:
        await told(work.models(at(stub), at(other, "two")))
    assert caught.value.retry_after_s == 99


async def test_a_prompt_too_long_goes_only_to_a_model_that_takes_more(
    stub: ProviderStub, other: ProviderStub, work: Bench
) -> None:
    stub.respond = lambda _: failure(400, "no", code="context_length_exceeded")
    with pytest.raises(PromptTooLong):
        await told(work.models(at(stub), at(other, "two")))
    assert other.requests == []
    large = at(other, "two", ability={"context_tokens": 100_000})
    assert (await told(work.models(at(stub), large))).text == "From the other."


async def test_data_that_stays_near_goes_nowhere_else(stub: ProviderStub, other: ProviderStub, work: Bench) -> None:
    stub.respond = lambda _: failure(401)
    with pytest.raises(ProviderRefused):
        await told(work.models(at(stub), at(other, "two", data_policy="remote")))
    assert other.requests == []


async def test_a_task_that_no_model_serves(stub: ProviderStub, work: Bench) -> None:
    models = work.models(at(stub, profiles=["skeptic"]))
    assert models.ability(Profile.SKEPTIC) == Ability(has_tools=True, has_schema=True)
    assert models.ability(Profile.TITLE) is None
    with pytest.raises(ProviderUnavailable):
        await told(models, profile=Profile.TITLE)
    assert stub.requests == []


# ── abilities ────────────────────────────────────────────────────────────────────────────────────────────────────────

SHAPED = ModelRequest(
    (ChatMessage(Role.SYSTEM, "You judge."), ChatMessage(Role.USER, "This?")),
    max_output_tokens=50,
    temperature=0.0,
    stop=("END",),
    reply=ReplyShape("Verdict", {"type": "object"}),
)
TOOLS = '[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]'


def refusing(*names: str) -> Scripted:
    """A server that turns down every request with one of these fields, as servers do."""

    def respond(seen: object) -> Answer:
        body = seen.body  # type: ignore[attr-defined]
        for name in names:
            if name in json.dumps(body):
                return failure(400, f"Unsupported parameter: {name}", param=None)
        return text_stream("{}")(seen)  # type: ignore[arg-type]

    return respond


@pytest.mark.parametrize(
    ("refused", "left_out"),
    [
        ("stream_options", {"stream_options"}),
        ("temperature", {"temperature"}),
        ("stop", {"stop"}),
    ],
)
async def test_a_field_that_is_refused_is_left_out_from_then_on(
    stub: ProviderStub, work: Bench, refused: str, left_out: set[str]
) -> None:
    stub.respond = refusing(f'"{refused}"')  # type: ignore[assignment]
    models = work.models(at(stub))
    await told(models, SHAPED)
    await told(models, SHAPED)
    first, second, third = (seen.body.keys() for seen in stub.requests)
    assert first - second == left_out
    assert third == second
    assert [event.outcome for event in work.sink.events] == [Outcome.OK, Outcome.OK]


async def test_the_shape_of_a_reply_is_asked_for_in_ever_plainer_ways(stub: ProviderStub, work: Bench) -> None:
    stub.respond = refusing("json_schema", "response_format")  # type: ignore[assignment]
    models = work.models(at(stub))
    await told(models, SHAPED)
    assert [seen.body.get("response_format", {}).get("type") for seen in stub.requests] == [
        "json_schema",
        "json_object",
        None,
    ]
    system = stub.requests[-1].body["messages"][0]["content"]
    assert system.startswith("You judge.")
    assert '{"type":"object"}' in system
    assert models.ability(Profile.SKEPTIC) == Ability(has_tools=True, has_schema=False)


async def test_a_refusal_without_a_reason_is_met_with_a_plainer_request(stub: ProviderStub, work: Bench) -> None:
    stub.script = [http(400, "Bad Request"), http(422, "")]
    await told(work.models(at(stub)), SHAPED)
    assert "stream_options" not in stub.requests[1].body
    assert stub.requests[2].body["response_format"] == {"type": "json_object"}


async def test_nothing_is_learnt_from_a_refusal_that_was_about_something_else(stub: ProviderStub, work: Bench) -> None:
    stub.respond = lambda _: http(400, "Bad Request")
    models = work.models(at(stub))
    with pytest.raises(ProviderRefused):
        await told(models, SHAPED)
    assert len(stub.requests) <= 5
    stub.respond = text_stream("{}")
    await told(models, SHAPED)
    assert stub.requests[-1].body["stream_options"] == {"include_usage": True}
    assert stub.requests[-1].body["response_format"]["type"] == "json_schema"


async def test_the_other_name_of_the_limit_is_used_where_the_first_is_refused(stub: ProviderStub, work: Bench) -> None:
    stub.script = [failure(400, "Unsupported: 'max_tokens'. Use 'max_completion_tokens' instead.", param="max_tokens")]
    await told(work.models(at(stub)), SHAPED)
    assert stub.requests[0].body["max_tokens"] == 50
    assert "max_tokens" not in stub.requests[1].body
    assert stub.requests[1].body["max_completion_tokens"] == 50


async def test_a_model_that_can_not_stream_is_asked_for_the_whole(stub: ProviderStub, work: Bench) -> None:
    stub.script = [failure(400, "stream is not supported by this model", param="stream")]
    models = work.models(at(stub))
    found = await told(models)
    assert found.events[0] == TextDelta("Hello.")
    assert "stream" not in stub.requests[1].body
    declared = work.models(at(stub, "two", ability={"streaming": False}))
    stub.script = [http(200, completion("Whole.", reasoning_content="why"))]
    found = await told(declared)
    assert (found.reasoning, found.text) == ("why", "Whole.")
    assert "stream" not in stub.requests[-1].body


async def test_tools_go_to_a_model_that_takes_them(stub: ProviderStub, other: ProviderStub, work: Bench) -> None:
    request = ModelRequest(HELLO.messages, tools=TOOLS, tool_choice='"auto"')
    stub.script = [failure(400, "tools are not supported")]
    models = work.models(at(stub), at(other, "two"))
    assert (await told(models, request)).text == "From the other."
    assert other.requests[0].body["tools"] == json.loads(TOOLS)
    assert other.requests[0].body["tool_choice"] == "auto"
    await told(models, request)
    assert len(stub.requests) == 1, "it is not asked again"
    ability = models.ability(Profile.TITLE)
    assert ability is not None
    assert not ability.has_tools


async def test_without_a_model_that_takes_tools_they_are_not_dropped_silently(stub: ProviderStub, work: Bench) -> None:
    models = work.models(at(stub, ability={"tools": False}))
    with pytest.raises(ProviderRefused):
        await told(models, ModelRequest(HELLO.messages, tools=TOOLS))
    assert stub.requests == []


async def test_what_is_declared_is_not_tried_out(stub: ProviderStub, work: Bench) -> None:
    ability = {"structured": "none", "usage": False, "context_tokens": 4_000, "max_output_tokens": 300}
    models = work.models(at(stub, ability=ability))
    assert models.ability(Profile.TITLE) == Ability(
        has_tools=True, has_schema=False, context_tokens=4_000, max_output_tokens=300
    )
    await told(models, SHAPED)
    assert not {"stream_options", "response_format"} & stub.requests[0].body.keys()


async def test_the_request_as_the_server_gets_it(stub: ProviderStub, work: Bench) -> None:
    messages = (
        ChatMessage(Role.USER, "half \ud83d a character"),
        ChatMessage(Role.ASSISTANT, tool_calls=(ToolCall("call_1", "f", '{"x":1}'),)),
        ChatMessage(Role.TOOL, "42", tool_call_id="call_1"),
    )
    await told(work.models(at(stub, extra={"reasoning_effort": "low"})), ModelRequest(messages))
    [seen] = stub.requests
    assert (seen.method, seen.path) == ("POST", "/v1/chat/completions")
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}}
    assert seen.body == {
        "model": "m",
        "messages": [
            {"role": "user", "content": "half  a character"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "content": "42", "tool_call_id": "call_1"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "reasoning_effort": "low",
    }


# ── leaving, and what is recorded ────────────────────────────────────────────────────────────────────────────────────


async def test_leaving_closes_the_providers_connection_at_once(stub: ProviderStub, work: Bench) -> None:
    gate = Gate()
    stub.script = [chunked_stream(*sse(chunk({"content": "A" * 40})), gate, *sse(chunk({}, "stop")))]
    async with aclosing(work.models(at(stub)).stream(Profile.DRAFT_FAST, HELLO)) as events:
        assert await anext(events) == TextDelta("A" * 40)
    await asyncio.wait_for(stub.requests[0].left.wait(), 1)
    [event] = work.sink.events
    assert event.outcome is Outcome.CANCELLED
    assert (event.usage.output_tokens, event.usage.is_exact) == (10, False)
    assert asyncio.all_tasks() - {asyncio.current_task()} == set(stub.tasks)


async def test_a_cancelled_task_closes_it_too_before_the_first_token(stub: ProviderStub, work: Bench) -> None:
    stub.script = [raw_stream(end=End.HOLD)]
    task = asyncio.create_task(told(work.models(at(stub))))
    while not stub.requests:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(stub.requests[0].left.wait(), 1)
    assert [event.outcome for event in work.sink.events] == [Outcome.CANCELLED]


async def test_what_is_recorded_of_a_call(stub: ProviderStub, work: Bench) -> None:
    models = work.models(at(stub, price={"input": 2_000_000, "output": 8_000_000}))
    await told(models, profile=Profile.SKEPTIC)
    [event] = work.sink.events
    assert event.owner == OWNER
    assert event.at == NOW
    assert (event.profile, event.provider, event.model) == (Profile.SKEPTIC, "one", "m")
    assert (event.usage.input_tokens, event.usage.output_tokens, event.usage.is_exact) == (10, 2, True)
    assert (event.micro_usd, event.price_version) == (20 + 16, "configured")
    assert event.code is None
    assert event.ttft_ms is not None
    assert 0 <= event.ttft_ms <= event.duration_ms


async def test_an_unknown_price_is_not_nothing(stub: ProviderStub, work: Bench) -> None:
    await told(work.models(at(stub)))
    assert (work.sink.events[0].micro_usd, work.sink.events[0].price_version) == (None, None)


async def test_owners_share_what_was_learnt_and_nothing_else(stub: ProviderStub, work: Bench) -> None:
    stub.script = [failure(400, "no stream_options")]
    models = work.models(at(stub))
    await told(models)
    budi = work.runtime.bind(OwnerId("budi"), models._configs)
    await told(budi)
    assert len(stub.requests) == 3
    assert [event.owner for event in work.sink.events] == [OWNER, "budi"]


async def test_many_streams_at_once(stub: ProviderStub, work: Bench) -> None:
    models = work.models(at(stub))
    found = await asyncio.gather(*(told(models) for _ in range(100)))
    assert {one.text for one in found} == {"Hello."}
    assert {one.end.reason for one in found} == {FinishReason.STOP}
