"""The statements that are understood: one table of sentence forms, each with the fact it states."""

# ruff: noqa: E501 - a table of patterns reads best with one form a line
from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import regex

from doso.records import EntityType
from ingest.extract.when import TIME

PERSON, PET, ORG, PLACE = EntityType.PERSON, EntityType.PET, EntityType.ORG, EntityType.PLACE
EVENT, PRODUCT, TOPIC = EntityType.EVENT, EntityType.PRODUCT, EntityType.TOPIC


class Who(StrEnum):
    """Whose name the subject (or the object) of a form is."""

    SPEAKER = "speaker"  # the author of the message
    NAMED = "named"  # the group `s`, a proper noun


@dataclass(frozen=True, slots=True)
class Form:
    """A sentence form. Group `s` is the named subject, `o` the object, `k` the noun that picks the predicate."""

    pattern: regex.Pattern[str]
    predicate: str
    subject: Who
    subject_types: tuple[EntityType, ...]
    object_type: EntityType | None = None  # None: a value
    is_turned: bool = False  # the speaker is the object
    is_move: bool = False  # holds from the day of the message unless it says another
    needs_time: bool = False
    needs_person: bool = False  # the named subject must bear a known given or family name


#: A proper noun: capitalised words and codes, small ones only between them.
_WORD = r"[\p{Lu}\p{Lt}\p{Lo}][\p{L}\p{M}\p{N}&.’'+-]*"
_SMALL = r"(?:of|de|del|della|da|do|dos|di|du|van|von|der|den|bin|binti|ibn|al|el|la|le|&|for)"
NAME = rf"{_WORD}(?:\s+(?:{_SMALL}\s+){{0,2}}(?:{_WORD}|\d[\p{{N}}.]*)){{0,6}}"
CODE = r"\p{Lu}{1,6}-?\d[\p{Lu}\p{N}-]*(?:\s+Rev(?:ision)?\.?\s+\p{Lu}\b)?"
#: A plain noun phrase of up to three small words.
_NOUN = r"(?!(?:it|that|this|them|you|him|her|me|us|how|when|what|the\s+way|to|so|very|all|not)\b)(?:the\s+)?\p{Ll}[\p{L}-]*(?:\s+\p{Ll}[\p{L}-]*){0,2}"
#: What may follow an object: time, place, company; or nothing.
TAIL = r"(?=\s*(?:[.!,;(]|$)|\s+(?:now|since|sejak|from|dari|until|till|sampai|today|these|currently|again|with|near|and|as|at|in|on|last|this|yesterday|kemarin|sekarang|lagi|for|because|btw|bersama|dengan|dekat|\d|two|three|four|five|six|a\s|hari)\b)"
_LEAD = r"^(?i:(?:hi|hey|hello|halo|well|so|oh|yes|yeah|ok(?:ay)?|and|btw|actually|today|hari\s+ini|kemarin|yesterday|now|sekarang|currently)\b[\s,!]*)*"
_I = r"(?:I|i)"
_SAYA = r"(?i:saya|aku|gue|gua|gw)"
_PAST_WORK = r"from|dari|until"

LIVES = r"(?i:live[s]?|(?:am|is|’m|'m)\s+living|reside[s]?)\s+in"
MOVED = r"(?:(?:have|has|’ve|'ve|’s|'s)\s+)?(?:just\s+|recently\s+)?(?:moved|relocated)\s+(?:back\s+)?to"
WORKS = r"(?:work[s]?|(?:am|is|’m|'m)\s+working)\s+(?:at|for)"
STATES = "open|closed|done|current|cancelled|canceled|pending|resolved|approved|rejected|completed|draft|final|obsolete|superseded|overdue|blocked|active|inactive"
KIND_TYPES = {
    PRODUCT: "library framework app application tool program device phone laptop language database game car book film movie "
    "album product software platform",
    ORG: "company firm startup bank agency organisation organization charity school university restaurant hotel airline club "
    "band newspaper brand",
    PLACE: "city town village country island river mountain lake district suburb street beach",
}  # fmt: skip
SPECIES = "dog|cat|rabbit|hamster|parrot|tortoise|turtle|horse|goldfish|fish|bird|kitten|puppy|guinea\\s+pig|kucing|anjing|kelinci"
RELATIONS = {
    "mother": "mother_of", "mum": "mother_of", "mom": "mother_of", "father": "father_of", "dad": "father_of",
    "sister": "sister_of", "brother": "brother_of", "daughter": "daughter_of", "son": "son_of", "aunt": "aunt_of",
    "uncle": "uncle_of", "cousin": "cousin_of", "niece": "niece_of", "nephew": "nephew_of",
    "grandmother": "grandmother_of", "grandma": "grandmother_of", "grandfather": "grandfather_of",
    "grandpa": "grandfather_of", "wife": "married_to", "husband": "married_to", "girlfriend": "partner_of",
    "boyfriend": "partner_of", "partner": "partner_of", "fiancé": "partner_of", "fiancée": "partner_of",
    "friend": "friend_of", "best friend": "friend_of", "colleague": "colleague_of", "coworker": "colleague_of",
    "neighbour": "neighbour_of", "neighbor": "neighbour_of", "flatmate": "lives_with", "roommate": "lives_with",
    "boss": "manages", "manager": "manages", "doctor": "doctor_of", "dentist": "doctor_of", "therapist": "doctor_of",
    "ibu": "mother_of", "ayah": "father_of", "bapak": "father_of", "kakak": "sibling_of", "adik": "sibling_of",
    "istri": "married_to", "suami": "married_to", "pacar": "partner_of", "teman": "friend_of", "sahabat": "friend_of",
    "tetangga": "neighbour_of", "sepupu": "cousin_of", "om": "uncle_of", "tante": "aunt_of", "atasan": "manages",
}  # fmt: skip
RELATION = "|".join(sorted((regex.escape(word) for word in RELATIONS), key=len, reverse=True))
#: What only people do, whatever they are called.
_PLAINLY_PERSONAL = frozenset({"lives_in", "works_at", "works_as", "married_to", "reports_to", "studies_at"})
_BROKEN = "broke|fractured|sprained|signed|quit|passed|adopted|sold"


