"""JSON is found and read in whatever a model wraps it, and never made up."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from doso.llm.tolerant import Found, read_as, read_json


class Triples(BaseModel):
    triples: list[tuple[str, str, str]]


class Judged(BaseModel):
    verdict: bool
    why: str = ""
    marks: list[str] = Field(default_factory=list)


def whatever(value: object) -> object:
    return value


def read(text: str) -> object:
    found = read_json(text, whatever)
    return None if found is None else found.value


LIVES = ("me", "lives_in", "Jakarta")
WORKS = ("me", "works_at", "Gojek")


@pytest.mark.parametrize(
    "text",
    [
        '{"triples":[["me","lives_in","Jakarta"]]}',
        '```json\n{"triples":[["me","lives_in","Jakarta"]]}\n```',
        '```\n{"triples":[["me","lives_in","Jakarta"]]}',
        'Based on the chat {about travel}, here: {"triples":[["me","lives_in","Jakarta"]]} Hope {this} helps!',
        '[1] says so. {"triples":[["me","lives_in","Jakarta"]]} See [2].',
        '<think>{"triples":[["no","no","no"]]}</think>{"triples":[["me","lives_in","Jakarta"]]}',
        'maybe {"triples": []}?\n</think>{"triples":[["me","lives_in","Jakarta"]]}',
        '{"triples":[["me","lives_in","Jakarta",],],}',
        "{'triples': [['me', 'lives_in', 'Jakarta']]}",
        '{triples: [["me","lives_in","Jakarta"]] // where\n}',
        '{"triples":[["me","lives_in","Jakarta"]]',
        '[["me","lives_in","Jakarta"]]',
        '\ufeff {"triples":[["me","lives_in","Jakarta"]]}',
        'For example {"triples":[["a","b","c"]]}, so: {"note":1,"triples":[["me","lives_in","Jakarta"]]}',
    ],
)
def test_wrapped_or_nearly_json(text: str) -> None:
    found = read_as(text, Triples)
    assert found is not None
    assert found.value.triples == [LIVES]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I can't do that.",
        "{about travel} and [this]",
        '{"other": 1}',
        '{"triples": "none"}',
        '{"type":"object","properties":{"triples":{"type":"array"}}}',
        "{" * 5_000,
        "[" * 100_000,
        '{"a":' * 2_000,
        "__import__('os').system('true')",
    ],
)
def test_what_is_not_there_is_not_read(text: str) -> None:
    assert read_as(text, Triples) is None


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('{"triples":[["me","lives_in","Jakarta"],["me","works_at","Goj', [LIVES]),
        ('{"triples":[["me","lives_in","Jakarta"],["me","works_at","Gojek"', [LIVES]),
        ('{"triples":[["me","lives_in","Jakarta"],["me","works_at","Gojek"]', [LIVES, WORKS]),
        ('{"triples":[["me","lives_in","Jakarta"],["me","works_at"', [LIVES]),
        ('{"triples":[["me","lives_in","Jakarta"],', [LIVES]),
        ('{"triples":[["me","lives_in","Jakarta"],["me","note","' + "la " * 60_000, [LIVES]),
        ('```json\n{"triples": [["me","lives_in","Jakarta"], ["me', [LIVES]),
    ],
)
def test_of_a_cut_reply_the_whole_items_stay_and_no_other(text: str, kept: list[tuple[str, str, str]]) -> None:
    found = read_as(text, Triples)
    assert found == Found(Triples(triples=kept), is_cut=True)


@pytest.mark.parametrize("text", ['{"triples":[["me","works_at","Goj', '{"triples":[', '{"triples":', '{"tri', "{"])
def test_a_cut_reply_without_a_whole_item_is_not_a_reply_of_nothing(text: str) -> None:
    assert read_as(text, Triples) is None


def test_a_cut_item_is_dropped_even_where_what_is_left_of_it_would_do() -> None:
    text = '{"people":[{"name":"Ana","emails":["a@x"]},{"name":"Budi","emails":["b@x","c'
    assert read_json(text, whatever) == Found({"people": [{"name": "Ana", "emails": ["a@x"]}]}, is_cut=True)
    assert read('{"verdict": true, "why": "because it sa') == {"verdict": True}
    assert read('{"count": 12') == {}
    assert read('{"is": tru') == {}


def test_items_that_do_not_fit_are_left_out() -> None:
    text = json.dumps({"triples": [LIVES, ["a", "info", {"title": "x"}], ["a", None, "b"], "no", WORKS]})
    found = read_as(text, Triples)
    assert found is not None
    assert found.value.triples == [LIVES, WORKS]
    assert read_as(json.dumps({"triples": [["a", "info", {}]]}), Triples) is None


def test_a_field_that_does_not_fit_makes_the_reply_unreadable() -> None:
    assert read_as('{"verdict": "perhaps", "marks": ["S1"]}', Judged) is None
    found = read_as('{"verdict": True, "why": None or', Judged)
    assert found is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a': 'Ana\\'s cake'}", {"a": "Ana's cake"}),
        ('{"a": "it\\\'s \\_ok\\_"}', {"a": "it's _ok_"}),
        ('{"a": "one\ntwo\tthree"}', {"a": "one\ntwo\tthree"}),
        ('{"a": "C:\\\\tmp\\\\x\\n{{1, \'a\'}};"}', {"a": "C:\\tmp\\x\n{{1, 'a'}};"}),
        ('{"a": "\\ud83d\\ude00 \\ud83d!"}', {"a": "😀 !"}),
        ("{'a': '\\ud83d\\ude00 \\ud83d!',}", {"a": "😀 !"}),
        ('{"a": [1, -2.5, 1e3, true, null],}', {"a": [1, -2.5, 1000.0, True, None]}),
        ("{'a': False, 'b': None, 'c': NaN,}", {"a": False, "b": None, "c": None}),
        ('{"a": 1 /* one */, # two\n "b": 2}', {"a": 1, "b": 2}),
        ('{"a": 1e999, "b": NaN}', {"a": None, "b": None}),
        ('{"a": "He said "hi", then left", "b": "so"}', {"a": 'He said "hi", then left', "b": "so"}),
        ("{'a': 'Ana's cake', 'b': ['it's', 'Budi's']}", {"a": "Ana's cake", "b": ["it's", "Budi's"]}),
        ('{"a": "http://x//y", "b": "# no",}', {"a": "http://x//y", "b": "# no"}),
    ],
)
def test_strings_numbers_and_words(text: str, value: object) -> None:
    assert read(text) == value


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
_OBJECT = st.dictionaries(st.text(st.characters(codec="utf-8"), min_size=1, max_size=5), _JSON, min_size=1, max_size=4)


@given(_OBJECT, st.sampled_from(["", "Here it is: ", "```json\n"]), st.sampled_from(["", "\n```", " Done."]))
def test_any_object_is_read_as_it_is(value: dict[str, object], before: str, after: str) -> None:
    assert read(before + json.dumps(value) + after) == value


@given(
    st.lists(st.lists(st.text(st.characters(codec="utf-8"), max_size=5), min_size=2, max_size=3), max_size=5), st.data()
)
def test_cut_anywhere_only_whole_items_are_left(items: list[list[str]], data: st.DataObject) -> None:
    text = json.dumps({"items": items}, ensure_ascii=data.draw(st.booleans()))
    cut = data.draw(st.integers(12, len(text)))
    found = read_json(text[:cut], lambda value: value if isinstance(value, dict) else None)
    kept = found.value.get("items", []) if found is not None else []
    assert kept == items[: len(kept)]
    assert found is not None or cut < len(text)


@given(st.text(max_size=200))
def test_no_text_is_an_error(text: str) -> None:
    read_json(text, whatever)
    read_as(text, Triples)
