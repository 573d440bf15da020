"""A model behind any OpenAI-compatible `/chat/completions` address."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

import httpx2

from doso.clock import Clock
from doso.errors import ProviderRefused, ProviderTimeout, ProviderUnavailable, ReplyUnreadable
from doso.llm.chat import FinishReason, ModelRequest
from doso.llm.config import ModelConfig
from doso.llm.http import Connections
from doso.llm.ports import Ability, CallFailed, Provider, ProviderEvent
from doso.llm.providers.body import Body, CallClock, TooMuchError
from doso.llm.providers.chunks import ChunkReader, Delta, UnreadableError, parse_chunk
from doso.llm.providers.knowledge import Knowledge
from doso.llm.providers.refusals import (
    TRANSIENT_RETRIES,
    Complaint,
    Feature,
    complaint_in,
    complaint_of,
    error_in_stream,
    refusal,
    refused_feature,
)
from doso.llm.providers.requests import body_of
from doso.llm.sse import SseDecoder

#: How often one call is put differently because the server does not know something in it.
MAX_ADAPTATIONS = 5
MAX_ERROR_BYTES = 64 * 1024
#: After the finish: how long usage and [DONE] may take, and after [DONE] the end of the body.
FINISH_GRACE_S = 1.5
DRAIN_S = 0.1
DONE = "[DONE]"
_NOTHING: frozenset[Feature] = frozenset()


@dataclass(eq=False)
class _Turned(Exception):
    """A status that is no success: what it means, and what the server complains of."""

    status: int
    complaint: Complaint
    failed: CallFailed


class OpenAiProvider:
    """Streams replies; learns from refusals what the server does not know, and remembers it."""

    def __init__(self, config: ModelConfig, connections: Connections, clock: Clock) -> None:
        self._config = config
        self._connections = connections
        self._clock = clock
        self._knowledge = Knowledge(config.ability)
        self._url = f"{config.base_url}/chat/completions"
        self._headers = {
            "content-type": "application/json",
            "accept": "text/event-stream, application/json",
            "accept-encoding": "identity",
        }
        if config.api_key is not None:
            self._headers["authorization"] = f"Bearer {config.api_key}"

    def ability(self) -> Ability:
        """What the model can do, as far as declared or seen by now."""
        return self._knowledge.ability()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ProviderEvent, None]:
        """One call; a server that turns down a field is asked again without it, a bounded number of times."""
        without = _NOTHING
        for _ in range(MAX_ADAPTATIONS):
            used = self._knowledge.used_by(request, without)
            try:
                async with aclosing(self._call(request, used)) as events:
                    async for event in events:
                        yield event
            except _Turned as turned:
                without |= {self._refused(turned, used)}
            else:
                self._knowledge.learn(used, without)
                return
        raise CallFailed(ProviderRefused(f"The model {self._config.name!r} turns down every form of the request."))

    def _refused(self, turned: _Turned, used: frozenset[Feature]) -> Feature:
        """What to leave out. Raises CallFailed where the refusal is about something else, or about the tools that the
        request is for."""
        unproven = frozenset(feature for feature in used if not self._knowledge.is_proven(feature))
        feature = refused_feature(turned.status, turned.complaint, used, unproven)
        if feature is Feature.TOOLS:
            self._knowledge.learn(_NOTHING, frozenset({feature}))
            raise CallFailed(ProviderRefused(f"The model {self._config.name!r} takes no tools."))
        if feature is None:
            raise turned.failed
        return feature

    async def _call(self, request: ModelRequest, used: frozenset[Feature]) -> AsyncGenerator[ProviderEvent, None]:
        """One request and its reply, every failure as CallFailed or _Turned."""
        client = await self._connections.client()
        clock = CallClock(self._config.limits, is_whole=Feature.STREAM not in used)
        body: Body | None = None
        has_begun = False
        try:
            response = await self._send(client, body_of(self._config, request, used), clock)
            body = Body(response)
            if not response.is_success:
                raise await self._turned(response, body, clock)
            async with aclosing(self._reply(body, clock)) as events:
                async for event in events:
                    has_begun = True
                    yield event
        except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, TooMuchError, UnreadableError) as error:
            raise self._failed(error, retries=0 if has_begun else 1) from None
        finally:
            if body is not None:
                await body.aclose()

    async def _send(self, client: httpx2.AsyncClient, content: bytes, clock: CallClock) -> httpx2.Response:
        """The response, of which only the head was read."""
        timeout = httpx2.Timeout(None, connect=self._config.limits.connect_s)
        request = client.build_request("POST", self._url, content=content, headers=self._headers, timeout=timeout)
        async with asyncio.timeout_at(clock.first):
            return await client.send(request, stream=True)

    async def _turned(self, response: httpx2.Response, body: Body, clock: CallClock) -> _Turned:
        try:
            said = complaint_of(await body.rest(clock, MAX_ERROR_BYTES))
        except (httpx2.HTTPError, TimeoutError, TooMuchError):
            said = Complaint()
        status = response.status_code
        return _Turned(status, said, refusal(status, response.headers, said, self._config.name, self._clock))

    async def _reply(self, body: Body, clock: CallClock) -> AsyncGenerator[ProviderEvent, None]:
        """The events of a reply, streamed or whole, whatever was asked for."""
        reader = ChunkReader()
        lead = b""
        while not lead.strip():
            piece = await body.read(clock.first)
            if not piece:
                raise UnreadableError
            lead += piece
        if lead.lstrip()[:1] in (b"{", b"[", b"<"):
            if lead.lstrip()[:1] == b"<":
                raise UnreadableError  # a page for people
            for event in self._whole(reader, lead + await body.rest(clock)):
                yield event
        else:
            async with aclosing(self._streamed(reader, lead, body, clock)) as events:
                async for event in events:
                    yield event
        for event in reader.end():
            yield event
        self._check_end(reader)
        if reader.is_done:
            await body.drain(DRAIN_S)
        yield reader.provider_end

    async def _streamed(
        self, reader: ChunkReader, piece: bytes, body: Body, clock: CallClock
    ) -> AsyncGenerator[Delta, None]:
        decoder = SseDecoder()
        while piece:
            for data in decoder.feed(piece):
                for event in self._read(reader, data):
                    yield event
            if reader.is_done:
                return
            try:
                piece = await body.read(self._until(reader, clock))
            except (httpx2.HTTPError, TimeoutError):
                if reader.reason is None:
                    raise
                return  # the answer was whole; only usage or [DONE] is missing
        for data in decoder.finish():
            for event in self._read(reader, data):
                yield event
        if reader.reason is None and not reader.is_done:
            raise CallFailed(self._unavailable("broke off"), TRANSIENT_RETRIES)

    def _until(self, reader: ChunkReader, clock: CallClock) -> float:
        if reader.reason is not None:
            return clock.next(FINISH_GRACE_S)
        return clock.next() if reader.has_begun else clock.first

    def _read(self, reader: ChunkReader, data: str) -> list[Delta]:
        """The events of one event's data."""
        if data == DONE:
            reader.is_done = True
            return []
        if data[:1] not in ("{", "["):
            return []  # a ping in some server's own words
        try:
            chunk = parse_chunk(data)
        except UnreadableError:
            if "\n" not in data:
                raise
            # a server that leaves out the blank lines between events
            return [event for line in data.split("\n") for event in self._read(reader, line.strip())]
        if reader.reason is None and (chunk.error or chunk.success is False):
            raise error_in_stream(complaint_in({"error": chunk.error}), self._config.name)
        return reader.read(chunk)

    def _whole(self, reader: ChunkReader, content: bytes) -> list[Delta]:
        """The events of a reply that is no event stream: one completion, or a chunk a line."""
        events = self._read(reader, content.decode("utf-8-sig", errors="replace").strip())
        if reader.reason is None and not reader.has_begun:
            raise UnreadableError
        return events

    def _check_end(self, reader: ChunkReader) -> None:
        """Raises CallFailed for an end that is none."""
        if reader.is_failed:
            raise CallFailed(self._unavailable("reported a failure"), TRANSIENT_RETRIES)
        if not reader.has_finish and not reader.has_begun:
            raise UnreadableError  # nothing but [DONE]
        if reader.has_cut_call and reader.reason is FinishReason.TOOL_CALLS:
            raise CallFailed(ReplyUnreadable(f"The model {self._config.name!r} cut a tool call."), 1)

    def _failed(self, error: Exception, *, retries: int) -> CallFailed:
        name = self._config.name
        if isinstance(error, TooMuchError):
            return CallFailed(ReplyUnreadable(f"The model {name!r} sent more than any reply has."))
        if isinstance(error, UnreadableError):
            return CallFailed(ReplyUnreadable(f"The server of {name!r} sent something that is no reply."), retries)
        if isinstance(error, httpx2.TimeoutException | TimeoutError):
            return CallFailed(ProviderTimeout(f"The model {name!r} took too long."), retries)
        if _is_about_certificates(error):
            return CallFailed(self._unavailable("has no certificate that is trusted"))
        reason = "can't be reached" if isinstance(error, httpx2.ConnectError) else "broke off"
        return CallFailed(self._unavailable(reason), retries)

    def _unavailable(self, reason: str) -> ProviderUnavailable:
        return ProviderUnavailable(f"The server of the model {self._config.name!r} {reason}.")


def build(config: ModelConfig, connections: Connections, clock: Clock) -> Provider:
    """The model at its configured address; nothing is opened yet."""
    return OpenAiProvider(config, connections, clock)


def _is_about_certificates(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__ or error.__context__
    return False
