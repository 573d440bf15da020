"""How well statements are read without a model, on a file of labelled ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

import msgspec

from doso.errors import InvalidInput
from ingest.extract.reading.reader import read
from ingest.extract.reading.records import Turn
from ingest.extract.scoring import Label, Score, score

MAX_LABELS = 20_000


@dataclass(frozen=True, slots=True)
class Figures:
    """The four figures over some lines; None where there was nothing to measure."""

    lines: int
    gate_accuracy: float | None
    fact_precision: float | None
    fact_recall: float | None
    correction_accuracy: float | None


@dataclass(frozen=True, slots=True)
class StatementsReport:
    """What came of every line."""

    scores: tuple[Score, ...]

    @property
    def all(self) -> Figures:
        return figures(self.scores)

    @property
    def wrong(self) -> tuple[Score, ...]:
        return tuple(one for one in self.scores if not one.is_right)

    def by_kind(self) -> dict[str, Figures]:
        """The figures of each kind of line."""
        kinds = dict.fromkeys(one.label.kind for one in self.scores)
        return {kind: figures([one for one in self.scores if one.label.kind == kind]) for kind in kinds}


def read_labels(text: str) -> tuple[Label, ...]:
    """Labels of a file with one JSON object a line. Raises InvalidInput naming the line at fault."""
    labels: list[Label] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        if len(labels) >= MAX_LABELS:
            raise InvalidInput(f"More than {MAX_LABELS} statements.", param="labels")
        try:
            label = msgspec.json.decode(line.encode(), type=Label)
            said_at(label)
        except (msgspec.MsgspecError, ValueError) as error:
            raise InvalidInput(f"Line {number} of the labels: {error}", param="labels") from error
        labels.append(label)
    return tuple(labels)


def said_at(label: Label) -> datetime | None:
    """The moment of a line."""
    return datetime.fromisoformat(label.at) if label.at else None


def check_statements(labels: Iterable[Label]) -> StatementsReport:
    """Read every labelled statement and score the reading."""
    return StatementsReport(tuple(_scored(label) for label in labels))


def _scored(label: Label) -> Score:
    moment = said_at(label)
    turns = tuple(Turn(turn.role, turn.text) for turn in label.context)
    reading = read(label.text, said_at=moment, zone=label.tz or None, context=turns)
    return score(label, reading, _day(moment, label.tz))


def _day(moment: datetime | None, zone: str) -> date | None:
    if moment is None:
        return None
    return (moment.astimezone(ZoneInfo(zone)) if zone else moment).date()


def figures(scores: Iterable[Score]) -> Figures:
    """Gate accuracy, precision and recall of facts over all lines, share of lines whose corrections are exact."""
    kept = tuple(scores)
    found = sum(one.found for one in kept)
    made_up, missed = sum(len(one.made_up) for one in kept), sum(len(one.missed) for one in kept)
    corrected = [one.corrections_right for one in kept if one.corrections_right is not None]
    return Figures(
        len(kept),
        _share(sum(one.gate_right for one in kept), len(kept)),
        _share(found, found + made_up),
        _share(found, found + missed),
        _share(sum(corrected), len(corrected)),
    )


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
