"""Facts read as sentences a person would write."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from doso.ids import EntityId, OwnerId
from doso.records import Entity, EntityType, Literal, LiteralKind
from graph.prose import fact_text, spell_date

NOW = datetime(2026, 6, 1, tzinfo=UTC)
PERSON, PET, ORG, PLACE, EVENT, PRODUCT = (
    EntityType.PERSON, EntityType.PET, EntityType.ORG, EntityType.PLACE, EntityType.EVENT, EntityType.PRODUCT,
)  # fmt: skip


def one(name: str, type: EntityType = PERSON, role: str | None = None) -> Entity:
    return Entity(EntityId(name), OwnerId("o"), type, name, EntityId(name), role=role)


ME = one("You", role="owner")
ANA = one("Ana")


def day(text: str) -> Literal:
    return Literal(text, LiteralKind.DATE)


def said(
    subject: Entity,
    predicate: str,
    object: Entity | Literal,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    zone: str | None = None,
) -> str:
    return fact_text(predicate, subject, object, valid_from=since, valid_until=until, zone=zone, now=NOW)


@pytest.mark.parametrize(
    ("subject", "predicate", "object", "sentence"),
    [
        (ME, "named", Literal("Mara Lindqvist"), "Your name is Mara Lindqvist"),
        (one("the rabbit", PET), "named", Literal("Clover"), "The rabbit's name is Clover"),
        (ME, "nickname", Literal("Raf"), "You go by Raf"),
        (one("Katarina"), "nickname", Literal("Kat"), "Katarina goes by Kat"),
        (ME, "pronouns", Literal("they/them"), "Your pronouns are they/them"),
        (ME, "birthday", day("1991-02-14"), "Your birthday is 14 February 1991"),
        (one("Lena"), "birthday", day("12-24"), "Lena's birthday is 24 December"),
        (ME, "age", Literal("34"), "You are 34"),
        (ME, "lives_in", one("Porto", PLACE), "You live in Porto"),
        (one("Nadia"), "lives_in", one("Ghent", PLACE), "Nadia lives in Ghent"),
        (ME, "height", Literal("1.80 m"), "You are 1.80 m tall"),
        (one("Rex", PET), "weight", Literal("31 kg"), "Rex weighs 31 kg"),
        (ME, "works_at", one("Netflix", ORG), "You work at Netflix"),
        (ANA, "works_at", one("Netflix", ORG), "Ana works at Netflix"),
        (ME, "works_as", Literal("paramedic"), "You are a paramedic"),
        (one("Kenji"), "works_as", Literal("architect"), "Kenji is an architect"),
        (one("Ratih"), "studies_at", one("Undip", ORG), "Ratih studies at Undip"),
        (one("Ingrid"), "manages", ME, "Ingrid manages you"),
        (ME, "member_of", one("the Harbour Choir", ORG), "You are a member of the Harbour Choir"),
        (ME, "married_to", one("Lena"), "You are married to Lena"),
        (ME, "partner_of", one("Nadia"), "Nadia is your partner"),
        (one("Laras"), "partner_of", one("Dimas"), "Laras is Dimas's partner"),
        (one("Nadia"), "cousin_of", ME, "Nadia is your cousin"),
        (ME, "mother_of", one("Mia"), "You are Mia's mother"),
        (one("Dr. Okafor"), "doctor_of", ME, "Dr. Okafor is your doctor"),
        (ME, "has_pet", one("Rex", PET), "You have a pet, Rex"),
        (one("Rex", PET), "breed", Literal("beagle"), "Rex's breed is beagle"),
        (one("Miso", PET), "species", Literal("cat"), "Miso is a cat"),
        (one("Vantera", ORG), "founded_by", ME, "Vantera was founded by you"),
        (one("Kompas Gramedia", ORG), "founded_in", day("1965"), "Kompas Gramedia was founded in 1965"),
        (one("Kompas Gramedia", ORG), "owns", one("Hotel Santika", ORG), "Kompas Gramedia owns Hotel Santika"),
        (one("SR-2023-052", PRODUCT), "status", Literal("closed"), "SR-2023-052 is closed"),
        (one("my party", EVENT), "happens_on", day("2026-09-12"), "Your party is on 12 September 2026"),
        (one("Vantera", ORG), "is_a", Literal("payroll startup"), "Vantera is a payroll startup"),
        (one("Norrland Rail", ORG), "located_in", one("Umeå", PLACE), "Norrland Rail is in Umeå"),
        (ANA, "favorite_color", Literal("teal"), "Ana's favorite color is teal"),
        (ME, "prefers", one("tea", EntityType.TOPIC), "You prefer tea"),
        (ANA, "admires", one("Leo"), "Ana admires Leo"),
        (ANA, "is_afraid_of", one("spiders", EntityType.TOPIC), "Ana is afraid of spiders"),
    ],
)  # fmt: skip
def test_a_fact_reads_as_the_vocabulary_says(
    subject: Entity, predicate: str, object: Entity | Literal, sentence: str
) -> None:
    assert said(subject, predicate, object) == sentence


def test_what_is_over_stands_in_the_past_with_its_dates() -> None:
    since, until = datetime(2019, 1, 1, tzinfo=UTC), datetime(2021, 12, 31, tzinfo=UTC)
    kestrel = one("Kestrel Air", ORG)
    assert said(ME, "works_at", kestrel, since=since, until=until) == "You worked at Kestrel Air from 2019 to 2021"
    assert said(ANA, "works_as", Literal("nurse"), until=until) == "Ana was a nurse until 2021"
    assert said(ME, "married_to", ANA, until=until) == "You were married to Ana until 2021"


def test_days_are_those_of_the_zone_in_which_they_were_said() -> None:
    since = datetime(2019, 12, 31, 17, tzinfo=UTC)
    malang = one("Malang", PLACE)
    assert said(ANA, "lives_in", malang, since=since, zone="Asia/Jakarta") == "Ana lives in Malang as of 2020"
    assert said(ANA, "lives_in", malang, since=since) == "Ana lives in Malang as of 31 December 2019"


def test_an_occasion_stands_on_its_day() -> None:
    future, past = datetime(2026, 11, 9, tzinfo=UTC), datetime(2026, 3, 20, tzinfo=UTC)
    assert said(ME, "attends", one("the Lantern Conference", EVENT), since=future) == (
        "You attend the Lantern Conference on 9 November 2026"
    )
    assert said(ME, "travels_to", one("Vienna", PLACE), since=past) == "You travelled to Vienna on 20 March 2026"
    assert said(ME, "event", Literal("broke arm"), since=past) == "You broke arm on 20 March 2026"


@pytest.mark.parametrize(("subject", "object"), [(one(" "), ANA), (ANA, Literal("  ")), (ANA, one(""))])
def test_an_empty_side_gives_no_sentence(subject: Entity, object: Entity | Literal) -> None:
    assert said(subject, "knows", object) == ""


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("1991-02-14", "14 February 1991"),
        ("12-24", "24 December"),
        ("2020-03", "March 2020"),
        ("1965", "1965"),
        ("soon", "soon"),
    ],
)
def test_dates_are_spelled_out(text: str, spelled: str) -> None:
    assert spell_date(text) == spelled
