"""The tables of the SQLite graph. Moments are ISO text in UTC of one width, so that they sort as they lie in time."""

from __future__ import annotations

OWNERS = """
CREATE TABLE IF NOT EXISTS owners (
  no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
  entities INTEGER NOT NULL DEFAULT 0, facts INTEGER NOT NULL DEFAULT 0, candidates INTEGER NOT NULL DEFAULT 0)"""

ENTITIES = """
CREATE TABLE IF NOT EXISTS entities (
  n INTEGER PRIMARY KEY, owner INTEGER NOT NULL REFERENCES owners (no), id TEXT NOT NULL, type TEXT NOT NULL,
  name TEXT NOT NULL, group_id TEXT NOT NULL, role TEXT, context TEXT NOT NULL, created_at TEXT,
  UNIQUE (owner, id))"""
ENTITIES_GROUP = "CREATE INDEX IF NOT EXISTS entities_group ON entities (owner, group_id, id)"
ENTITIES_LISTED = "CREATE INDEX IF NOT EXISTS entities_listed ON entities (owner, type, id) WHERE id = group_id"
ENTITIES_OWNER = "CREATE UNIQUE INDEX IF NOT EXISTS entities_role ON entities (owner) WHERE role = 'owner'"

#: `given` is JSON: [[name, document, passage], …], one for each place that gave the alias.
ALIASES = """
CREATE TABLE IF NOT EXISTS aliases (
  owner INTEGER NOT NULL, key TEXT NOT NULL, type TEXT NOT NULL, context TEXT NOT NULL, entity_id TEXT NOT NULL,
  given TEXT NOT NULL, PRIMARY KEY (owner, key, type, context)) WITHOUT ROWID"""
ALIASES_ENTITY = "CREATE INDEX IF NOT EXISTS aliases_entity ON aliases (owner, entity_id)"

ALIAS_DOCUMENTS = """
CREATE TABLE IF NOT EXISTS alias_documents (
  owner INTEGER NOT NULL, document_id TEXT NOT NULL, entity_id TEXT NOT NULL,
  PRIMARY KEY (owner, document_id, entity_id)) WITHOUT ROWID"""
ALIAS_DOCUMENTS_ENTITY = "CREATE INDEX IF NOT EXISTS alias_documents_entity ON alias_documents (owner, entity_id)"

BLOCKS = """
CREATE TABLE IF NOT EXISTS blocks (
  owner INTEGER NOT NULL, block TEXT NOT NULL, entity_id TEXT NOT NULL,
  PRIMARY KEY (owner, block, entity_id)) WITHOUT ROWID"""
BLOCKS_ENTITY = "CREATE INDEX IF NOT EXISTS blocks_entity ON blocks (owner, entity_id)"

#: `embedder` is the one whose vector was stored last, so that facts without a vector are found by index.
FACTS = """
CREATE TABLE IF NOT EXISTS facts (
  n INTEGER PRIMARY KEY, owner INTEGER NOT NULL REFERENCES owners (no), id TEXT NOT NULL, key TEXT NOT NULL,
  subject_id TEXT NOT NULL, predicate TEXT NOT NULL, object_id TEXT, literal_kind TEXT, literal_text TEXT,
  status TEXT NOT NULL, confidence REAL NOT NULL, trust INTEGER NOT NULL, recorded_at TEXT NOT NULL, verified_at TEXT,
  retired_at TEXT, superseded_by TEXT, valid_from TEXT, valid_until TEXT, zone TEXT, text TEXT NOT NULL,
  embedder INTEGER, UNIQUE (owner, id))"""
FACTS_KEY = "CREATE INDEX IF NOT EXISTS facts_key ON facts (owner, key, id)"
FACTS_SUBJECT = "CREATE INDEX IF NOT EXISTS facts_subject ON facts (owner, subject_id, predicate, id)"
FACTS_OBJECT = """
CREATE INDEX IF NOT EXISTS facts_object ON facts (owner, object_id, predicate, id) WHERE object_id IS NOT NULL"""
FACTS_STATUS = "CREATE INDEX IF NOT EXISTS facts_status ON facts (owner, status, id)"
FACTS_PREDICATE = "CREATE INDEX IF NOT EXISTS facts_predicate ON facts (owner, predicate, id)"
FACTS_SUPERSEDED = """
CREATE INDEX IF NOT EXISTS facts_superseded ON facts (owner, superseded_by) WHERE superseded_by IS NOT NULL"""
FACTS_DATED = "CREATE INDEX IF NOT EXISTS facts_dated ON facts (owner, valid_from) WHERE valid_from IS NOT NULL"
FACTS_EMBEDDER = """
CREATE INDEX IF NOT EXISTS facts_embedder ON facts (owner, embedder, id) WHERE retired_at IS NULL"""

PROVENANCE = """
CREATE TABLE IF NOT EXISTS provenance (
  n INTEGER PRIMARY KEY, owner INTEGER NOT NULL, fact_id TEXT NOT NULL, document_id TEXT NOT NULL,
  passage_id TEXT NOT NULL, extractor TEXT NOT NULL, source TEXT NOT NULL, trust INTEGER NOT NULL, author TEXT,
  occurred_at TEXT, span_start INTEGER, span_end INTEGER, fingerprint TEXT,
  UNIQUE (owner, fact_id, document_id, passage_id, extractor))"""
