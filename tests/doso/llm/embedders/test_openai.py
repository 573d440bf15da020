"""The embedder behind an address, against a far end that misbehaves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import openai as sdk
import pytest

from doso.errors import EmbedderUnavailable, InvalidInput
from doso.llm.embedders import openai
from doso.llm.embedders.openai import OpenAiEmbedder, build
from doso.llm.ports import EmbedderInfo
from doso.settings import EmbedSettings
from tests.support.provider import Answer, End, Gate, ProviderStub, Seen, embeddings, http, vector_of

KEY = "sk-canary-000"
NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


class Waits(list[float]):
    """Remembers pauses instead of making them."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
async def embedder(far_end: ProviderStub, waits: Waits) -> AsyncIterator[OpenAiEmbedder]:
    client = sdk.AsyncOpenAI(base_url=far_end.url, api_key=KEY, max_retries=0, timeout=5)
    made = OpenAiEmbedder(client, EmbedderInfo("m", 4, "1"), pause=waits, clock=lambda: NOW)
    yield made
    await made.aclose()


def rows_reply(rows: list[dict[str, Any]]) -> Answer:
    return http(200, {"data": rows})


def unit(text: str) -> np.ndarray[Any, Any]:
    row = np.array(vector_of(text, 4))
    return np.asarray(row / np.linalg.norm(row))


async def test_vectors_come_in_the_order_of_the_texts_at_unit_length(
    embedder: OpenAiEmbedder, far_end: ProviderStub
) -> None:
    vectors = await embedder.embed_passages(["a", "bbb", "cc"])
    np.testing.assert_allclose(vectors, [unit("a"), unit("bbb"), unit("cc")], atol=1e-6)
    assert vectors.dtype == np.float32
    [request] = far_end.requests
    assert request.body == {"input": ["a", "bbb", "cc"], "model": "m", "encoding_format": "float"}
    assert request.headers["authorization"] == f"Bearer {KEY}"


async def test_a_question_is_sent_as_it_is(embedder: OpenAiEmbedder, far_end: ProviderStub) -> None:
    vector = await embedder.embed_query("who?")
    np.testing.assert_allclose(vector, unit("who?"), atol=1e-6)
    assert far_end.requests[0].body["input"] == ["who?"]


async def test_no_texts_ask_nothing(embedder: OpenAiEmbedder, far_end: ProviderStub) -> None:
    assert (await embedder.embed_passages([])).shape == (0, 4)
    assert far_end.requests == []


async def test_batches_are_bounded_by_count_and_by_tokens(embedder: OpenAiEmbedder, far_end: ProviderStub) -> None:
    texts = ["x" * (n % 7 + 1) for n in range(70)] + ["y" * 40_000, "語" * 12_000, "z"]
    vectors = await embedder.embed_passages(texts)
    np.testing.assert_allclose(vectors, [unit(text) for text in texts], atol=1e-5)
    sizes = sorted(len(request.body["input"]) for request in far_end.requests)
    assert max(sizes) <= openai.MAX_BATCH_TEXTS
    assert sum(sizes) == 73
    assert not [r for r in far_end.requests if {"y" * 40_000, "語" * 12_000} <= set(r.body["input"])]


async def test_blank_and_unpaired_text_is_sent_as_something_json_can_carry(
    embedder: OpenAiEmbedder, far_end: ProviderStub
) -> None:
    await embedder.embed_passages(["", " \u200b", "a\ud800b"])
    assert far_end.requests[0].body["input"] == [".", ".", "ab"]


