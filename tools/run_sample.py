"""The job of `make run`: import the sample archive, ask it a question, leave the server running.

`--probe` asks the running server over HTTP; `--stop` ends it.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from doso.settings import Settings

ROOT = Path(__file__).parent.parent
ARCHIVE = ROOT / "fixtures" / "archive"
QUESTION = "Who is allergic to peanuts?"
NAMES = ("Mara Lindqvist", "Mara", "mara.lindqvist@post.example")
START_TIMEOUT_S = 60


def doso(*arguments: str) -> None:
    """Run the command line as a user would; its output is the user's."""
    print(f"\n$ doso {' '.join(arguments)}", flush=True)
    subprocess.run([sys.executable, "-m", "doso.cli", *arguments], check=True, cwd=ROOT)


def is_alive(settings: Settings) -> bool:
    """Whether a server answers at the configured address."""
    connection = http.client.HTTPConnection(settings.host, settings.port, timeout=2)
    try:
        connection.request("GET", "/health/live")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def start(settings: Settings) -> None:
    """Start the server in the background and wait until it answers."""
    log = (settings.home / "server.log").open("ab")
    process = subprocess.Popen(
        [sys.executable, "-m", "doso.cli", "serve"], cwd=ROOT, stdout=log, stderr=log, start_new_session=True
    )
    (settings.home / "server.pid").write_text(str(process.pid))
    deadline = time.monotonic() + START_TIMEOUT_S
    while not is_alive(settings):
        if process.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"The server did not start; see {settings.home / 'server.log'}")
        time.sleep(0.1)


def stop(settings: Settings) -> None:
    """End the server that an earlier run left, if there is one."""
    pid_file = settings.home / "server.pid"
    if pid_file.exists():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid_file.read_text()), signal.SIGTERM)
        pid_file.unlink()


def probe(settings: Settings) -> None:
    """Ask the running server over HTTP; fails when no evidence comes back."""
    connection = http.client.HTTPConnection(settings.host, settings.port, timeout=30)
    connection.request(
        "POST", "/v1/ask/evidence", json.dumps({"question": QUESTION}), {"content-type": "application/json"}
    )
    answer = json.load(connection.getresponse())
    if not answer.get("items"):
        sys.exit(f"No evidence: {answer}")
    print(answer["items"][0]["text"])


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stop", action="store_true")
    parser.add_argument("--probe", action="store_true")
    arguments = parser.parse_args()
    settings = Settings.from_env()
    settings.home.mkdir(parents=True, exist_ok=True)
    if arguments.stop:
        stop(settings)
    elif arguments.probe:
        probe(settings)
    else:
        stop(settings)
        doso("import", str(ARCHIVE), "--zone", "Asia/Jakarta", *(part for name in NAMES for part in ("--me", name)))
        doso("evidence", QUESTION)
        start(settings)
        print(f"\nDoso is running at http://{settings.host}:{settings.port} (make stop ends it). Ask it, for example:")
        print(
            f"  curl -s http://{settings.host}:{settings.port}/v1/ask/evidence -H 'content-type: application/json' "
            f"-d '{json.dumps({'question': QUESTION})}'"
        )


if __name__ == "__main__":
    main()
