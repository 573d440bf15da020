"""An invented memory, the same for the same seed: people, companies, places, facts about them, talk, questions."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from doso.records import (
    DocumentKind,
    EntityType,
    FactDraft,
    Incoming,
    Mention,
    Message,
    Provenance,
    Source,
    Status,
    Trust,
)

T = TypeVar("T")

FACTS_PER_PERSON = 20
MESSAGES_PER_THREAD = 500


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_START = datetime(2024, 1, 1, 9, tzinfo=UTC)
_FIRST = _listed("""
Ana Bruno Carla Dario Elena Felix Greta Hugo Irene Jonas Kira Leon Mara Nils Olga Pablo Quinn Rosa Sven Tara Umar Vera
Wanda Xenia Yusuf Zora Amir Bella Cyril Dalia Emil Freya Goran Hanna Ivo Jana Karim Lena Milo Nora""")
_SYLLABLES = _listed("ba dro fel gan hir jo kus lem mor nat pel qua ros sil tor ul vek wan yar zim bre cla dun fro gil")
_PLACES = _listed("""
Lisbon Porto Madrid Seville Lyon Nantes Turin Verona Graz Linz Basel Bern Ghent Bruges Utrecht Leiden Aarhus Odense
Bergen Turku Tartu Riga Vilnius Gdansk Krakow Brno Pecs Zagreb Split Sofia""")
_TOPICS = _listed("""
chess sourdough climbing jazz birdwatching pottery cycling opera crosswords cartography beekeeping salsa astronomy
watercolours sailing boardgames homebrewing cinema gardening calligraphy running radios origami surfing mushrooms tennis
poetry woodwork""")
_PRODUCTS = _listed("camera bicycle kayak telescope cello drone typewriter tent loom accordion")
_TALK = (
    "I met {other} near the station in {place}, we talked about {topic} for an hour",
    "Next week I have to be in {place} for {org}, then I want to rest",
    "Have you seen how much {other} has learnt about {topic} lately?",
    "The office of {org} in {place} is closed on Friday, so let us call instead",
    "My cousin gave me a {product}, and now I think of {topic} all day",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the two names that a right answer holds."""

    text: str
    subject: str
    object: str


@dataclass(frozen=True, slots=True)
class _Person:
    name: str
    org: str
    place: str
    topics: tuple[str, ...]
    trips: tuple[tuple[str, datetime], ...]


class World:
    """Everything follows from the seed and the number of facts."""

    def __init__(self, facts_count: int, *, seed: int = 7) -> None:
        self.facts_count = facts_count
        self._random = random.Random(seed)
        people = max(2, facts_count // FACTS_PER_PERSON)
        self._orgs = [
            f"{name} {self._pick(('Labs', 'Foods', 'Motors', 'Media'))}" for name in self._names(people // 10 + 5)
        ]
        surnames = self._names(people)
        self._people = [self._person(f"{self._pick(_FIRST)} {surname}") for surname in surnames]

    def drafts(self) -> Iterator[FactDraft]:
        """The facts, person by person."""
        made = 0
        for round_number in itertools.count():
            for person in self._people:
                for draft in self._facts_of(person, round_number=round_number):
                    if made == self.facts_count:
                        return
                    made += 1
                    yield draft

    def threads(self, messages_count: int) -> Iterator[Incoming]:
        """Talk among the people, in threads."""
        for start in range(0, messages_count, MESSAGES_PER_THREAD):
            numbers = range(start, min(start + MESSAGES_PER_THREAD, messages_count))
            chat = f"bench-{start}"
            yield Incoming(
                uri=f"thread:{chat}",
                title=f"Talk {start}",
                source=Source.WHATSAPP,
                kind=DocumentKind.THREAD,
                chat_id=chat,
                zone="UTC",
                messages=tuple(self._message(number) for number in numbers),
            )

    def questions(self, count: int) -> list[Asked]:
        """Questions that facts answer, about people drawn at random."""
        asked = []
        for number in range(count):
            person = self._pick(self._people)
            place, _ = person.trips[0]
            asked.append(
                (
                    Asked(f"Where does {person.name} live?", person.name, person.place),
                    Asked(f"Which company does {person.name} work for?", person.name, person.org),
                    Asked(f"What does {person.name} like to do?", person.name, person.topics[0]),
                    Asked(f"When did {person.name} travel to {place}?", person.name, place),
                    Asked(f"Is {person.name} into {person.topics[1]}?", person.name, person.topics[1]),
                )[number % 5]
            )
        return asked

    def _person(self, name: str) -> _Person:
        topics = tuple(self._random.sample(_TOPICS, 6))
        trips = tuple(
            (place, _START + timedelta(days=self._random.randrange(700))) for place in self._random.sample(_PLACES, 4)
        )
        return _Person(name, self._pick(self._orgs), self._pick(_PLACES), topics, trips)

    def _facts_of(self, person: _Person, *, round_number: int) -> Iterator[FactDraft]:
        me = Mention(person.name, EntityType.PERSON)
        if round_number == 0:
            yield _draft(me, "lives_in", Mention(person.place, EntityType.PLACE))
            yield _draft(me, "works_at", Mention(person.org, EntityType.ORG))
            for topic in person.topics:
                yield _draft(me, "likes", Mention(topic, EntityType.TOPIC))
            for place, day in person.trips:
                yield _draft(me, "travels_to", Mention(place, EntityType.PLACE), day)
            yield _draft(me, "owns", Mention(self._pick(_PRODUCTS), EntityType.PRODUCT))
        for _ in range(FACTS_PER_PERSON - 13 if round_number == 0 else FACTS_PER_PERSON):
            other = self._pick(self._people)
            if other is not person:
                relation = self._pick(("friend_of", "colleague_of", "knows", "wrote_to"))
                yield _draft(me, relation, Mention(other.name, EntityType.PERSON))

    def _message(self, number: int) -> Message:
        author, other = self._pick(self._people), self._pick(self._people)
        text = self._pick(_TALK).format(
            other=other.name,
            place=self._pick(_PLACES),
            org=self._pick(self._orgs),
            topic=self._pick(_TOPICS),
            product=self._pick(_PRODUCTS),
        )
        return Message(f"m{number}", author.name, text, _START + timedelta(minutes=7 * number))

    def _names(self, count: int) -> list[str]:
        names: dict[str, None] = {}
        while len(names) < count:
            names["".join(self._random.choices(_SYLLABLES, k=3)).capitalize()] = None
        return list(names)

    def _pick(self, among: Sequence[T]) -> T:
        return self._random.choice(among)


def _draft(subject: Mention, predicate: str, object: Mention, day: datetime | None = None) -> FactDraft:
    support = Provenance(None, None, Source.NOTE, Trust.USER, "person")
    return FactDraft(subject, predicate, object, support, Status.VERIFIED, valid_from=day, zone="UTC" if day else None)
