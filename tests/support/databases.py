"""A migrated, empty database of either engine."""

from __future__ import annotations

from sqlalchemy import text

from doso.db.engine import Database, open_database
from doso.db.migrate import upgrade

#: Every table that the library and the receipts write.
TABLES = (
    "owners",
    "documents",
    "messages",
    "passages",
    "stale_passages",
    "search_terms",
    "vector_indexes",
    "passage_vectors",
    "embedding_queue",
    "passage_search",
    "operations",
)


async def empty_database(url: str) -> Database:
    """Open, migrate and empty it."""
    database = open_database(url)
    await upgrade(database)
    if not database.is_sqlite:
        async with database.write() as connection:
            await connection.execute(text(f"TRUNCATE {', '.join(TABLES)} RESTART IDENTITY"))
    return database


async def row_counts(database: Database) -> dict[str, int]:
    """How many rows each table has."""
    async with database.read() as connection:
        return {name: (await connection.execute(text(f"SELECT COUNT(*) FROM {name}"))).scalar_one() for name in TABLES}
