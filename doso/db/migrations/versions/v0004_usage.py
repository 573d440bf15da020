"""What calls of models used: one row for each, never what was said."""

from alembic import op

revision = "0004"
down_revision = "0003"

# micro_usd: null where no price is known. is_exact: false where the provider reported nothing and it was estimated.
STATEMENTS = """
CREATE TABLE usage_events (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    at_ms BIGINT NOT NULL,
    profile TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    outcome TEXT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cached_tokens BIGINT NOT NULL,
    reasoning_tokens BIGINT NOT NULL,
    is_exact BOOLEAN NOT NULL,
    micro_usd BIGINT,
    price_version TEXT,
    ttft_ms BIGINT,
    duration_ms BIGINT NOT NULL,
    code TEXT,
    is_fallback BOOLEAN NOT NULL
);
CREATE INDEX usage_events_owner ON usage_events (owner, at_ms);
"""


def upgrade() -> None:
    """Add the table."""
    for statement in filter(None, map(str.strip, STATEMENTS.split(";"))):
        op.execute(statement)
