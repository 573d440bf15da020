"""`doso doctor`: what this installation works with, how well names are bound and statements read."""

from __future__ import annotations

import asyncio
import json
import platform
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import click

from doso.errors import DosoError
from doso.settings import Settings

if TYPE_CHECKING:
    from graph.doctor import BindingReport, LabelledPair, WrongTrial
    from graph.service import Graph
    from ingest.extract.doctor import Figures
    from ingest.extract.scoring import Score

Report = dict[str, object]


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def doctor(context: click.Context, as_json: bool) -> None:
    """Report on this installation: versions, stores, embedder, index. Exit code 1 when a part does not work."""
    if context.invoked_subcommand is not None:
        return
    report = asyncio.run(examine(Settings.from_env()))
    if as_json:
        click.echo(json.dumps(report, indent=2))
    else:
        for name, value in report.items():
            click.echo(f"{name:<12} {value}")
    sys.exit(0 if report["ok"] else 1)


@doctor.command("binding")
@click.option("--labels", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def binding(labels: Path, as_json: bool) -> None:
    """Try the labelled pairs of names: which were wrongly merged or wrongly kept apart."""
    from graph.doctor import read_labels  # noqa: PLC0415

    pairs = read_labels(labels.read_text(encoding="utf-8"))
    report = asyncio.run(_check_binding(pairs))
    counts = {
        "false_merges": report.false_merges,
        "missed_merges": report.missed_merges,
        "same_pairs": report.same_pairs,
        "different_pairs": report.different_pairs,
    }
    if as_json:
        click.echo(json.dumps(counts | {"wrong": [_trial(trial) for trial in report.wrong]}, ensure_ascii=False))
        return
    for trial in report.wrong:
        row = _trial(trial)
        click.echo(f"{row['id']:<8} {row['fault']:<13} {row['a']} | {row['b']}  ({row['trial']}; {row['reason']})")
    click.echo("  ".join(f"{name}={value}" for name, value in counts.items()))


@doctor.command("statements")
@click.option("--labels", type=click.Path(exists=True, dir_okay=False, path_type=Path), required=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def statements(labels: Path, as_json: bool) -> None:
    """Read the labelled statements without a model: what was missed, made up or wrongly let through."""
    from ingest.extract.doctor import check_statements, read_labels  # noqa: PLC0415

    report = check_statements(read_labels(labels.read_text(encoding="utf-8")))
    kinds = {kind: _figures(figures) for kind, figures in report.by_kind().items()}
    if as_json:
        wrong = [_statement(score) for score in report.wrong]
        click.echo(json.dumps(_figures(report.all) | {"by_kind": kinds, "wrong": wrong}, ensure_ascii=False))
        return
    for score in report.wrong:
        row = _statement(score)
        click.echo(f"{row['id']:<8} {row['kind']}")
        for fault in row["faults"]:
            click.echo(f"         {fault}")
    for kind, figures in kinds.items():
        click.echo(f"{kind:<22} " + "  ".join(f"{name}={_shown(value)}" for name, value in figures.items()))
    click.echo("  ".join(f"{name}={_shown(value)}" for name, value in _figures(report.all).items()))


def _figures(figures: Figures) -> dict[str, float | int | None]:
    return {
        "lines": figures.lines,
        "gate_accuracy": figures.gate_accuracy,
        "fact_precision": figures.fact_precision,
        "fact_recall": figures.fact_recall,
        "correction_accuracy": figures.correction_accuracy,
    }


def _shown(value: float | int | None) -> str:
    return "-" if value is None else str(value)


class _WrongStatement(TypedDict):
    id: str
    kind: str
    faults: list[str]


def _statement(score: Score) -> _WrongStatement:
    faults = [f"made up: {fact}" for fact in score.made_up] + [f"missed: {fact}" for fact in score.missed]
    if not score.gate_right:
        faults.append("remembered, should not be" if score.reading.is_share else "not remembered, should be")
    if score.corrections_right is False:
        faults.append("corrections differ")
    return {"id": score.label.id, "kind": score.label.kind, "faults": faults}


async def _check_binding(pairs: tuple[LabelledPair, ...]) -> BindingReport:
    from graph.doctor import check_binding  # noqa: PLC0415

    return await check_binding(pairs, _scratch_graph)


@asynccontextmanager
async def _scratch_graph() -> AsyncIterator[Graph]:
    """An empty graph in a folder that goes away with it; the memory itself is never touched."""
    from graph.aliases import alias_keys  # noqa: PLC0415
    from graph.registry import open_graph_store  # noqa: PLC0415
    from graph.service import Graph as OpenedGraph  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="doso-doctor-") as folder:
        store = open_graph_store(f"sqlite:///{Path(folder) / 'graph.db'}")
        try:
            await store.prepare()
            yield OpenedGraph(store, alias_keys(Settings.from_env().entity_aliases))
        finally:
            await store.aclose()


def _trial(trial: WrongTrial) -> dict[str, str]:
    other = trial.pair.b if trial.first == trial.pair.a.name else trial.pair.a
    return {
        "id": trial.pair.id,
        "kind": trial.pair.kind,
        "fault": "false merge" if trial.was_merged else "missed merge",
        "a": trial.first,
        "b": other.name,
        "trial": "full graph" if trial.is_full else "empty graph",
        "reason": trial.reason,
    }


async def examine(settings: Settings) -> Report:
    """Open each part by itself, so that one which fails does not hide the others."""
    report: Report = {
        "ok": True,
        "doso": version("doso"),
        "python": platform.python_version(),
        "home": str(settings.home),
    }
    for name, look in (("database", _database), ("graph", _graph), ("embedder", _embedder), ("index", _index)):
        try:
            report[name] = await look(settings)
        except DosoError as error:
            report |= {name: f"FAILS: {error.message}", "ok": False}
    return report


async def _database(settings: Settings) -> str:
    from doso.accounts import Accounts  # noqa: PLC0415
    from doso.db.engine import open_database  # noqa: PLC0415
    from doso.db.migrate import upgrade  # noqa: PLC0415

    database = open_database(settings.database_url)
    try:
        await upgrade(database)
        is_keyless = await Accounts(database).is_keyless()
    finally:
        await database.aclose()
    kind = settings.database_url.partition(":")[0].partition("+")[0]
    return f"{kind}, {'no key: this machine only' if is_keyless else 'keys required'}"


async def _graph(settings: Settings) -> str:
    from graph.registry import open_graph_store  # noqa: PLC0415

    store = open_graph_store(settings.graph_url, settings.graph_user, settings.graph_password)
    try:
        await store.prepare()
        await store.check()
        owners_count = len(await store.owners())
    finally:
        await store.aclose()
    return f"{settings.graph_url.partition(':')[0]}, {owners_count} owner(s)"


async def _embedder(settings: Settings) -> str:
    from doso.llm.registry import open_embedder  # noqa: PLC0415

    embedder = open_embedder(settings.embed, settings.home)
    try:
        await embedder.embed_query("a word")
        info = embedder.info
    finally:
        await embedder.aclose()
    return f"{info.model}, {info.dimensions} dimensions{'' if info.is_semantic else ', spelling only'}"


async def _index(settings: Settings) -> str:
    from doso.accounts import LOCAL_CALLER  # noqa: PLC0415
    from doso.db.engine import open_database  # noqa: PLC0415
    from ingest.library import open_library  # noqa: PLC0415

    database = open_database(settings.database_url)
    try:
        status = await open_library(database).index_status(LOCAL_CALLER.owner)
    finally:
        await database.aclose()
    warnings = "; ".join(status.warnings)
    counts = f"{status.embedded} of {status.passages} passages embedded, {status.failed} failed"
    return f"{counts}{', ' + warnings if warnings else ''}"
