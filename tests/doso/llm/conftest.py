"""Fixtures of the embedders' tests."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.models import e5_dir
from tests.support.provider import ProviderStub, provider_stub


@pytest.fixture
async def far_end() -> AsyncIterator[ProviderStub]:
    """A server of embeddings on loopback."""
    async with provider_stub() as stub:
        yield stub


__all__ = ["e5_dir", "far_end"]
