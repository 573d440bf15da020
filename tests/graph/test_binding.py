"""Which entity a mention means, by the rules alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doso.errors import InvalidInput
from doso.ids import EntityId, OwnerId
from doso.records import Alias, Entity, EntityType, Mention
from graph.aliases import alias_keys
from graph.binding import Decision, choose, thread_block, thread_blocks
from graph.names import name_key

PERSON, ORG, PRODUCT, TOPIC = EntityType.PERSON, EntityType.ORG, EntityType.PRODUCT, EntityType.TOPIC


def entity(name: str, *others: str, type: EntityType = PERSON, context: str = "", group: str = "") -> Entity:
    id = EntityId(f"{type.value}/{name}/{context}")
    aliases = tuple(Alias(other, name_key(other)) for other in (name, *others))
    return Entity(id, OwnerId("o"), type, name, EntityId(group) if group else id, aliases, context=context)


def decide(
    name: str,
    known: Sequence[Entity],
    *,
    type: EntityType = PERSON,
    thread: str | None = None,
    context: str = "",
    forbidden: Sequence[Entity] = (),
    configured: dict[str, str] | None = None,
) -> Decision:
    key = name_key(name)
    exact = [one for one in known if any(alias.key == key for alias in one.aliases)]
    near = [one for one in known if one not in exact]
    mention = Mention(name, type, thread=thread, context=context)
    return choose(mention, exact, near, configured=configured or {}, forbidden={one.id for one in forbidden})


def test_the_exact_key_wins_and_says_so() -> None:
    ana = entity("Ana Torres")
    decision = decide("ana torres", [ana, entity("Ana Prieto")])
    assert (decision.entity, decision.rule) == (ana, "key")


def test_an_initial_binds_to_the_one_person_it_fits_and_to_nobody_among_two() -> None:
    elizabeth, eric = entity("Elizabeth Stone"), entity("Eric Stone")
    assert decide("E. Stone", [elizabeth]).entity == elizabeth
    decision = decide("E. Stone", [elizabeth, eric])
    assert (decision.entity, decision.rule) == (None, "ambiguous")
    assert set(decision.candidates) == {elizabeth.id, eric.id}


def test_an_initial_stays_ambiguous_when_one_of_two_also_goes_by_a_short_name() -> None:
    known = [entity("Elizabeth Stone", "Liz Stone"), entity("Eric Stone")]
    assert decide("E. Stone", known).entity is None


def test_a_short_name_of_two_people_binds_to_neither() -> None:
    assert decide("Sam Lee", [entity("Samuel Lee"), entity("Samantha Lee")]).rule == "ambiguous"


def test_a_weak_alias_does_not_draw_in_somebody_else() -> None:
    assert decide("Eric Stone", [entity("Elizabeth Stone", "E. Stone")]).entity is None
    assert decide("Alexandra Petrov", [entity("Alexander Petrov", "Sasha Petrov")]).entity is None
    assert decide("John A. Doe", [entity("John Doe", "John T. Doe")]).entity is None


def test_a_weak_name_of_a_group_does_not_draw_in_somebody_else() -> None:
    known = [entity("E. Stone", group="g"), entity("Eric Stone", group="g")]
    assert decide("Elizabeth Stone", known).entity is None


def test_two_equated_entities_are_one_candidate() -> None:
    known = [entity("Samuel Lee", group="g"), entity("Samantha Lee", group="g")]
    assert decide("Sam Lee", known).rule == "near"


def test_a_person_who_was_told_apart_is_never_chosen() -> None:
    john = entity("John Doe")
    assert decide("John T. Doe", [john]).entity == john
    assert decide("John T. Doe", [john], forbidden=[john]).entity is None
    assert decide("John Doe", [john], forbidden=[john]).entity is None


def test_a_bare_first_name_binds_in_its_thread_only() -> None:
    stone = entity("Elizabeth Stone")
    assert decide("Elizabeth", [stone]).entity is None
    assert decide("Elizabeth", [stone]).candidates == (stone.id,)
    decision = decide("Elizabeth", [stone], thread="t1")
    assert (decision.entity, decision.rule) == (stone, "first_name")
    assert decide("Liz", [stone], thread="t1").entity == stone
    assert decide("Dr Stone", [stone], thread="t1").entity == stone


def test_a_bare_first_name_of_two_people_in_a_thread_stays_apart() -> None:
    known = [entity("Alex Wong"), entity("Alex Wirawan")]
    decision = decide("Alex", known, thread="t1")
    assert (decision.entity, set(decision.candidates)) == (None, {one.id for one in known})


def test_a_thread_block_is_shared_by_first_and_full_name() -> None:
    assert thread_block("t1", "Elizabeth") == thread_block("t1", "Elizabeth Stone")
    assert thread_block("t1", "Elizabeth") != thread_block("t2", "Elizabeth")
    assert thread_blocks("t1", "Dr. Stone") & thread_blocks("t1", "Elizabeth Stone")


def test_namesakes_are_told_apart_by_context() -> None:
    plain, accounting = entity("Ana"), entity("Ana", context="accounting")
    assert decide("Ana", [plain, accounting]).entity == plain
    assert decide("Ana", [plain, accounting], context="accounting").entity == accounting
    assert decide("Ana", [plain], context="accounting").entity is None


def test_a_topic_is_the_one_product_of_exactly_its_name_and_never_a_person() -> None:
    product = entity("GraphKit", type=PRODUCT)
    assert decide("graphkit", [product], type=TOPIC).entity == product
    assert decide("GraphKit", [entity("GraphKit", type=TOPIC)], type=PRODUCT).entity is not None
    assert decide("Jordan", [entity("Jordan")], type=TOPIC).entity is None
    assert decide("Jordan", [entity("Jordan", type=EntityType.PLACE)], type=TOPIC).entity is None
    assert decide("Amazon", [product, entity("Amazon", type=ORG)], type=PRODUCT).entity is None
    two = [entity("Mercury", type=ORG), entity("Mercury", type=PRODUCT)]
    assert decide("Mercury", two, type=TOPIC).entity is None


def test_a_word_for_a_kind_of_thing_never_binds_to_a_name() -> None:
    bank = entity("Bank of America", type=ORG)
    stolen = entity("PT Astra", "company", type=ORG)
    assert decide("the bank", [bank], type=ORG).entity is None
    assert decide("company", [stolen], type=ORG).entity is None
    assert decide("the bank", [entity("bank", type=ORG)], type=ORG).entity is not None


def test_a_configured_alias_binds_after_the_exact_name() -> None:
    ibm = entity("International Business Machines", type=ORG)
    configured = alias_keys({"Big Blue": "International Business Machines"})
    decision = decide("big blue", [ibm], type=ORG, configured=configured)
    assert (decision.entity, decision.rule) == (ibm, "configured")
    own = entity("Big Blue", type=ORG)
    assert decide("Big Blue", [ibm, own], type=ORG, configured=configured).entity == own


@pytest.mark.parametrize("aliases", [{"A": " "}, {"A": "B", "B": "A"}, {"the bank": "Bank of America"}])
def test_aliases_that_mean_nothing_are_refused(aliases: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        alias_keys(aliases)


def test_a_chain_of_aliases_leads_to_its_last_name() -> None:
    assert alias_keys({"A": "B", "B": "C"}) == {"a": "c", "b": "c"}


NAMES = st.sampled_from(
    [
        "Elizabeth Stone",
        "E. Stone",
        "Liz Stone",
        "Stone, Elizabeth",
        "Elizabth Stone",
        "Eric Stone",
        "Elizabeth",
        "Dr. Stone",
    ]
)


@settings(deadline=None)  # word lists are read on first use
@given(NAMES, NAMES)
def test_choosing_is_symmetric(a: str, b: str) -> None:
    assert (decide(a, [entity(b)]).entity is None) == (decide(b, [entity(a)]).entity is None)