def _of_both(verb: str, object: str, predicate: str, object_type: EntityType | None, **more: bool) -> tuple[Form, Form]:
    """A form said by the speaker of themselves and of somebody by name."""
    more.setdefault("needs_person", predicate not in _PLAINLY_PERSONAL or more.get("is_move", False))
    return (
        Form(
            _compile(rf"{_LEAD}{_I}\s*{verb}\s+(?P<o>{object}){TAIL}"),
            predicate,
            Who.SPEAKER,
            (PERSON,),
            object_type,
            **more,
        ),
        Form(
            _compile(rf"^(?P<s>{NAME})\s+{verb}\s+(?P<o>{object}){TAIL}"),
            predicate,
            Who.NAMED,
            (PERSON,),
            object_type,
            **more,
        ),
    )


def _mine(pattern: str, predicate: str, object_type: EntityType | None = None, **more: bool) -> Form:
    return Form(_compile(rf"{_LEAD}{pattern}"), predicate, Who.SPEAKER, (PERSON,), object_type, **more)


def _named(
    pattern: str, predicate: str, types: tuple[EntityType, ...], object_type: EntityType | None = None, **more: bool
) -> Form:
    return Form(_compile(pattern), predicate, Who.NAMED, types, object_type, **more)


def _compile(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern)


_VALUE_DATE = r"(?P<o>[\p{L}\p{N} ,-]{4,30}?)\s*[.!]?$"

