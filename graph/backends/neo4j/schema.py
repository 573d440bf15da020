"""Constraints and indexes of the Neo4j graph, created before any data.

The model, per owner: (:Entity)<-[:NAMES]-(:Name) holds the spellings that share one key; (:NamedIn) says which document
gave an entity a name; (:Block) is a blocking key of an entity; (:Entity)-[:SUBJECT_OF]->(:Fact)-[:OBJECT]->(:Entity);
(:Fact)-[:SUPPORTED_BY]->(:Provenance); (:Fact)-[:EMBEDDED_AS]->(:FactVector); (:Hub) lists the predicates around an
entity; (:Entity)-[:LINKED]->(:Entity) is what a person equated or told apart; (:Change), (:Receipt), (:VectorSet) count
and remember; (:Owner) is what a writer locks. Reads by id or key go by property and index, never by walking a hub;
the relationships are for people who look at the graph.
"""

from __future__ import annotations

from typing import LiteralString

from doso.ids import digest
from doso.llm.ports import EmbedderInfo

FACT_SEARCH = "doso_fact_search"
ENTITY_SEARCH = "doso_entity_search"
#: Larger than any id, for pages that begin at the newest.
TOP = "\U0010ffff"

_UNIQUE = {
    "Owner": ("id",),
    "Entity": ("owner", "id"),
    "Name": ("owner", "key", "type", "context"),
    "NamedIn": ("owner", "document_id", "entity_id"),
    "Block": ("owner", "block", "entity_id"),
    "Hub": ("owner", "entity_id"),
    "Fact": ("owner", "id"),
    "Provenance": ("owner", "id"),
    "Change": ("owner", "id"),
    "Receipt": ("owner", "id"),
    "VectorSet": ("owner", "embedder"),
    "FactVector": ("owner", "embedder", "fact_id"),
}
_INDEXED = (
    ("Entity", ("owner", "group_id", "id")),
    ("Entity", ("owner", "listed_as", "id")),
    ("Entity", ("owner", "role")),
    ("Name", ("owner", "key")),
    ("Name", ("owner", "entity_id")),
    ("NamedIn", ("owner", "document_id")),
    ("NamedIn", ("owner", "entity_id")),
    ("Block", ("owner", "entity_id")),
    ("Fact", ("owner", "key")),
    ("Fact", ("owner", "subject_id", "id")),
    ("Fact", ("owner", "object_id", "id")),
    ("Fact", ("owner", "subject_id", "predicate", "status", "id")),
    ("Fact", ("owner", "object_id", "predicate", "status", "id")),
    ("Fact", ("owner", "predicate", "id")),
    ("Fact", ("owner", "status")),
    ("Fact", ("owner", "valid_from")),
    ("Fact", ("owner", "superseded_by")),
    ("Provenance", ("owner", "document_id")),
    ("Change", ("owner", "target_id", "id")),
)
#: Tokens come folded and stemmed: this analyzer only splits them at the blanks between them.
_FULLTEXT = """
CREATE FULLTEXT INDEX {name} IF NOT EXISTS FOR (n:{label}) ON EACH [n.search, n.scope]
OPTIONS {{indexConfig: {{`fulltext.analyzer`: 'whitespace'}}}}
"""
_VECTOR = """
CREATE VECTOR INDEX {name} IF NOT EXISTS FOR (v:FactVector) ON (v.{name})
OPTIONS {{indexConfig: {{`vector.dimensions`: {dimensions}, `vector.similarity_function`: 'cosine'}}}}
"""
NAMES: LiteralString = "SHOW INDEXES YIELD name"
AWAIT_INDEXES: LiteralString = "CALL db.awaitIndexes(50)"


def statements() -> dict[str, str]:
    """Every statement that makes the schema, by the name of the index it makes; each may be repeated."""
    made: dict[str, str] = {}
    for label, properties in _UNIQUE.items():
        name = f"doso_{label.lower()}"
        made[name] = f"CREATE CONSTRAINT {name} IF NOT EXISTS FOR (n:{label}) REQUIRE ({_of(properties)}) IS UNIQUE"
    for label, properties in _INDEXED:
        name = f"doso_{label.lower()}_{'_'.join(properties)}"
        made[name] = f"CREATE INDEX {name} IF NOT EXISTS FOR (n:{label}) ON ({_of(properties)})"
    made[FACT_SEARCH] = _FULLTEXT.format(name=FACT_SEARCH, label="Fact")
    made[ENTITY_SEARCH] = _FULLTEXT.format(name=ENTITY_SEARCH, label="Entity")
    return made


def embedder_key(info: EmbedderInfo) -> str:
    """The name of an embedder's vector index, and of the property that it indexes."""
    return f"v_{digest(chr(31).join((info.model, str(info.dimensions), info.version)))[:16]}"


def vector_index(info: EmbedderInfo) -> str:
    """The statement that makes the vector index of an embedder."""
    return _VECTOR.format(name=embedder_key(info), dimensions=int(info.dimensions))


def _of(properties: tuple[str, ...]) -> str:
    return ", ".join(f"n.{name}" for name in properties)
