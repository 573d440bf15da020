"""Measuring of one model's part in a request: how long, how much, how it ended."""

from __future__ import annotations

import time
from collections.abc import Callable

from doso.clock import Clock
from doso.ids import OwnerId, new_id
from doso.llm.chat import ModelRequest, Profile, TokenUsage
from doso.llm.config import ModelConfig
from doso.llm.ports import Outcome, ProviderEnd, ProviderEvent, UsageEvent
from doso.llm.prices import cost_micro_usd, price_of
from doso.text import token_count

#: What the frame of a message costs beside its text.
_FRAME_TOKENS = 4


class Meter:
    """Watches the events of one candidate's call, repeats included."""

    def __init__(
        self,
        owner: OwnerId,
        profile: Profile,
        config: ModelConfig,
        request: ModelRequest,
        *,
        is_fallback: bool,
        clock: Clock,
        now_s: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._owner, self._profile, self._config, self._request = owner, profile, config, request
        self._is_fallback = is_fallback
        self._now_s = now_s
        self._at = clock()
        self._began_s = now_s()
        self._first_s: float | None = None
        self._chars = 0
        self._reported: TokenUsage | None = None

    @property
    def has_begun(self) -> bool:
        """Whether anything of a reply was seen."""
        return self._first_s is not None

    def see(self, event: ProviderEvent) -> None:
        """Count an event."""
        if self._first_s is None:
            self._first_s = self._now_s()
        if isinstance(event, ProviderEnd):
            self._reported = event.usage
        else:
            self._chars += len(event.arguments if hasattr(event, "arguments") else event.text)

    def usage(self) -> TokenUsage:
        """What the provider reported, else an estimate, marked as one."""
        if self._reported is not None:
            return self._reported
        if not self.has_begun:
            return TokenUsage(is_exact=False)
        return TokenUsage(_prompt_tokens(self._request), -(-self._chars // 4), is_exact=False)

    def event(self, outcome: Outcome, code: str | None = None) -> UsageEvent:
        """What is recorded at the end."""
        usage = self.usage()
        priced = price_of(self._config.base_url, self._config.model, self._config.price)
        return UsageEvent(
            id=new_id(),
            owner=self._owner,
            at=self._at,
            profile=self._profile,
            provider=self._config.name,
            model=self._config.model,
            outcome=outcome,
            usage=usage,
            micro_usd=None if priced is None else cost_micro_usd(usage, priced[0]),
            price_version=None if priced is None else priced[1],
            ttft_ms=None if self._first_s is None else _ms(self._first_s - self._began_s),
            duration_ms=_ms(self._now_s() - self._began_s),
            code=code,
            is_fallback=self._is_fallback,
        )


def _prompt_tokens(request: ModelRequest) -> int:
    texts = sum(token_count(message.text) + _FRAME_TOKENS for message in request.messages)
    calls = sum(token_count(call.arguments) for message in request.messages for call in message.tool_calls)
    return texts + calls + token_count(request.tools or "")


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