PASSING: dict[str, Answer] = {
    "429": http(429, b'{"error": {"message": "slow down"}}'),
    "500": http(500, b"oops", type="text/plain"),
    "503": http(503, b"{}"),
    "200 with HTML": http(200, b"<html>gateway</html>", type="text/html"),
    "200 with broken JSON": http(200, b'{"data": ['),
    "200 with NaN": http(200, b'{"data": [{"index": 0, "embedding": [NaN, 1, 1, 1]}]}'),
    "200 and empty": http(200, b""),
}


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING.keys())
async def test_a_fault_that_passes_is_tried_again(
    fault: Answer, embedder: OpenAiEmbedder, far_end: ProviderStub, waits: Waits
) -> None:
    far_end.script = [fault, fault]
    np.testing.assert_allclose(await embedder.embed_query("ok"), unit("ok"), atol=1e-6)
    assert len(far_end.requests) == 3
    assert 0.25 <= waits[0] <= 0.5
    assert 0.5 <= waits[1] <= 1.0


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING.keys())
async def test_a_fault_that_stays_ends_after_bounded_attempts_and_the_next_request_works(
    fault: Answer, embedder: OpenAiEmbedder, far_end: ProviderStub
) -> None:
    far_end.script = [fault] * openai.MAX_ATTEMPTS
    with pytest.raises(EmbedderUnavailable):
        await embedder.embed_query("ok")
    assert len(far_end.requests) == openai.MAX_ATTEMPTS
    np.testing.assert_allclose(await embedder.embed_query("ok"), unit("ok"), atol=1e-6)


HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 999\r\n\r\n{"


async def test_a_connection_that_breaks_within_the_answer_is_tried_again(
    embedder: OpenAiEmbedder, far_end: ProviderStub
) -> None:
    far_end.script = [Answer((HEAD,), End.CLOSE)]
    np.testing.assert_allclose(await embedder.embed_query("ok"), unit("ok"), atol=1e-6)


FINAL: dict[str, tuple[Answer, str]] = {
    "401": (http(401, f'{{"error": "bad key {KEY}"}}'.encode()), "LLM_EMBED_API_KEY"),
    "402": (http(402, b"{}"), "no credit"),
    "403": (http(403, b"{}"), "does not allow"),
    "404": (http(404, b"{}"), "LLM_EMBED_MODEL"),
    "fewer vectors": (rows_reply([]), "0 vectors for 1 texts"),
    "more vectors": (rows_reply([{"index": i, "embedding": [1, 0, 0, 0]} for i in (0, 1)]), "2 vectors for 1"),
    "foreign index": (rows_reply([{"index": 7, "embedding": [1, 0, 0, 0]}]), "1 vectors for 1"),
    "wrong size": (rows_reply([{"index": 0, "embedding": [1, 0, 0]}]), "3 dimensions, not 4"),
    "zero": (rows_reply([{"index": 0, "embedding": [0, 0, 0, 0]}]), "without direction"),
    "too large": (rows_reply([{"index": 0, "embedding": [1] * 200_000}]), "more than"),
}


@pytest.mark.parametrize(("fault", "says"), FINAL.values(), ids=FINAL.keys())
async def test_a_fault_that_will_not_pass_is_not_tried_again_and_tells_what_but_no_secret(
    fault: Answer, says: str, embedder: OpenAiEmbedder, far_end: ProviderStub, waits: Waits
) -> None:
    far_end.script = [fault]
    with pytest.raises(EmbedderUnavailable) as caught:
        await embedder.embed_query("text of mine")
    assert says in caught.value.message
    assert len(far_end.requests) == 1
    assert waits == []
    shown = f"{caught.value!r} {caught.value.__cause__!r}"
    assert KEY not in shown
    assert "text of mine" not in shown


@pytest.mark.parametrize(
    ("asked", "waited"),
    [
        ({"retry_after": "3"}, 3.0),
        ({"retry_after_ms": "1500"}, 1.5),
        ({"retry_after": "Sun, 01 Mar 2026 12:00:07 GMT"}, 7.0),
    ],
)
async def test_the_wait_that_was_asked_for_is_kept(
    asked: dict[str, str], waited: float, embedder: OpenAiEmbedder, far_end: ProviderStub, waits: Waits
) -> None:
    far_end.script = [http(429, b"{}", **asked)]
    await embedder.embed_query("ok")
    assert waits == [waited]


@pytest.mark.parametrize(
    "asked",
    [
        {"retry_after": "-5"},
        {"retry_after": "soon"},
        {"retry_after": "nan"},
        {"retry_after": "1e300"},
        {"retry_after": "0"},
        {"retry_after": "Sat, 01 Jan 2000 00:00:00 GMT"},
        {"retry_after": "1 Mar 2026 12:00:05 -0000"},
        {"retry_after_ms": "x"},
    ],
)
async def test_a_senseless_wait_falls_back_to_our_own(
    asked: dict[str, str], embedder: OpenAiEmbedder, far_end: ProviderStub, waits: Waits
) -> None:
    far_end.script = [http(429, b"{}", **asked)]
    await embedder.embed_query("ok")
    [wait] = waits
    assert 0.25 <= wait <= 0.5


async def test_a_wait_beyond_the_ceiling_is_handed_on_instead(
    embedder: OpenAiEmbedder, far_end: ProviderStub, waits: Waits
) -> None:
    far_end.script = [http(429, b"{}", retry_after="120")]
    with pytest.raises(EmbedderUnavailable) as caught:
        await embedder.embed_query("ok")
    assert caught.value.retry_after_s == 120
    assert waits == []


async def test_a_batch_that_is_too_long_is_cut_in_halves(embedder: OpenAiEmbedder, far_end: ProviderStub) -> None:
    def at_most_two(seen: Seen) -> Answer:
        return embeddings(seen) if len(seen.body["input"]) <= 2 else http(400, b'{"error": "too long"}')

    far_end.respond = at_most_two
    texts = ["a", "bb", "ccc", "dddd", "eeeee"]
    np.testing.assert_allclose(await embedder.embed_passages(texts), [unit(text) for text in texts], atol=1e-6)


async def test_a_refused_text_ends_the_halving(embedder: OpenAiEmbedder, far_end: ProviderStub) -> None:
    far_end.script = [http(400, b"{}")] * 99
    with pytest.raises(EmbedderUnavailable, match="status 400"):
        await embedder.embed_passages(["text"] * 16)
    assert [len(request.body["input"]) for request in far_end.requests] == [16, 8, 4, 2, 1]


async def test_a_far_end_that_is_not_there_is_told(waits: Waits) -> None:
    server = await asyncio.start_server(lambda _r, _w: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    client = sdk.AsyncOpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key=KEY, max_retries=0)
    embedder = OpenAiEmbedder(client, EmbedderInfo("m", 4, "1"), pause=waits)
    with pytest.raises(EmbedderUnavailable, match="can't be reached"):
        await embedder.embed_query("ok")
    assert len(waits) == openai.MAX_ATTEMPTS - 1
    await embedder.aclose()


async def test_a_far_end_that_never_ends_its_answer_is_given_up(
    embedder: OpenAiEmbedder, far_end: ProviderStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai, "REQUEST_TIMEOUT_S", 0.05)
    far_end.script = [Answer((HEAD, Gate()))] * openai.MAX_ATTEMPTS
    with pytest.raises(EmbedderUnavailable, match="took too long"):
        await embedder.embed_query("ok")


async def test_one_failed_batch_fails_the_whole_call_once(embedder: OpenAiEmbedder, far_end: ProviderStub) -> None:
    far_end.script = [http(401, b"{}")] * 9
    with pytest.raises(EmbedderUnavailable, match="refused the key"):
        await embedder.embed_passages(["x"] * 100)


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        (EmbedSettings("openai"), "LLM_EMBED_BASE_URL"),
        (EmbedSettings("openai", base_url="ftp://x"), "LLM_EMBED_BASE_URL"),
        (EmbedSettings("openai", base_url="http://127.0.0.1:1"), "LLM_EMBED_MODEL"),
        (EmbedSettings("openai", base_url="http://127.0.0.1:1", model="own"), "LLM_EMBED_DIMENSIONS"),
    ],
)
def test_a_missing_setting_is_named(settings: EmbedSettings, names: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        build(settings, tmp_path)
    assert caught.value.param == names


async def test_built_from_settings_it_asks_the_resizable_model_for_its_size(
    far_end: ProviderStub, tmp_path: Path
) -> None:
    settings = EmbedSettings("openai", base_url=far_end.url, model="text-embedding-3-small", dimensions=4)
    embedder = build(settings, tmp_path)
    np.testing.assert_allclose(await embedder.embed_query("ok"), unit("ok"), atol=1e-6)
    assert far_end.requests[0].body["dimensions"] == 4
    await embedder.aclose()
    assert build(EmbedSettings("openai", base_url=far_end.url, model="text-embedding-3-large"), tmp_path).info == (
        EmbedderInfo("text-embedding-3-large", 3072, "1")
    )
