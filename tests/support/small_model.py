"""A real small language model for tests: one server for the run, and how it is configured."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from tools import small_model
from tools.service import ServiceMissingError


@contextlib.contextmanager
def running(folder: Path) -> Iterator[str]:
    """Its base URL. Fetched by itself where CI is set; elsewhere it must have been. Raises ServiceMissingError."""
    python = small_model.find()
    if python is None and not os.environ.get("CI"):
        raise ServiceMissingError("The small language model was not fetched: python tools/small_model.py fetch")
    with small_model.serving(python or small_model.fetch(), folder / "small-model.log") as url:
        yield url


def entry(url: str, *profiles: str, max_output_tokens: int) -> dict[str, object]:
    """The model as Doso is told of it; one thread of a busy machine takes its time."""
    return {
        "base_url": url,
        "model": "smollm2",
        "profiles": list(profiles),
        "ability": {
            "structured": "json_schema",
            "context_tokens": small_model.CONTEXT_TOKENS,
            "max_output_tokens": max_output_tokens,
        },
        "limits": {"first_token_s": 150, "idle_s": 60, "total_s": 240},
    }
