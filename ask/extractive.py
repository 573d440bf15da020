"""A draft without a model: the pack's own sentences, picked for the question and put into prose with marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from ask.sentences import flat
from ask.words import QuestionWords, coverage, has_time_words, question_words, rarity, tokens_in
from doso.records import Source
from doso.records.evidence import Evidence, EvidenceItem, Intent, ItemKind, Route

#: Statements of one draft; more where the question asks for many things.
MAX_STATEMENTS, MAX_LISTED = 3, 6
#: Facts at least this relevant are told before passages, further ones only beside them.
STRONG_FACT = 0.5
#: Passages this much less relevant than the best are not quoted; nor is what holds less of the question than this.
LEAST_OF_BEST = 0.6
#: Longest quotation.
MAX_QUOTED = 280
MAX_TITLE = 80
_KINDS = {Source.NOTE: "Your note", Source.FIRECRAWL: "The page", Source.X: "The post"}
_SPOKEN = regex.compile(r"^\((?P<when>\d{1,2} \p{L}+ \d{1,4}, \d\d:\d\d)\) (?:(?P<who>[^\n:]{1,80}): )?")
_SENTENCE = regex.compile(r".+?(?:[.!?…]+[\"'”’)\]]*(?=\s|$)|\n|$)", regex.DOTALL)
_ABBREVIATED = regex.compile(
    r"(?:^|\s)(?:\p{L}|Mr|Mrs|Ms|Dr|Prof|No|St|Jl|ca|vs|e\.g|i\.e|\d{1,2})\.$", regex.IGNORECASE
)
_NUMBERED = regex.compile(r"\b(?:how (?:much|many|large|big|long|old|far|tall|expensive)|cost|price|number|berapa)\b")
_NAMED = regex.compile(r"\b(?:who|whose|whom|what(?:'s| is) the name|called|siapa)\b")
_PLACED = regex.compile(r"\b(?:where|di mana|dimana|ke mana)\b")
_MANY = regex.compile(r"\b(?:which|what|list|all|everything|everyone|who are|apa saja|siapa saja)\b.*s\b")
_FIGURE = regex.compile(r"\d")
_NAME = regex.compile(r"(?<!^)(?<![.!?] )\b\p{Lu}\p{Ll}+")
_LEADING = regex.compile(r"^[\s\-*•>#|]+")
_MARKUP = regex.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")


@dataclass(frozen=True, slots=True)
class _Quote:
    """The sentences of one item that answer best, and how well."""

    item: EvidenceItem
    text: str
    score: float


def extract_draft(evidence: Evidence, question: str) -> str:
    """A few statements, each once, each with its mark; "" for an empty pack."""
    words = question_words(question)
    limit = MAX_LISTED if _is_of_many(evidence, question) else MAX_STATEMENTS
    facts = [item for item in evidence.items if item.kind is ItemKind.FACT]
    strong = [item for item in facts if item.score >= STRONG_FACT]
    told = [f"{item.text} [{item.mark}]." for item in strong[:limit]]
    said = [item.text for item in strong[:limit]]
    passages = [item for item in evidence.items if item.kind is ItemKind.PASSAGE]
    for quote in _quotes(passages, words, question, evidence.plan.route):
        if len(told) >= limit:
            break
        if not _is_said(quote.text, said):
            told.append(_quoted(quote))
            said.append(quote.text)
    if not told:
        told = [f"{item.text} [{item.mark}]." for item in facts[:limit]]
    return " ".join(told)


def _is_of_many(evidence: Evidence, question: str) -> bool:
    return (
        evidence.plan.route is Route.RECENT
        or evidence.plan.intent is Intent.PEOPLE_RANKING
        or _MANY.search(question.casefold()) is not None
    )


def _quotes(passages: Sequence[EvidenceItem], words: QuestionWords, question: str, route: Route) -> list[_Quote]:
    """The best of each passage, best first; of what is far behind the best nothing."""
    if route is Route.RECENT:  # in the order of the pack: the latest first
        return [_Quote(item, _shortened(_body(item)), 1.0) for item in passages]
    tokens = words.subject or words.tokens
    sentences = [list(_sentences(_body(item))) for item in passages]
    flattened = [sentence for each in sentences for sentence in each]
    weights = rarity(tokens, [tokens_in(sentence, tokens) for sentence in flattened])
    best = max((item.score for item in passages), default=0.0)
    quotes = []
    for place, (item, each) in enumerate(zip(passages, sentences, strict=True)):
        if not each or item.score < best * LEAST_OF_BEST:
            continue
        scored = [coverage(tokens_in(one, tokens), weights) + _fit(one, question, words) for one in each]
        at = max(range(len(each)), key=lambda n: (scored[n], -n))
        quotes.append(_Quote(item, _around(each, at, scored), scored[at] + item.score - place * 0.03))
    quotes.sort(key=lambda quote: -quote.score)
    return [quote for quote in quotes if quote.score >= quotes[0].score * LEAST_OF_BEST]


def _fit(sentence: str, question: str, words: QuestionWords) -> float:
    """Whether the sentence has the kind of thing that is asked for."""
    asked = question.casefold()
    fit = 0.0
    if words.asks_when and has_time_words(sentence):
        fit += 0.4
    if _NUMBERED.search(asked) and _FIGURE.search(sentence):
        fit += 0.4
    if (_NAMED.search(asked) or _PLACED.search(asked)) and _NAME.search(sentence):
        fit += 0.25
    return fit - (0.3 if sentence.rstrip().endswith("?") else 0.0)


def _around(sentences: Sequence[str], at: int, scored: Sequence[float]) -> str:
    """The best sentence, with the next one where it is short or the next one is nearly as good."""
    quote = sentences[at]
    following = at + 1
    if following < len(sentences) and (len(quote) < 40 or scored[following] >= scored[at] * 0.8 > 0):
        joined = f"{quote} {sentences[following]}"
        quote = joined if len(joined) <= MAX_QUOTED else quote
    return _shortened(quote)


def _sentences(text: str) -> Iterator[str]:
    """Sentences and lines, without the signs of lists; an abbreviation ends none."""
    pending = ""
    for match in _SENTENCE.finditer(text):
        pending += match.group()
        if _ABBREVIATED.search(pending.rstrip()) and not pending.endswith("\n"):
            continue
        whole = " ".join(_LEADING.sub("", pending).split())
        pending = ""
        if any(char.isalnum() for char in whole):
            yield whole
    rest = " ".join(_LEADING.sub("", pending).split())
    if any(char.isalnum() for char in rest):
        yield rest


def _body(item: EvidenceItem) -> str:
    """What an item says, without the day and speaker that stand before what was said."""
    spoken = _SPOKEN.match(item.text)
    return item.text if spoken is None else item.text[spoken.end() :]


def _quoted(quote: _Quote) -> str:
    """'On 8 May 2023 Mara wrote: "…" [S1].'"""
    text = _MARKUP.sub("", quote.text).strip().replace('"', "'").replace("[", "(").replace("]", ")")
    return f'{_introduced(quote.item)}: "{text.rstrip(".")}" [{quote.item.mark}].'


def _introduced(item: EvidenceItem) -> str:
    spoken = _SPOKEN.match(item.text)
    if spoken is not None:
        day = spoken["when"].partition(",")[0]
        return f"On {day} {spoken['who']} wrote" if spoken["who"] else f"A message of {day} says"
    if not item.sources:
        return "Your memory says"
    source = item.sources[0]
    title = " ".join(source.title.replace('"', "'").split())[:MAX_TITLE]
    named = f' "{title}"' if title else ""
    if source.source is Source.GMAIL:
        day = "" if source.occurred_at is None else f" on {source.occurred_at.day} {source.occurred_at:%B %Y}"
        return f"{source.author or 'Someone'} wrote{day}"
    if source.source is Source.CALENDAR:
        return f"Your calendar has{named}"
    return f"{_KINDS.get(source.source, 'The document')}{named} says"


def _shortened(text: str) -> str:
    flat_text = " ".join(text.split())
    return flat_text if len(flat_text) <= MAX_QUOTED else flat_text[: MAX_QUOTED - 1].rsplit(" ", 1)[0] + "…"


def _is_said(text: str, said: Sequence[str]) -> bool:
    words = f" {flat(text)} "
    return any(words in f" {flat(other)} " or f" {flat(other)} " in words for other in said)
