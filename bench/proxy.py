"""What Doso adds to a chat beside a bare pass-through and LiteLLM's proxy: time to the first token, processor time.

python -m bench.proxy

All stand before the same model's server on loopback, a process of its own, and take turns within one run. Retrieval is
left out: the request is a greeting, which Doso has the model answer on the whole path of an answer, looking nothing up.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

from bench.figures import Timed, table
from bench.memory import CACHE
from bench.streaming import Client, Streamed
from tests.support.server import Server, free_port

LITELLM = CACHE / "litellm" / "venv"
PIECES = 20
ROUNDS, IN_A_ROUND, WARM_UP = 6, 40, 30
AT_ONCE = 200
MOST_TIMES_BARE, MOST_OF_LITELLM = 3.0, 0.2
STARTS_WITHIN_S = 120.0
GREETING = "Hello there!"
NOTE = "The key of the boat house hangs behind the red door in the kitchen."
QUESTION = "Where does the key of the boat house hang?"


@dataclass
class Peer:
    """One server under measure."""

    name: str
    url: str
    process: psutil.Process
    question: str = GREETING
    first: Timed = field(default_factory=lambda: Timed("first"))
    whole: Timed = field(default_factory=lambda: Timed("whole"))
    cpu_s: float = 0.0
    asked_count: int = 0

    def cpu(self) -> float:
        """Processor seconds of the process and its children so far."""
        family = [self.process, *self.process.children(recursive=True)]
        return sum(sum(one.cpu_times()[:2]) for one in family)

    @property
    def cpu_ms(self) -> float:
        """Processor time of one request."""
        return self.cpu_s / max(1, self.asked_count) * 1000


def main() -> int:
    """Measure, print, keep; 1 when a bound is passed or a stream fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--without-litellm", action="store_true")
    parser.add_argument("--out", type=Path, default=CACHE / "bench" / "proxy.json")
    options = parser.parse_args()
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="doso-proxy-")))
        quick, slow = stack.enter_context(stub(0)), stack.enter_context(stub(20))
        peers = [Peer("model's server", quick[0], quick[1])]
        peers.append(stack.enter_context(pass_through(quick[0])))
        peers.append(stack.enter_context(doso(scratch / "doso", quick[0])))
        if not options.without_litellm:
            peers += filter(None, [stack.enter_context(litellm(scratch, quick[0]))])
        results = asyncio.run(measured(peers, options.rounds))
        many = stack.enter_context(doso(scratch / "many", slow[0]))
        results["at_once"] = asyncio.run(at_once(many))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(results, indent=1))
    return report(results)


async def measured(peers: list[Peer], rounds: int) -> dict[str, Any]:
    """The figures of each peer; they take turns, so that what else the machine does meets all of them."""
    clients = {peer.name: Client(peer.url, body_of(peer)) for peer in peers}
    for peer in peers:
        for _ in range(WARM_UP):
            checked(await clients[peer.name].ask())
        clients[peer.name].close()
    for _ in range(rounds):
        for peer in peers:
            checked(await clients[peer.name].ask())  # the connection is there again
            before = peer.cpu()
            for _ in range(IN_A_ROUND):
                answer = checked(await clients[peer.name].ask())
                peer.first.ms.append(answer.first_s * 1000)
                peer.whole.ms.append(answer.whole_s * 1000)
            peer.cpu_s += peer.cpu() - before
            peer.asked_count += IN_A_ROUND
            clients[peer.name].close()
    direct = peers[0]
    return {
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "requests": rounds * IN_A_ROUND,
        "peers": {
            peer.name: {
                "first": peer.first.figures(),
                "added_first_p50": round(peer.first.at(50) - direct.first.at(50), 2),
                "added_first_p95": round(peer.first.at(95) - direct.first.at(95), 2),
                "whole": peer.whole.figures(),
                "cpu_ms": round(peer.cpu_ms, 2),
            }
            for peer in peers
        },
    }


async def at_once(peer: Peer) -> dict[str, Any]:
    """Many streams side by side through Doso, each slow enough that all are open together."""
    client = Client(peer.url, body_of(peer))
    before = peer.cpu()
    started = time.perf_counter()
    answers = await asyncio.gather(*(client.ask() for _ in range(AT_ONCE)), return_exceptions=True)
    taken_s = time.perf_counter() - started
    good = [answer for answer in answers if isinstance(answer, Streamed) and is_whole(answer)]
    firsts = Timed("first", [answer.first_s * 1000 for answer in good])
    client.close()
    return {
        "streams": AT_ONCE,
        "errors": AT_ONCE - len(good),
        "first": firsts.figures(),
        "taken_s": round(taken_s, 2),
        "cpu_s": round(peer.cpu() - before, 2),
    }


def is_whole(answer: Streamed) -> bool:
    """Whether every word of the model came, in order, and the stream ended as it should."""
    words = "".join(f"word{number} " for number in range(PIECES)).strip()
    return answer.text.strip() == words and answer.finish == "stop" and answer.is_done and answer.error is None


