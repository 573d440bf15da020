"""A question as the engine takes it: checked once, valid ever after."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from doso.errors import InvalidInput
from doso.ids import OwnerId
from doso.records import Source
from doso.text import is_blank

MAX_QUESTION_CHARS = 8_000
MAX_HISTORY_TURNS = 20
MAX_PREFERRED_CHATS = 5
MIN_TOKENS, DEFAULT_TOKENS, MAX_TOKENS = 100, 2_000, 32_000
DEFAULT_ITEMS, MAX_ITEMS = 20, 200


class ScopeMode(StrEnum):
    """How far a question reaches."""

    GLOBAL = "global"
    PREFERRED = "preferred"  # these chats first, everything else when they hold nothing
    STRICT_CHAT = "strict_chat"  # one chat and nothing else


class SearchMode(StrEnum):
    """Which searches a question runs."""

    HYBRID = "hybrid"  # words, meaning and the graph around the names
    VECTOR = "vector"  # nearness of meaning alone; where that can't be had it is an error
    LEXICAL = "lexical"  # words and the graph; the embedder is not asked


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to look: the whole memory, or some chats of it. Raises InvalidInput for a wrong number of chats."""

    mode: ScopeMode = ScopeMode.GLOBAL
    chat_ids: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        bounds = {
            ScopeMode.GLOBAL: (0, 0),
            ScopeMode.PREFERRED: (1, MAX_PREFERRED_CHATS),
            ScopeMode.STRICT_CHAT: (1, 1),
        }
        least, most = bounds[self.mode]
        if not least <= len(self.chat_ids) <= most:
            raise InvalidInput(
                f"Scope {self.mode} takes {least} to {most} chats, not {len(self.chat_ids)}.", param="scope"
            )
        if any(is_blank(chat_id) for chat_id in self.chat_ids):
            raise InvalidInput("A chat id can't be blank.", param="scope")


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier message of the conversation in which a question is asked."""

    role: str  # user, assistant
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, by whom, how widely and how much of an answer fits. Raises InvalidInput when it can't be asked."""

    owner: OwnerId
    text: str
    scope: Scope = Scope()
    history: tuple[Turn, ...] = ()
    max_tokens: int = DEFAULT_TOKENS
    limit: int = DEFAULT_ITEMS
    include_candidates: bool = False
    as_of: datetime | None = None
    timezone: str = "UTC"
    sources: frozenset[Source] | None = None
    mode: SearchMode = SearchMode.HYBRID

    def __post_init__(self) -> None:
        if is_blank(self.text):
            raise InvalidInput("The question is blank.", param="question")
        if len(self.text) > MAX_QUESTION_CHARS:
            raise InvalidInput(f"The question is longer than {MAX_QUESTION_CHARS} characters.", param="question")
        if len(self.history) > MAX_HISTORY_TURNS:
            raise InvalidInput(f"More than {MAX_HISTORY_TURNS} earlier turns.", param="history")
        if not MIN_TOKENS <= self.max_tokens <= MAX_TOKENS:
            raise InvalidInput(f"max_tokens must be {MIN_TOKENS} to {MAX_TOKENS}.", param="max_tokens")
        if not 1 <= self.limit <= MAX_ITEMS:
            raise InvalidInput(f"limit must be 1 to {MAX_ITEMS}.", param="limit")
        if self.as_of is not None and self.as_of.tzinfo is None:
            raise InvalidInput("as_of needs an offset.", param="as_of")
        _ = self.zone

    @property
    def zone(self) -> ZoneInfo:
        """The asker's zone. Raises InvalidInput for a name that is none."""
        try:
            return ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise InvalidInput(f"{self.timezone!r} is not an IANA time zone.", param="timezone") from error
