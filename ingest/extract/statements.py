"""Facts that a passage states in a plain form: of its author in the first person, of others by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import regex

from doso.records import (
    DocumentKind,
    EntityType,
    FactDraft,
    Incoming,
    Literal,
    LiteralKind,
    Mention,
    Passage,
    Provenance,
    Status,
    Trust,
    trust_of,
)
from graph.names import is_generic, name_key
from graph.naming.lists import english_words, is_known_person_word
from graph.predicates import describe
from ingest.extract.clauses import Clause, clauses
from ingest.extract.copies import fingerprint
from ingest.extract.grammar import FORMS, RELATIONS, Form, Who
from ingest.extract.support import support_of
from ingest.extract.when import Anchor, Period, literal_date, resolve

EXTRACTOR = "statement"
OWNER_NAME = "me"
#: A passage of 900 characters states far fewer.
MAX_FACTS = 50
_NO_NAME = regex.compile(
    r"^(?:the|a|an|this|that|these|those|it|he|she|they|we|you|i|who|there|here|my|our|your|his|her|their|its|some|any|"
    r"every|each|all|no|one|both|ini|itu|dia|mereka|kami|kita|yang|orang)\b",
    regex.IGNORECASE,
)
_DETERMINER = regex.compile(r"\b(?:my|the|an?)\s+", regex.IGNORECASE)
_FAVORITES = {"colour": "color", "film": "movie"}
_SPECIES = {"kitten": "cat", "puppy": "dog"}
#: What has no beginning or end worth keeping.
_TIMELESS = frozenset({"named", "nickname", "pronouns", "birthday", "email", "phone", "founded_in", "breed", "species"})
#: Forms whose object is a date or says when by itself.
_DATED = frozenset({"birthday", "founded_in"})


@dataclass(frozen=True, slots=True)
class Telling:
    """Who says a passage, when and where."""

    document: Incoming
    passage: Passage

    @property
    def thread(self) -> str:
        return self.passage.chat_id or self.document.chat_id or self.document.uri

    @property
    def anchor(self) -> Anchor:
        return Anchor(self.passage.occurred_at, self.passage.zone or self.document.zone)

    @property
    def speaker(self) -> Mention | None:
        """The person whom the first person means, None when nobody certain speaks.

        Only a passage that the owner wrote speaks for the owner; a file or a web page speaks for nobody.
        """
        if trust_of(self.passage.source) is Trust.WEB:
            return None
        if self.passage.is_owner:
            return Mention(
                OWNER_NAME, EntityType.PERSON, thread=self.thread, role="owner", document_id=self.passage.document_id
            )
        author = (self.passage.author or "").strip()
        is_said = self.document.kind in (DocumentKind.THREAD, DocumentKind.MAIL)
        if not is_said or not regex.search(r"\p{L}", author) or is_generic(author):
            return None
        return self.named(author, EntityType.PERSON)

    def named(self, name: str, type: EntityType) -> Mention:
        thread = self.thread if type in (EntityType.PERSON, EntityType.PET) else None
        return Mention(name, type, thread=thread, document_id=self.passage.document_id)


def statements(document: Incoming, passage: Passage) -> Iterator[FactDraft]:
    """The facts that the passage states; each once, at most MAX_FACTS."""
    telling, seen = Telling(document, passage), 0
    for clause in clauses(passage.text, document.kind):
        for draft in _facts(clause, telling):
            yield draft
            seen += 1
            if seen >= MAX_FACTS:
                return


def _facts(clause: Clause, telling: Telling) -> Iterator[FactDraft]:
    """The facts of the first form that the clause has."""
    for form in FORMS:
        match = form.pattern.search(clause.text)
        drafts = tuple(_drafts(form, match, clause, telling)) if match else ()
        if drafts:
            yield from drafts
            return


def _drafts(form: Form, match: regex.Match[str], clause: Clause, telling: Telling) -> Iterator[FactDraft]:
    sides = _sides(form, match, clause, telling)
    if sides is None:
        return
    subject, object = sides
    predicate = _predicate(form, match)
    start, end = match.span("o") if "o" in match.groupdict() else match.span()
    rest = "" if predicate in _DATED else f"{clause.text[:start]} {clause.text[end:]}"
    period = resolve(rest, telling.anchor)
    if form.needs_time and period == Period():
        return
    valid_from, valid_until = validity(predicate, period, telling, is_move=form.is_move)
    status = Status.CANDIDATE if trust_of(telling.passage.source) is Trust.WEB else Status.VERIFIED
    yield FactDraft(
        subject=subject,
        predicate=predicate,
        object=object,
        provenance=_provenance(clause, telling),
        status=status,
        valid_from=valid_from,
        valid_until=valid_until,
        zone=(telling.anchor.zone or "UTC") if valid_from or valid_until else None,
    )
    if predicate == "has_pet" and isinstance(object, Mention):
        species = match["k"].casefold()
        value = Literal(_SPECIES.get(species, species))
        yield FactDraft(object, "species", value, _provenance(clause, telling), status)


def _sides(
    form: Form, match: regex.Match[str], clause: Clause, telling: Telling
) -> tuple[Mention, Mention | Literal] | None:
    """Subject and object, None when a side is no name or nobody certain speaks."""
    speaker = None if clause.is_labelled else telling.speaker
    is_own = form.subject is Who.SPEAKER
    subject = speaker if is_own else _subject(form, match["s"].strip(" .,"), telling)
    if subject is None:
        return None
    if form.is_turned:
        return (subject, speaker) if speaker is not None else None
    object = _object(form, match["o"].strip(" .,"), telling)
    return None if object is None else (subject, object)


def _subject(form: Form, name: str, telling: Telling) -> Mention | None:
    is_thing = EntityType.PERSON not in form.subject_types and not _NO_NAME.match(name) and not is_generic(name)
    if not (is_thing or is_name(name)) or (form.needs_person and not is_person_name(name)):
        return None
    types = form.subject_types
    is_person = len(types) > 1 and is_person_name(name)
    return telling.named(name, types[0] if len(types) == 1 or is_person else types[-1])


def _object(form: Form, text: str, telling: Telling) -> Mention | Literal | None:
    if form.object_type is not None:
        return telling.named(text, form.object_type) if name_key(text) and not is_generic(text) else None
    kind = describe(form.predicate).literal_kind
    if kind is LiteralKind.DATE:
        day = literal_date(text)
        return None if day is None else Literal(day, LiteralKind.DATE)
    value = _DETERMINER.sub("", text) if form.predicate == "event" else text
    return Literal(value) if value else None


def _predicate(form: Form, match: regex.Match[str]) -> str:
    if form.predicate == "relation":
        return RELATIONS[" ".join(match["k"].casefold().split())]
    if form.predicate == "favorite":
        kind = match["k"].casefold().replace("colour", "color")
        return f"favorite_{_FAVORITES.get(kind, kind)}"
    return form.predicate


def validity(
    predicate: str, period: Period, telling: Telling, *, is_move: bool = False
) -> tuple[datetime | None, datetime | None]:
    """Since and until when: as said, else a state holds from the day of the message that says it."""
    anchor, first = telling.anchor, period.first
    is_said = telling.document.kind in (DocumentKind.THREAD, DocumentKind.MAIL) or telling.passage.is_owner
    if first is None and period.last is None and (is_move or (describe(predicate).is_state and is_said)):
        first = anchor.day
    if predicate in _TIMELESS:
        return None, None
    return (
        anchor.moment(first) if first is not None else None,
        anchor.moment(period.last) if period.last is not None else None,
    )


def is_name(name: str) -> bool:
    """Whether a capitalised phrase is a name: no pronoun, no kind of thing, not one word of the language alone."""
    if _NO_NAME.match(name) or is_generic(name) or not name_key(name):
        return False
    words = name_key(name).split()
    return len(words) > 1 or words[0] not in english_words() or is_known_person_word(words[0])


def is_person_name(name: str) -> bool:
    """Whether a word of the name is a given or family name that people bear."""
    return any(is_known_person_word(word) for word in name_key(name).split())


def _provenance(clause: Clause, telling: Telling) -> Provenance:
    passage, span = telling.passage, (clause.start, clause.end)
    return support_of(passage, EXTRACTOR, span=span, fingerprint=fingerprint(passage.text, span))
