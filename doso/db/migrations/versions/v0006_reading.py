"""Passages that wait for a model are found by index, as those are that wait for the rules."""

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the index."""
    op.execute("CREATE INDEX passages_unread_by_model ON passages (owner, document_id) WHERE needs_extraction = 2")
