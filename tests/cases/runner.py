"""Runs cases: which server each needs, one verdict each."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.cases.embedder import StubEmbedders, embedder_env, stub_embedders
from tests.cases.expect import check
from tests.cases.model import (
    Case,
    CaseFailedError,
    NoDoorError,
    Outcome,
    RunnerError,
    TooSlowError,
    Verdict,
    read_cases,
)
from tests.cases.scene import Scene
from tests.cases.scripts import ScriptedModel, model_env, scripted_model
from tests.cases.settings import prepare
from tests.cases.steps import perform
from tests.cases.values import fill
from tests.cases.verbs import VERBS
from tests.cases.web import Web, canary, scripted_web, web_env
from tests.cases.world import World
from tests.support.server import Server, free_port
from tools import neo4j_server

Control = Callable[[str], None]
#: What makes a case fail, the runner's own ignorance and answers of another shape included.
_FAULTS = (CaseFailedError, RunnerError, AssertionError, httpx.HTTPError, KeyError, IndexError, TypeError)
#: The embedder a case with stub embedders starts from when it names none.
_STUB = "stub-1024"
#: A limit of time counts by the best of so many runs: other work on the machine only ever adds to it.
ATTEMPTS = 3


@dataclass
class Store:
    """A store that cases may run on. `control` kills and starts its process, where it has one of its own."""

    name: str
    env: dict[str, str] = field(default_factory=dict)
    control: Control | None = None


@dataclass
class Runner:
    """Keeps one server per store for the cases that don't need their own."""

    stores: dict[str, Store]
    folder: Path
    stub: StubEmbedders
    shared: dict[str, tuple[Server, str]] = field(default_factory=dict)

    def run(self, case: Case) -> Verdict:
        """The verdict on one case over all of its stores."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._attempt(case)
            except TooSlowError as error:
                verdict = Verdict(case, "failed", f"{error}, at best of {attempt}", is_slow=True)
        return verdict

    def _attempt(self, case: Case) -> Verdict:
        """One run. Raises TooSlowError where time was the only fault."""
        stores = [self.stores[name] for name in case.stores if name in self.stores]
        if not stores:
            return Verdict(case, "skipped", f"no {' or '.join(case.stores)} here")
        missing: list[NoDoorError] = []
        notes: list[str] = []
        outcomes: list[Outcome] = []
        try:
            for store in stores:
                with self._world(case, store) as world:
                    outcome, found = _on(case, world)
                    outcomes.append(outcome)
                    missing += found
                    notes += world.notes
            _compare(case, outcomes)
        except TooSlowError:
            raise
        except _FAULTS as error:
            return Verdict(case, "failed", f"{type(error).__name__}: {error}".replace("CaseFailedError: ", "")[:300])
        if missing:
            return Verdict(case, "no door", ", ".join(sorted({str(error) for error in missing})))
        return Verdict(case, "passed", "; ".join(notes))

    def close(self) -> None:
        """Stop the shared servers."""
        for server, _ in self.shared.values():
            server.stop()
        self.shared.clear()

    @contextmanager
    def _world(self, case: Case, store: Store) -> Iterator[World]:
        if not case.needs_own_server:
            server, key = self._shared(store)
            yield self._made(server, store, case, key)
            return
        if "'process': 'neo4j'" in str(case.input):
            with _own_neo4j(self.folder / f"{case.id}-database") as own, self._server(case, own) as world:
                yield world
            return
        with self._server(case, store) as world:
            yield world

    @contextmanager
    def _server(self, case: Case, store: Store) -> Iterator[World]:
        is_stubbed = "EMBEDDER" in str(case.input) or case.counts_calls
        env = store.env | (embedder_env(_STUB, self.stub.url) if is_stubbed else {})
        with ExitStack() as stack:
            model = stack.enter_context(scripted_model()) if case.needs_model else None
            web = stack.enter_context(scripted_web()) if case.needs_web else None
            env |= _far_ends(case, model, web)
            server = Server(self.folder / f"{case.id}-{store.name}", env)
            stack.callback(shutil.rmtree, server.home, ignore_errors=True)
            stack.callback(server.stop)
            world = self._made(server, store, case, _started(server))
            world.model, world.web = model, web
            yield world

    def _made(self, server: Server, store: Store, case: Case, key: str) -> World:
        return World(
            server,
            store.name,
            case.id,
            key,
            control=store.control,
            verbs=VERBS,
            stub=self.stub,
            counts_calls=case.counts_calls,
            graph_url=store.env.get("DOSO_GRAPH_URL", ""),
        )

    def _shared(self, store: Store) -> tuple[Server, str]:
        if store.name not in self.shared:
            server = Server(self.folder / f"shared-{store.name}", store.env)
            self.shared[store.name] = (server, _started(server))
        return self.shared[store.name]


@contextmanager
def _own_neo4j(home: Path) -> Iterator[Store]:
    """A Neo4j for a case that kills it; it starts again on the same port."""
    database = neo4j_server.start(home, 0)

    def control(what: str) -> None:
        if what == "kill9":
            os.kill(database.pid, signal.SIGKILL)
        else:
            neo4j_server.start(home, database.port)

    try:
        yield Store("neo4j", {"DOSO_GRAPH_URL": database.url}, control)
    finally:
        neo4j_server.stop(home)


@contextmanager
def running(stores: dict[str, Store]) -> Iterator[Runner]:
    """A runner with a folder of its own."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="doso-cases-")))
        runner = Runner(stores, folder, stack.enter_context(stub_embedders()))
        stack.callback(runner.close)
        yield runner


