"""The answer out of a reply that comes in pieces."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ask.answer_field import AnswerField

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6) | st.just("answer"), inner, max_size=3)
    ),
    max_leaves=6,
)
#: Keys that would be the answer themselves are for the tests below.
OTHERS = st.dictionaries(st.text(max_size=6).filter(lambda key: key != "answer"), JSON_VALUES, max_size=3)
FENCES = st.sampled_from([("", ""), ("```json\n", "\n```"), ("```\n", "\n```\n"), ("\n  ", "\n")])


def read(pieces: list[str]) -> str:
    field = AnswerField()
    return "".join(field.feed(piece) for piece in pieces) + field.finish()


def cut(text: str, places: list[int]) -> list[str]:
    edges = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[start:end] for start, end in itertools.pairwise(edges)]


def shown(answer: str) -> str:
    """Half a surrogate pair can't be shown."""
    return answer.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@given(
    st.text(),
    OTHERS,
    OTHERS,
    FENCES,
    st.booleans(),
    st.sampled_from([None, 2]),
    st.lists(st.integers(0, 10_000), max_size=12),
)
def test_any_cut_gives_what_json_reads(
    answer: str,
    before: dict[str, object],
    after: dict[str, object],
    fence: tuple[str, str],
    is_ascii: bool,
    indent: int | None,
    places: list[int],
) -> None:
    after = {key: value for key, value in after.items() if key not in before}
    whole = json.dumps({**before, "answer": answer, **after}, ensure_ascii=is_ascii, indent=indent)
    assert json.loads(whole)["answer"] == answer
    assert read(cut(fence[0] + whole + fence[1], places)) == answer


@given(st.text(alphabet=st.characters(categories=["Cs", "Ll", "So"])), st.lists(st.integers(0, 500), max_size=8))
def test_halves_of_pairs_are_joined_or_replaced(answer: str, places: list[int]) -> None:
    whole = json.dumps({"answer": answer})
    assert read(cut(whole, places)) == shown(json.loads(whole)["answer"])


@given(
    st.text().filter(lambda text: not text.lstrip().startswith(("{", "`"))), st.lists(st.integers(0, 99), max_size=6)
)
def test_plain_prose_is_all_answer(text: str, places: list[int]) -> None:
    assert read(cut(text, places)) == text


@given(st.text(max_size=30), st.integers(0, 200))
def test_a_reply_cut_anywhere_gives_a_beginning_of_the_answer(answer: str, end: int) -> None:
    whole = json.dumps({"citations": ["S1"], "answer": answer}, ensure_ascii=False)
    start = whole.index('"answer": ') + 11
    if end >= start:
        assert answer.startswith(read([whole[:end]]).rstrip("\ufffd"))


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (r'{"answer": "a 😀 b"}', "a 😀 b"),
        (r'{"answer": "lone \ud83d end"}', "lone \ufffd end"),
        (r'{"answer": "low \ude00 end"}', "low \ufffd end"),
        (r'{"answer": "C:\\tmp\\x\n\tend \q"}', "C:\\tmp\\x\n\tend \\q"),
        ('{"answer": "a raw\nnewline"}', "a raw\nnewline"),
        (r'{"\u0061nswer": "escaped key"}', "escaped key"),
        ('{"meta": {"answer": "inner"}, "answer": "outer"}', "outer"),
        ('{"list": [{"answer": "inner"}, "}"], "answer": "outer"}', "outer"),
        ('{"s": "\\"answer\\": \\"no\\"", "answer": "yes"}', "yes"),
        ('{"n": -1.5e3, "t": true, "answer": "yes"}', "yes"),
        ('{"response": "under another name"}', "under another name"),
        ('```json\n{"text": "fenced"}\n```', "fenced"),
        ('{"answer": ["one", "two"]}', "one\ntwo"),
        ('{"answer": null}', ""),
        ('{"answer": "cut in the mid', "cut in the mid"),
        ('{"answer": "cut in an escape \\u00', "cut in an escape "),
        ("{'answer': 'Ana\\'s ferry leaves at seven.', 'citations': ['S1']}", "Ana's ferry leaves at seven."),
        ("{'tis the season} to be short.", "{'tis the season} to be short."),
        ('{"answer": 7, "text": "seven"}', "seven"),
        ('{"cit', ""),
        ('Here you are:\n{"answer": "later", "citations": []}', "Here you are:\nlater"),
        ('Here:\n```json\n{"answer": "later"}\n```', "Here:\nlater"),
        ('A set {1, 2} and {"b": 3} and `{"a"`.', 'A set {1, 2} and {"b": 3} and `{"a"`.'),
        ("{about travel} is what you asked.", "{about travel} is what you asked."),
        ("```python\nprint(1)\n```", "```python\nprint(1)\n```"),
        ("", ""),
    ],
)
def test_what_models_write(reply: str, answer: str) -> None:
    assert read([reply]) == answer
    assert read(list(reply)) == answer
