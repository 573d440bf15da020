"""Several searches at once: when one fails the others are ended before that is told, so that nothing runs on alone."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar, overload

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")


@overload
async def together(a: Coroutine[Any, Any, A], b: Coroutine[Any, Any, B], /) -> tuple[A, B]: ...


@overload
async def together(
    a: Coroutine[Any, Any, A],
    b: Coroutine[Any, Any, B],
    c: Coroutine[Any, Any, C],
    d: Coroutine[Any, Any, D],
    e: Coroutine[Any, Any, E],
    /,
) -> tuple[A, B, C, D, E]: ...


@overload
async def together(*works: Coroutine[Any, Any, A]) -> tuple[A, ...]: ...


async def together(*works: Coroutine[Any, Any, Any]) -> tuple[Any, ...]:
    """What the works bring, in order. Raises what the first one to fail raised."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        return tuple(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