def chosen(path: Path, areas: frozenset[str], ids: frozenset[str]) -> list[Case]:
    """The cases of these areas and ids; all of them where none are named."""
    return [case for case in read_cases(path) if (not areas or case.area in areas) and (not ids or case.id in ids)]


def _started(server: Server) -> str:
    """Start on a fresh home and make the first key, which is the admin's."""
    server.start()
    answer = httpx.post(f"{server.url}/v1/keys", json={"user": "admin", "permissions": ["ai.manage"]}, timeout=30)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["key"])


def _on(case: Case, world: World) -> tuple[Outcome, list[NoDoorError]]:
    user = _first(case.input, "user") or "u1"
    world.key(user)
    before = world.rss_mb()
    with ExitStack() as stack:
        step = case.input
        if "canary_port" in str(step):
            world.canary = stack.enter_context(canary())
            step = fill(step, canary_port=world.canary.port)
        prepare(world, step)
        outcome = perform(world, step)
    outcome.user = outcome.user or user
    grown = world.rss_mb() - before if world.server.process is not None else 0.0
    scene = Scene(case, world, outcome, user, _first(case.input, "tz") or "UTC", grown, check)
    return outcome, check(scene, outcome, case.expected)


def _far_ends(case: Case, model: ScriptedModel | None, web: Web | None) -> dict[str, str]:
    """What the server is told of the case's model and web: keys that are looked for afterwards, all levels logged."""
    config = case.input.get("config", {})
    env = {"DOSO_LOG_LEVEL": "DEBUG"}
    if model is not None:
        is_down = str(case.input.get("llm", "")).startswith("down")
        env |= model_env(f"http://127.0.0.1:{free_port()}/v1" if is_down else model.url)
        env |= {"LLM_API_KEY": config["provider_key"]} if "provider_key" in config else {}
    if web is not None:
        env |= web_env(web)
        env |= {"FIRECRAWL_API_KEY": config["firecrawl_key"]} if "firecrawl_key" in config else {}
    return env


def _compare(case: Case, outcomes: list[Outcome]) -> None:
    text = str(case.expected)
    if len(outcomes) < 2:
        return
    left, right = (outcome.leaves() for outcome in outcomes[:2])
    if "same_status_on_both_stores" in text and [a.status for a in left] != [b.status for b in right]:
        raise CaseFailedError("the stores answer with different statuses")
    is_same = "same_ids_on_both_stores" in text or "bodies_equal" in text
    if is_same and _texts(left[-1]) != _texts(right[-1]):
        raise CaseFailedError("the stores find different things")


def _texts(outcome: Outcome) -> list[str]:
    """Ids are made anew on each store, so the texts stand for them."""
    body: dict[str, Any] = outcome.body if isinstance(outcome.body, dict) else {}
    return [str(item.get("text")) for item in body.get("items", body.get("data", []))]


def _first(value: Any, name: str) -> str | None:
    if isinstance(value, dict):
        if isinstance(value.get(name), str):
            return str(value[name])
        value = list(value.values())
    if isinstance(value, list):
        return next((found for item in value if (found := _first(item, name)) is not None), None)
    return None
