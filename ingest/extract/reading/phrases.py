"""Noun phrases: who or what a clause speaks of, and what the phrase itself states ("my sister Ana")."""

# ruff: noqa: PLR0911, PLR0912, PLR0917 - a rule of grammar returns at the first form that fits
from __future__ import annotations

from dataclasses import replace

from ingest.extract.reading.animals import Animal, animal_at, pet_facts
from ingest.extract.reading.apposed import apposed, is_possessive, may_follow
from ingest.extract.reading.line import Line
from ingest.extract.reading.names import CLOSED, TITLES, name_at
from ingest.extract.reading.nouns import (
    CALLED_ALONE,
    FAVOURITES,
    FEMALE_NOUNS,
    FORMER,
    MALE_NOUNS,
    MODIFIERS,
    NARROW_FAVOURITES,
    PAIRS,
    PERSON,
    PET,
    PLURALS,
    PRODUCT,
    Bond,
    attribute_at,
    bond_of,
)
from ingest.extract.reading.phrase import Phrase, bond_facts
from ingest.extract.reading.records import Term
from ingest.extract.reading.verbphrase import opens_verb
from ingest.extract.reading.words import ADVERBS, FIRST, FIRST_MANY, MY, STOPS, THEIRS, THIRD
from ingest.extract.reading.world import World

MAX_THING_WORDS = 6


def phrase_at(line: Line, at: int, world: World) -> Phrase | None:
    """The noun phrase that begins here, coordinated ones together."""
    first = _single(line, at, world)
    if first is None:
        return None
    found, sure = [first], first.is_sure
    end = first.end
    while (joined := _joint(line, end)) and first.attribute is None and not first.is_thing:
        more = _single(line, joined, world) if line.norm(joined) not in THIRD else None
        if more is None or more.attribute is not None or more.is_thing:
            break
        found.append(more)
        sure = sure and more.is_sure
        end = more.end
    if line.norm(end) in ("both", "each", "all") and len(found) > 1:
        end += 1
    if len(found) == 1:
        return first
    terms = tuple(term for one in found for term in one.terms)
    facts = tuple(fact for one in found for fact in one.facts)
    is_unclear = any(one.is_unclear for one in found)
    return replace(
        first, terms=terms, end=end, facts=facts, is_sure=sure, is_unclear=is_unclear, noun="", span=line.span(at, end)
    )


def _joint(line: Line, at: int) -> int:
    """Where the next of several nouns would begin, 0 when there is no next."""
    if line.norm(at) in ("and", "&", "dan"):
        return at + 1
    if line.norm(at) == "sama" and line.norm(at + 1) not in ("dengan", "sekali"):
        return at + 1
    if line.norm(at) == ",":
        after = at + 1 + (line.norm(at + 1) in ("and", "dan"))
        rest = line.norms[after:]
        return after if any(word in ("and", "dan") for word in rest[:6]) or line.norm(at + 1) in ("and", "dan") else 0
    return 0


def _single(line: Line, at: int, world: World) -> Phrase | None:
    if at >= len(line):
        return None
    norm = line.norm(at)
    if norm in FIRST_MANY or (norm in FIRST and not (norm == "saya" and line.norm(at + 1) in FIRST)):
        if world.speaker is None:
            return None
        end = at + 1 + (line.norm(at + 1) in ("sekeluarga", "berdua", "semua", "both"))
        return Phrase((world.speaker,), end, span=line.span(at, end))
    if norm in MY and world.speaker is not None:
        return _possessed(line, at + 1, world.speaker, world, start=at)
    if norm in THEIRS and (norm != "her" or at + 1 < len(line)):
        owners = world.meant(norm)
        if not owners:
            return _of_nobody(line, at, world)
        found = _possessed(line, at + 1, owners[0], world, start=at)
        return replace(found, is_unclear=len(owners) > 1) if found else None
    if norm in THIRD:
        return _pronoun(line, at, world)
    return (
        _called_alone(line, at, world)
        or _indonesian(line, at, world)
        or _named(line, at, world)
        or _described(line, at)
    )