#: Columns that a database of an earlier Doso lacks: table, column, type.
ADDED = (("provenance", "fingerprint", "TEXT"),)
PROVENANCE_DOCUMENT = """
CREATE INDEX IF NOT EXISTS provenance_document ON provenance (owner, document_id, passage_id) WHERE document_id <> ''"""

LINKS = """
CREATE TABLE IF NOT EXISTS links (
  owner INTEGER NOT NULL, a TEXT NOT NULL, b TEXT NOT NULL, kind TEXT NOT NULL,
  PRIMARY KEY (owner, a, b, kind)) WITHOUT ROWID"""
LINKS_B = "CREATE INDEX IF NOT EXISTS links_b ON links (owner, b)"

CHANGES = """
CREATE TABLE IF NOT EXISTS changes (
  owner INTEGER NOT NULL, id TEXT NOT NULL, op TEXT NOT NULL, at TEXT NOT NULL, who TEXT NOT NULL,
  reason TEXT NOT NULL, document_id TEXT, summary TEXT NOT NULL, target_id TEXT NOT NULL, before TEXT NOT NULL,
  after TEXT NOT NULL, undone_by TEXT, PRIMARY KEY (owner, id)) WITHOUT ROWID"""
CHANGES_TARGET = "CREATE INDEX IF NOT EXISTS changes_target ON changes (owner, target_id, id)"

RECEIPTS = """
CREATE TABLE IF NOT EXISTS receipts (
  owner INTEGER NOT NULL, request_id TEXT NOT NULL, body_digest TEXT NOT NULL, answer TEXT NOT NULL,
  PRIMARY KEY (owner, request_id)) WITHOUT ROWID"""

#: Every token carries its owner's number, so that one owner's search never reads another's postings. Tokens come
#: folded and stemmed; marks belong to words (Indic vowels).
FACT_SEARCH = """
CREATE VIRTUAL TABLE IF NOT EXISTS fact_search
USING fts5 (tokens, tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co So Pc'")"""
ENTITY_SEARCH = """
CREATE VIRTUAL TABLE IF NOT EXISTS entity_search
USING fts5 (tokens, tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co So Pc'")"""
#: How many rows hold a term: common ones are left out of a query before they cost anything.
TERMS = """
CREATE TABLE IF NOT EXISTS terms (
  kind TEXT NOT NULL, term TEXT NOT NULL, rows_count INTEGER NOT NULL, PRIMARY KEY (kind, term)) WITHOUT ROWID"""

EMBEDDERS = """
CREATE TABLE IF NOT EXISTS embedders (
  no INTEGER PRIMARY KEY, model TEXT NOT NULL, dimensions INTEGER NOT NULL, version TEXT NOT NULL,
  UNIQUE (model, dimensions, version))"""
#: A removed vector stays as a row without one until the index that another process holds has seen it.
FACT_VECTORS = """
CREATE TABLE IF NOT EXISTS fact_vectors (
  owner INTEGER NOT NULL, embedder INTEGER NOT NULL, fact_id TEXT NOT NULL, seq INTEGER NOT NULL, vector BLOB,
  PRIMARY KEY (owner, embedder, fact_id))"""
FACT_VECTORS_SEQ = "CREATE INDEX IF NOT EXISTS fact_vectors_seq ON fact_vectors (owner, embedder, seq)"
#: `seq` grows with each change of a row; `rows_count` counts living ones.
VECTOR_STATE = """
CREATE TABLE IF NOT EXISTS vector_state (
  owner INTEGER NOT NULL, embedder INTEGER NOT NULL, seq INTEGER NOT NULL, rows_count INTEGER NOT NULL,
  PRIMARY KEY (owner, embedder)) WITHOUT ROWID"""

SCHEMA = (
    OWNERS,
    ENTITIES,
    ENTITIES_GROUP,
    ENTITIES_LISTED,
    ENTITIES_OWNER,
    ALIASES,
    ALIASES_ENTITY,
    ALIAS_DOCUMENTS,
    ALIAS_DOCUMENTS_ENTITY,
    BLOCKS,
    BLOCKS_ENTITY,
    FACTS,
    FACTS_KEY,
    FACTS_SUBJECT,
    FACTS_OBJECT,
    FACTS_STATUS,
    FACTS_PREDICATE,
    FACTS_SUPERSEDED,
    FACTS_DATED,
    FACTS_EMBEDDER,
    PROVENANCE,
    PROVENANCE_DOCUMENT,
    LINKS,
    LINKS_B,
    CHANGES,
    CHANGES_TARGET,
    RECEIPTS,
    FACT_SEARCH,
    ENTITY_SEARCH,
    TERMS,
    EMBEDDERS,
    FACT_VECTORS,
    FACT_VECTORS_SEQ,
    VECTOR_STATE,
)
