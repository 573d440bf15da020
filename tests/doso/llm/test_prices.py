"""Costs are whole micro-USD, and an unknown price is not free."""

from __future__ import annotations

from doso.llm.chat import TokenUsage
from doso.llm.prices import BOOK, BOOK_VERSION, CONFIGURED, Price, cost_micro_usd, price_of


def test_tokens_cost_by_their_kind() -> None:
    price = Price(input=2_500_000, output=10_000_000, cached_input=1_250_000)
    assert cost_micro_usd(TokenUsage(1_000, 100), price) == 2_500 + 1_000
    assert cost_micro_usd(TokenUsage(1_000, 100, cached_tokens=400), price) == 1_500 + 500 + 1_000
    assert cost_micro_usd(TokenUsage(1_000, 0, cached_tokens=400), Price(2_500_000, 0)) == 2_500


def test_a_part_of_a_micro_usd_counts_as_one() -> None:
    assert cost_micro_usd(TokenUsage(1, 0), Price(1, 1)) == 1
    assert cost_micro_usd(TokenUsage(0, 0), Price(1, 1)) == 0


def test_more_cached_tokens_than_input_are_not_paid_back() -> None:
    assert cost_micro_usd(TokenUsage(10, 0, cached_tokens=99), Price(1_000_000, 0, 100_000)) == 1


def test_the_configured_price_stands_above_the_book() -> None:
    price = Price(1, 2)
    assert price_of("https://api.openai.com/v1", "gpt-4o", price) == (price, CONFIGURED)


def test_the_book_knows_models_at_their_vendor_only() -> None:
    book = BOOK[("api.openai.com", "gpt-4o")]
    assert price_of("https://api.openai.com/v1", "gpt-4o", None) == (book, BOOK_VERSION)
    assert price_of("https://api.openai.com/v1", "gpt-4o-2024-08-06", None) == (book, BOOK_VERSION)
    assert price_of("https://other.test/v1", "gpt-4o", None) is None
    assert price_of("https://api.openai.com/v1", "gpt-9", None) is None
