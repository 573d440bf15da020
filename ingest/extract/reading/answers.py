"""Short answers to a question that the assistant asked: read as the sentence that they stand for."""

# ruff: noqa: E501 - a table of words and patterns reads best with one form a line
from __future__ import annotations

import regex

_YES = regex.compile(
    r"^\s*(?:yes|yep|yeah|yup|correct|right|that['’]s right|i do|i am|indeed|sure do|still do|ya+|iya|betul|benar|yoi)\b[\s.!,]*$",
    regex.IGNORECASE,
)
_STATES = regex.compile(r"\b(?:i|i['’]m|im|we|i['’]ve)\b|^(?:saya|aku|gue|gw|kami)\b", regex.IGNORECASE)
_LAST_QUESTION = regex.compile(r"[^.!?\n]*\?")
#: Questions, and how an answer to each begins as a statement.
_FORMS: tuple[tuple[regex.Pattern[str], str], ...] = tuple(
    (regex.compile(pattern, regex.IGNORECASE), lead)
    for pattern, lead in (
        (r"\bwhat(?:['’]s| is| was)? (?:i )?(?:your|ur) (?:full |first |given |real )?name\b|\bwho am i (?:talking|speaking|chatting) (?:to|with)\b|\bmay i (?:have|ask|know) your name|\bsiapa nama|\bnama(?:mu|nya| kamu| anda)? siapa|who are you\b", "my name is"),
        (r"\bwhat (?:should|can|may|shall|do) i call you\b|\bhow should i (?:address|call) you|dipanggil apa|panggil (?:kamu )?apa", "call me"),
        (r"\bwhere (?:are you|do you come) (?:originally )?from\b|\bwhere(?:['’]s| is) home(?:town)?\b|\b(?:asal(?:nya|mu)?|berasal) (?:dari )?mana|\bdari mana asal", "i am from"),
        (r"\bwhere do you (?:live|reside|stay)\b|\bwhere are you (?:based|living|located)\b|\b(?:which|what) (?:city|town|country) (?:do you live|are you) in\b|\btinggal di ?mana|\bdi ?mana (?:kamu |anda )?tinggal", "i live in"),
        (r"\b(?:where|who|what company) do you work(?: for| at)?\b|\bkerja(?:nya)? di ?mana|\bdi ?mana (?:kamu |anda )?(?:be)?kerja", "i work at"),
        (r"\bwhat do you do(?: for (?:a )?(?:living|work))?\b|\bwhat(?:['’]s| is) your (?:job|occupation|profession|role)\b|\bapa pekerjaan|\bpekerjaan(?:mu|nya| kamu| anda)? apa|\bkerja(?:nya)? apa", "i am a"),
        (r"\bhow old are you\b|\bwhat(?:['’]s| is) your age\b|\b(?:umur|usia)(?:mu|nya| kamu| anda)? berapa|\bberapa (?:umur|usia)", "i am"),
        (r"\bwhen (?:is|['’]s) your birthday\b|\bwhen were you born\b|\bkapan (?:ulang tahun|kamu lahir|ultah)|\bulang tahun(?:mu|nya| kamu)? kapan", "my birthday is"),
        (r"\bwhere (?:do|did) you (?:study|go to (?:school|university|college))\b|\bkuliah di ?mana", "i study at"),
        (r"\bwhat (?:do|did) you study\b|\bwhat(?:['’]s| is) your major\b", "i study"),
        (r"\b(?:what|which) languages? do you speak\b|\bbahasa apa", "i speak"),
        (r"\bwhat are your pronouns\b", "my pronouns are"),
        (r"\b(?:do you have|are there|got) (?:any )?allerg\w+|\bwhat are you allergic to\b|\balergi apa", "i am allergic to"),
        (r"\b(?:what are|do you have) (?:your |any )?hobb(?:y|ies)\b|\bwhat do you (?:like|enjoy)\b|\bhobi(?:mu|nya| kamu)? apa|\bapa hobi", "i like"),
        (r"\bwhat(?:['’]s| is| are) your (?P<noun>favou?rite \w+|e-?mail(?: address)?|phone(?: number)?|number|height|weight|diet|nationality|hometown)\b", "my {noun} is"),
        (r"\bhow tall are you\b|\btinggi(?:mu|nya| badan\w*)? berapa", "i am"),
        (r"\bhow much do you weigh\b", "i weigh"),
        (r"\bwhat(?:['’]s| is) (?:the name of )?your (?P<noun>wife|husband|partner|sister|brother|mother|father|son|daughter|dog|cat|boss|manager|doctor|dentist|girlfriend|boyfriend|best friend)(?:['’]s name| called|\?| named)", "my {noun} is called"),
        (r"\bdo you (?:have|follow) (?:a (?:special )?diet|any dietary \w+)\b|\bare you (?:vegetarian|vegan)\b", "i am"),
    )
)  # fmt: skip
_LEADING = regex.compile(
    r"^\s*(?:(?:in|at|for|from|di|on|as|a|an|it['’]?s|its|it is|that['’]?s|oh|well|um|hmm|sure|yes|call me|just)[\s,]+)+",
    regex.IGNORECASE,
)
_YES_NO = regex.compile(
    r"^\W*(?:and |so |oh |just to (?:check|confirm)[,:]? |by the way,? )*(?P<aux>do|are|is|does|have|did|has|were|apakah) (?P<rest>.+?)\??\s*$",
    regex.IGNORECASE,
)
_TURNED = {"your": "my", "you": "i", "yours": "mine", "yourself": "myself"}
MAX_ANSWER_CHARS, MAX_ANSWER_WORDS = 120, 12


