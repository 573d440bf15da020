"""Fetches, starts and stops a real Neo4j Community server, without Docker, for tests and local trials.

    python tools/neo4j_server.py fetch
    python tools/neo4j_server.py start --home .cache/neo4j-home --port 7687
    python tools/neo4j_server.py stop --home .cache/neo4j-home

Needs Java 17 or newer; fetching needs Maven (see tools/install_system.sh).
"""

from __future__ import annotations

import argparse
import contextlib
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import neo4j
from neo4j.exceptions import DriverError, Neo4jError

from tools.service import ServiceMissingError, cache_folder, end, free_port, is_running, locked, wait_until

POM = Path(__file__).resolve().parent / "neo4j" / "pom.xml"
MIN_JAVA = 17
FETCH_TIMEOUT_S = 900
READY_TIMEOUT_S = 180.0
REMEDY = "Install Java 17 or newer and Maven: as root `bash tools/install_system.sh` does it on Debian and Ubuntu."

_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
_CONF = """\
server.default_listen_address=127.0.0.1
server.bolt.listen_address=127.0.0.1:{port}
server.bolt.advertised_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
dbms.security.auth_enabled=false
dbms.usage_report.enabled=false
server.memory.heap.initial_size={heap_mb}m
server.memory.heap.max_size={heap_mb}m
server.memory.pagecache.size=128m
db.tx_log.rotation.retention_policy=1 files
server.logs.gc.enabled=false
db.logs.query.enabled=OFF
"""


@dataclass(frozen=True, slots=True)
class Neo4jServer:
    """A running server. `home` holds its data, logs, and the files that say where it runs."""

    home: Path
    port: int
    pid: int

    @property
    def url(self) -> str:
        """Where drivers connect."""
        return f"bolt://127.0.0.1:{self.port}"

    def kill(self) -> None:
        """End it as a crash would (SIGKILL)."""
        end(self.pid, str(self.home), by=signal.SIGKILL)


def version() -> str:
    """The version named in the pom."""
    found = re.search(r"<neo4j.version>([^<]+)<", POM.read_text("utf-8"))
    if found is None:
        raise ServiceMissingError(f"{POM} names no neo4j.version.")
    return found.group(1)


def fetch(cache: Path | None = None) -> Path:
    """The folder with the server's jars, copied from Maven Central unless it is there already.

    Raises ServiceMissingError when Java or Maven is missing or Maven fails.
    """
    base = (cache or cache_folder()) / f"neo4j-{version()}"
    lib = base / "lib"
    _require_java()
    with locked(base.parent / "neo4j-fetch.lock"):
        if lib.is_dir():
            return lib
        if shutil.which("mvn") is None:
            raise ServiceMissingError(f"Neo4j {version()} is not in {base}, and there is no mvn to fetch it. {REMEDY}")
        partial = base / "lib.partial"
        shutil.rmtree(partial, ignore_errors=True)
        command = ["mvn", "-B", "-q", "-f", str(POM), "dependency:copy-dependencies", f"-DoutputDirectory={partial}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=FETCH_TIMEOUT_S, check=False)
        if done.returncode != 0 or not any(partial.glob("neo4j-server-*.jar")):
            raise ServiceMissingError(
                f"Maven could not fetch Neo4j {version()}:\n{(done.stdout + done.stderr)[-2000:]}"
            )
        partial.rename(lib)
    return lib


def start(home: Path, port: int, *, cache: Path | None = None, heap_mb: int = 700) -> Neo4jServer:
    """Start a server with this home, or return the one that runs there already; returns when it answers queries."""
    lib = fetch(cache)
    home = home.expanduser().resolve()
    with locked(home / "start.lock"):
        running = find(home)
        if running is not None:
            _await_ready(running)
            return running
        server = _spawn(home, port or free_port(), lib, heap_mb)
        _await_ready(server)
        return server


def find(home: Path) -> Neo4jServer | None:
    """The server that runs with this home, if any."""
    home = home.expanduser().resolve()
    try:
        pid, port = (int(part) for part in (home / "server").read_text("ascii").split())
    except (FileNotFoundError, ValueError):
        return None
    return Neo4jServer(home, port, pid) if is_running(pid, str(home)) else None


def stop(home: Path) -> bool:
    """Stop the server of this home and wait until it is gone; False when none ran."""
    server = find(home)
    if server is None:
        return False
    end(server.pid, str(server.home))
    (server.home / "server").unlink(missing_ok=True)
    return True


@contextlib.contextmanager
def running_neo4j(home: Path, port: int = 0, *, cache: Path | None = None, heap_mb: int = 700) -> Iterator[Neo4jServer]:
    """A server for the length of the block; port 0 takes a free one."""
    server = start(home, port, cache=cache, heap_mb=heap_mb)
    try:
        yield server
    finally:
        stop(home)


def _require_java() -> None:
    if shutil.which("java") is None:
        raise ServiceMissingError(f"Neo4j {version()} needs Java {MIN_JAVA} or newer, and there is no java. {REMEDY}")
    told = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(?:1\.)?(\d+)', told)
    if found is None or int(found.group(1)) < MIN_JAVA:
        raise ServiceMissingError(
            f"Neo4j {version()} needs Java {MIN_JAVA} or newer; `java -version` says: {told.strip()}"
        )


def _spawn(home: Path, port: int, lib: Path, heap_mb: int) -> Neo4jServer:
    conf = home / "conf"
    conf.mkdir(parents=True, exist_ok=True)
    (conf / "neo4j.conf").write_text(_CONF.format(port=port, heap_mb=heap_mb), "utf-8")
    command = ["java", f"-Xmx{heap_mb}m", "-XX:+UseSerialGC"]
    command += [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
    command += ["-cp", f"{lib}/*", "org.neo4j.server.CommunityEntryPoint", f"--home-dir={home}", f"--config-dir={conf}"]
    with (home / "console.log").open("ab") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd=home
        )
    (home / "server").write_text(f"{process.pid} {port}\n", "ascii")
    return Neo4jServer(home, port, process.pid)


def _await_ready(server: Neo4jServer) -> None:
    deadline = time.monotonic() + READY_TIMEOUT_S
    while is_running(server.pid, str(server.home)) and wait_until(deadline):
        try:
            with neo4j.GraphDatabase.driver(server.url, connection_timeout=5, telemetry_disabled=True) as driver:
                driver.execute_query("RETURN 1")
                return
        except (DriverError, Neo4jError):
            continue
    log = server.home / "console.log"
    tail = log.read_text("utf-8", "replace")[-2000:] if log.exists() else ""
    stop(server.home)
    raise ServiceMissingError(
        f"Neo4j did not become ready at {server.url}; its logs are in {server.home}/logs.\n{tail}"
    )


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("fetch", "start", "stop"))
    parser.add_argument("--cache", type=Path, help="folder for fetched files (default: DOSO_CACHE or .cache)")
    parser.add_argument("--home", type=Path, help="folder of the server (default: CACHE/neo4j-home)")
    parser.add_argument("--port", type=int, default=7687, help="Bolt port on 127.0.0.1")
    arguments = parser.parse_args()
    home = arguments.home or (arguments.cache or cache_folder()) / "neo4j-home"
    try:
        if arguments.command == "fetch":
            print(fetch(arguments.cache))
        elif arguments.command == "start":
            print(start(home, arguments.port, cache=arguments.cache).url)
        else:
            print("stopped" if stop(home) else "not running")
    except ServiceMissingError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
