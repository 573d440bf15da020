"""Expectations of what left the server and what it brought in: requests, pages, files, secrets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psutil

from tests.cases.model import Outcome, RunnerError
from tests.cases.scene import Check, Scene, answered, must, needs

_READ_CHUNK = 1024 * 1024


def canary_hits(scene: Scene, _outcome: Outcome, value: int) -> None:
    found = scene.world.canary
    must(found is not None and found.hits == value, f"{found.hits if found else 'no'} requests to the canary")


def failed_sources(_scene: Scene, outcome: Outcome, value: list[str]) -> None:
    found = [source["uri"] for part in answered(outcome) for source in part.body.get("failed_sources", [])]
    must(found == value, f"failed are {found}")


def reason_given(_scene: Scene, outcome: Outcome, _value: bool) -> None:
    for part in answered(outcome):
        if part.status == 200:
            must(part.body.get("failed_sources") and part.body["failed_sources"][0]["why"], "no reason")
        else:
            must(part.body["error"]["message"], "no reason")


def refused_or_told(_scene: Scene, outcome: Outcome, value: str) -> None:
    must(value == "answer says the source was refused", f"unknown: {value}")
    for part in answered(outcome):
        if part.status == 200:
            must(part.body["failed_sources"], "nothing says that the source was refused")


def status_in_or_told(scene: Scene, outcome: Outcome, value: list[int]) -> None:
    """One of these, or an answer that says what could not be read, where the case lets it."""
    is_told = "or" in str(scene.case.expected)
    for part in answered(outcome):
        fine = part.status in value or (is_told and part.status == 200 and part.body.get("failed_sources"))
        must(fine, f"{str(part.label)[:40]!r} gave {part.status}: {part.text[:120]}")


def no_canary_text(_scene: Scene, outcome: Outcome, _value: bool) -> None:
    must(not (outcome.body or {}).get("items"), "something was read")


def only_checked_addresses(scene: Scene, outcome: Outcome, _value: bool) -> None:
    canary_hits(scene, outcome, 0)


def outgoing(scene: Scene, _outcome: Outcome, value: list[str]) -> None:
    """Every open connection of the server stays on this machine."""
    must(value == ["llm provider only"], f"unknown: {value}")
    process = scene.world.server.process
    assert process is not None
    found = [at.raddr.ip for at in psutil.Process(process.pid).net_connections() if at.raddr]
    must(all(ip in ("127.0.0.1", "::1") for ip in found), f"connected to {sorted(set(found))}")


def files_outside(scene: Scene, outcome: Outcome, value: int) -> None:
    names = ("doso_escape.txt", "doso_abs.txt", "doso\\x.txt", "w.txt", "b.txt")
    home = scene.world.server.home
    places = (*home.parents, Path.cwd(), Path("/tmp"), home)
    found = [place / name for place in dict.fromkeys(places) for name in names if (place / name).exists()]
    must(len(found) == value, f"written: {found}")
    must(all(part.status < 500 for part in answered(outcome)), "a 5xx")


def chat_imported_or_rejected(scene: Scene, outcome: Outcome, _value: bool) -> None:
    documents = scene.world.all(scene.user, "/v1/documents")
    is_rejected = any(part.status >= 400 for part in answered(outcome)) or _receipts(outcome)[0]["state"] == "failed"
    must(documents or is_rejected, "neither imported nor rejected")


def result(_scene: Scene, outcome: Outcome, value: str) -> None:
    told = str([(part.status, part.text) for part in outcome.leaves()]) + str(_receipts(outcome))
    if value == "rejected as damaged":
        must(any(word in told for word in ("damaged", "CRC", "cut", "broken")), f"told {told[-600:]}")
    elif value == "rejected, or entry skipped and reported":
        receipts = _receipts(outcome)
        is_told = any(part.status >= 400 for part in outcome.leaves()) or any(one["skipped"] for one in receipts)
        must(is_told, f"told {told[-600:]}")
    else:
        raise RunnerError(f"unknown result {value!r}")


def disk_growth(_scene: Scene, outcome: Outcome, value: float) -> None:
    for part in outcome.leaves():
        grown = part.numbers["disk_growth_mb"]
        must(grown <= value, f"the disk grew by {grown:.0f} MB")


def bytes_inflated_max(scene: Scene, outcome: Outcome, _value: int) -> None:
    """What was inflated is never stored: memory and disk stay small."""
    disk_growth(scene, outcome, 50)
    must(scene.rss_growth_mb <= 50, f"memory grew by {scene.rss_growth_mb:.0f} MB")


def no_secret_found(scene: Scene, outcome: Outcome, value: int) -> None:
    """Neither log, data nor answers hold one of the case's keys."""
    secrets = [text.encode() for text in scene.case.input["then"]["for"]]
    files = [path for path in scene.world.server.home.rglob("*") if path.is_file()]
    texts = [part.text.encode() + str(part.headers).encode() for part in outcome.leaves()]
    found = sum(secret in text for secret in secrets for text in texts)
    found += sum(_holds(path, secret) for path in files for secret in secrets)
    must(found == value, f"a secret was found {found} times")


def log_levels(scene: Scene, _outcome: Outcome, value: list[str]) -> None:
    """The server logs at the lowest level, which holds the higher ones."""
    must("DEBUG" in value and scene.world.server.env["DOSO_LOG_LEVEL"] == "DEBUG", "the log leaves levels out")


def no_header(_scene: Scene, outcome: Outcome, value: list[str]) -> None:
    told = "\n".join(f"{name}: {text}" for part in outcome.leaves() for name, text in part.headers.items())
    must(not any(line.casefold() in told.casefold() for line in value), "a header lets other pages in")


def _holds(path: Path, secret: bytes) -> bool:
    rest = b""
    with path.open("rb") as file:
        while piece := file.read(_READ_CHUNK):
            if secret in rest + piece:
                return True
            rest = piece[-len(secret) :]
    return False


def _receipts(outcome: Outcome) -> list[dict[str, Any]]:
    return [receipt for part in outcome.leaves() for receipt in part.operations]


CHECKS: dict[str, Check] = {
    "bytes_inflated_max": bytes_inflated_max,
    "canary_hits": canary_hits,
    "connections_only_to_the_checked_address": only_checked_addresses,
    "console_csp_or_script_errors": needs("pages"),
    "csp_header": needs("pages"),
    "dialogs": needs("pages"),
    "disk_growth_mb_max": disk_growth,
    "export_has_no": needs("conversations"),
    "failed_sources": failed_sources,
    "files_outside_import_dir": files_outside,
    "layout_intact": needs("pages"),
    "log_levels_tested": log_levels,
    "no_canary_text_in_answer": no_canary_text,
    "no_header": no_header,
    "ok_chat_imported_or_whole_rejected": chat_imported_or_rejected,
    "or": refused_or_told,
    "outgoing_connections": outgoing,
    "reason_given": reason_given,
    "result": result,
    "stored_as": needs("usage and budgets"),
    "then": no_secret_found,
    "title_shown_as_text": needs("pages"),
}