FORMS: tuple[Form, ...] = (
    *_of_both(LIVES, NAME, "lives_in", PLACE),
    *_of_both(r"(?:am|is|’m|'m)\s+based\s+in", NAME, "lives_in", PLACE, needs_person=True),
    *_of_both(MOVED, NAME, "lives_in", PLACE, is_move=True),
    *_of_both(WORKS, NAME, "works_at", ORG),
    *_of_both(rf"worked\s+(?:at|for)(?=.*\b(?:{_PAST_WORK})\b)", NAME, "works_at", ORG, needs_time=True),
    *_of_both(r"(?:(?:have|has|’ve|'ve)\s+)?(?:just\s+|recently\s+)?(?:joined|started\s+at)", NAME, "works_at", ORG, is_move=True),
    *_of_both(r"(?:study|studies|am\s+studying|is\s+studying)\s+at", NAME, "studies_at", ORG),
    *_of_both(r"(?:am|is|’m|'m)\s+(?:originally\s+)?from", NAME, "from", PLACE),
    *_of_both(r"(?:am|is|’m|'m)\s+married\s+to", NAME, "married_to", PERSON),
    *_of_both(r"(?:am|is|’m|'m)\s+allergic\s+to", rf"{_NOUN}|{NAME}", "allergic_to", TOPIC),
    *_of_both(r"drives?\s+an?", NAME, "drives", PRODUCT),
    *_of_both(r"speaks?(?:\s+fluent)?", r"\p{Lu}\p{Ll}{3,}", "speaks", None),
    *_of_both(r"works?\s+as\s+an?", r"\p{Ll}[\p{L}-]*(?:\s+\p{Ll}[\p{L}-]*){0,3}?", "works_as", None),
    *_of_both(r"reports?\s+to", NAME, "reports_to", PERSON),
    *_of_both(r"(?:am|is|’m|'m)\s+the\s+CEO\s+of", NAME, "ceo_of", ORG),
    _mine(rf"(?i:my\s+(?:full\s+)?name(?:\s+is|['’]s))\s+(?P<o>{NAME})\s*(?:[.!,]|$)", "named"),
    _mine(rf"(?i:please\s+)?(?i:call\s+me)\s+(?P<o>{NAME})\s*[.!]?$", "nickname"),
    _mine(r"(?i:my\s+pronouns\s+are)\s+(?P<o>\p{Ll}+/\p{Ll}+(?:/\p{Ll}+)?)\s*[.!]?$", "pronouns"),
    _mine(r"(?i:my\s+e-?mail(?:\s+address)?\s+is)\s+(?P<o>[^\s@]+@[\w.-]+\.\w+)", "email"),
    _mine(r"(?i:my\s+(?:phone|mobile|cell)(?:\s+number)?\s+is)\s+(?P<o>\+?[\d(][\d ()-]{5,20}\d)", "phone"),
    _mine(r"(?:I|i)\s*(?:am|['’]m)\s+(?P<o>\d{1,3})(?:\s+years?\s+old)\s*(?:[.!,]|$|now)", "age"),
    _mine(r"(?i:my\s+birthday\s+is(?:\s+on)?)\s+" + _VALUE_DATE, "birthday"),
    _mine(r"(?:I|i)\s+was\s+born\s+on\s+" + _VALUE_DATE, "birthday"),
    _mine(rf"(?:I|i)\s+was\s+born\s+in\s+(?P<o>{NAME})\s*(?:[.!,]|$)", "from", PLACE),
    _mine(rf"(?i:my\s+fav(?:ou?rite)?)\s+(?P<k>food|drink|colou?r|movie|film|book|music|place)\s+is\s+(?P<o>{_NOUN}|{NAME})\s*[.!]?$", "favorite"),
    _mine(rf"(?:I|i)\s+(?:really\s+)?(?:like|love|enjoy)\s+(?P<o>{_NOUN})\s*[.!]?$", "likes", TOPIC),
    _mine(rf"(?:I|i)\s+(?:really\s+)?(?:hate|dislike)\s+(?P<o>{_NOUN})\s*[.!]?$", "dislikes", TOPIC),
    _mine(r"(?:I|i)\s+play\s+(?:the\s+)?(?P<o>\p{Ll}+)\s*[.!]?$", "plays", TOPIC),
    _mine(rf"(?:I|i)\s+own\s+(?:an?\s+|the\s+)?(?P<o>{NAME})\s*(?:[.!,]|$)", "owns", PRODUCT),
    _mine(rf"(?:I|i|[Ww]e)\s*(?:have|['’]ve\s+got)\s+an?\s+(?:\p{{Ll}}+\s+)?(?P<k>{SPECIES})\s+(?:named|called)\s+(?P<o>{NAME})\s*[.!]?$", "has_pet", PET),
    _mine(rf"(?i:my\s+(?P<k>{SPECIES}))(?:['’]s\s+name\s+is|\s+is\s+(?:called|named))\s+(?P<o>{NAME})\s*[.!]?$", "has_pet", PET),
    Form(_compile(rf"{_LEAD}(?i:my\s+(?P<k>{RELATION}))(?:['’]s\s+name\s+is|\s+is\s+(?:called|named))\s+(?P<s>{NAME})\s*[.!]?$"), "relation", Who.NAMED, (PERSON,), PERSON, is_turned=True),
    Form(_compile(rf"^(?P<s>{NAME})\s+is\s+my\s+(?:\p{{Ll}}+\s+)?(?P<k>{RELATION})\s*[.!]?$"), "relation", Who.NAMED, (PERSON,), PERSON, is_turned=True),
    _mine(rf"(?:I|i)\s+(?P<o>(?:{_BROKEN})\s+(?:my\s+|the\s+|an?\s+)?\p{{Ll}}+(?:\s+\p{{Ll}}+)??)(?=\s+{TIME}|\s*,\s*{TIME})", "event", needs_time=True),
    # Indonesian
    _mine(rf"{_SAYA}\s+(?:tinggal|menetap|berdomisili)\s+di\s+(?P<o>{NAME}){TAIL}", "lives_in", PLACE),
    _mine(rf"{_SAYA}\s+(?:(?:baru|sudah|baru\s+saja)\s+)?pindah\s+ke\s+(?P<o>{NAME}){TAIL}", "lives_in", PLACE, is_move=True),
    _mine(rf"{_SAYA}\s+(?:be)?kerja\s+di\s+(?P<o>{NAME}){TAIL}", "works_at", ORG),
    _mine(rf"{_SAYA}\s+kuliah\s+di\s+(?P<o>{NAME}){TAIL}", "studies_at", ORG),
    _mine(rf"{_SAYA}\s+(?:lahir\s+di|berasal\s+dari)\s+(?P<o>{NAME})\s*(?:[.!,]|$)", "from", PLACE),
    _mine(rf"(?i:nama\s+(?:lengkap\s+)?{_SAYA})(?:\s+adalah)?\s+(?P<o>{NAME})\s*[.!]?$", "named"),
    _mine(rf"(?i:umur\s+{_SAYA})\s+(?P<o>\d{{1,3}})(?:\s+tahun)?\s*[.!]?$", "age"),
    _mine(rf"{_SAYA}\s+alergi\s+(?:terhadap\s+)?(?P<o>\p{{Ll}}+(?:\s+\p{{Ll}}+)?)\s*[.!]?$", "allergic_to", TOPIC),
    _named(rf"^(?P<s>{NAME})\s+(?:tinggal|menetap)\s+di\s+(?P<o>{NAME}){TAIL}", "lives_in", (PERSON,), PLACE),
    _named(rf"^(?P<s>{NAME})\s+pindah\s+ke\s+(?P<o>{NAME}){TAIL}", "lives_in", (PERSON,), PLACE, is_move=True),
    _named(rf"^(?P<s>{NAME})\s+(?:be)?kerja\s+di\s+(?P<o>{NAME}){TAIL}", "works_at", (PERSON,), ORG),
    Form(_compile(rf"^(?P<s>{NAME})\s+adalah\s+(?P<k>{RELATION})\s+{_SAYA}\s*[.!]?$"), "relation", Who.NAMED, (PERSON,), PERSON, is_turned=True),
    # of named people, animals and things
    _named(rf"^(?P<s>{NAME})\s+is\s+(?P<o>\d{{1,3}})\s+years?\s+old\s*(?:[.!,]|$)", "age", (PERSON,)),
    _named(rf"^(?P<s>{NAME})['’]s\s+birthday\s+is(?:\s+on)?\s+" + _VALUE_DATE, "birthday", (PERSON,)),
    _named(rf"^(?P<s>{NAME})['’]s\s+breed\s+is\s+(?:an?\s+)?(?P<o>[\p{{L}} -]{{3,40}}?)\s*[.!]?$", "breed", (PET,)),
    _named(rf"^(?P<s>{NAME})\s+is\s+an?\s+(?P<o>{SPECIES})\s*[.!]?$", "species", (PET,)),
    _named(rf"^(?P<s>{NAME})['’]s\s+fav(?:ou?rite)?\s+(?P<k>food|drink|colou?r|movie|film|book|music|place)\s+is\s+(?P<o>{_NOUN}|{NAME})\s*[.!]?$", "favorite", (PERSON,)),
    _named(rf"^(?P<s>{NAME})\s+was\s+(?:founded|established)\s+in\s+(?P<o>(?:\p{{L}}+\s+)?(?:1\d|20)\d\d)\s*(?:[.!,]|$|by)", "founded_in", (ORG,)),
    _named(rf"^(?P<s>{NAME})\s+was\s+(?:founded|established)(?:\s+in\s+\d{{4}})?\s+by\s+(?P<o>{NAME})\s*(?:[.!,]|$|in)", "founded_by", (ORG,), PERSON),
    _named(rf"^(?P<s>{NAME})\s+owns\s+(?P<o>{NAME})\s*(?:[.!,]|$)", "owns", (PERSON, ORG), ORG),
    _named(rf"^(?P<s>{NAME})\s+is\s+(?:located|headquartered|situated|based)\s+in\s+(?P<o>{NAME}){TAIL}", "located_in", (ORG,), PLACE),
    _named(rf"^(?:(?:The|This)\s+)?(?:\p{{L}}+\s+){{0,3}}?(?P<s>{CODE})\s+is\s+(?P<o>{STATES})\s*[.!]?$", "status", (PRODUCT,)),
    _named(rf"^(?:(?:The|This)\s+)?(?:\p{{L}}+\s+){{0,3}}?(?P<s>{CODE})\s+replaces\s+(?P<o>nothing|{CODE})\s*[.!]?$", "replaces", (PRODUCT,)),
    _named(rf"^(?P<s>{NAME})\s+costs\s+(?P<o>(?:\p{{Sc}}|Rp\.?\s?|IDR\s|USD\s|EUR\s)?\d[\d.,]*(?:\s?(?:\p{{Sc}}|euros?|dollars?|rupiah|IDR|USD|EUR|million|juta|ribu))*)(?:\s+(?:per|an?)\s+\p{{Ll}}+)?\s*[.!]?$", "price", (PRODUCT,)),
    *(
        _named(rf"^(?P<s>{NAME})\s+is\s+an?\s+(?P<o>(?:\p{{L}}[\p{{L}}-]*\s+){{0,3}}?(?:{'|'.join(words.split())}))\s*[.!]?$", "is_a", (type,))
        for type, words in KIND_TYPES.items()
    ),
)  # fmt: skip
