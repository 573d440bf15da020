"""The library: documents, messages, passages, search rows, vectors, work still to do, receipts."""

from alembic import op

revision = "0001"
down_revision = None

# Moments are microseconds since 1970, UTC, on both engines. {serial} never gives a number twice.
TABLES = """
CREATE TABLE owners (
    number {serial}, owner TEXT NOT NULL UNIQUE,
    passages BIGINT NOT NULL DEFAULT 0, tokens BIGINT NOT NULL DEFAULT 0,
    stored_work BIGINT NOT NULL DEFAULT 0, embedded_work BIGINT NOT NULL DEFAULT 0,
    extracted_work BIGINT NOT NULL DEFAULT 0);
CREATE TABLE documents (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, uri TEXT NOT NULL, title TEXT NOT NULL, source TEXT NOT NULL,
    kind TEXT NOT NULL, state TEXT NOT NULL, content_hash TEXT NOT NULL, head_hash TEXT NOT NULL,
    created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, author TEXT, occurred_at BIGINT, chat_id TEXT, zone TEXT,
    external_id TEXT, passages_count BIGINT NOT NULL DEFAULT 0, error TEXT, text TEXT NOT NULL,
    details TEXT NOT NULL, operation_id TEXT, UNIQUE (owner, uri));
CREATE INDEX documents_newest ON documents (owner, created_at, id);
CREATE INDEX documents_chat ON documents (owner, chat_id);
CREATE INDEX documents_deleting ON documents (owner) WHERE state = 'deleting';
CREATE TABLE messages (
    document_id TEXT NOT NULL, id TEXT NOT NULL, owner TEXT NOT NULL, author TEXT NOT NULL, text TEXT NOT NULL,
    sent_at BIGINT, reply_to TEXT, is_owner SMALLINT NOT NULL, content_hash TEXT NOT NULL,
    sort_at BIGINT NOT NULL, arrival BIGINT NOT NULL, PRIMARY KEY (document_id, id));
CREATE INDEX messages_order ON messages (document_id, sort_at, arrival);
CREATE TABLE passages (
    seq {serial}, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, document_id TEXT NOT NULL, ordinal BIGINT NOT NULL,
    text TEXT NOT NULL, offset_start BIGINT NOT NULL, offset_end BIGINT NOT NULL, content_hash TEXT NOT NULL,
    message_id TEXT, part BIGINT NOT NULL, author TEXT, occurred_at BIGINT, is_owner SMALLINT NOT NULL,
    sort_at BIGINT NOT NULL, arrival BIGINT NOT NULL, needs_extraction SMALLINT NOT NULL DEFAULT 1);
CREATE INDEX passages_order ON passages (document_id, ordinal);
CREATE INDEX passages_time ON passages (owner, occurred_at);
CREATE INDEX passages_message ON passages (document_id, message_id);
CREATE INDEX passages_unread ON passages (owner, document_id) WHERE needs_extraction = 1;
CREATE TABLE stale_passages (passage_id TEXT PRIMARY KEY, owner TEXT NOT NULL, document_id TEXT NOT NULL);
CREATE INDEX stale_passages_document ON stale_passages (owner, document_id);
CREATE TABLE search_terms (term TEXT PRIMARY KEY, passages BIGINT NOT NULL){clustered};
CREATE TABLE vector_indexes (
    id {serial}, owner TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('active', 'building')),
    model TEXT NOT NULL, dimensions BIGINT NOT NULL, version TEXT NOT NULL,
    embedded BIGINT NOT NULL DEFAULT 0, failed BIGINT NOT NULL DEFAULT 0,
    change BIGINT NOT NULL DEFAULT 0, removals BIGINT NOT NULL DEFAULT 0, error TEXT,
    created_at BIGINT NOT NULL, UNIQUE (owner, state));
CREATE TABLE passage_vectors (
    index_id BIGINT NOT NULL, seq BIGINT NOT NULL, owner TEXT NOT NULL, content_hash TEXT NOT NULL,
    dimensions BIGINT NOT NULL, change BIGINT NOT NULL, is_listed SMALLINT NOT NULL, vector {vector} NOT NULL,
    PRIMARY KEY (index_id, seq));
CREATE INDEX passage_vectors_change ON passage_vectors (index_id, change);
CREATE INDEX passage_vectors_seq ON passage_vectors (seq);
CREATE TABLE embedding_queue (
    number {serial}, seq BIGINT NOT NULL, slot TEXT NOT NULL, owner TEXT NOT NULL, error TEXT, UNIQUE (seq, slot));
CREATE INDEX embedding_queue_next ON embedding_queue (owner, slot, number) WHERE error IS NULL;
CREATE TABLE operations (
    id TEXT PRIMARY KEY, owner TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL, stored BIGINT NOT NULL DEFAULT 0, unchanged BIGINT NOT NULL DEFAULT 0,
    skipped_count BIGINT NOT NULL DEFAULT 0, skipped TEXT NOT NULL DEFAULT '[]', notes TEXT NOT NULL DEFAULT '[]',
    facts BIGINT NOT NULL DEFAULT 0, tokens BIGINT NOT NULL DEFAULT 0, document_ids TEXT NOT NULL DEFAULT '[]',
    error TEXT, request_id TEXT, body_digest TEXT NOT NULL, work BIGINT, payload TEXT, UNIQUE (owner, request_id));
CREATE INDEX operations_open ON operations (owner) WHERE state IN ('queued', 'running');
"""

SQLITE_SEARCH = """
CREATE VIRTUAL TABLE passage_search USING fts5(
    body, title, tags, detail=none, columnsize=0, tokenize="ascii tokenchars '_.:'")
"""

POSTGRES_SEARCH = """
CREATE TABLE passage_search (seq BIGINT PRIMARY KEY, body TEXT NOT NULL, title TEXT NOT NULL, terms TSVECTOR NOT NULL);
CREATE INDEX passage_search_terms ON passage_search USING GIN (terms);
"""


def upgrade() -> None:
    """Make everything."""
    if op.get_bind().dialect.name == "sqlite":
        kinds = {"serial": "INTEGER PRIMARY KEY AUTOINCREMENT", "vector": "BLOB", "clustered": " WITHOUT ROWID"}
        script = TABLES.format(**kinds) + SQLITE_SEARCH
    else:
        op.execute("CREATE EXTENSION IF NOT EXISTS vector")
        serial = "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"
        script = TABLES.format(serial=serial, vector="VECTOR", clustered="") + POSTGRES_SEARCH
    for statement in filter(None, (part.strip() for part in script.split(";"))):
        op.execute(statement)
