"""Fetches the real clients that the suite runs against a server: `python tools/sdk_clients.py`.

Each set lives in an environment of its own under the cache, at the versions that tests/sdk pins: what the clients want
of their libraries is none of the product's business.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.service import CHECKOUT, ServiceMissingError, cache_folder, locked

PINS = CHECKOUT / "tests" / "sdk"
PYTHON_PINS = PINS / "requirements.lock"
NODE_PINS = PINS / "node" / "package-lock.json"
NODE_ITSELF = PINS / "node" / "requirements.lock"
FETCH_TIMEOUT_S = 600
#: What runs the client of JavaScript; older ones lack what it needs.
LEAST_NODE = 20


@dataclass(frozen=True)
class NodeClients:
    """Where Node is, and the folder whose node_modules hold the client."""

    node: Path
    folder: Path


def python_clients(cache: Path | None = None) -> Path:
    """The Python that has the clients. Raises ServiceMissingError where they can't be had."""
    return _environment("python", PYTHON_PINS, cache)


def node_clients(cache: Path | None = None) -> NodeClients:
    """Node with the client. Raises ServiceMissingError where they can't be had."""
    node, npm = _node(cache)
    folder = _folder("node", NODE_PINS, cache)
    with locked(folder.with_suffix(".lock")):
        if not (folder / ".ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            for name in ("package.json", "package-lock.json"):
                shutil.copy(NODE_PINS.parent / name, folder)
            _run([str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], folder)
            (folder / ".ready").touch()
    return NodeClients(node, folder)


def _node(cache: Path | None) -> tuple[Path, Path]:
    """Node and npm of this machine, else those that come by pip."""
    found, npm = shutil.which("node"), shutil.which("npm")
    if found is not None and npm is not None and _is_new_enough(found):
        return Path(found), Path(npm)
    bin_folder = _environment("nodejs", NODE_ITSELF, cache).parent
    return bin_folder / "node", bin_folder / "npm"


def _is_new_enough(node: str) -> bool:
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    major = told.removeprefix("v").partition(".")[0]
    return major.isdecimal() and int(major) >= LEAST_NODE


def _environment(name: str, pins: Path, cache: Path | None) -> Path:
    """The Python of a virtual environment with what is pinned here."""
    folder = _folder(name, pins, cache)
    python = folder / "bin" / "python"
    with locked(folder.with_suffix(".lock")):
        if not (folder / ".ready").exists():
            uv = [sys.executable, "-m", "uv"]
            _run([*uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)])
            _run([*uv, "pip", "sync", "--quiet", "--python", str(python), str(pins)])
            (folder / ".ready").touch()
    return python


def _folder(name: str, pins: Path, cache: Path | None) -> Path:
    """A folder for these very versions."""
    digest = hashlib.sha256(pins.read_bytes()).hexdigest()[:12]
    return (cache or cache_folder()) / "clients" / f"{name}-{digest}"


def _run(command: list[str], folder: Path | None = None) -> None:
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True, timeout=FETCH_TIMEOUT_S)
    except FileNotFoundError as error:
        raise ServiceMissingError(f"{command[0]} is missing.") from error
    except subprocess.TimeoutExpired as error:
        raise ServiceMissingError(f"Fetching clients took longer than {FETCH_TIMEOUT_S} s.") from error
    except subprocess.CalledProcessError as error:
        raise ServiceMissingError(f"The clients can't be fetched: {error.stderr.strip()[-500:]}") from error


def main() -> int:
    """Fetch all of them."""
    try:
        print(python_clients())
        print(node_clients())
    except ServiceMissingError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
