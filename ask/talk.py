"""Tells apart what asks nothing that a memory could hold: greetings, thanks, and work on the conversation itself."""

# ruff: noqa: SIM905 - word lists read best as text

from __future__ import annotations

import regex

from ask.fixed import GOODBYE, GREETING, THANKS
from doso.text import words

_MAX_WORDS = 12
_GREETINGS = frozenset(
    "hi hello hey hallo hola heya hiya yo greetings morning afternoon evening day halo hai pagi siang sore malam "
    "selamat good moin servus bonjour salut ciao howdy sup".split()
)
_THANKS = frozenset("thanks thank thx ty cheers danke merci gracias makasih terima kasih trims tengkyu".split())
_GOODBYES = frozenset("bye goodbye cya later night ciao tschuss dadah sampai jumpa".split())
_ACKNOWLEDGED = frozenset("ok okay yes no sure cool great nice perfect understood test testing ping lol haha".split())
#: Words that go with them and ask nothing.
_FILLERS = frozenset(
    "there you so much very a lot all doso everyone friend again for that this the help your it is was nice well fine "
    "awesome got how are doing today whats up to see please and i am im my dear ya yang banyak kak lagi apa kabar "
    "going s".split()
)
_HOW_ARE_YOU = regex.compile(
    r"\b(?:how are you|how(?:'s| is) it going|apa kabar|who are you|what can you do|what are you)\b"
)
_WHO = frozenset("who are you what can do".split())
_ON_WHAT_WAS_SAID = regex.compile(
    r"^(?:please |can you |could you |now |and |ok(?:ay)?,? )*"
    r"(?:translate|shorten|rephrase|reword|rewrite|repeat|summari[sz]e|expand|simplify|format|put|say|make|explain|turn"
    r"|terjemahkan|ringkas|ulangi)\b.{0,20}"
    r"\b(?:that|this|it|them|those|the above|our (?:chat|conversation)|this conversation|itu|jawaban"
    r"|(?:your|the) (?:last |previous |above )?(?:answer|reply|response|message|text))\b(?!.{0,3}\babout\b)",
    regex.IGNORECASE,
)


def is_talk(text: str, *, has_history: bool) -> bool:
    """Whether there is nothing to look up. Work on what was said needs something that was said."""
    heard = words(text)
    if not heard:
        return True
    if has_history and _ON_WHAT_WAS_SAID.match(text.strip()):
        return True
    if len(heard) > _MAX_WORDS:
        return False
    if _HOW_ARE_YOU.search(text.casefold()) and not (set(heard) - _GREETINGS - _FILLERS - _WHO):
        return True
    telling = _GREETINGS | _THANKS | _GOODBYES | _ACKNOWLEDGED
    return bool(set(heard) & telling) and not (set(heard) - telling - _FILLERS)


def fixed_reply(text: str) -> str:
    """A short reply without a model."""
    heard = set(words(text))
    if heard & _THANKS:
        return THANKS
    if heard & _GOODBYES and not heard & _GREETINGS - {"ciao", "night"}:
        return GOODBYE
    return GREETING
