"""Structured replies are read from whatever a model writes, and asked for again once."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from pydantic import BaseModel

from doso.errors import ProviderRefused, ProviderUnavailable, ReplyUnreadable
from doso.llm.chat import ChatMessage, ModelRequest, Profile, Role
from doso.llm.ports import Outcome
from doso.llm.prompts import AGAIN, SHORTER
from tests.doso.llm.models import Bench, at, bench
from tests.support.provider import (
    ProviderStub,
    chunk,
    failure,
    json_reply,
    provider_stub,
    raw_stream,
    sse,
    text_stream,
)


class Triples(BaseModel):
    triples: list[tuple[str, str, str]]


LIVES = ("me", "lives_in", "Jakarta")
WORKS = ("me", "works_at", "Gojek")
GOOD = json_reply({"triples": [LIVES, WORKS]})
CUT = text_stream('{"triples":[["me","lives_in","Jakarta"],["me","works_at","Goj', finish="length")
ASKED = ModelRequest((ChatMessage(Role.USER, "I live in Jakarta"),), max_output_tokens=100)


@pytest.fixture
async def stub() -> AsyncIterator[ProviderStub]:
    async with provider_stub() as made:
        yield made


@pytest.fixture
async def work() -> AsyncIterator[Bench]:
    async with bench() as made:
        yield made


async def reply(work: Bench, stub: ProviderStub, ability: object = None) -> Triples:
    return await work.models(at(stub, ability=ability or {})).reply(Profile.EXTRACT, ASKED, Triples)


async def test_a_reply_is_asked_for_by_its_schema_and_validated(stub: ProviderStub, work: Bench) -> None:
    stub.script = [GOOD]
    assert (await reply(work, stub)).triples == [LIVES, WORKS]
    [seen] = stub.requests
    asked = seen.body["response_format"]["json_schema"]
    assert asked == {"name": "Triples", "schema": Triples.model_json_schema()}


@pytest.mark.parametrize(
    "structured, kind", [("json_schema", "json_schema"), ("json_object", "json_object"), ("none", None)]
)
async def test_it_is_asked_for_by_what_the_model_can_do(
    stub: ProviderStub, work: Bench, structured: str, kind: str | None
) -> None:
    stub.script = [GOOD]
    assert (await reply(work, stub, {"structured": structured})).triples == [LIVES, WORKS]
    body = stub.requests[0].body
    assert body.get("response_format", {}).get("type") == kind
    assert ("JSON schema" in stub.requests[0].prompt) == (structured != "json_schema")


async def test_thinking_and_prose_around_it_do_not_matter(stub: ProviderStub, work: Bench) -> None:
    stub.script = [
        text_stream(
            "<think>{maybe}", "</think>Sure {ok}: ```json\n", '{"triples":[["me","lives_in",', '"Jakarta"]]}\n```'
        )
    ]
    assert (await reply(work, stub)).triples == [LIVES]


async def test_a_cut_reply_is_asked_for_again_and_may_be_longer(stub: ProviderStub, work: Bench) -> None:
    stub.script = [CUT, GOOD]
    assert (await reply(work, stub)).triples == [LIVES, WORKS]
    first, second = (seen.body for seen in stub.requests)
    assert (first["max_tokens"], second["max_tokens"]) == (100, 200)
    assert second["messages"][-1] == {"role": "user", "content": SHORTER}
    assert "Goj" not in stub.requests[1].prompt


async def test_of_a_reply_cut_twice_the_whole_items_stay(stub: ProviderStub, work: Bench) -> None:
    stub.script = [CUT, CUT]
    assert (await reply(work, stub)).triples == [LIVES]
    assert len(stub.requests) == 2


async def test_a_reply_that_can_not_be_read_is_asked_for_again_once(stub: ProviderStub, work: Bench) -> None:
    stub.script = [text_stream("I would rather not."), GOOD]
    assert (await reply(work, stub)).triples == [LIVES, WORKS]
    assert stub.requests[1].body["messages"][-1] == {"role": "user", "content": AGAIN}
    stub.respond = text_stream("I would rather not.")
    with pytest.raises(ReplyUnreadable) as caught:
        await reply(work, stub)
    assert len(stub.requests) == 4
    assert "rather" not in caught.value.message


async def test_a_reply_that_runs_away_is_stopped(stub: ProviderStub, work: Bench) -> None:
    stub.respond = text_stream('{"triples":[["me","note","', *["la " * 10_000] * 20)
    with pytest.raises(ReplyUnreadable):
        await reply(work, stub)
    assert [event.outcome for event in work.sink.events] == [Outcome.CANCELLED, Outcome.CANCELLED]


async def test_a_stream_that_breaks_off_is_asked_for_again(stub: ProviderStub, work: Bench) -> None:
    stub.script = [raw_stream(*sse(chunk({"content": '{"triples":[["me","li'}))), GOOD]
    assert (await reply(work, stub)).triples == [LIVES, WORKS]
    assert [event.outcome for event in work.sink.events] == [Outcome.PARTIAL, Outcome.OK]


async def test_a_provider_that_fails_is_no_unreadable_reply(stub: ProviderStub, work: Bench) -> None:
    stub.script = [failure(401)]
    with pytest.raises(ProviderRefused):
        await reply(work, stub)
    stub.respond = lambda _: failure(503)
    with pytest.raises(ProviderUnavailable):
        await reply(work, stub)