def as_statement(answer: str, assistant: str) -> str | None:
    """The sentence that a short answer stands for, None when the last turn asked nothing that is known here."""
    asked = _LAST_QUESTION.findall(assistant[-2_000:])
    if not asked or not answer.strip() or len(answer) > MAX_ANSWER_CHARS or "?" in answer:
        return None
    question = asked[-1].strip()
    if _YES.match(answer):
        return _confirmed(question)
    if len(answer.split()) > MAX_ANSWER_WORDS or _STATES.search(answer):
        return None
    for pattern, lead in _FORMS:
        match = pattern.search(question)
        if match:
            noun = match.groupdict().get("noun") or ""
            said = _LEADING.sub("", answer).strip()
            return f"{lead.replace('{noun}', noun)} {said}" if said else None
    return None


def _confirmed(question: str) -> str | None:
    """ "Do you still work at Vantera?", answered by yes."""
    match = _YES_NO.match(question)
    if not match or not regex.match(r"(?:you|your)\b", match["rest"], regex.IGNORECASE):
        return None
    words = [_TURNED.get(word.casefold(), word) for word in match["rest"].split()]
    if match["aux"].casefold() == "are" and words[0] == "i":
        words.insert(1, "am")
    elif match["aux"].casefold() in ("have", "did") and words[0] == "i":
        words.insert(1, match["aux"].casefold() if match["aux"].casefold() == "have" else "did")
    elif match["aux"].casefold() == "is":
        return None
    return " ".join(words)


_TAG = regex.compile(
    r",? (?:right|correct|yes|no|isn['’]t it|don['’]t you|aren['’]t you|is that right|kan|ya)\s*\?", regex.IGNORECASE
)


def as_first_person(text: str) -> str:
    """The assistant's "You live in Porto" as the person would say it."""
    text = _TAG.sub(".", text)
    turned = regex.sub(r"\byou(?:['’]re| are)\b", "I am", text, flags=regex.IGNORECASE)
    turned = regex.sub(r"\byou(?:['’]ve| have)\b", "I have", turned, flags=regex.IGNORECASE)
    turned = regex.sub(r"\byour\b", "my", turned, flags=regex.IGNORECASE)
    return regex.sub(r"\byou\b", "I", turned, flags=regex.IGNORECASE)
