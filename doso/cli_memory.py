"""`doso import`, `evidence`, `entities`, `facts`, `reembed`, `reextract`: the memory from a terminal, serverless."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click
import msgspec

from doso.accounts import LOCAL_USER
from doso.errors import DosoError
from doso.ids import DocumentId, OwnerId
from doso.records import Operation, OperationState
from doso.settings import Settings

if TYPE_CHECKING:
    from api.kit import Kit

T = TypeVar("T")
Work = Callable[["Kit", OwnerId], Awaitable[T]]

FINAL = frozenset({OperationState.DONE, OperationState.FAILED, OperationState.CANCELLED})
WAIT_POLL_S = 0.1
SHOWN_SKIPS = 20
EXIT_FAILED = 1

user_option = click.option("--user", default=LOCAL_USER, show_default=True, help="Whose memory.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--format", "format_name", default="auto", show_default=True, help="Format; auto looks at the bytes.")
@click.option("--me", multiple=True, help="A name or address that is yours in the archive; may be repeated.")
@click.option("--zone", help="IANA time zone of times that carry none. [default: the server's]")
@click.option("--chat", "chat_id", help="Id of the chat, where the archive is one.")
@click.option("--title", help="Title instead of the archive's own.")
@user_option
@json_option
def import_(path: Path, format_name: str, as_json: bool, user: str, **stated: object) -> None:
    """Take in a file or folder: text is searchable at once, the rest follows before the command ends."""
    from doso.cli_import import run_import  # noqa: PLC0415

    operation = in_kit(lambda kit, owner: run_import(kit, owner, path, format_name, stated, quiet=as_json), user)
    _print_receipt(operation, as_json)
    if operation.state is not OperationState.DONE:
        sys.exit(EXIT_FAILED)


@click.command()
@click.argument("question")
@click.option("--as-of", help="Read the memory as it stood at this moment.")
@click.option("--chat", "chat_ids", multiple=True, help="Look into this chat first; may be repeated.")
@click.option("--max-tokens", type=int, help="Budget of the pack.")
@click.option("--limit", type=int, help="At most so many items.")
@click.option("--zone", help="Your IANA time zone.")
@user_option
@json_option
def evidence(question: str, as_of: str | None, user: str, as_json: bool, **stated: object) -> None:
    """Show what the memory holds on a question: who said it, when, where it stands."""
    from api.asking import ask_kit  # noqa: PLC0415
    from api.schemas.evidence import EvidenceIn, ScopeIn, to_evidence, to_question  # noqa: PLC0415
    from ask.pipeline import find_evidence  # noqa: PLC0415

    chats = list(stated["chat_ids"] or ())  # type: ignore[call-overload]

    async def work(kit: Kit, owner: OwnerId) -> object:
        body = msgspec.convert(
            {
                "question": question,
                "as_of": as_of,
                "max_tokens": stated["max_tokens"],
                "limit": stated["limit"],
                "timezone": stated["zone"],
            },
            EvidenceIn,
        )
        scope = ScopeIn("preferred", chat_ids=chats) if chats else ScopeIn()
        runtime = await kit.runtime.read()
        asked = to_question(msgspec.structs.replace(body, scope=scope), owner, runtime)
        return await find_evidence(ask_kit(kit, runtime), asked)

    found = in_kit(work, user)
    if as_json:
        click.echo(msgspec.json.encode(to_evidence(found)))  # type: ignore[arg-type]
        return
    from doso.cli_show import evidence_text  # noqa: PLC0415

    click.echo(evidence_text(found))  # type: ignore[arg-type]


@click.command()
@click.option("--name", help="Only of this name.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True)
@user_option
@json_option
def entities(name: str | None, limit: int, user: str, as_json: bool) -> None:
    """List people, places and things, with their names."""
    from api.schemas.graph import to_entity  # noqa: PLC0415

    async def work(kit: Kit, owner: OwnerId) -> list[object]:
        if name is not None:
            return [to_entity(one) for one in await kit.graph.find_entities(owner, name, limit=limit)]
        page = await kit.graph.store.list_entities(owner, type=None, cursor=None, limit=limit)
        return [to_entity(one) for one in page.data]

    found = in_kit(work, user)
    if as_json:
        click.echo(msgspec.json.encode(found))
        return
    for one in found:
        others = [alias for alias in one.aliases if alias != one.name]  # type: ignore[attr-defined]
        click.echo(f"{one.type:<8} {one.name}" + (f"  ({', '.join(others)})" if others else ""))  # type: ignore[attr-defined]


@click.command()
@click.option("--entity", help="Only about the entity of this name.")
@click.option("--all", "every", is_flag=True, help="Also candidates, rejected and superseded facts.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True)
@user_option
@json_option
def facts(entity: str | None, every: bool, limit: int, user: str, as_json: bool) -> None:
    """List facts, newest first."""
    from api.naming import entities_meant, entities_of  # noqa: PLC0415
    from api.schemas.graph import to_fact  # noqa: PLC0415
    from doso.records import Status  # noqa: PLC0415

    async def work(kit: Kit, owner: OwnerId) -> list[object]:
        view = kit.graph.view(statuses=frozenset(Status) if every else None)
        about = None if entity is None else (await entities_meant(kit.graph, owner, entity, param="entity"))[0].id
        page = await kit.graph.list_facts(owner, view, entity_id=about, limit=limit)
        named = await entities_of(kit.graph, owner, page.data)
        return [to_fact(fact, named) for fact in page.data]

    found = in_kit(work, user)
    if as_json:
        click.echo(msgspec.json.encode(found))
        return
    for fact in found:
        click.echo(f"{fact.status:<10} {fact.text}")  # type: ignore[attr-defined]


@click.command()
@user_option
def reembed(user: str) -> None:
    """Build a new vector index with the configured embedder beside the old one, then cut over."""

    async def work(kit: Kit, owner: OwnerId) -> Operation:
        return await until_final(kit, await kit.intake.reembed(owner))

    _print_receipt(in_kit(work, user), as_json=False)


@click.command()
@click.option("--document", help="Only the document of this id.")
@click.option("--failed", is_flag=True, help="Only documents that could not be read.")
@user_option
def reextract(document: str | None, failed: bool, user: str) -> None:
    """Read documents for facts again, by rules and by the configured model: its earlier candidates give way."""
    from doso.records import IngestState  # noqa: PLC0415
    from ingest.library.rereading import Again  # noqa: PLC0415

    again = Again(None if document is None else DocumentId(document), IngestState.FAILED if failed else None)

    async def work(kit: Kit, owner: OwnerId) -> Operation:
        return await until_final(kit, await kit.intake.reextract(owner, again))

    operation = in_kit(work, user)
    _print_receipt(operation, as_json=False)
    if operation.state is not OperationState.DONE:
        sys.exit(EXIT_FAILED)


async def until_final(kit: Kit, operation: Operation) -> Operation:
    """The receipt once it is final."""
    while operation.state not in FINAL:
        await asyncio.sleep(WAIT_POLL_S)
        operation = await kit.intake.operations.get(operation.owner, operation.id)
    return operation


def in_kit(work: Work[T], user: str) -> T:
    """Open everything, do the work for this user, close."""

    async def whole() -> T:
        from doso.compose import open_kit  # noqa: PLC0415

        settings = Settings.from_env()
        async with open_kit(replace(settings, log_level="WARNING")) as kit:
            owner = OwnerId(LOCAL_USER) if user == LOCAL_USER else await kit.accounts.user_named(user)
            return await work(kit, owner)

    from doso.telemetry import configure_logging  # noqa: PLC0415

    configure_logging("WARNING")
    return asyncio.run(whole())


def _print_receipt(operation: Operation, as_json: bool) -> None:
    from api.schemas.documents import to_operation  # noqa: PLC0415

    if as_json:
        click.echo(msgspec.json.encode(to_operation(operation)))
        return
    counts = f"{operation.stored} stored, {operation.unchanged} unchanged, {operation.skipped_count} skipped"
    click.echo(f"{operation.state.value}: {counts}, {operation.facts} facts")
    for note in operation.notes:
        click.echo(f"note: {note}")
    for item in operation.skipped[:SHOWN_SKIPS]:
        click.echo(f"skipped {item.ref}: {item.why} ({item.code})")
    if operation.error:
        click.echo(f"error: {operation.error}", err=True)


__all__ = ["DosoError", "entities", "evidence", "facts", "import_", "in_kit", "reembed", "reextract", "until_final"]
