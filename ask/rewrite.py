"""Makes a follow-up stand on its own before it is searched for; one that can't be rewritten is asked as it is."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from ask.prompting import history_messages
from ask.question import MAX_QUESTION_CHARS
from ask.underway import Ask
from doso.errors import ProviderUnavailable
from doso.llm.chat import ChatMessage, ModelRequest, Profile, Role
from doso.text import clean, is_blank, query_tokens

#: The share of the time for the whole ask in which a rewrite must be there, its tokens, the history it is shown.
REWRITE_SHARE, REWRITE_TOKENS, HISTORY_TOKENS = 0.2, 300, 2_000
#: Words of a question that are compared.
_MAX_WORDS = 64
FAILED = "The question was not put in full: it was asked as it is."


async def rewritten(ask: Ask) -> Ask:
    """The ask with its question in full; the same one where there is no history, no model or no good rewrite."""
    models, wish = ask.means.models, ask.wish
    if not ask.question.history or wish.whole_question is not None or models.ability(Profile.REWRITE) is None:
        return ask
    from ask.prompts.rewriting import RULES, Rewritten  # noqa: PLC0415  # pydantic takes a tenth of a second to load

    history = history_messages(ask.question.history, HISTORY_TOKENS)
    said = "\n".join(f"{message.role.value}: {message.text}" for message in history)
    asked = f"<conversation>\n{said}\n</conversation>\n\nThe last question: {ask.question.text}"
    messages = (ChatMessage(Role.SYSTEM, RULES), ChatMessage(Role.USER, asked))
    try:
        with ask.trace.span("rewrite"):
            async with asyncio.timeout_at(ask.until(REWRITE_SHARE)):
                reply = await models.reply(Profile.REWRITE, ModelRequest(messages, REWRITE_TOKENS, 0.0), Rewritten)
    except (ProviderUnavailable, TimeoutError):
        ask.note(FAILED)
        return ask
    text = clean(reply.question).strip()
    if is_blank(text) or len(text) > MAX_QUESTION_CHARS:
        ask.note(FAILED)
        return ask
    return replace(ask, question=replace(ask.question, text=text))


def outward(ask: Ask) -> str:
    """The question as the outside may see it: in the asker's own words. A rewrite with words that only others wrote
    could carry what a text told it to, so then it is the question as it was asked."""
    own = " ".join([ask.written, *(turn.text for turn in ask.question.history if turn.role == "user")])
    known = set(query_tokens(own, limit=10_000))
    is_own = known.issuperset(query_tokens(ask.question.text, limit=_MAX_WORDS))
    return ask.question.text if is_own or not ask.is_rewritten else ask.written[:MAX_QUESTION_CHARS]
