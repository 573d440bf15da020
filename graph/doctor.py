"""How well binding does on labelled pairs of names, tried through the real graph."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

import msgspec

from doso.errors import InvalidInput
from doso.ids import OwnerId, new_id
from doso.records import Mention
from graph.predicates import parse_type
from graph.service import Graph

#: Opens an empty graph for the trials and removes it afterwards.
OpenGraph = Callable[[], AbstractAsyncContextManager[Graph]]
#: Pairs in one file.
MAX_PAIRS = 10_000


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two names and whether they are one bearer's."""

    id: str
    kind: str
    a: Mention
    b: Mention
    is_same: bool


@dataclass(frozen=True, slots=True)
class WrongTrial:
    """A trial whose outcome differs from its label."""

    pair: LabelledPair
    first: str  # the name that was bound first
    is_full: bool  # in a graph that holds all other names of the file
    was_merged: bool
    reason: str


@dataclass(frozen=True, slots=True)
class BindingReport:
    """Counts of trials: every pair is tried four times, in both orders, in an empty graph and in a full one."""

    false_merges: int
    missed_merges: int
    same_pairs: int
    different_pairs: int
    wrong: tuple[WrongTrial, ...]


class _Row(msgspec.Struct):
    id: str
    type_a: str
    type_b: str
    a: str
    b: str
    same: bool
    kind: str = ""


def read_labels(text: str) -> tuple[LabelledPair, ...]:
    """Pairs of a file with one JSON object a line. Raises InvalidInput naming the line at fault."""
    pairs: list[LabelledPair] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        if len(pairs) >= MAX_PAIRS:
            raise InvalidInput(f"More than {MAX_PAIRS} pairs.", param="labels")
        try:
            row = msgspec.json.decode(line.encode(), type=_Row)
        except msgspec.MsgspecError as error:
            raise InvalidInput(f"Line {number} of the labels: {error}", param="labels") from error
        a, b = Mention(row.a, parse_type(row.type_a)), Mention(row.b, parse_type(row.type_b))
        pairs.append(LabelledPair(row.id, row.kind, a, b, row.same))
    return tuple(pairs)


async def check_binding(labels: Iterable[LabelledPair], open_graph: OpenGraph) -> BindingReport:
    """Bind every pair through `Graph.bind`, each trial under an owner of its own.

    The four figures count trials (four a pair), so that they add up: `same_pairs` + `different_pairs` is all trials.
    """
    pairs = tuple(labels)
    mentions = tuple(dict.fromkeys(mention for pair in pairs for mention in (pair.a, pair.b)))
    wrong: list[WrongTrial] = []
    async with open_graph() as graph:
        for pair in pairs:
            others = [mention for mention in mentions if mention not in (pair.a, pair.b)]
            wrong.extend([trial async for trial in _trials(graph, pair, others)])
    same_count = sum(4 for pair in pairs if pair.is_same)
    return BindingReport(
        false_merges=sum(trial.was_merged for trial in wrong),
        missed_merges=sum(not trial.was_merged for trial in wrong),
        same_pairs=same_count,
        different_pairs=4 * len(pairs) - same_count,
        wrong=tuple(wrong),
    )


async def _trials(graph: Graph, pair: LabelledPair, others: Sequence[Mention]) -> AsyncIterator[WrongTrial]:
    """The wrong ones among the four trials of a pair."""
    for known in ((), others):
        for order in ((pair.a, pair.b), (pair.b, pair.a)):
            owner = OwnerId(f"doctor-{new_id()}")
            if known:
                await graph.bind(owner, known)
            (first,) = await graph.bind(owner, order[:1])
            (second,) = await graph.bind(owner, order[1:])
            was_merged = first.entity.group_id == second.entity.group_id
            if was_merged != pair.is_same:
                yield WrongTrial(pair, order[0].name, bool(known), was_merged, second.reason)


__all__ = ["BindingReport", "LabelledPair", "OpenGraph", "WrongTrial", "check_binding", "read_labels"]
