"""A reader whose model's server is a stub."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.model_reading import ReadingBench, reading_bench


@pytest.fixture
async def bench() -> AsyncIterator[ReadingBench]:
    """Over the real runtime."""
    async with reading_bench() as bench:
        yield bench
