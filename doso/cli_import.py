"""An import in this process, with a progress bar where a person watches."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from doso.ids import OwnerId
from doso.records import Operation
from doso.runtime import check_zone
from ingest.pipeline import ImportProgress
from ingest.ports import ImportOptions

if TYPE_CHECKING:
    from api.kit import Kit


async def run_import(
    kit: Kit, owner: OwnerId, path: Path, format_name: str, stated: Mapping[str, object], *, quiet: bool
) -> Operation:
    """Import, then wait until everything is embedded and read. Raises UnknownFormat, InvalidInput."""
    from doso.cli_memory import until_final  # noqa: PLC0415 - the command imports this module

    zone = cast("str | None", stated["zone"]) or (await kit.runtime.read()).timezone
    check_zone(zone)
    options = ImportOptions(
        zone=zone,
        me=cast("tuple[str, ...]", stated["me"]),
        title=cast("str | None", stated["title"]),
        chat_id=cast("str | None", stated["chat_id"]),
    )
    with _bar(quiet=quiet) as bar:
        task = bar.add_task(path.name, total=None, note="")

        def show(seen: ImportProgress) -> None:
            note = f"{seen.stored} stored, {seen.unchanged} unchanged, {seen.skipped} skipped"
            read = seen.read
            bar.update(task, completed=read.done if read else 0, total=read.total if read else None, note=note)

        operation = await kit.intake.import_path(
            owner,
            await asyncio.to_thread(_absolute, path),
            options,
            format=None if format_name == "auto" else format_name,
            on_progress=show,
        )
        bar.update(task, note="embedding and reading")
        return await until_final(kit, operation)


def _bar(*, quiet: bool) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[note]}"),
        console=Console(stderr=True),
        disable=quiet or not sys.stderr.isatty(),
        transient=True,
    )


def _absolute(path: Path) -> Path:
    return path.expanduser().resolve()