def _of_nobody(line: Line, at: int, world: World) -> Phrase | None:
    """ "its conductor, Leif": whoever it belongs to, the name is said; "his name is Pancho" of an animal just got."""
    if world.pending is not None and line.norm(at + 1) == "name" and line.norm(at) != "their":
        pet = world.pending
        return Phrase(
            (pet[0],), at + 2, pet[1], attribute="named", noun="name", is_named=False, span=line.span(at, at + 2)
        )
    bond = bond_of(line.norm(at + 1))
    if bond is None:
        return None
    found = _bearer(
        line, at, at + 2, line.said(at, at + 2).casefold(), replace(bond, predicate=""), Term("", PERSON), world
    )
    return found if found is not None and found.is_named else None


def _pronoun(line: Line, at: int, world: World) -> Phrase | None:
    norm = line.norm(at)
    meant = world.meant(norm)
    if not meant:
        return None
    if norm in ("they", "them", "mereka"):
        group = world.latest()
        return Phrase(group or meant, at + 1, is_unclear=len(group) > 2, span=line.span(at, at + 1))
    return Phrase(meant[:1], at + 1, is_unclear=len(meant) > 1, span=line.span(at, at + 1))


def _called_alone(line: Line, at: int, world: World) -> Phrase | None:
    """ "Dad", said without "my": the speaker's."""
    norm, token = line.norm(at), line.tokens[at]
    if norm not in CALLED_ALONE or world.speaker is None or line.norm(at + 1) in FIRST | THEIRS | {"dia"}:
        return None
    if line.norm(at + 1) and line.tokens[at + 1].is_capital and line.norm(at + 1) not in CLOSED:
        return None  # Oma Johanna, Ibu Ratna
    word = token.text.casefold()
    owned = (
        f"{word} saya"
        if norm in ("ibu", "ayah", "bapak", "mama", "nenek", "kakek") and token.norm == word and word not in ("mama",)
        else f"my {word}"
    )
    return _bearer(line, at, at + 1, owned, bond_of(norm), world.speaker, world)


def _possessed(line: Line, at: int, owner: Term, world: World, *, start: int) -> Phrase | None:
    """What stands behind "my", "Ana's" or "her"."""
    noun_at = at
    while line.norm(noun_at) in MODIFIERS and noun_at - at < 3 and not _is_noun(line, noun_at):
        noun_at += 1
    if line.norm(noun_at) in FORMER:
        return _former(line, noun_at, owner, world, start=start)
    paired = PAIRS.get((line.norm(noun_at), line.norm(noun_at + 1)))
    if paired and bond_of(paired):
        return _bearer(
            line, start, noun_at + 2, line.said(start, noun_at + 2).casefold(), bond_of(paired), owner, world
        )
    found = attribute_at(line.norms, noun_at)
    favourite = (
        _favourite(line, noun_at)
        if line.norm(noun_at) == "favourite" or (noun_at > at and line.norm(noun_at - 1) == "favourite")
        else None
    )
    if favourite:
        return Phrase(
            (owner,),
            favourite[1],
            attribute=favourite[0],
            noun=line.norm(favourite[1] - 1),
            span=line.span(start, favourite[1]),
        )
    if found and not (found[0] == "drives" and line.norm(found[1]) not in ("is", "'s", "adalah", ":")):
        end = found[1]
        return Phrase((owner,), end, attribute=found[0], noun=line.norm(end - 1), span=line.span(start, end))
    bond = bond_of(line.norm(noun_at))
    if bond is not None:
        return _bearer(line, start, noun_at + 1, line.said(start, noun_at + 1).casefold(), bond, owner, world)
    animal = animal_at(line, noun_at)
    if animal is not None:
        return _animal(line, start, noun_at, animal, owner, world)
    return _thing(line, at, start)


def _is_noun(line: Line, at: int) -> bool:
    return bond_of(line.norm(at)) is not None or (animal_at(line, at) is not None and line.norm(at) not in MODIFIERS)


def _favourite(line: Line, at: int) -> tuple[str, int] | None:
    """ "favourite food": its predicate and end."""
    at += line.norm(at) == "favourite"
    for end in (at + 1, at + 2):
        noun = line.norm(end - 1)
        for word in (noun, noun.removesuffix("s")):
            if word in FAVOURITES:
                return _favourite_predicate(word), end
    return ("likes", at + 1) if line.norm(at) and line.norm(at) not in CLOSED else None


def _favourite_predicate(noun: str) -> str:
    return "likes" if noun in NARROW_FAVOURITES else FAVOURITES[noun]


