"""One reply is read from chunks however a server writes them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doso.llm.chat import FinishReason, ReasoningDelta, TextDelta, TokenUsage, ToolCallDelta
from doso.llm.ports import ProviderEnd
from doso.llm.providers.chunks import ChunkReader, UnreadableError, parse_chunk, usage_of
from doso.llm.sse import SseDecoder
from tests.support.provider import chunk, sse
from tests.support.provider import usage_of as reported


def read(*chunks: object) -> tuple[ChunkReader, list[object]]:
    reader = ChunkReader()
    events: list[object] = []
    for one in chunks:
        events.extend(reader.read(parse_chunk(one if isinstance(one, str) else json.dumps(one))))
    events.extend(reader.end())
    return reader, events


def text_of(events: list[object]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def calls_of(events: list[object]) -> list[tuple[str | None, str | None, str]]:
    """Id, name and arguments of each call, put together as a client does."""
    calls: dict[int, tuple[str | None, str | None, str]] = {}
    for event in events:
        if isinstance(event, ToolCallDelta):
            id_, name, arguments = calls.get(event.index, (None, None, ""))
            calls[event.index] = (event.id or id_, event.name or name, arguments + event.arguments)
    return [calls[index] for index in sorted(calls)]


def call(index: object = 0, *, id: object = None, name: object = None, arguments: object = "") -> dict[str, object]:
    piece: dict[str, object] = {"index": index, "id": id, "function": {"name": name, "arguments": arguments}}
    return chunk({"tool_calls": [{key: value for key, value in piece.items() if value is not ...}]})


def test_deltas_of_every_shape() -> None:
    _, events = read(
        {"choices": []},
        {},
        {"choices": None},
        {"choices": [None]},
        chunk({"role": "assistant"}),
        chunk({"content": "A"}),
        chunk({"role": None, "content": "B"}),
        chunk({"role": "", "content": None}),
        chunk(None),
        {"choices": [{"delta": {"content": "C"}}]},
        {"choices": [{"index": 1, "delta": {"content": "other"}}]},
        chunk({"content": [{"type": "text", "text": "D"}, {"type": "thinking"}]}),
        {"error": None, "choices": [{"index": 0, "delta": {"content": "E"}, "finish_reason": ""}]},
        chunk({}, "stop"),
    )
    assert events == [TextDelta("A"), TextDelta("B"), TextDelta("C"), TextDelta("D"), TextDelta("E")]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thinking_comes_by_either_name(field: str) -> None:
    _, events = read(chunk({"content": "A", field: "why"}), chunk({"content": "", field: " so"}), chunk({}, "stop"))
    assert events == [ReasoningDelta("why"), TextDelta("A"), ReasoningDelta(" so")]


def test_thinking_by_both_names_comes_once() -> None:
    _, events = read(
        chunk({"reasoning": "why", "reasoning_content": "why"}), chunk({"reasoning_content": "", "reasoning": "!"})
    )
    assert events == [ReasoningDelta("why"), ReasoningDelta("!")]


def test_thinking_in_tags_is_no_text() -> None:
    _, events = read(
        *(chunk({"content": piece}) for piece in ("<th", "ink>w", "hy</thi", "nk>\n\nA", "B")), chunk({}, "stop")
    )
    assert text_of(events) == "AB"
    assert "".join(event.text for event in events if isinstance(event, ReasoningDelta)) == "why"


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("stop", FinishReason.STOP),
        ("STOP", FinishReason.STOP),
        ("eos", FinishReason.STOP),
        ("length", FinishReason.LENGTH),
        ("max_tokens", FinishReason.LENGTH),
        ("content_filter", FinishReason.CONTENT_FILTER),
    ],
)
def test_reasons_in_other_words(said: str, reason: FinishReason) -> None:
    reader, _ = read(chunk({"content": "A"}), chunk({}, said))
    assert reader.provider_end.reason is reason


def test_after_the_finish_only_usage_counts() -> None:
    reader, events = read(
        chunk({"content": "A"}),
        chunk({"content": "B"}, "length"),
        chunk({}, "stop"),
        chunk({"content": "late"}),
        {"choices": [], "usage": reported(7, 3, cached=2, reasoning=1)},
    )
    assert events == [TextDelta("A"), TextDelta("B")]
    assert reader.provider_end.reason is FinishReason.LENGTH
    assert reader.provider_end.usage == TokenUsage(7, 3, 2, 1)


@pytest.mark.parametrize(
    ("usage", "read_as"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 4}, TokenUsage(3, 4)),
        ({"prompt_tokens": 9, "completion_tokens": 4, "prompt_cache_hit_tokens": 5}, TokenUsage(9, 4, 5)),
        ({"prompt_tokens": 3, "completion_tokens": 4, "prompt_tokens_details": None}, TokenUsage(3, 4)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, None),
        ({"prompt_tokens": -1, "completion_tokens": 4}, None),
        ({"prompt_tokens": "3", "completion_tokens": 4}, None),
        ({"prompt_tokens": 3}, None),
        ({"prompt_tokens": True, "completion_tokens": 2}, None),
        ([], None),
    ],
)
def test_usage_that_makes_no_sense_is_none(usage: object, read_as: TokenUsage | None) -> None:
    assert usage_of(usage) == read_as


def test_halves_of_characters_are_put_together_or_left_out() -> None:
    first, second = '{"choices":[{"delta":{"content":"a\\ud83d"}}]}', '{"choices":[{"delta":{"content":"\\ude00b"}}]}'
    _, events = read(first, second)
    assert text_of(events) == "a😀b"
    _, events = read(first, chunk({"content": "b"}), second)
    assert text_of(events) == "abb"
    _, events = read('{"choices":[{"delta":{"content":"\\ude00\\ud83d"},"finish_reason":"stop"}]}')
    assert text_of(events) == ""


def test_line_ends_of_unicode_are_text() -> None:
    _, events = read(chunk({"content": "a\u2028b\u2029c\u0085d\u000be"}))
    assert text_of(events) == "a\u2028b\u2029c\u0085d\u000be"


@pytest.mark.parametrize("data", ["", "{", "[]", "<html>", '{"choices": 3}', "{" * 100_000, "nan"])
def test_what_is_no_chunk(data: str) -> None:
    with pytest.raises(UnreadableError):
        parse_chunk(data)


# ── tool calls ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_call_without_id_gets_one_and_its_name_is_not_doubled() -> None:
    reader, events = read(
        call(name="web_search", arguments='{"'),
        call(name="web_search", arguments='q":"cuaca"}'),
        chunk({}, "tool_calls"),
    )
    [(id_, name, arguments)] = calls_of(events)
    assert (name, arguments) == ("web_search", '{"q":"cuaca"}')
    assert id_ is not None
    assert id_.startswith("call_")
    assert reader.provider_end.reason is FinishReason.TOOL_CALLS
    assert not reader.has_cut_call


def test_nulls_do_not_wipe_what_is_known() -> None:
    _, events = read(
        call(id="call_a", name="fetch"),
        call(arguments='{"url":'),
        call(arguments='"https://a.test"}'),
        chunk({}, "tool_calls"),
    )
    assert calls_of(events) == [("call_a", "fetch", '{"url":"https://a.test"}')]


@pytest.mark.parametrize("index", [0, None, ...])
def test_calls_that_share_a_number_or_have_none_are_told_apart(index: object) -> None:
    _, events = read(
        call(index, id="a", name="f", arguments='{"x":1}'),
        call(index, id="b", name="f", arguments='{"x":'),
        call(index, arguments="2}"),
        call(index, id="c", name="g", arguments=""),
        call(index, id="d", name="h", arguments="{}"),
        chunk({}, "stop"),
    )
    assert calls_of(events) == [("a", "f", '{"x":1}'), ("b", "f", '{"x":2}'), ("c", "g", "{}"), ("d", "h", "{}")]


def test_a_new_id_with_each_piece_makes_no_new_call() -> None:
    _, events = read(
        call(id="a", name="f", arguments='{"x"'),
        call(id="b", name="f", arguments=":1"),
        call(id="c", name="f", arguments="}"),
    )
    assert calls_of(events) == [("a", "f", '{"x":1}')]


def test_calls_that_come_mixed_stay_apart() -> None:
    _, events = read(
        call(0, id="a", name="f", arguments='{"x":'), call(1, id="b", name="g", arguments="{}"), call(0, arguments="1}")
    )
    assert calls_of(events) == [("a", "f", '{"x":1}'), ("b", "g", "{}")]


def test_a_call_without_arguments_gets_empty_ones() -> None:
    reader, events = read(call(id="a", name="now", arguments=None), chunk({}, "tool_calls"))
    assert calls_of(events) == [("a", "now", "{}")]
    assert not reader.has_cut_call


def test_arguments_as_an_object_become_text() -> None:
    _, events = read(call(id="a", name="f", arguments={"x": "é"}), chunk({}, "stop"))
    assert calls_of(events) == [("a", "f", '{"x": "é"}')]


def test_cut_arguments_are_known_as_such() -> None:
    reader, _ = read(call(id="a", name="f", arguments='{"x": "hal'), chunk({}, "length"))
    assert reader.has_cut_call
    assert reader.provider_end.reason is FinishReason.LENGTH


def test_a_whole_message_is_read_like_a_stream() -> None:
    calls = [
        {"id": "a", "function": {"name": "f", "arguments": ""}},
        {"function": {"name": "f", "arguments": "{}"}},
        "nonsense",
    ]
    message = {"role": "assistant", "content": "<think>why</think>A", "tool_calls": calls}
    reader, events = read({"choices": [{"message": message, "finish_reason": "stop"}], "usage": reported(1, 2)})
    assert text_of(events) == "A"
    assert [(name, arguments) for _, name, arguments in calls_of(events)] == [("f", "{}"), ("f", "{}")]
    assert reader.provider_end.reason is FinishReason.TOOL_CALLS


# ── any cutting ──────────────────────────────────────────────────────────────────────────────────────────────────────

_TEXTS = st.text(st.characters(codec="utf-8") | st.sampled_from("<>`/\n{think"), max_size=12)
_DELTAS = st.lists(
    st.fixed_dictionaries({}, optional={"content": _TEXTS | st.none(), "reasoning_content": _TEXTS, "role": st.none()}),
    max_size=6,
)


def whole(*pieces: bytes) -> tuple[str, str, ProviderEnd]:
    """Text, thinking and end of a stream."""
    decoder, reader = SseDecoder(), ChunkReader()
    events: list[object] = []
    for data in [one for piece in pieces for one in decoder.feed(piece)] + decoder.finish():
        events.extend(reader.read(parse_chunk(data)))
    events.extend(reader.end())
    thoughts = "".join(event.text for event in events if isinstance(event, ReasoningDelta))
    return text_of(events), thoughts, reader.provider_end


@given(_DELTAS, st.sampled_from(["\n", "\r", "\r\n"]), st.booleans(), st.data())
def test_any_cutting_of_the_bytes_gives_the_same_reply(
    deltas: list[dict[str, object]], end: str, is_ascii: bool, data: st.DataObject
) -> None:
    chunks = [*(chunk(delta) for delta in deltas), chunk({}, "stop")]
    lines = (f"data: {json.dumps(one, ensure_ascii=is_ascii)}{end}{end}" for one in chunks)
    stream = "".join(lines).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=15)))
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert whole(*pieces) == whole(stream)


@given(_DELTAS)
def test_nothing_of_a_reply_is_lost(deltas: list[dict[str, object]]) -> None:
    """What is neither a tag nor a blank line around thinking comes out, as text or as thinking."""
    said = "".join(str(delta.get("content") or "") for delta in deltas)
    thought = "".join(str(delta.get("reasoning_content") or "") for delta in deltas)
    text, reasoning, _ = whole(*sse(*(chunk(delta) for delta in deltas), chunk({}, "stop")))
    if "<" not in said:
        assert (text, reasoning) == (said.lstrip(), thought)
