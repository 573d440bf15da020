"""Fetches and runs a real small language model for tests: `python tools/small_model.py fetch`, or `serve`.

llama.cpp's own server (xllamacpp) with SmolLM2-135M, in an environment of its own under the cache, at pinned versions.
"""

from __future__ import annotations

import contextlib
import hashlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.service import CHECKOUT, ServiceMissingError, cache_folder, end, free_port, locked

PINS = CHECKOUT / "tools" / "small_model.lock"
SERVER = CHECKOUT / "tools" / "small_model_server.py"
FETCH_TIMEOUT_S = 600
START_TIMEOUT_S = 120.0
CONTEXT_TOKENS = 4_096


def find(cache: Path | None = None) -> Path | None:
    """The Python that has the model, None where it was not fetched."""
    folder = _folder(cache)
    return folder / "bin" / "python" if (folder / ".ready").exists() else None


def fetch(cache: Path | None = None) -> Path:
    """The Python that has the model, fetched where it is missing. Raises ServiceMissingError."""
    folder = _folder(cache)
    with locked(folder.with_suffix(".lock")):
        found = find(cache)
        if found is not None:
            return found
        uv = [sys.executable, "-m", "uv"]
        python = folder / "bin" / "python"
        _run([*uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)])
        _run([*uv, "pip", "sync", "--quiet", "--python", str(python), str(PINS)])
        (folder / ".ready").touch()
    return python


@contextlib.contextmanager
def serving(python: Path, log: Path) -> Iterator[str]:
    """The base URL of the model's server while the block runs; it says what it does in `log`."""
    port = free_port()
    command = [str(python), str(SERVER), str(port), str(CONTEXT_TOKENS)]
    with log.open("ab") as written:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=written, stderr=written)
    url = f"http://127.0.0.1:{port}/v1"
    try:
        _wait(process, url, log)
        yield url
    finally:
        end(process.pid, SERVER.name)
        process.wait()


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(f"{url}/models", timeout=2).status_code == httpx.codes.OK:
                return
        time.sleep(0.1)
    raise ServiceMissingError(f"The small model did not start: {log.read_text(errors='replace')[-500:]}")


def _folder(cache: Path | None) -> Path:
    digest = hashlib.sha256(PINS.read_bytes()).hexdigest()[:12]
    return (cache or cache_folder()) / "small-model" / f"python-{digest}"


def _run(command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=FETCH_TIMEOUT_S)
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        raise ServiceMissingError(f"The small model can't be fetched: {type(error).__name__}.") from error
    except subprocess.CalledProcessError as error:
        raise ServiceMissingError(f"The small model can't be fetched: {error.stderr.strip()[-500:]}") from error


def main() -> int:
    """Fetch, or serve until interrupted."""
    try:
        python = fetch()
        if sys.argv[1:] == ["serve"]:
            log = cache_folder() / "small-model" / "server.log"
            with serving(python, log) as url:
                print(f"A small model answers at {url}; it is stopped by ^C.", flush=True)
                with contextlib.suppress(KeyboardInterrupt):
                    while True:
                        time.sleep(3600)
    except ServiceMissingError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
