"""What kind of speech a sentence is: an assertion, a question, a guess, a supposition, an order, somebody else's words."""

# ruff: noqa: E501 - a table of words and patterns reads best with one form a line
# ruff: noqa: PLR0911 - a rule of grammar returns at the first form that fits
from __future__ import annotations

from enum import StrEnum

import regex

from ingest.extract.reading.line import Line
from ingest.extract.reading.verbs import FORMS
from ingest.extract.reading.wordsets import word_set


class Act(StrEnum):
    """How the words of a sentence are meant."""

    ASSERTS = "asserts"
    ASKS = "asks"
    GUESSES = "guesses"
    SUPPOSES = "supposes"
    ORDERS = "orders"
    JESTS = "jests"


_RHETORICAL = regex.compile(
    r"^(?:(?:can|could|would) you believe(?: it)?(?: ,)?(?: that)?|did i (?:ever |already )?(?:mention|tell you|say)(?: that)?|have i (?:ever |already )?"
    r"(?:mentioned|told you|said)(?: that)?|(?:did|do) you know(?: what)?(?: ,)?(?: that)?(?= (?:i|my|we|our) )|guess what(?: ,| \?| !| :)?|you know what(?: ,| \?)?|tahu (?:tidak|gak)(?: sih)?(?: ,)?|"
    r"sudah (?:saya )?(?:bilang|cerita) belum(?: ,)?(?: kalau| bahwa)?) "
)
_LEADS = regex.compile(
    r"^(?:(?:please |pls |tolong |and |so |ok |okay |oh |hey |also |just |well )*"
    r"(?:(?:remember|note|save|store|keep in mind|bear in mind|make a note|take note|write down|jot down|don't forget|do not forget|never forget|know)"
    r"(?: this| that down| it)?(?: for later| for me)?(?: to your memory| in your memory)?(?: ,| :| that| -)*(?: that)?"
    r"|(?:ingat|catat|simpan|ingatlah|camkan|jangan lupa|perlu diingat)(?: ini| baik-baik| ya)*(?: ,| :)?(?: bahwa| kalau)?"
    r"|(?:perkenalkan|kenalkan|let me introduce myself|allow me to introduce myself|nice to meet you|pleased to meet you|salam kenal)(?: ,| :| -)?|for the record(?: ,)?|just so you know(?: ,)?|for your information(?: ,)?|you should know(?: that)?|it is worth knowing that"
    r"|i (?:should|have to|must|want to|wanted to|need to|just want to|just wanted to) (?:say|tell you|mention|add|point out|let you know)(?: that)?"
    r"|(?:i )?let me tell you(?: that)?(?: :| ,)?|i (?:already |just )?(?:told you|said)(?: that)?(?= i | my )|as i (?:said|mentioned)(?: before)?(?: ,)?"
    r"|i can tell you(?: that)?|wait till you hear this(?: :)?|listen(?: to this)?(?: :| ,)|here is (?:the|some) news(?: :)?|long story short(?: ,)?|the (?:good |big )?news is(?: that)?"
    r"|now that|seeing as|given that|considering(?: that)?|since|because|as(?= i am )|(?:mumpung|berhubung|karena)|turns out(?: that)?|it turns out(?: that)?|yes|yep|anyway(?: ,)?|ternyata|jadi|btw|soalnya"
    r"|in case you (?:were wondering|forgot)(?: ,)?|i (?:am|'m) (?:happy|proud|pleased|sad|sorry|excited) to (?:say|announce|report)(?: that)?|fun fact(?: :| ,)?|confession(?: :)?|news(?: :)?|update(?: :)?|quick update(?: :)?|good news(?: :| ,)?|bad news(?: :| ,)?)) "
)
_HEDGE = regex.compile(
    r"\b(?:maybe|perhaps|probably|possibly|presumably|supposedly|allegedly|apparently|reportedly|i think|i guess|i suppose|i reckon|i believe|i assume|i imagine|i suspect|"
    r"i am not (?:sure|certain)|not (?:sure|certain)|no idea|hopefully|i hope|i heard|i hear|rumou?r has it|seems|seem|appears? to|sort of thinking|(?:am )?thinking (?:of|about)|considering|might|may(?= (?:be|have|move|go|start|leave|take|get))|could be|"
    r"kayaknya|kayanya|kayak dia|mungkin|sepertinya|keliatannya|kelihatannya|barangkali|katanya|konon|kali ya|rasanya|semoga|moga-moga|entah|kalau tidak salah|if i remember correctly|iirc|don't quote me)\b"
)
_SUPPOSES = regex.compile(
    r"^(?:(?:and|but|so|well|ok|oh) )*(?:if|unless|suppose|supposing|imagine|assume|assuming|say that i|what if|if only|hypothetically|let us (?:say|suppose|assume|imagine)|i wish|wish i|i would love to|i dream of|in another life|in a perfect world|had i|were i|when i grow up|someday|one day i|"
    r"kalau|jika|andai|andaikan|andaikata|seandainya|misal|misalnya|bayangkan|coba bayangkan|umpama|semisal|pengen)\b"
)
_QUESTION = regex.compile(
    r"^(?:(?:and|but|so|well|ok|okay|oh|hey|hi|please|then|by the way|btw|jadi|terus|nah|eh|also) (?:, )?)*(?:who|whom|whose|what|when(?! i was (?:a |young|little|small|in |\d))|where|why|how|which|is|are|am|was|were|do|does|did|can|could|will|would|should|shall|has|have|had|may|any|"
    r"siapa|apa|apakah|kapan|dimana|di mana|ke mana|kemana|dari mana|kenapa|mengapa|bagaimana|gimana|berapa|bisakah|bolehkah|adakah|emang|yakin|enaknya|sebaiknya)(?= |$)"
)
_ASKING_TAIL = regex.compile(
    r"(?:^| )(?:right|isn it|is it not|do i not|am i not|apa|kan|di mana|dimana|kapan|berapa|siapa|gimana|bagaimana|kenapa|ya kan|bukan|kok bisa|ke mana)$"
)
_TASKS = word_set(
    "write draft compose generate create make give show list find search look summarise summarize translate rewrite rephrase paraphrase "
    "proofread fix edit correct explain describe tell help suggest recommend plan outline compare analyse analyze check review "
    "convert calculate compute solve answer act play pretend imagine continue finish expand shorten improve format extract "
    "classify define name brainstorm design build code debug implement refactor test run open read send remind book schedule set add "
    "use try consider think let stop start please respond reply speak talk keep sing recite ask follow ignore repeat render print "
    "tolong buatkan buat tulis tuliskan jelaskan terjemahkan ringkas rangkum carikan cari berikan kasih bantu bantuin ceritakan "
    "sebutkan hitung susun perbaiki ubah lanjutkan jawab coba rekomendasikan sarankan bandingkan bikin bikinin"
)
_ORDER = regex.compile(
    r"^(?:(?:please|pls|now|then|ok|okay|so|and|hey|hi|just|tolong|from now on|always|never|next time|,|coba|kindly|do not|quickly|first) (?:, )?)*(?:"
    + "|".join(sorted(_TASKS, key=len, reverse=True))
    + r")(?= |$)(?! to meet| it is)"
)
_JEST = regex.compile(
    r"(?:^|\b)(?:yeah (?:,? ?)right|oh sure|yeah sure|as if|said no one|when pigs fly|just kidding|kidding|jk|(?:i am )?joking|\bnot !|lol jk|sarcasm|so \p{L}+ (?:that )?i could|i could eat a|i would sell my|literally (?:dying|dead)|"
    r"bercanda|becanda|canda|boong|bo'ong|ngarang|ha ha very funny|/s)(?=\W|$)"
)
_EMPHASIS = regex.compile(r"\b(?:LOVE|ADORE|ENJOY|LIKE)\b")
_FAMOUS = regex.compile(
    r"\b(?:the|a) (?:queen|king|pope|president|emperor|empress|prince|princess|tooth fairy|easter bunny|batman|santa)(?: of \p{L}+)?\b"
)


