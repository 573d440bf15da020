"""A passage cut into clauses that assert something; questions, negations, guesses, quotes and reports fall away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from doso.records import DocumentKind

MAX_CLAUSE_CHARS = 400

_SENTENCE = regex.compile(
    r"[^\n.!?…;]+(?:\.(?=[\p{Ll}\p{N}@])[^\n.!?…;]*|(?<=\b(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|Mt|No|Inc|Ltd|Co|Corp|vs|\p{Lu}))\.[^\n.!?…;]*)*[.!?…;]*"
)
_LINE_WRAP = regex.compile(r"(?<=[\p{L}\p{N},])\n(?=\p{Ll})")
_QUOTED_LINE = regex.compile(r"^[ \t]*(?:>|\|).*$", regex.MULTILINE)
_CODE = regex.compile(r"```.*?```|`[^`\n]*`", regex.DOTALL)
_QUOTE = regex.compile(r"“[^”]*”|„[^“”]*[“”]|«[^»]*»|\"[^\"\n]*\"|(?<!\p{L})'[^'\n]{3,}'(?!\p{L})")
#: From here on a mail repeats somebody else's.
_EARLIER_MAIL = regex.compile(
    r"^(?:On .{5,120} wrote:|Pada .{5,120} menulis:|Begin forwarded message:"
    r"|-{2,} ?(?:Original|Forwarded) [Mm]essage ?-{2,})",
    regex.MULTILINE,
)
#: A message that hands on a text of somebody else, or asks for work on one.
_NOT_OWN = regex.compile(
    r"\s*(?:forwarded|diteruskan|fwd:|(?:(?:please|can you|could you|tolong)\s+)?(?:summari[sz]e|translate|rewrite|"
    r"proofread|correct|edit|fix|paraphrase|shorten|improve|check|review|classify|extract|terjemahkan|ringkas|rangkum|perbaiki)\b)",
    regex.IGNORECASE,
)
#: Words that turn a statement into a question, a guess, a wish, a condition or somebody else's word.
_UNCERTAIN = regex.compile(
    r"\b(?:if|unless|whether|maybe|perhaps|possibly|probably|might|may|could|would|should|wish|hope|hopefully|imagine|"
    r"suppose|supposedly|allegedly|apparently|pretend|i guess|i think|i'd|not sure|likely|rumou?r|"
    r"off the record|said|says|say|told|tells|claims?|claimed|according to|asked|asks|thinks?|believes?|heard|"
    r"wrote that|dreamt|"
    r"dreamed|"
    r"almost|nearly|used to|going to|gonna|want to|wants to|plan to|about to|character|novel|story|"
    r"kalau|jika|andai|seandainya|misalnya|mungkin|kayaknya|sepertinya|semoga|katanya|kata|bilang|konon|pengen|ingin|mau)\b",
    regex.IGNORECASE,
)
_NEGATED = regex.compile(
    r"\b(?:not|never|no longer|none|nobody|neither|without|cannot|\p{L}+n['’]t|dont|doesnt|isnt|"
    r"tidak|bukan|nggak|enggak|gak|ga|tak|belum|jangan)\b",
    regex.IGNORECASE,
)
_QUESTION_START = regex.compile(
    r"^(?:who|what|when|where|why|how|which|is|are|am|was|were|do|does|did|can|could|will|would|should|has|have|"
    r"siapa|apa|apakah|kapan|di ?mana|kenapa|mengapa|bagaimana|berapa)\b",
    regex.IGNORECASE,
)
_LABEL = regex.compile(r"^(?P<label>[\p{L}\p{N}][\p{L}\p{N}_ .-]{0,30}):\s+")
_SPLIT = regex.compile(
    r"\s*,?\s+(?:and|but|dan|tapi)\s+(?=(?:I|I['’]m|my|saya|aku|gue|gw)\b|\p{Lu}[\p{L}\p{N}]*(?:['’]s)?\s+(?:\p{Lu}\p{L}*\s+)?(?:is|lives|works|was|owns|has)\b)"
    r"|,\s+(?=(?:I|I['’]m|my)\s)"
)
_SHARED_SUBJECT = regex.compile(
    r"^(?P<subject>(?:I|\p{Lu}[\p{L}\p{N}.’'-]*(?:\s+\p{Lu}[\p{L}\p{N}.’'-]*){0,4}))\s+(?P<first>.+?),?\s+and\s+"
    r"(?P<second>(?:lives?|works?|is|am|was|owns?|studies|study|speaks?|loves?|likes?|plays?|drives?)\s.+)$"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One assertion. `start`/`end` are offsets into the passage; `is_labelled`: behind a "Name:", so that its first
    person may be somebody else."""

    text: str
    start: int
    end: int
    is_labelled: bool = False


def clauses(text: str, kind: DocumentKind) -> Iterator[Clause]:
    """The clauses of a passage that state something plainly, in order."""
    if _NOT_OWN.match(text):
        return
    for match in _SENTENCE.finditer(_bare(text, kind)):
        sentence = match.group().strip()
        if not sentence or "?" in sentence or len(sentence) > MAX_CLAUSE_CHARS:
            continue
        label = _LABEL.match(sentence)
        body = sentence[label.end() :] if label else sentence
        for part in _parts(body):
            if not _asserts(part):
                break  # "If it rains, I …", "She said I … and I …": the doubt covers what follows
            yield Clause(part, match.start(), match.end(), is_labelled=label is not None)


def is_own(text: str, kind: DocumentKind, span: tuple[int, int]) -> bool:
    """Whether the writer of the text says this, rather than a text, mail or person that it quotes."""
    if _NOT_OWN.match(text):
        return False
    bare, (start, end) = _bare(text, kind), span
    said, line = bare[start:end], bare.rfind("\n", 0, start) + 1
    is_labelled = _LABEL.match(bare[line:].lstrip()) is not None and ":" in bare[line:start]
    return bool(said.strip()) and "\u0000" not in said and not is_labelled


def _bare(text: str, kind: DocumentKind) -> str:
    """The text with quotes, code and earlier mails blanked out, offsets kept."""
    if kind is DocumentKind.MAIL and (earlier := _EARLIER_MAIL.search(text)):
        text = text[: earlier.start()]
    for pattern in (_CODE, _QUOTED_LINE):
        text = pattern.sub(lambda match: regex.sub(r"[^\n]", " ", match.group()), text)
    # what stands in quotation marks is not the author's word, but the sentence around it still ends where it did
    text = _QUOTE.sub(lambda match: "\u0000" * len(match.group()), text)
    return _LINE_WRAP.sub(" ", text) if kind in (DocumentKind.MAIL, DocumentKind.TEXT) else text


def _parts(sentence: str) -> Iterator[str]:
    for part in _SPLIT.split(sentence):
        shared = _SHARED_SUBJECT.match(part)
        if shared:
            yield f"{shared['subject']} {shared['first']}"
            yield f"{shared['subject']} {shared['second']}"
        else:
            yield part


def _asserts(part: str) -> bool:
    return not ("\u0000" in part or _UNCERTAIN.search(part) or _NEGATED.search(part) or _QUESTION_START.match(part))
