"""A question is checked when it is made."""

from datetime import datetime
from typing import Any

import pytest

from ask.question import Question, Scope, ScopeMode
from doso.errors import InvalidInput
from doso.ids import OwnerId

OWNER = OwnerId("ana")


@pytest.mark.parametrize("text", ["", "  \t\n ", "\u200b\u2060\ufeff", "\u00ad\u180e"])
def test_a_question_without_anything_visible_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Question(OWNER, text)
    assert caught.value.param == "question"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("text", "x" * 8_001),
        ("max_tokens", 99),
        ("max_tokens", 32_001),
        ("limit", 0),
        ("limit", 201),
        ("timezone", "Mars/Olympus"),
        ("timezone", "../etc"),
        ("as_of", datetime(2026, 1, 1)),  # noqa: DTZ001
    ],
)
def test_what_is_out_of_bounds_is_refused(field: str, value: Any) -> None:
    with pytest.raises(InvalidInput):
        Question(**{"owner": OWNER, "text": "Where?", field: value})


@pytest.mark.parametrize(
    ("mode", "chats"),
    [
        (ScopeMode.GLOBAL, ("a",)),
        (ScopeMode.PREFERRED, ()),
        (ScopeMode.PREFERRED, tuple("abcdef")),
        (ScopeMode.STRICT_CHAT, ()),
        (ScopeMode.STRICT_CHAT, ("a", "b")),
        (ScopeMode.STRICT_CHAT, (" ",)),
    ],
)
def test_a_scope_has_the_chats_its_mode_takes(mode: ScopeMode, chats: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput):
        Scope(mode, chats)