def without_lead(line: Line) -> tuple[Line, bool]:
    """The line behind "remember that", "did I mention", …, and whether something was taken away that frees it from
    being a question or an order."""
    is_freed = False
    for _ in range(4):
        text = line.text + " "
        match = _RHETORICAL.match(text) or _LEADS.match(text)
        if not match:
            break
        cut = line.index(match.end())
        if cut == 0 or cut > len(line):
            break
        is_freed = True
        line = line.slice(cut)
    return line, is_freed


_LED_BY_DOUBT = regex.compile(
    r"^(?:maybe|perhaps|probably|possibly|presumably|supposedly|allegedly|apparently|reportedly|i (?:think|guess|suppose|reckon|believe|assume|suspect|hear|heard)|"
    r"kayaknya|kayanya|mungkin|sepertinya|kelihatannya|barangkali|katanya|konon|rasanya|entah)(?: that| kalau)?(?: ,)? "
)


def without_doubt(line: Line) -> Line:
    """The clause behind "maybe", "I think", "kayaknya"."""
    match = _LED_BY_DOUBT.match(line.text + " ")
    cut = line.index(match.end()) if match else 0
    return line.slice(cut) if 0 < cut < len(line) else line


def act_of(line: Line, ender: str, raw: str, *, is_freed: bool = False) -> Act:
    """How a whole sentence is meant."""
    text = line.text
    if _JEST.search(text) or (_EMPHASIS.search(raw) and regex.search(r"\b(?:being|having to|when|how)\b", text)):
        return Act.JESTS
    if _FAMOUS.search(text) and regex.match(r"^(?:\S+ ){0,4}(?:i|saya) ", text + " "):
        return Act.JESTS
    if _SUPPOSES.match(text):
        return Act.SUPPOSES
    if not is_freed and asks(line):
        return Act.ASKS
    if not is_freed and orders(line):
        return Act.ORDERS
    if _HEDGE.search(text):
        return Act.GUESSES
    return Act.ASSERTS


def asks(line: Line) -> bool:
    """Whether a clause is a question by its words."""
    text = line.text
    if not _QUESTION.match(text):
        return bool(_ASKING_TAIL.search(text)) and len(line) > 1
    first = line.norms[0] if line.norms else ""
    return not (
        first in ("have", "had", "will", "may", "any")
        and len(line) > 1
        and first == "have"
        and FORMS.get(line.norm(1)) is None
        and line.norm(1) not in ("you", "i", "we", "they")
    )


def orders(line: Line) -> bool:
    """Whether a clause tells the assistant to do something."""
    return bool(_ORDER.match(line.text)) and not (line.norm(0) == "name" and line.norm(1) in (":", "is"))


def hedges(line: Line) -> bool:
    """Whether a clause says that it is unsure."""
    return bool(_HEDGE.search(line.text))
