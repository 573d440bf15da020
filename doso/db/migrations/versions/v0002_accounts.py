"""Users, their hashed keys, runtime settings."""

from alembic import op

revision = "0002"
down_revision = "0001"

# Moments are milliseconds since 1970, UTC.
TABLES = """
CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, created_ms BIGINT NOT NULL);
CREATE TABLE api_keys (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id), label TEXT NOT NULL, secret_hash TEXT NOT NULL,
    permissions TEXT NOT NULL, created_ms BIGINT NOT NULL, revoked_ms BIGINT);
CREATE INDEX api_keys_newest ON api_keys (created_ms, id);
CREATE TABLE runtime_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""


def upgrade() -> None:
    """Create the tables."""
    for statement in filter(None, map(str.strip, TABLES.split(";"))):
        op.execute(statement)
