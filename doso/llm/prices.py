"""What tokens cost: a versioned book in whole micro-USD, for the vendors' own addresses only."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from doso.llm.chat import TokenUsage

#: Changes whenever a price below does; each usage event names the version it was reckoned with.
BOOK_VERSION = "2026-11-30"
#: The version of a price that the configuration states.
CONFIGURED = "configured"
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """Micro-USD for a million tokens. Cached input costs as other input does where nothing else is stated."""

    input: int
    output: int
    cached_input: int | None = None


#: By host of the vendor and name of the model; a dated name (-2024-08-06) costs as its family does.
BOOK: dict[tuple[str, str], Price] = {
    ("api.openai.com", "gpt-4o"): Price(2_500_000, 10_000_000, 1_250_000),
    ("api.openai.com", "gpt-4o-mini"): Price(150_000, 600_000, 75_000),
    ("api.openai.com", "gpt-4.1"): Price(2_000_000, 8_000_000, 500_000),
    ("api.openai.com", "gpt-4.1-mini"): Price(400_000, 1_600_000, 100_000),
    ("api.openai.com", "gpt-4.1-nano"): Price(100_000, 400_000, 25_000),
    ("api.openai.com", "gpt-5"): Price(1_250_000, 10_000_000, 125_000),
    ("api.openai.com", "gpt-5-mini"): Price(250_000, 2_000_000, 25_000),
    ("api.openai.com", "gpt-5-nano"): Price(50_000, 400_000, 5_000),
    ("api.x.ai", "grok-3"): Price(3_000_000, 15_000_000, 750_000),
    ("api.x.ai", "grok-3-mini"): Price(300_000, 500_000, 75_000),
    ("api.x.ai", "grok-4"): Price(3_000_000, 15_000_000, 750_000),
}


def price_of(base_url: str, model: str, configured: Price | None) -> tuple[Price, str] | None:
    """The price of a model and the version of the book; None when nobody stated one: unknown is not free."""
    if configured is not None:
        return configured, CONFIGURED
    host = urlsplit(base_url).hostname or ""
    found = BOOK.get((host, model)) or BOOK.get((host, _undated(model)))
    return None if found is None else (found, BOOK_VERSION)


def cost_micro_usd(usage: TokenUsage, price: Price) -> int:
    """What a call costs, rounded up. Output counts reasoning already; cached tokens are part of the input."""
    cached = min(usage.cached_tokens, usage.input_tokens)
    cached_price = price.input if price.cached_input is None else price.cached_input
    total = (usage.input_tokens - cached) * price.input + cached * cached_price + usage.output_tokens * price.output
    return -(-total // _MILLION)


def _undated(model: str) -> str:
    """The name without a date at its end: -2024-08-06 or -0125."""
    parts = model.split("-")
    while len(parts) > 1 and parts[-1].isdecimal() and len(parts[-1]) in (2, 4, 8):
        parts.pop()
    return "-".join(parts)
