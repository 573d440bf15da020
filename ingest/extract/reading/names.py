"""Where a proper name stands in a line, and whether it surely is one."""

from __future__ import annotations

from dataclasses import dataclass

from graph.names import name_key
from graph.naming.lists import english_words, family_names, given_names
from graph.naming.places import place_id
from ingest.extract.reading.kinds import COUNTRIES
from ingest.extract.reading.line import Line
from ingest.extract.reading.nouns import ATTRIBUTES, RELATIONS, SPECIES
from ingest.extract.reading.times import DAYS
from ingest.extract.reading.verbs import FORMS, INDONESIAN, lemma
from ingest.extract.reading.words import (
    ADVERBS,
    ARTICLES,
    BE,
    CONNECTORS,
    DO,
    FILLERS,
    FIRST,
    FIRST_MANY,
    HAVE,
    NUMBER_WORDS,
    OPENERS,
    PREPOSITIONS,
    SECOND,
    STOPS,
    THEIRS,
    THIRD,
)
from ingest.extract.reading.wordsets import word_set

_SMALL = word_set("of de del della da do dos di du van von der den bin binti ibn al el la le & and for the y")
_INNER = _SMALL - {"and"}
_QUESTION = word_set(
    "who what when where why how which whose whom siapa apa apakah kapan mana dimana kenapa mengapa "
    "bagaimana gimana berapa can could should would shall may might must let here there if"
)  # fmt: skip
_GUESSES = word_set(
"kayaknya kayanya mungkin sepertinya katanya konon rasanya kelihatannya barangkali semoga probably possibly apparently "
                     "hopefully supposedly allegedly ternyata kayak jurusan"
)  # fmt: skip
#: Words that never begin a name, capital or not.
CLOSED = (
    FIRST | FIRST_MANY | SECOND | THIRD | THEIRS | ARTICLES | BE | HAVE | DO | CONNECTORS | FILLERS | STOPS | ADVERBS
    | PREPOSITIONS | _QUESTION | frozenset(NUMBER_WORDS)
    | word_set(
        "my our no not never yes there today tomorrow yesterday please remember forget all both every "
        "each many most much more less other others another everyone everybody someone somebody nobody "
        "anyone anything everything nothing something people maybe perhaps besides apart aside adalah "
        "ada bukan tidak belum sudah akan kata nama first last next new old good great bad nice ok okay "
        "dear thanks sejak dulu selain yang kalau"
    )
    | _GUESSES
) - {"will", "may"}  # fmt: skip
_OPENERS = OPENERS - {"jadi"}
#: Roles by which Indonesians are called before their name.
TITLES = word_set(
    "bu ibu pak bapak mas mbak mba kak bang om tante dr dr. mr mrs ms prof sir kang teh uncle aunt "
    "auntie grandma grandpa oma opa nenek kakek father sister brother captain coach"
)  # fmt: skip
MAX_NAME_WORDS = 8


@dataclass(frozen=True, slots=True)
class Name:
    """A name from `start` to before `end`. `is_sure`: no common word alone."""

    text: str
    start: int
    end: int
    is_sure: bool


def called_at(line: Line, at: int) -> Name | None:
    """What stands behind "called": a name, even a common word that was typed small."""
    found = name_at(line, at, is_lower=True)
    if found is not None or at >= len(line) or line.norm(at) in CLOSED or line.tokens[at].kind != "word":
        return found
    return Name(shown(line.tokens[at].text), at, at + 1, True)


def name_at(line: Line, at: int, *, is_lower: bool = False, is_thing: bool = False) -> Name | None:
    """The longest run of words written as names are."""
    end = at
    while end < len(line) and end - at < MAX_NAME_WORDS:
        token, norm = line.tokens[end], line.norm(end)
        if _belongs(line, end, at, is_lower=is_lower) or (end > at and is_thing and token.kind == "number"):
            end += 1
        elif end > at and norm in _INNER and end + 1 < len(line) and _opens(line, end + 1):
            end += 2 if line.tokens[end + 1].is_capital else 1
        else:
            break
    while end > at and line.norm(end - 1) in _INNER:
        end -= 1
    if end == at:
        return None
    text = line.said(at, end)
    return Name(shown(text) if is_lower else text, at, end, _is_sure(line, at, end))


def _opens(line: Line, at: int) -> bool:
    """Whether a word behind a small one goes on with the name ("de la Cruz", "Bank of America")."""
    token = line.tokens[at]
    if token.norm in _INNER and at + 1 < len(line):
        return line.tokens[at + 1].is_capital
    return token.is_capital and token.norm not in CLOSED


def _belongs(line: Line, at: int, start: int, *, is_lower: bool) -> bool:
    token = line.tokens[at]
    if token.kind in ("title", "initial", "initials"):
        return True
    if token.kind != "word" or token.text in ("'s", "’s"):
        return False
    if at == start and (token.norm in CLOSED or (token.norm in _OPENERS and token.start == 0)):
        return False
    if at > start and token.norm in CLOSED - {"will", "may", "new", "old", "last", "first"}:
        return False
    if token.is_capital:
        return token.norm not in DAYS or at > start
    return is_lower and may_be_lower_name(token.norm)


def may_be_lower_name(norm: str) -> bool:
    """Whether a word written small may be a name all the same."""
    if (
        norm in CLOSED
        or norm in FORMS
        or norm in INDONESIAN
        or norm in _GUESSES
        or lemma(norm) != norm
        or norm in RELATIONS
        or norm in ATTRIBUTES
        or norm in SPECIES
    ):
        return False
    return norm in given_names() or norm not in english_words()


def _is_sure(line: Line, start: int, end: int) -> bool:
    words = [line.norm(at) for at in range(start, end)]
    if len(words) > 1 and words[0] not in TITLES:
        return True
    word = words[-1]
    token = line.tokens[end - 1]
    is_first = token.start == 0 or _begins_sentence(line, end - 1)
    known = word in given_names() or (word in family_names() and word not in english_words())
    return known or word not in english_words() or (token.is_capital and not is_first) or words[0] in TITLES


def _begins_sentence(line: Line, at: int) -> bool:
    before = line.source[: line.tokens[at].start].rstrip(" \t\"'“‘(*-•")
    return not before or before[-1] in ".!?\n:;…"


def is_person_word(word: str) -> bool:
    """Whether a folded word is a given name, or a family name and nothing else."""
    return word in given_names() or (word in family_names() and word not in english_words())


def is_place(text: str) -> bool:
    """Whether the world knows a country or town of this name."""
    return place_id(text) is not None or name_key(text) in COUNTRIES


def shown(text: str) -> str:
    """A name that was typed without capitals, with them."""
    if text != text.casefold():
        return text
    words = text.split(" ")
    return " ".join(word if at and word in _SMALL else word[:1].upper() + word[1:] for at, word in enumerate(words))
