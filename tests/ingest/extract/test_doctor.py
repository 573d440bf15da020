"""Labelled statements are scored as their conventions say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from doso.cli import root
from doso.errors import InvalidInput
from ingest.extract.doctor import check_statements, read_labels


def line(text: str, *facts: tuple[str, str, str, str, str], **more: object) -> str:
    keys = ("s", "s_type", "p", "o", "o_type")
    row: dict[str, object] = {
        "id": "x",
        "kind": "k",
        "text": text,
        "at": "2026-05-20T12:00:00+00:00",
        "tz": "UTC",
        "corrections": [],
    }
    row |= {"remember": bool(facts), "facts": [dict(zip(keys, fact, strict=True)) for fact in facts]}
    return json.dumps(row | more)


ROME = ("me", "PERSON", "lives_in", "Rome", "PLACE")


def figures(*lines: str) -> tuple[float | None, float | None, float | None, float | None]:
    found = check_statements(read_labels("\n".join(lines))).all
    return found.gate_accuracy, found.fact_precision, found.fact_recall, found.correction_accuracy


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([line("I live in Rome.", ROME)], (1.0, 1.0, 1.0, None)),
        ([line("We met in Rome.", ROME)], (0.0, None, 0.0, None)),
        ([line("I live in Rome.")], (0.0, 0.0, None, None)),
        ([line("I live in Rome.", remember_either=True)], (1.0, 0.0, None, None)),
        ([line("I live in Rome.", optional=[{"s": "me", "p": "lives_in", "o": "Rome"}])], (0.0, None, None, None)),
        (
            [line("I live in Rome.", accept=[[dict(zip(("s", "s_type", "p", "o", "o_type"), ROME, strict=True))]])],
            (0.0, 1.0, 1.0, None),
        ),
        (
            [line("I live in Rome.", ROME, never=[{"s": "me", "p": "lives_in", "o": "Oslo"}])],
            (1.0, 1.0, 1.0, None),
        ),
        (
            [
                line(
                    "I don't live in Rome.",
                    remember=True,
                    corrections=[{"op": "retract", "s": "me", "p": "lives_in", "o": "rome", "why": "wrong"}],
                )
            ],
            (1.0, None, None, 1.0),
        ),
        (
            [
                line(
                    "I don't live in Rome.",
                    remember=True,
                    corrections=[{"op": "retract", "s": "me", "p": "lives_in", "o": "rome", "why": "ended"}],
                )
            ],
            (1.0, None, None, 0.0),
        ),
        ([line("Maybe I live in Rome.")], (1.0, 0.0, None, None)),
        (
            [line("Maybe I live in Rome.", candidates=[{"s": "me", "p": "lives_in", "o": "Rome"}])],
            (1.0, None, None, None),
        ),
        ([line("Ana is married to Bo.", ("Bo", "PERSON", "married_to", "Ana", "PERSON"))], (1.0, 1.0, 1.0, None)),
        ([line("Bo reports to Ana.", ("Ana", "PERSON", "manages", "Bo", "PERSON"))], (1.0, 1.0, 1.0, None)),
    ],
)
def test_figures(lines: list[str], expected: tuple[float | None, ...]) -> None:
    assert figures(*lines) == expected


def test_the_day_of_the_message_may_be_filled_in_but_no_other() -> None:
    today = dict(zip(("s", "s_type", "p", "o", "o_type"), ROME, strict=True)) | {"valid_from": "2026-05-19"}
    assert figures(line("I moved to Rome today.", ROME))[1] == 1.0
    assert figures(line("I moved to Rome yesterday.", ROME))[1] == 0.0
    assert figures(line("I moved to Rome yesterday.", facts=[today], remember=True))[1] == 1.0


def test_a_secret_in_a_fact_counts_against_it() -> None:
    assert (
        figures(line("My name is Kitten.", ("me", "PERSON", "named", "Kitten", "VALUE"), never_text=["Kitten"]))[1]
        == 0.5
    )


@pytest.mark.parametrize("text", ["{", '{"id": "x"}', line("x", at="tomorrow")])
def test_a_line_that_is_no_label_is_named(text: str) -> None:
    with pytest.raises(InvalidInput, match="Line 2 of the labels"):
        read_labels(f"{line('I live in Rome.')}\n{text}")


def test_the_command_prints_figures_and_wrong_lines(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(f"{line('I live in Rome.', ROME)}\n{line('I live in Oslo.', id='y')}\n")
    shown = CliRunner().invoke(root, ["doctor", "statements", "--labels", str(path)]).output
    assert "gate_accuracy=0.5  fact_precision=0.5  fact_recall=1.0  correction_accuracy=-" in shown
    assert "made up: me lives_in Oslo" in shown
    report = json.loads(CliRunner().invoke(root, ["doctor", "statements", "--labels", str(path), "--json"]).output)
    names = ("gate_accuracy", "fact_precision", "fact_recall", "correction_accuracy")
    assert [report[name] for name in names] == [0.5, 0.5, 1.0, None]
    assert [row["id"] for row in report["wrong"]] == ["y"]
