"""A real `doso serve` in a process of its own, with a fresh home, on a free port of loopback."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

READY_WITHIN_S = 180.0  # on a machine that does much else
STOP_WITHIN_S = 30.0
_POLL_S = 0.05
#: Variables of the test's own environment that the server must not see.
_OWN_PREFIXES = ("DOSO_", "LLM_", "ASK_", "TOOLS_", "FIRECRAWL_", "XAI_", "OTEL_")


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Server:
    """One server over its restarts: the home and the port stay."""

    home: Path
    env: Mapping[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    starts_count: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log_path(self) -> Path:
        return self.home / "server.log"

    def start(self, **env: str) -> Server:
        """Start and wait until it answers; later values of `env` stand above earlier ones."""
        assert self.process is None or self.process.poll() is not None, "still running"
        self.env = {**self.env, **env}
        self.home.mkdir(parents=True, exist_ok=True)
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "doso.cli", "serve", "--host", "127.0.0.1", "--port", str(self.port)],
                env=self.environment(),
                stdout=log,
                stderr=log,
            )
        self.starts_count += 1
        self.wait_until_live()
        return self

    def environment(self) -> dict[str, str]:
        """The environment of the server and of commands on its home."""
        own = {name: value for name, value in os.environ.items() if not name.startswith(_OWN_PREFIXES)}
        return (
            own
            | {"DOSO_HOME": str(self.home), "LLM_EMBED_PROVIDER": "hashing", "PYTHONUNBUFFERED": "1"}
            | dict(self.env)
        )

    def wait_until_live(self) -> None:
        """Poll until the process answers. Raises with the end of its log when it exits or never does."""
        deadline = time.monotonic() + READY_WITHIN_S
        while time.monotonic() < deadline:
            assert self.process is not None
            if self.process.poll() is not None:
                break
            if self._is_live():
                return
            time.sleep(_POLL_S)
        raise AssertionError(f"the server did not start:\n{self.log_path.read_text()[-4000:]}")

    def _is_live(self) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/health/live")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def stop(self) -> None:
        """Ask it to stop and wait."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOP_WITHIN_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def kill(self) -> None:
        """kill -9."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        self.process = None

    def restart(self, **env: str) -> None:
        """Stop in good order, start again."""
        self.stop()
        self.start(**env)

    def command(self, *arguments: str, timeout_s: float = 120) -> subprocess.CompletedProcess[str]:
        """Run `doso …` on this home."""
        return subprocess.run(
            [sys.executable, "-m", "doso.cli", *arguments],
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )


@contextmanager
def running(home: Path, **env: str) -> Iterator[Server]:
    """A server for the block."""
    server = Server(home, env)
    try:
        yield server.start()
    finally:
        server.stop()
