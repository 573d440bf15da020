"""What Alembic runs: the steps over the connection that doso.db.migrate hands it."""

from alembic import context
from sqlalchemy import Connection


def run(connection: Connection) -> None:
    """All missing steps, in the transaction that the connection is in."""
    context.configure(connection=connection, transaction_per_migration=False)
    with context.begin_transaction():
        context.run_migrations()


if "connection" in context.config.attributes:  # Alembic executes this file, it calls nothing in it
    run(context.config.attributes["connection"])
