"""Any spelling of a predicate or a type finds its place in the vocabulary."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doso.errors import InvalidInput
from doso.records import EntityType
from graph.predicates import PREDICATES, CanonicalPredicate, Wording, canonical, describe, parse_type


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        ("works_at", CanonicalPredicate("works_at")),
        ("worksAt", CanonicalPredicate("works_at")),
        ("Works for ", CanonicalPredicate("works_at")),
        ("does_not_work_at", CanonicalPredicate("works_at", is_negated=True)),
        ("doesn't work at", CanonicalPredicate("works_at", is_negated=True)),
        ("no_longer_lives_in", CanonicalPredicate("lives_in", is_negated=True)),
        ("is_not_married_to", CanonicalPredicate("married_to", is_negated=True)),
        ("moved_to", CanonicalPredicate("lives_in")),
        ("wife_of", CanonicalPredicate("married_to")),
        ("on", CanonicalPredicate("happens_on")),
        ("visited", CanonicalPredicate("travels_to")),
        ("flies_to", CanonicalPredicate("travels_to")),
        ("younger_sibling_of", CanonicalPredicate("sibling_of")),
        ("flatmate_of", CanonicalPredicate("lives_with")),
        ("occupation", CanonicalPredicate("works_as")),
        ("owned_by", CanonicalPredicate("owns", is_inverse=True)),
        ("employs", CanonicalPredicate("works_at", is_inverse=True)),
        ("founded", CanonicalPredicate("founded_by", is_inverse=True)),
        ("tidak_bekerja_di", CanonicalPredicate("works_at", is_negated=True)),
        ("Admires Deeply", CanonicalPredicate("admires_deeply")),
    ],
)
def test_spellings_are_understood(spelling: str, expected: CanonicalPredicate) -> None:
    assert canonical(spelling) == expected


@given(st.sampled_from(sorted(PREDICATES)))
def test_the_vocabulary_reads_itself(name: str) -> None:
    assert canonical(name) == CanonicalPredicate(name)
    row = describe(name)
    assert row.name == name and row.subject_types and row.cues
    assert row.inverse is None or row.inverse in PREDICATES
    assert 0 < row.strength <= 1
    assert not row.is_symmetric or row.object_types == (EntityType.PERSON,)


@given(st.text(min_size=1, max_size=40))
def test_canonical_is_idempotent_or_refuses(text: str) -> None:
    try:
        name = canonical(text).name
    except InvalidInput:
        return
    assert canonical(name).name == name or canonical(name).is_negated


def test_one_valued_and_many_valued_predicates_as_the_vocabulary_says() -> None:
    one = {name for name, row in PREDICATES.items() if row.is_single_valued}
    assert {"named", "birthday", "lives_in", "married_to", "breed", "species", "happens_on"} <= one
    assert not one & {"works_at", "owns", "likes", "speaks", "email", "ceo_of", "attends"}


def test_an_unknown_predicate_gets_sensible_defaults() -> None:
    row = describe("admires")
    assert (row.is_single_valued, row.is_symmetric, row.wording) == (False, False, Wording.VERB)
    assert describe("is_afraid_of").wording is Wording.BE


@pytest.mark.parametrize(
    ("word", "type"),
    [
        ("Company", EntityType.ORG),
        ("person ", EntityType.PERSON),
        ("Cities", EntityType.PLACE),
        ("Concept", EntityType.TOPIC),
    ],
)
def test_types_by_other_words(word: str, type: EntityType) -> None:
    assert parse_type(word) is type


def test_an_unknown_type_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="PERSON"):
        parse_type("gizmo!")
