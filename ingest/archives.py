"""Reads an archive in a worker thread and hands it over in batches, one batch ahead of the storing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Generator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from doso.records import DocumentKind, Incoming, Skipped
from ingest.ports import Importer, ImportOptions, Progress, Withdrawn

#: What one transaction stores at most (a single document may be larger).
BATCH_ITEMS = 200
BATCH_CHARS = 400_000

_Item = Incoming | Skipped | Progress | Withdrawn


@dataclass(frozen=True, slots=True)
class Batch:
    """Part of an archive."""

    documents: tuple[Incoming, ...]
    skipped: tuple[Skipped, ...]
    progress: Progress | None
    withdrawn: tuple[Withdrawn, ...] = ()


async def batches(importer: Importer, path: Path, options: ImportOptions) -> AsyncIterator[Batch]:
    """The archive in order. Raises what the importer raises when nothing of it can be read."""
    items = _sliced(importer.read(path, options))
    ahead = asyncio.create_task(asyncio.to_thread(_next, items))
    try:
        while (batch := await ahead) is not None:
            ahead = asyncio.create_task(asyncio.to_thread(_next, items))
            yield batch
    finally:
        await asyncio.gather(ahead, return_exceptions=True)  # a generator can't be closed while a thread is in it
        await asyncio.to_thread(items.close)


def _next(items: Iterator[_Item]) -> Batch | None:
    documents: list[Incoming] = []
    skipped: list[Skipped] = []
    withdrawn: list[Withdrawn] = []
    progress: Progress | None = None
    count = chars = 0
    is_empty = True
    for item in items:
        is_empty = False
        if isinstance(item, Progress):
            progress = item
            continue
        if isinstance(item, Skipped):
            skipped.append(item)
            count += 1
        elif isinstance(item, Withdrawn):
            withdrawn.append(item)
            count += 1
        else:
            documents.append(item)
            count += max(1, len(item.messages))
            chars += len(item.text) + sum(len(message.text) for message in item.messages)
        if count >= BATCH_ITEMS or chars >= BATCH_CHARS:
            break
    return None if is_empty else Batch(tuple(documents), tuple(skipped), progress, tuple(withdrawn))


def _sliced(items: Iterator[_Item]) -> Generator[_Item, None, None]:
    """Threads cut into runs of messages that fit a batch; storing appends them to the same thread."""
    for item in items:
        if isinstance(item, Incoming) and item.kind is DocumentKind.THREAD and len(item.messages) > BATCH_ITEMS:
            for start in range(0, len(item.messages), BATCH_ITEMS):
                yield replace(item, messages=item.messages[start : start + BATCH_ITEMS])
        else:
            yield item
