"""Evidence latency beside its bare parts, question by question in one run, and the time from start to first answer.

python -m bench.latency --backends sqlite,neo4j --facts 10000,100000
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from ask.pipeline import find_evidence
from ask.question import Question
from bench.figures import Timed, table
from bench.memory import CACHE, OWNER, Memory, graph_url, open_memory
from bench.synthetic import Asked, World
from doso.llm.models import pull
from doso.records.passages import PassageFilter
from doso.text import query_tokens
from tests.support.server import Server

QUESTIONS = 250
WARM_UP = 20
#: How many hits the parts are asked for.
WANTED = 20
QUERY_TOKENS = 32
MOST_TIMES_PARTS = 4.0
STARTS = 3
PARTS = ("embed", "fact text", "passage text", "fact vector", "passage vector", "1 hop")


def main() -> int:
    """Measure, print, keep; 1 when evidence takes more than its times of the parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backends", default="sqlite,neo4j")
    parser.add_argument("--facts", default="10000,100000")
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--fresh", action="store_true", help="fill the memories anew")
    parser.add_argument("--vectors", choices=("real", "stand-in"), default="real", help="stand-in: random, at no cost")
    parser.add_argument("--no-start", action="store_true", help="leave the start-up time out")
    parser.add_argument("--out", type=Path, default=CACHE / "bench" / "latency.json")
    options = parser.parse_args()
    results = []
    for facts in map(int, options.facts.split(",")):
        for backend in options.backends.split(","):
            home = CACHE / "bench" / f"{backend}-{facts}-{options.vectors}"
            if options.fresh:
                shutil.rmtree(home, ignore_errors=True)
            asked = World(facts).questions(options.questions + WARM_UP)
            results.append(
                measure(backend, facts, home, asked, options.vectors, starts=0 if options.no_start else STARTS)
            )
            options.out.parent.mkdir(parents=True, exist_ok=True)
            options.out.write_text(json.dumps({"cores": os.cpu_count(), "results": results}, indent=1))
    _report(results)
    return int(any(result["ratio"] > MOST_TIMES_PARTS for result in results))


def measure(
    backend: str, facts: int, home: Path, asked: Sequence[Asked], vectors: str, *, starts: int
) -> dict[str, Any]:
    """The figures of one memory."""
    print(f"{backend}, {facts:,} facts, {vectors} vectors", flush=True)
    home.mkdir(parents=True, exist_ok=True)
    with graph_url(backend, home) as url:
        result = {"backend": backend, "facts": facts, "vectors": vectors}
        result |= asyncio.run(_latency(home, url, World(facts), asked, vectors))
        result["start_s"] = [_start_s(home, url, asked[0]) for _ in range(starts)]
        result["load"] = round(os.getloadavg()[0], 1)
    print(json.dumps(result), flush=True)
    return result


async def _latency(home: Path, url: str, world: World, asked: Sequence[Asked], vectors: str) -> dict[str, Any]:
    async with open_memory(home, url, world, vectors=vectors) as memory:
        evidence, parts = Timed("evidence"), {name: Timed(name) for name in PARTS}
        hits = 0
        for number, question in enumerate(asked):
            if number == WARM_UP:
                evidence, parts, hits = Timed("evidence"), {name: Timed(name) for name in PARTS}, 0
            await _parts(memory, question, parts)
            found: Any = await evidence.take(partial(find_evidence, memory.kit, Question(OWNER, question.text)))
            texts = [item.text for item in found.items[:10]]
            hits += any(question.subject in text and question.object in text for text in texts)
    total = sum(part.at(50) for part in parts.values())
    return {
        "evidence": evidence.figures(),
        "parts": {name: part.figures() for name, part in parts.items()},
        "parts_p50_sum": round(total, 2),
        "ratio": round(evidence.at(50) / total, 2),
        "hit@10": round(hits / max(1, len(asked) - WARM_UP), 3),
    }


async def _parts(memory: Memory, asked: Asked, parts: dict[str, Timed]) -> None:
    graph, library, embedder = memory.graph, memory.library, memory.embedder
    view, tokens = graph.view(), query_tokens(asked.text, limit=QUERY_TOKENS)
    vector: Any = await parts["embed"].take(lambda: embedder.embed_query(asked.text))
    await parts["fact text"].take(lambda: graph.search_facts(OWNER, asked.text, view, limit=WANTED))
    await parts["passage text"].take(lambda: library.search_lexical(OWNER, tokens, PassageFilter(), limit=WANTED))
    await parts["fact vector"].take(lambda: graph.near_facts(OWNER, vector, embedder, view, limit=WANTED))
    await parts["passage vector"].take(
        lambda: library.search_vector(OWNER, vector, embedder.info, PassageFilter(), limit=WANTED)
    )
    seeds = await graph.seeds(OWNER, asked.text, limit=1)
    await parts["1 hop"].take(lambda: graph.neighbours(OWNER, [seed.id for seed in seeds], view))


def _start_s(home: Path, url: str, asked: Asked) -> float:
    """Seconds from the start of the process to the first answer over HTTP that holds what was asked."""
    with tempfile.TemporaryDirectory(prefix="doso-start-") as logs:
        env = {
            "LLM_EMBED_PROVIDER": "onnx",
            "DOSO_EMBED_MODEL_DIR": str(pull(CACHE)),
            "DOSO_DATABASE_URL": f"sqlite:///{home / 'doso.db'}",
            "DOSO_GRAPH_URL": url,
        }
        server = Server(Path(logs), env)
        started = time.perf_counter()
        try:
            server.start()
            answer = httpx.post(f"{server.url}/v1/ask/evidence", json={"question": asked.text}, timeout=60)
            taken_s = time.perf_counter() - started
        finally:
            server.stop()
    answer.raise_for_status()
    assert any(asked.subject in item["text"] for item in answer.json()["items"]), "the first answer holds nothing"
    return round(taken_s, 2)


def _report(results: Sequence[dict[str, Any]]) -> None:
    head = [
        "backend",
        "facts",
        "evidence p50 / p95",
        *(f"{name} p50" for name in PARTS),
        "sum",
        "ratio",
        "hit@10",
        "start s",
    ]
    rows = [
        [
            result["backend"],
            f"{result['facts']:,}",
            f"{result['evidence']['p50']} / {result['evidence']['p95']}",
            *(result["parts"][name]["p50"] for name in PARTS),
            result["parts_p50_sum"],
            result["ratio"],
            result["hit@10"],
            " ".join(map(str, result.get("start_s", []))),
        ]
        for result in results
    ]
    print(table(head, rows))


if __name__ == "__main__":
    sys.exit(main())
