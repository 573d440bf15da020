"""A real, very small language model in both of its tasks: the machinery is under test, not the wit."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from doso.ids import OwnerId
from doso.llm.chat import Profile
from doso.llm.config import parse_models
from doso.llm.ports import Outcome
from doso.llm.runtime import BoundModels, ModelRuntime
from doso.records import Status
from doso.text import words
from ingest.extract.model.extractor import ModelReader
from tests.doso.llm.models import Sink
from tests.ingest.extract.model.passages import OWNER, document_of, said, triples
from tests.support.server import Server
from tests.support.small_model import entry

pytestmark = pytest.mark.small_model


async def test_it_extracts_and_what_it_makes_up_is_dropped(small_model_url: str) -> None:
    sink = Sink()
    runtime = ModelRuntime(sink)
    configured = json.dumps([entry(small_model_url, max_output_tokens=200)])

    async def models_of(owner: OwnerId) -> BoundModels:
        return runtime.bind(owner, parse_models(configured))

    passage = said("I moved to Bandung in June.")
    try:
        found = list(await ModelReader(models_of).read(OWNER, document_of(passage.source), [passage], ()))
    finally:
        await runtime.aclose()
    for draft in found:
        assert draft.status is Status.CANDIDATE
        assert draft.provenance.extractor == "model:smollm2"
        assert draft.provenance.span is not None
    allowed = {*words(passage.text), "me"}
    assert all(set(words(f"{one} {other}")) <= allowed for one, _, other in triples(found))
    assert 1 <= len(sink.events) <= 3
    assert all((event.profile, event.outcome) == (Profile.EXTRACT, Outcome.OK) for event in sink.events)
    assert all(event.usage.is_exact and event.usage.output_tokens > 0 for event in sink.events)


def test_it_drafts_an_answer_as_a_stream(small_model_url: str, tmp_path: Path) -> None:
    model = entry(small_model_url, "draft_fast", max_output_tokens=80)
    server = Server(tmp_path / "home").start(LLM_MODELS=json.dumps([model]), ASK_DEADLINE_S="240")
    try:
        _post(server, "/v1/remember", {"text": "I live in Porto."}).read()
        asked = {"model": "doso", "messages": [{"role": "user", "content": "Where do I live?"}], "stream": True}
        with _post(server, "/v1/chat/completions", asked | {"stream_options": {"include_usage": True}}) as reply:
            lines = reply.read().decode().splitlines()
    finally:
        server.stop()
    events = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    assert events[-1] == "[DONE]"
    chunks = [json.loads(event) for event in events[:-1]]
    deltas = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
    assert "".join(delta.get("content") or "" for delta in deltas).strip()
    (about,) = [chunk["doso"] for chunk in chunks if "doso" in chunk]
    assert about["served_by"] == {"provider": "smollm2", "model": "smollm2"}
    assert chunks[-1]["usage"]["completion_tokens"] > 0


def _post(server: Server, path: str, body: object) -> Any:
    request = urllib.request.Request(
        server.url + path, json.dumps(body).encode(), {"content-type": "application/json"}, method="POST"
    )
    return urllib.request.urlopen(request, timeout=280)
