"""A draft without a model: the pack's own sentences, picked for the question and put into prose with marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from ask.quoting import MAX_QUOTED, body_of, sentences_of, shortened, speaker_of, told
from ask.sentences import flat
from ask.words import QuestionWords, coverage, has_time_words, question_words, rarity, tokens_in
from doso.records.evidence import Evidence, EvidenceItem, Intent, ItemKind, Route
from doso.text import search_tokens

#: Statements of one draft; more where the question asks for many things, fewer where nothing answers it directly.
MAX_STATEMENTS, MAX_LISTED, MAX_CLOSEST = 3, 6, 2
#: Facts at least this relevant are told before passages, further ones only beside them.
STRONG_FACT = 0.5
#: Passages less relevant than this part of the best are not read, quotes less fitting than that part not told.
LEAST_RELEVANT, LEAST_FITTING, LEAST_LISTED = 0.5, 0.8, 0.5
#: The same where somebody is asked about: what is said of them is found by their name alone.
LEAST_RELEVANT_OF_WHO = 0.2
#: A best quote that fits less, from a passage that is less relevant, answers nothing: it is told as the closest thing.
DIRECT_FIT, DIRECT_RELEVANCE = 0.8, 0.4
#: What the word counts more that says what is asked for ("How much is the rent for …": rent).
FOCUS_WEIGHT = 2.5
_FOCUS = regex.compile(
    r"\b(?:how \w+|what|which|berapa|apa)(?:'s| is| are| was| were| does| do| did)? (?:the |my |our |a |an )?"
    r"(?:(?:name|size|date|day|kind|type) of (?:the |my |our )?)?(\w[\w-]*(?: \w[\w-]*)?)"
)
_NUMBERED = regex.compile(r"\b(?:how (?:much|many|large|big|long|old|far|tall|expensive)|cost|price|number|berapa)\b")
_NAMED = regex.compile(r"\b(?:who|whose|whom|what(?:'s| is) the name|called|siapa)\b")
_WHO_IS = regex.compile(r"^(?:who(?:'s| is| was| are)|siapa(?:kah)?)\b")
_PLACED = regex.compile(r"\b(?:where|di mana|dimana|ke mana)\b")
_MANY = regex.compile(r"\b(?:which|what|list|all|everything|everyone|who are|apa saja|siapa saja)\b.*s\b")
_NAME = regex.compile(r"(?<!^)(?<![.!?] )\b\p{Lu}\p{Ll}+")
CLOSEST = "I found no direct answer. The closest things in your memory:"


@dataclass(frozen=True, slots=True)
class _Quote:
    """The sentences of one item that answer best, and how well."""

    item: EvidenceItem
    text: str
    score: float


def extract_draft(evidence: Evidence, question: str) -> str:
    """A few statements, each once, each with its mark; "" for an empty pack."""
    limit = MAX_LISTED if _is_of_many(evidence, question) else MAX_STATEMENTS
    facts = [item for item in evidence.items if item.kind is ItemKind.FACT]
    strong = [item for item in facts if item.score >= STRONG_FACT][:limit]
    passages = [item for item in evidence.items if item.kind is ItemKind.PASSAGE]
    quotes = _quotes(passages, question, evidence, is_listed=limit == MAX_LISTED)
    statements = [f"{item.text} [{item.mark}]." for item in strong]
    said = [item.text for item in strong]
    is_direct = bool(strong) or any(_is_direct(quote) for quote in quotes[:1])
    if strong and question_words(question).is_first_person:
        quotes = []  # what others say of themselves is no answer
    for quote in quotes if is_direct else quotes[:MAX_CLOSEST]:
        if len(statements) >= limit:
            break
        if not _is_said(quote.text, said):
            statements.append(told(quote.item, quote.text))
            said.append(quote.text)
    if not statements:
        return " ".join(f"{item.text} [{item.mark}]." for item in facts[:limit])
    return " ".join(statements if is_direct else [CLOSEST, *statements])


def _is_direct(quote: _Quote) -> bool:
    return quote.score >= DIRECT_FIT or quote.item.score >= DIRECT_RELEVANCE


def _is_of_many(evidence: Evidence, question: str) -> bool:
    return (
        evidence.plan.route is Route.RECENT
        or evidence.plan.intent is Intent.PEOPLE_RANKING
        or _MANY.search(question.casefold()) is not None
    )


def _quotes(passages: Sequence[EvidenceItem], question: str, evidence: Evidence, *, is_listed: bool) -> list[_Quote]:
    """The best of each passage, best first; of what is far behind the best nothing."""
    if evidence.plan.route is Route.RECENT:  # in the order of the pack: the latest first
        return [_Quote(item, shortened(body_of(item)), 1.0) for item in passages]
    words = question_words(question)
    tokens = words.subject or words.tokens
    sentences = [sentences_of(item) or [shortened(body_of(item))] for item in passages]
    weights = _weights(tokens, question, [one for each in sentences for one in each])
    best = max((item.score for item in passages), default=0.0)
    least_relevant = LEAST_RELEVANT_OF_WHO if _WHO_IS.match(question.casefold()) else LEAST_RELEVANT
    quotes = []
    for place, (item, each) in enumerate(zip(passages, sentences, strict=True)):
        if place and item.score < best * least_relevant:
            continue
        around = coverage(tokens_in(f"{item.text} {speaker_of(item)}", tokens), weights)
        scored = [
            0.6 * coverage(tokens_in(one, tokens), weights) + 0.4 * around + _fit(one, item, question, words)
            for one in each
        ]
        at = max(range(len(each)), key=lambda n: (scored[n], -n))
        quotes.append(_Quote(item, _around(each, at, scored), round(scored[at] - 0.02 * place, 4)))
    quotes.sort(key=lambda quote: -quote.score)
    least = LEAST_LISTED if is_listed else LEAST_FITTING
    return [quote for quote in quotes if quote.score >= quotes[0].score * least]


def _weights(tokens: Sequence[str], question: str, sentences: Sequence[str]) -> dict[str, float]:
    """What each word of the question tells; the one that says what is asked for counts more."""
    weights = rarity(tokens, [tokens_in(sentence, tokens) for sentence in sentences])
    focus = _FOCUS.search(question.casefold())
    asked = set(search_tokens(focus[1])) if focus is not None else set()
    return {token: weight * (FOCUS_WEIGHT if token in asked else 1.0) for token, weight in weights.items()}


def _fit(sentence: str, item: EvidenceItem, question: str, words: QuestionWords) -> float:
    """Whether the sentence has the kind of thing that is asked for."""
    asked = question.casefold()
    fit = 0.0
    if words.asks_when:
        fit += 0.3 if has_time_words(sentence) else -0.1
    if _NUMBERED.search(asked):
        fit += 0.3 if any(char.isdigit() for char in sentence) else -0.1
    if _NAMED.search(asked) or _PLACED.search(asked):
        fit += 0.15 if _NAME.search(sentence) else 0.0
    if _WHO_IS.match(asked):  # what a person says tells less of who they are than what is said of them
        named = set(words.subject) & set(search_tokens(speaker_of(item)))
        fit += -0.3 if named else (0.2 if set(words.subject) & set(search_tokens(sentence)) else 0.0)
    return fit - (0.15 if sentence.rstrip().endswith("?") else 0.0)


def _around(sentences: Sequence[str], at: int, scored: Sequence[float]) -> str:
    """The best sentence, with the next one where it is short or the next one is nearly as good."""
    quote = sentences[at]
    following = at + 1
    if " | " in quote or following >= len(sentences):
        return shortened(quote)
    if len(quote) < 30 or scored[following] >= scored[at] * 0.9 > 0:
        joined = f"{quote} {sentences[following]}"
        quote = joined if len(joined) <= MAX_QUOTED else quote
    return shortened(quote)


def _is_said(text: str, said: Sequence[str]) -> bool:
    words = f" {flat(text)} "
    return any(words in f" {flat(other)} " or f" {flat(other)} " in words for other in said)