def _former(line: Line, at: int, owner: Term, world: World, *, start: int) -> Phrase | None:
    """ "my ex Tomas", "my former boss Ana": known, but the bond is over."""
    noun = line.norm(at)
    end = at + 1
    if bond_of(line.norm(end)):
        noun, end = line.norm(end), end + 1
    bond = Bond(noun, "", False, is_known=False)
    return _bearer(line, start, end, line.said(start, end).casefold(), bond, owner, world)


def _bearer(
    line: Line, start: int, end: int, owned: str, bond: Bond | None, owner: Term, world: World
) -> Phrase | None:
    """Somebody by what they are to the owner, with their name (several have several) when it follows."""
    if bond is None:
        return None
    if line.norm(end) == "'s" and is_possessive(line, end):
        term = Term(owned, PERSON, line.span(start, end))
        inner = _possessed(line, end + 1, term, world, start=start)
        if inner is not None:
            facts = (*bond_facts(bond, term, owner, line.span(start, end)), *inner.facts)
            return replace(inner, facts=facts, is_named=inner.attribute is None and inner.is_named)
    names, close = apposed(line, end, world, is_many=bond.noun in PLURALS)
    known = world.named_as(owned) if not names else None
    if known is not None:
        return Phrase((known,), end, noun="", span=line.span(start, end))
    terms = names or (Term(owned, PERSON, line.span(start, end)),)
    sex = "female" if bond.noun in FEMALE_NOUNS else "male" if bond.noun in MALE_NOUNS else ""
    for term in terms:
        world.name(term, sex)
    facts = tuple(fact for term in terms for fact in bond_facts(bond, term, owner, line.span(start, close)))
    is_claim = bool(names) and "nama" in line.norms[end:close]
    span = line.span(start, close)
    return Phrase(terms, close, facts, noun=bond.noun, is_named=bool(names), owner=owner, is_claim=is_claim, span=span)


def owned_at(line: Line, at: int, owner: Term, world: World) -> Phrase | None:
    """A noun of people here, as somebody's."""
    return _bearer(line, at, at + 1, line.said(at, at + 1).casefold(), bond_of(line.norm(at)), owner, world)


def _animal(line: Line, start: int, at: int, animal: Animal, owner: Term, world: World) -> Phrase | None:
    if line.norm(animal.end) == "'s" and is_possessive(line, animal.end):
        term = Term(line.said(start, animal.end).casefold(), PET, line.span(start, animal.end))
        inner = _possessed(line, animal.end + 1, term, world, start=start)
        return inner and replace(inner, facts=pet_facts(owner, term, animal, term.span), is_named=False)
    names, end = apposed(line, animal.end, world, is_many=line.norm(animal.end - 1).endswith("s"))
    if not names:
        term = Term(line.said(start, animal.end).casefold(), PET, line.span(start, animal.end))
        world.name(term)
        facts = pet_facts(owner, term, animal, term.span)
        return Phrase((term,), animal.end, facts, noun=line.norm(at), is_named=False, span=line.span(start, animal.end))
    pets = tuple(replace(name, type=PET) for name in names)
    for pet in pets:
        world.name(pet)
    facts = tuple(fact for pet in pets for fact in pet_facts(owner, pet, animal, line.span(start, end)))
    is_claim = "nama" in line.norms[animal.end : end]
    return Phrase(pets, end, facts, noun=line.norm(at), is_claim=is_claim, span=line.span(start, end))


def _thing(line: Line, at: int, start: int) -> Phrase | None:
    """ "my passport", "my sister's wedding": a thing by the words for it."""
    end = at
    while end < len(line) and end - at < MAX_THING_WORDS and line.tokens[end].is_word:
        if (
            line.norm(end) in STOPS | {"is", "was"}
            or (line.norm(end) in ADVERBS and end > at)
            or line.tokens[end].norm == "'s"
        ):
            break
        end += 1
    if end == at:
        return None
    text = line.said(start, end)
    term = Term(
        text if any(token.is_capital for token in line.tokens[start + 1 : end]) else text.casefold(),
        PRODUCT,
        line.span(start, end),
    )
    return Phrase((term,), end, is_thing=True, noun=line.norm(end - 1), span=line.span(start, end))


def _described(line: Line, at: int) -> Phrase | None:
    """ "the spare key"."""
    if line.norm(at) not in ("the", "this"):
        return None
    found = _thing(line, at + 1, at + 1)
    return replace(found, is_named=False) if found else None


