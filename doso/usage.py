"""The record of what models used, by owner: written beside the requests, never in their way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime

import sqlalchemy as sa

from doso.accounts import metadata
from doso.db.engine import Database
from doso.errors import Unavailable
from doso.ids import OwnerId
from doso.llm.chat import Profile, TokenUsage
from doso.llm.ports import Outcome, UsageEvent
from doso.telemetry import log

#: How long events gather before they are written: one transaction for many.
GATHER_S = 0.2
#: After a failure the database is left alone for so long.
RETRY_S = 2.0
MAX_BATCH = 500
#: Events that may wait for a database that does not answer; the oldest are dropped, and the log says so.
MAX_WAITING = 20_000
MAX_LISTED = 1_000

usage_events = sa.Table(
    "usage_events",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("at_ms", sa.BigInteger, nullable=False),
    sa.Column("profile", sa.Text, nullable=False),
    sa.Column("provider", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("outcome", sa.Text, nullable=False),
    sa.Column("input_tokens", sa.BigInteger, nullable=False),
    sa.Column("output_tokens", sa.BigInteger, nullable=False),
    sa.Column("cached_tokens", sa.BigInteger, nullable=False),
    sa.Column("reasoning_tokens", sa.BigInteger, nullable=False),
    sa.Column("is_exact", sa.Boolean, nullable=False),
    sa.Column("micro_usd", sa.BigInteger, nullable=True),
    sa.Column("price_version", sa.Text, nullable=True),
    sa.Column("ttft_ms", sa.BigInteger, nullable=True),
    sa.Column("duration_ms", sa.BigInteger, nullable=False),
    sa.Column("code", sa.Text, nullable=True),
    sa.Column("is_fallback", sa.Boolean, nullable=False),
)
_NAMES = [column.name for column in usage_events.columns]
#: Written twice is written once: a database may have committed what it could not confirm. (In words, since either
#: dialect's own insert would load that dialect at each start.)
_INSERT = sa.text(
    f"INSERT INTO usage_events ({', '.join(_NAMES)}) VALUES ({', '.join(f':{name}' for name in _NAMES)}) "  # noqa: S608
    "ON CONFLICT DO NOTHING"
)


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """What an owner used since some moment. `unpriced_count` calls have no known price and are not in `micro_usd`."""

    calls_count: int
    usage: TokenUsage
    micro_usd: int
    unpriced_count: int


class UsageStore:
    """A usage sink over the database. What it was given is written within a moment, or when it closes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[UsageEvent] = []
        self._came = asyncio.Event()
        self._writing = asyncio.Lock()

    def record(self, event: UsageEvent) -> None:
        """Keep an event. Neither waits nor fails."""
        self._waiting.append(event)
        if len(self._waiting) > MAX_WAITING:
            del self._waiting[0]
            log().error("usage.dropped", reason="the database does not answer")
        self._came.set()

    async def flush(self) -> None:
        """Write what is waiting. Raises Unavailable, and then it still waits."""
        async with self._writing:
            while batch := self._waiting[:MAX_BATCH]:
                async with self._database.write() as connection:
                    await connection.execute(_INSERT, [_row(event) for event in batch])
                written = {event.id for event in batch}
                self._waiting = [event for event in self._waiting if event.id not in written]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[UsageStore]:
        """Write in the background for as long as the block lasts, and what is left at its end."""
        task = asyncio.create_task(self._run())
        try:
            yield self
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            try:
                await self.flush()
            except Unavailable:
                log().error("usage.lost", count=len(self._waiting))

    async def events(self, owner: OwnerId, *, limit: int = 100) -> tuple[UsageEvent, ...]:
        """An owner's latest events, the newest first, those that were recorded just now included."""
        await self.flush()
        newest = usage_events.select().where(usage_events.c.owner == owner)
        query = newest.order_by(usage_events.c.at_ms.desc(), usage_events.c.id.desc()).limit(min(limit, MAX_LISTED))
        async with self._database.read() as connection:
            return tuple(_event(row) for row in (await connection.execute(query)).all())

    async def totals(self, owner: OwnerId, *, since: datetime) -> UsageTotals:
        """What an owner used since a moment."""
        await self.flush()
        sums = [
            sa.func.coalesce(sa.func.sum(usage_events.c[name]), 0).label(name)
            for name in ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens", "micro_usd")
        ]
        query = sa.select(
            sa.func.count().label("calls"),
            sa.func.count(usage_events.c.micro_usd).label("priced"),
            sa.func.coalesce(sa.func.sum(sa.cast(usage_events.c.is_exact, sa.Integer)), 0).label("exact"),
            *sums,
        ).where(usage_events.c.owner == owner, usage_events.c.at_ms >= _ms(since))
        async with self._database.read() as connection:
            row = (await connection.execute(query)).one()
        return UsageTotals(
            calls_count=row.calls,
            usage=TokenUsage(
                int(row.input_tokens),
                int(row.output_tokens),
                int(row.cached_tokens),
                int(row.reasoning_tokens),
                is_exact=row.exact == row.calls,
            ),
            micro_usd=int(row.micro_usd),
            unpriced_count=row.calls - row.priced,
        )

    async def _run(self) -> None:
        while True:
            await self._came.wait()
            await asyncio.sleep(GATHER_S)
            self._came.clear()
            try:
                await self.flush()
            except Unavailable:
                log().warning("usage.waits", count=len(self._waiting))
                self._came.set()
                await asyncio.sleep(RETRY_S)


def _row(event: UsageEvent) -> dict[str, object]:
    return {
        "id": event.id,
        "owner": event.owner,
        "at_ms": _ms(event.at),
        "profile": event.profile.value,
        "provider": event.provider,
        "model": event.model,
        "outcome": event.outcome.value,
        "input_tokens": event.usage.input_tokens,
        "output_tokens": event.usage.output_tokens,
        "cached_tokens": event.usage.cached_tokens,
        "reasoning_tokens": event.usage.reasoning_tokens,
        "is_exact": event.usage.is_exact,
        "micro_usd": event.micro_usd,
        "price_version": event.price_version,
        "ttft_ms": event.ttft_ms,
        "duration_ms": event.duration_ms,
        "code": event.code,
        "is_fallback": event.is_fallback,
    }


def _event(row: sa.Row[tuple[object, ...]]) -> UsageEvent:
    values = row._mapping
    return UsageEvent(
        id=values["id"],
        owner=OwnerId(values["owner"]),
        at=datetime.fromtimestamp(values["at_ms"] / 1000, UTC),
        profile=Profile(values["profile"]),
        provider=values["provider"],
        model=values["model"],
        outcome=Outcome(values["outcome"]),
        usage=TokenUsage(
            values["input_tokens"],
            values["output_tokens"],
            values["cached_tokens"],
            values["reasoning_tokens"],
            values["is_exact"],
        ),
        micro_usd=values["micro_usd"],
        price_version=values["price_version"],
        ttft_ms=values["ttft_ms"],
        duration_ms=values["duration_ms"],
        code=values["code"],
        is_fallback=values["is_fallback"],
    )


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
