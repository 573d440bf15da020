"""The real embedding model, pulled once into the cache of the working copy."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from doso.errors import Unavailable
from doso.llm.models import pull

CACHE = Path(__file__).parents[2] / ".cache"


@pytest.fixture(scope="session")
def e5_dir() -> Path:
    """The folder of e5-small-v2. Where it can't be had a test is skipped, but not in CI."""
    try:
        return pull(CACHE, hub=os.environ.get("DOSO_MODEL_HUB"))
    except Unavailable as error:
        if os.environ.get("CI") == "true":
            pytest.fail(error.message)
        pytest.skip(error.message)