def _named(line: Line, at: int, world: World) -> Phrase | None:
    name = name_at(line, at, is_lower=world.is_lower, is_thing=True)
    if name is None:
        return None
    if world.is_lower and not may_follow(line, name.end):
        return None
    type = world.type_of(name.text) or PERSON
    term = Term(name.text, type, line.span(name.start, name.end))
    if line.norm(name.end) in ("'s", "'") and is_possessive(line, name.end):
        return _possessed(line, name.end + 1, term, world, start=at)
    place, end = _told_apart(line, name.end)
    if place:
        return Phrase((replace(term, context=place),), end, is_sure=name.is_sure, span=line.span(at, end))
    return Phrase(
        (term,), name.end, is_sure=name.is_sure or world.type_of(name.text) is not None, span=line.span(at, name.end)
    )


def _told_apart(line: Line, at: int) -> tuple[str, int]:
    """ "Ana from accounting": what tells a namesake apart, said small between the name and its verb."""
    end = at + 1 + (line.norm(at + 1) == "the")
    if line.norm(at) not in ("from", "in", "dari") or end >= len(line) or line.tokens[end].is_capital:
        return "", at
    word = line.norm(end)
    if word in CLOSED or not opens_verb(line, end + 1) or not line.tokens[end].is_word:
        return "", at
    return word, end + 1


def _indonesian(line: Line, at: int, world: World) -> Phrase | None:
    """Noun before possessor: "adik saya Ratih", "nama saya", "ibunya Budi"."""
    paired = PAIRS.get((line.norm(at), line.norm(at + 1)))
    bond = bond_of(paired) if paired else bond_of(line.norm(at))
    animal = animal_at(line, at) if bond is None else None
    attribute = attribute_at(line.norms, at) if bond is None and animal is None else None
    if bond is not None:
        end = at + (2 if paired else 1)
        while line.norm(end) in MODIFIERS:
            end += 1
    elif animal is not None:
        end = animal.end
    elif attribute is not None:
        end = attribute[1] + (line.norm(attribute[1]) in ("favorit", "kesukaan"))
    elif line.norm(at + 1) in ("favorit", "kesukaan") and line.norm(at) in FAVOURITES:
        attribute, end = (_favourite_predicate(line.norm(at)), at + 2), at + 2
    else:
        return None
    owner, close = _possessor(line, end, world)
    if (
        owner is None
        and attribute is not None
        and (bond_of(line.norm(end)) is not None or animal_at(line, end) is not None)
    ):
        inner = _indonesian(line, end, world)
        if inner is not None and inner.attribute is None and inner.is_named and attribute[0] == "named":
            return replace(inner, is_claim=True)
        if inner is not None and inner.attribute is None:
            facts, noun = inner.facts, line.norm(at)
            predicate = _favourite_predicate(noun) if end > attribute[1] and noun in FAVOURITES else attribute[0]
            return replace(
                inner, facts=facts, attribute=predicate, noun=noun, is_claim=False, span=line.span(at, inner.end)
            )
    if attribute is not None and line.norm(at + 1) in ("favorit", "kesukaan") and line.norm(at) in FAVOURITES:
        attribute = (_favourite_predicate(line.norm(at)), end)
    if owner is None or (attribute is None and bond is None and animal is None):
        return None
    if bond is not None:
        return _bearer(line, at, close, line.said(at, close).casefold(), bond, owner, world)
    if animal is not None:
        return _animal(line, at, at, replace(animal, end=close), owner, world)
    return Phrase(
        (owner,), close, attribute=attribute[0] if attribute else None, noun=line.norm(at), span=line.span(at, close)
    )


def _possessor(line: Line, at: int, world: World) -> tuple[Term | None, int]:
    norm = line.norm(at)
    if norm in ("saya", "kami", "kita"):
        return world.speaker, at + 1
    if norm == "dia":
        name = name_at(line, at + 1) if at + 1 < len(line) else None
        if name is not None and name.is_sure:
            return Term(name.text, PERSON, line.span(name.start, name.end)), name.end
        meant = world.meant("dia")
        return (meant[0], at + 1) if len(meant) == 1 else (None, at)
    name = name_at(line, at) if at < len(line) else None
    if name is not None and name.is_sure and line.norm(at - 1) not in TITLES:
        return Term(name.text, PERSON, line.span(name.start, name.end)), name.end
    return None, at
