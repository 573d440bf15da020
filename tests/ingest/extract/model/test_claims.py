"""Whatever JSON a model answers with: claims, or nothing, never an exception."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doso.records import EntityType, Literal, LiteralKind
from ingest.extract.model.claims import MAX_CLAIMS, MAX_VALUE_CHARS, Claim, claims_of, read_claims


def triples(reply: object) -> list[tuple[str, str, str | Literal]]:
    return [(claim.subject, claim.predicate, claim.object) for claim in claims_of(reply)]


def test_a_fact_as_it_was_asked_for() -> None:
    fact = {
        "passage": "P2",
        "quote": "I moved to Porto in May 2026",
        "subject": "me",
        "subject_type": "PERSON",
        "predicate": "lives_in",
        "object": "Porto",
        "object_type": "PLACE",
        "valid_from": "2026-05-01",
        "valid_until": None,
        "negated": False,
        "confidence": 0.9,
    }
    assert claims_of({"facts": [fact]}) == (
        Claim(
            "me",
            "lives_in",
            "Porto",
            EntityType.PERSON,
            EntityType.PLACE,
            mark=2,
            quote="I moved to Porto in May 2026",
            confidence=0.9,
            valid_from="2026-05-01",
        ),
    )


@pytest.mark.parametrize(
    "reply",
    [
        {"triples": [["me", "lives_in", "Porto"]]},
        [["me", "lives_in", "Porto"]],
        [{"subject": "me", "predicate": "lives_in", "object": "Porto"}],
        {"relations": [{"source": "me", "target": "Porto", "type": "lives_in"}]},
        {"edges": [{"from": "me", "to": "Porto", "label": "lives_in"}]},
        {"triples": [{"head": "me", "relation": "lives_in", "tail": "Porto"}]},
        {"subject": "me", "predicate": "lives_in", "object": "Porto"},
        {"facts": [], "triples": [["me", "lives_in", "Porto", "0.9"]]},
        {
            "entities": [{"id": 0, "name": "me"}, {"id": 1, "name": "Porto"}],
            "edges": [{"source": 0, "target": 1, "type": "lives_in"}],
        },
        {
            "entities": [{"id": "a", "name": "me"}, {"id": "b", "name": "Porto"}],
            "relations": [{"source": "a", "target": "b", "type": "lives_in"}],
        },
    ],
    ids=str,
)
def test_other_dialects_say_the_same(reply: object) -> None:
    assert triples(reply) == [("me", "lives_in", "Porto")]


@pytest.mark.parametrize(
    "item",
    [
        ["me", "lives_in"],
        ["me", "", "Porto"],
        ["", "lives_in", "Porto"],
        [" ", "lives_in", "Porto"],
        ["me", "lives_in", None],
        ["me", "lives_in", ""],
        [1, "lives_in", "Porto"],
        ["me", 3, "Porto"],
        "me lives in Porto",
        None,
        7,
        {"source": 0, "target": 6, "type": "SISTER_OF"},
        {"source": None, "target": 0, "type": ""},
        {"subject": "x" * 500, "predicate": "is", "object": "long"},
        ["Toko", "info", {"title": "Toko Abadi", "type": "string", "description": "name of the shop"}],
        ["Toko", "info", {"properties": {"name": {"type": "string"}}}],
        ["Toko", "info", {"$ref": "#/$defs/Fact"}],
        ["Toko", "info", {"a": None}],
        ["Toko", "info", float("nan")],
        ["Toko", "info", "x" * (MAX_VALUE_CHARS + 1)],
    ],
    ids=str,
)
def test_what_can_be_no_claim_falls_away_alone(item: object) -> None:
    assert triples({"triples": [item, ["me", "likes", "tea"]]}) == [("me", "likes", "tea")]


def test_a_pointer_to_no_entity_makes_no_edge() -> None:
    reply = {
        "entities": [{"id": 0, "name": "Ana"}],
        "relations": [{"source": 0, "target": 6, "type": "SISTER_OF"}, {"source": None, "target": 0, "type": ""}],
    }
    assert claims_of(reply) == ()


def test_values_are_primitive_or_json_text_without_nulls() -> None:
    reply = {"triples": [["Toko", "opening", {"mon": "9-17", "sun": None}], ["Toko", "tags", ["bread", None, 3]]]}
    assert triples(reply) == [
        ("Toko", "opening", Literal('{"mon":"9-17"}', LiteralKind.JSON)),
        ("Toko", "tags", "bread"),
        ("Toko", "tags", Literal("3", LiteralKind.NUMBER)),
    ]


def test_what_repeats_is_one_claim_and_a_runaway_is_bounded() -> None:
    assert len(claims_of({"triples": [["Tuti", "sells", "batik"]] * 3000})) == 1
    assert len(claims_of({"triples": [["Tuti", "sells", f"batik {n}"] for n in range(3000)]})) == MAX_CLAIMS


@pytest.mark.parametrize(
    "reply", [None, "text", 3, [1], ["P1"], {}, {"about": "travel"}, {"items": ["a"]}, {"error": "no"}]
)
def test_what_is_no_list_of_facts_is_not_taken_for_an_empty_one(reply: object) -> None:
    assert read_claims(reply) is None


@pytest.mark.parametrize("reply", [[], {"facts": []}, {"triples": []}])
def test_an_empty_list_says_that_there_is_nothing(reply: object) -> None:
    assert read_claims(reply) == ()


_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["facts", "triples", "subject", "object", "predicate", "source", "type", "x"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=30,
)


@given(_JSON)
def test_any_json_is_read_without_an_exception(reply: object) -> None:
    for claim in read_claims(reply) or ():
        assert claim.subject.strip()
        assert claim.predicate.strip()
        assert len(claim.object if isinstance(claim.object, str) else claim.object.text) <= MAX_VALUE_CHARS
