"""What the scripts that run a local server share: the cache folder, locks, ports and processes by id."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

CHECKOUT = Path(__file__).resolve().parent.parent
STOP_TIMEOUT_S = 30.0


class ServiceMissingError(RuntimeError):
    """A server can't be had on this machine; the message says what to install."""


def cache_folder() -> Path:
    """Where fetched servers and their data lie: DOSO_CACHE, else `.cache` in the checkout."""
    return Path(os.environ.get("DOSO_CACHE") or CHECKOUT / ".cache").expanduser().resolve()


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock between processes; it falls with the process that holds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(handle, fcntl.LOCK_UN)


def free_port() -> int:
    """A loopback port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def is_running(pid: int, marker: str) -> bool:
    """Whether this process lives and its command line holds the marker (so that a reused id is not mistaken)."""
    try:
        process = psutil.Process(pid)
        command = process.cmdline()  # empty for a moment while the program is being started
        return process.status() != psutil.STATUS_ZOMBIE and (not command or any(marker in part for part in command))
    except psutil.Error:
        return False


def end(pid: int, marker: str, *, by: signal.Signals = signal.SIGTERM) -> None:
    """End this process and wait for it; SIGKILL when it does not go within the time allowed."""
    if not is_running(pid, marker):
        return
    process = psutil.Process(pid)
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(by)
        try:
            process.wait(STOP_TIMEOUT_S)
        except psutil.TimeoutExpired:
            process.kill()
            process.wait(STOP_TIMEOUT_S)


class Users:
    """Who uses a shared server: one file per use in a folder, those of dead processes ignored. A process may use it
    several times over.

    Every call happens under the lock of the server.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def is_used(self) -> bool:
        """Whether a living process uses the server."""
        return any(psutil.pid_exists(pid) for pid, _ in self._uses())

    def enter(self) -> Path:
        """Count one use in; what comes back counts it out."""
        self._folder.mkdir(parents=True, exist_ok=True)
        use = self._folder / f"{os.getpid()}-{secrets.token_hex(8)}"
        use.touch()
        return use

    def leave(self, use: Path) -> None:
        """Count the use out, and those of the dead with it."""
        for pid, file in self._uses():
            if file == use or not psutil.pid_exists(pid):
                file.unlink(missing_ok=True)

    def _uses(self) -> list[tuple[int, Path]]:
        if not self._folder.is_dir():
            return []
        files = [(file.name.partition("-")[0], file) for file in self._folder.iterdir()]
        return [(int(pid), file) for pid, file in files if pid.isdecimal()]


def wait_until(deadline: float, interval_s: float = 0.25) -> bool:
    """Sleep a little; False once the deadline (of time.monotonic) is past."""
    if time.monotonic() >= deadline:
        return False
    time.sleep(interval_s)
    return True