def checked(answer: Streamed) -> Streamed:
    """The answer. Raises AssertionError for one that is not whole."""
    assert is_whole(answer), answer
    return answer


def body_of(peer: Peer) -> dict[str, object]:
    """The same request for everyone."""
    return {
        "model": "doso" if peer.name == "Doso" else "stub",
        "stream": True,
        "messages": [{"role": "user", "content": peer.question}],
    }


@contextmanager
def stub(pause_ms: int) -> Iterator[tuple[str, psutil.Process]]:
    """The model's server: PIECES words, so long apart."""
    command = [sys.executable, "-m", "tests.support.provider", "--pieces", str(PIECES), "--pause-ms", str(pause_ms)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip(), psutil.Process(process.pid)
        finally:
            process.kill()


@contextmanager
def pass_through(upstream: str) -> Iterator[Peer]:
    """Litestar and httpx, bare."""
    port = free_port()
    command = [sys.executable, "-m", "bench.pass_through", "--port", str(port), "--upstream", upstream]
    with _process(command, f"http://127.0.0.1:{port}/health/live") as process:
        yield Peer("Litestar, bare", f"http://127.0.0.1:{port}/v1", process)


@contextmanager
def doso(home: Path, upstream: str) -> Iterator[Peer]:
    """Doso with an empty memory."""
    server = Server(home, {"LLM_BASE_URL": upstream, "LLM_MODEL": "stub"})
    try:
        server.start()
        assert server.process is not None
        yield Peer("Doso", f"{server.url}/v1", psutil.Process(server.process.pid))
    finally:
        server.stop()


@contextmanager
def litellm(scratch: Path, upstream: str) -> Iterator[Peer | None]:
    """LiteLLM's proxy in an environment of its own; None where it can't be had, which is said."""
    if not _has_litellm():
        print("LiteLLM can't be installed here: its row is left out.", flush=True)
        yield None
        return
    port = free_port()
    config = scratch / "litellm.yaml"
    model = {"model_name": "stub", "litellm_params": {"model": "openai/stub", "api_base": upstream, "api_key": "none"}}
    general = {"dangerously_permit_weak_or_unset_master_key": True}  # without a key, as Doso here
    settings = {"model_list": [model], "litellm_settings": {"telemetry": False}, "general_settings": general}
    config.write_text(json.dumps(settings))
    command = [str(LITELLM / "bin" / "litellm"), "--config", str(config), "--host", "127.0.0.1", "--port", str(port)]
    env = os.environ | {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}  # it would fetch one
    with _process([*command, "--num_workers", "1"], f"http://127.0.0.1:{port}/health/liveliness", env) as process:
        yield Peer("LiteLLM", f"http://127.0.0.1:{port}/v1", process)


def _has_litellm() -> bool:
    if (LITELLM / "bin" / "litellm").exists():
        return True
    python = LITELLM / "bin" / "python"
    made = subprocess.run([sys.executable, "-m", "venv", str(LITELLM)], check=False)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "litellm[proxy]"]
    return made.returncode == 0 and subprocess.run(install, check=False).returncode == 0


@contextmanager
def _process(command: list[str], health: str, env: dict[str, str] | None = None) -> Iterator[psutil.Process]:
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + STARTS_WITHIN_S
            while not _answers(health):
                assert process.poll() is None and time.monotonic() < deadline, f"{command[0]} did not start"
                time.sleep(0.1)
            yield psutil.Process(process.pid)
        finally:
            process.terminate()


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5, trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False


def report(results: dict[str, Any]) -> int:
    """Print; 1 when a bound is passed."""
    peers = results["peers"]
    rows = [
        [
            name,
            f"{peer['first']['p50']} / {peer['first']['p95']}",
            f"{peer['added_first_p50']} / {peer['added_first_p95']}",
            f"{peer['whole']['p50']} / {peer['whole']['p95']}",
            peer["cpu_ms"],
        ]
        for name, peer in peers.items()
    ]
    head = ["server", "first token p50 / p95, ms", "added to it", "whole answer p50 / p95, ms", "CPU per request, ms"]
    print(table(head, rows))
    ours, bare, other = peers["Doso"], peers["Litestar, bare"], peers.get("LiteLLM")
    bounds = [_bound(what, ours, bare, MOST_TIMES_BARE, "bare") for what in ("added_first_p50", "cpu_ms")]
    if other is not None:
        bounds += [_bound(what, ours, other, MOST_OF_LITELLM, "LiteLLM") for what in ("added_first_p50", "cpu_ms")]
    many = results["at_once"]
    print(f"{many['streams']} at once: {many['errors']} errors, first token {many['first']}, {many['taken_s']} s")
    return int(not all(bounds) or many["errors"] > 0)


def _bound(what: str, ours: dict[str, Any], theirs: dict[str, Any], most: float, whose: str) -> bool:
    ratio = ours[what] / max(theirs[what], 1e-9)
    print(f"{what}: {ratio:.2f} of {whose} (at most {most:g})")
    return bool(ratio <= most)


if __name__ == "__main__":
    sys.exit(main())
