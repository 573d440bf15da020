"""Receipts tell what is still to come; counting a thread's messages and closing receipts look at few rows."""

from alembic import op

revision = "0003"
down_revision = "0002"

# unread, unembedded: why reading for facts or embedding does not get on, as long as it doesn't.
STATEMENTS = """
ALTER TABLE operations ADD COLUMN unread TEXT;
ALTER TABLE operations ADD COLUMN unembedded TEXT;
CREATE INDEX operations_unread ON operations (owner) WHERE unread IS NOT NULL;
CREATE INDEX operations_unembedded ON operations (owner) WHERE unembedded IS NOT NULL;
CREATE INDEX messages_arrival ON messages (document_id, arrival);
"""


def upgrade() -> None:
    """Add columns and indexes."""
    for statement in filter(None, map(str.strip, STATEMENTS.split(";"))):
        op.execute(statement)
