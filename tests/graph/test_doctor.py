"""The report on labelled names goes through the real graph and a real store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from doso.errors import InvalidInput
from graph.doctor import check_binding, read_labels
from graph.registry import open_graph_store
from graph.service import Graph

LABELS = """
{"id": "1", "kind": "case", "type_a": "PERSON", "type_b": "PERSON", "a": "maria santos", "b": "Maria Santos", "same": true}
{"id": "2", "kind": "initial", "type_a": "PERSON", "type_b": "PERSON", "a": "E. Stone", "b": "Elizabeth Stone", "same": true}
{"id": "3", "kind": "initial", "type_a": "PERSON", "type_b": "PERSON", "a": "Eric Stone", "b": "Elizabeth Stone", "same": false}
{"id": "4", "kind": "type", "type_a": "PERSON", "type_b": "ORG", "a": "Jordan", "b": "Jordan", "same": false}
{"id": "5", "kind": "acronym", "type_a": "ORG", "type_b": "ORG", "a": "IBM", "b": "International Business Machines", "same": true}
{"id": "6", "kind": "synonym", "type_a": "TOPIC", "type_b": "TOPIC", "a": "car", "b": "automobile", "same": true}
"""  # noqa: E501 - the shape of the file


async def test_trials_are_counted_in_both_orders_and_both_graphs(tmp_path: Path) -> None:
    @asynccontextmanager
    async def open_graph() -> AsyncIterator[Graph]:
        store = open_graph_store(f"sqlite:///{tmp_path / 'doctor.db'}")
        await store.prepare()
        try:
            yield Graph(store, {})
        finally:
            await store.aclose()

    report = await check_binding(read_labels(LABELS), open_graph)

    assert (report.same_pairs, report.different_pairs) == (16, 8)
    assert report.false_merges == 0
    # the initial is ambiguous beside Eric Stone (two trials), and nothing says that a car is an automobile (four)
    assert report.missed_merges == 6
    assert sorted({trial.pair.id for trial in report.wrong}) == ["2", "6"]
    assert all(trial.is_full for trial in report.wrong if trial.pair.id == "2")


@pytest.mark.parametrize(
    "line", ['{"id": "1"}', "no json", '{"id":"1","type_a":"X","type_b":"ORG","a":"a","b":"b","same":true}']
)
def test_a_line_at_fault_is_named(line: str) -> None:
    with pytest.raises(InvalidInput):
        read_labels(line)
