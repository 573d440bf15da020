"""Thinking is told from the answer, whatever the pieces it comes in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doso.llm.thinking import ThinkingSplitter, without_thinking


def split(*pieces: str) -> tuple[str, str]:
    splitter = ThinkingSplitter()
    parts = [splitter.feed(piece) for piece in pieces] + [splitter.finish()]
    return "".join(part.reasoning for part in parts), "".join(part.text for part in parts)


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ("<think>\nwhy\n</think>\n\nHello", "\nwhy\n", "Hello"),
        ("<THINKING>why</THINKING>Hello", "why", "Hello"),
        ("\n <think>why</think> Hello", "why", "Hello"),
        ("One.\n<think>why</think>Two.", "why", "One.\nTwo."),
        ("One <think>why</think> two.", "why", "One  two."),
        ("<think>a</think>One.\n<think>b</think>\nTwo.", "ab", "One.\n\nTwo."),
        ("<think>why `</think>`", "why `", "`"),
        ("Write `<think>` so.", "", "Write `<think>` so."),
        ("``a ` <think>``<think>b</think>", "b", "``a ` <think>``"),
        ("```xml\n<think>\n```\n<think>b</think>c", "b", "```xml\n<think>\n```\nc"),
        ("a stray ` here\n<think>b</think>c", "b", "a stray ` here\nc"),
        ('{"said": "<think>no</think>"}', "", '{"said": "<think>no</think>"}'),
        ("<think>cut in the mid", "cut in the mid", ""),
        ("I say <think> and go on", " and go on", "I say <think> and go on"),
        ("a < b, <thin and </thi", "", "a < b, <thin and </thi"),
        ("", "", ""),
        ("<think></think>", "", ""),
    ],
)
def test_thinking_and_answer(text: str, reasoning: str, answer: str) -> None:
    for pieces in ([text], list(text), [text[:7], text[7:]]):
        assert split(*pieces) == (reasoning, answer)


def test_an_ordinary_answer_is_passed_on_at_once() -> None:
    splitter = ThinkingSplitter()
    assert [splitter.feed(piece).text for piece in ("Hel", "lo\n", "you")] == ["Hel", "lo\n", "you"]


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "`", "```", "\n", "a", " ", "<", ">", "{", "think"])), st.data()
)
def test_any_cutting_gives_the_same(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    assert split(*(text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True))) == split(text)


def test_a_whole_text_may_mark_only_the_end_of_its_thinking() -> None:
    assert without_thinking("let me see\n</think>\n\n42") == "42"
    assert without_thinking("<think>let me see</think>42") == "42"
    assert without_thinking("42") == "42"
