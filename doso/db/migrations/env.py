"""What Alembic runs: the steps over the connection that doso.db.migrate hands it."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], transaction_per_migration=False)
with context.begin_transaction():
    context.run_migrations()
