"""Searches side by side end together."""

import asyncio

import pytest

from ask.together import together


async def test_what_they_bring_comes_in_order() -> None:
    async def of(value: int) -> int:
        await asyncio.sleep(0)
        return value

    assert await together(of(1), of(2)) == (1, 2)
    assert await together(*(of(n) for n in range(4))) == (0, 1, 2, 3)


async def test_when_one_fails_the_others_have_ended_before_that_is_told() -> None:
    ended: list[str] = []

    async def waits() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.append("waits")

    async def fails() -> None:
        await asyncio.sleep(0)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await together(waits(), fails())
    assert ended == ["waits"]
