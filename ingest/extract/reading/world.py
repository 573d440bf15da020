"""What is known while a text is read: who speaks, which day it is, who has been named."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date

from doso.records import EntityType
from graph.names import name_key
from ingest.extract.reading.nouns import PERSON, PET
from ingest.extract.reading.records import ME, Stated, Term
from ingest.extract.reading.words import FEMALE, MALE

OWNER = Term(ME, PERSON)


@dataclass(slots=True)
class Known:
    """Somebody or something that was named, and by which pronouns they may go on."""

    term: Term
    sex: str = ""  # "female", "male", "" where nothing tells
    turn: int = 0  # in which of the turns before


@dataclass(slots=True)
class World:
    """Grows as the text is read."""

    today: date | None
    speaker: Term | None = OWNER
    is_lower: bool = False  # written without capitals, as chats are
    known: list[Known] = field(default_factory=list)
    earlier: list[Known] = field(default_factory=list)  # named in the turns before
    facts: list[Stated] = field(default_factory=list)
    trials: list[tuple[int, int]] = field(default_factory=list)  # readings on the side; shared by copies
    called: dict[str, Term] = field(default_factory=dict)  # "my plumber" -> Joko
    pending: tuple[Term, tuple[Stated, ...]] | None = (
        None  # an animal whose name has not been said yet, and what is known
    )
    sayings: tuple[Stated, ...] = ()  # what the turns before stated
    reporter: Term | None = None  # whose words are being reported

    def scratch(self) -> World:
        """A copy to try things on."""
        return replace(self, known=[replace(one) for one in self.known])

    def name(self, term: Term, sex: str = "") -> None:
        """Remember that somebody was named here."""
        if term.is_me or term.type not in (PERSON, PET):
            return
        for one in self.known:
            if name_key(one.term.text) == name_key(term.text):
                one.sex = one.sex or sex
                one.term = term if term.type is PET else one.term
                return
        self.known.append(Known(term, sex))

    def rename(self, old: Term, new: Term) -> None:
        """An unnamed bearer got a name: they are one."""
        self.called[old.text] = new
        sex = next((one.sex for one in self.known if one.term.text == old.text), "")
        self.known = [one for one in self.known if one.term.text != old.text]
        self.name(new, sex)

    def named_as(self, phrase: str) -> Term | None:
        """Who was named by this phrase before ("my plumber")."""
        return self.called.get(phrase)

    def type_of(self, name: str) -> EntityType | None:
        """The type under which this name was met before."""
        key = name_key(name)
        for fact in (*self.facts, *self.sayings):
            for term in (fact.subject, fact.object):
                if term.type is not None and name_key(term.text) == key:
                    return term.type
        return next((one.term.type for one in self.known if name_key(one.term.text) == key), None)

    def latest(self) -> tuple[Term, ...]:
        """Those who were named together last: whom "they" means."""
        people = [one for one in self.known if one.term.type is PERSON]
        if not people and self.earlier:
            last = max(one.turn for one in self.earlier)
            people = [one for one in self.earlier if one.turn == last and one.term.type is PERSON]
        return tuple(one.term for one in people)

    def meant(self, pronoun: str) -> tuple[Term, ...]:
        """Those whom a pronoun of the third person may mean; one alone is certain."""
        if self.reporter is not None and pronoun not in ("it", "its", "they", "them", "their"):
            return (self.reporter,)
        for group in (self.known, self.earlier):
            fitting = [one for one in group if _fits(one, pronoun)]
            if fitting:
                sure = [one for one in fitting if one.sex] if pronoun in MALE | FEMALE else []
                chosen = sure if len(sure) == 1 and len(fitting) <= 2 and pronoun in MALE | FEMALE else fitting
                return tuple(one.term for one in chosen)
        return ()


def _fits(one: Known, pronoun: str) -> bool:
    if pronoun in ("it", "its"):
        return one.term.type is PET
    if pronoun in MALE:
        return one.sex != "female"
    if pronoun in FEMALE:
        return one.sex != "male"
    return True
