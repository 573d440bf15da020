"""A mail's own words parted from what it quotes, forwards or signs with."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ATTRIBUTION = re.compile(
    r"^(?=.{8,400}$)(?:On|Am|Le|El|Il|Em|Op|Pada|Den|W dniu|Dnia|Dne|В|Vào|Tarihinde|Ai|La)\b.*"
    r"(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|menulis|skrev|napisał|napisal|пишет|написал[аи]?|"
    r"đã viết|yazdı)\b.{0,60}[:：]\s*$|^.{0,200}(?:写道|寫道|のメール|さんは書きました|님이 작성|yazdı)\s*[:：]\s*$|"
    r"^\d{4}[-/年].{0,200}<[^<>\s]+@[^<>\s]+>.{0,40}[:：]\s*$",
    re.IGNORECASE,
)
_ORIGINAL = re.compile(
    r"^[-_ ]{2,}\s*(?:original message|original appointment|ursprüngliche nachricht|mensaje original|message d'origine|"
    r"messaggio originale|mensagem original|oorspronkelijk bericht|pesan asli|исходное сообщение|"
    r"原始邮件|原始郵件)\s*[-_ ]{2,}$|^_{20,}$",
    re.IGNORECASE,
)
_FORWARD = re.compile(
    r"^[-_ ]{3,}\s*(?:forwarded message|weitergeleitete nachricht|mensaje reenviado|message transféré|"
    r"messaggio inoltrato|mensagem encaminhada|doorgestuurd bericht|pesan terusan|pesan yang diteruskan|"
    r"пересылаемое сообщение|forwarded)\s*[-_ ]{3,}$|"
    r"^begin forwarded message:$",
    re.IGNORECASE,
)
_BLOCK = re.compile(r"^\*?(?:From|Von|De|Da|Van|Dari|От|发件人|寄件者|差出人)\s?[:：]\*?\s*\S", re.IGNORECASE)
_BLOCK_MORE = re.compile(
    r"^\*?(?:Sent|Date|To|Subject|Gesendet|Datum|An|Betreff|Enviado|Fecha|Para|Asunto|Envoyé|À|Objet|Inviato|Data|A|Oggetto|"
    r"Verzonden|Aan|Onderwerp|Dikirim|Tanggal|Kepada|Subjek|Отправлено|Кому|Тема|Cc)\s?[:：]",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(
    r"^--\s?$|^(?:sent from my |get outlook for |von meinem .{0,30} gesendet|enviado desde mi |envoyé de mon |"
    r"inviato da(?:l mio)? |enviado do meu |verstuurd vanaf mijn |dikirim dari )",
    re.IGNORECASE,
)
_FIELD = re.compile(r"^\*?[^\W\d]+\s?[:：]\*?\s*(?P<value>.+)$")
_ADDRESS = re.compile(r"[\"*]*(?P<name>[^<\"*\[]*?)[\"*]*\s*(?:<|\[mailto:)(?P<address>[^<>\]\s]+@[^<>\]\s]+)[>\]]")


@dataclass(frozen=True, slots=True)
class Forwarded:
    """What a mail passes on from someone else."""

    text: str
    author: str | None
    address: str | None


@dataclass(frozen=True, slots=True)
class Parted:
    """A mail's body in its parts; `quoted_count` is the number of lines left out as quotes of earlier mails."""

    own: str
    forwarded: Forwarded | None
    quoted_count: int


def part(text: str) -> Parted:
    """Own words first; the reply's quotes and the signature are left out, a forwarded mail stands apart."""
    lines = text.split("\n")
    own: list[str] = []
    quoted = 0
    index = 0
    while index < len(lines):
        line = lines[index].strip()
        if _FORWARD.match(line):
            return Parted(_joined(own), _forwarded(lines[index + 1 :]), quoted)
        if (_ORIGINAL.match(line) and _starts_block(lines, index + 1)) or _starts_block(lines, index):
            return Parted(_joined(own), None, quoted + len(lines) - index)
        length = _attribution(lines, index)
        if length:
            index += length
            quoted += length
            continue
        if line.startswith(">"):
            quoted += 1
        elif _SIGNATURE.match(line):
            index = _after_signature(lines, index)
            continue
        else:
            own.append(lines[index])
        index += 1
    return Parted(_joined(own), None, quoted)


def _joined(lines: list[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines)).strip()


def _attribution(lines: list[str], index: int) -> int:
    """How many lines an "On … Ana wrote:" takes here; none unless quoted text follows it."""
    for length in (1, 2, 3):
        piece = " ".join(line.strip() for line in lines[index : index + length])
        if _ATTRIBUTION.match(piece):
            following = (line.strip() for line in lines[index + length : index + length + 4])
            return length if next((line for line in following if line), ">").startswith(">") else 0
    return 0


def _starts_block(lines: list[str], index: int) -> bool:
    """An Outlook quote: From, then two more of its fields in the next lines."""
    following = [line.strip() for line in lines[index : index + 7] if line.strip()]
    if not following or not _BLOCK.match(following[0]):
        return False
    return sum(bool(_BLOCK_MORE.match(line)) for line in following[1:5]) >= 2


def _after_signature(lines: list[str], index: int) -> int:
    """Where text may go on behind a signature: at the next quote, forward or block."""
    for later in range(index + 1, len(lines)):
        line = lines[later].strip()
        if line.startswith(">") or _FORWARD.match(line) or _ORIGINAL.match(line) or _attribution(lines, later):
            return later
    return len(lines)


def _forwarded(lines: list[str]) -> Forwarded | None:
    """The block behind a forward mark: its head fields, a blank line, its text."""
    start = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    fields: list[str] = []
    end = start
    while end < len(lines) and lines[end].strip():
        fields.append(lines[end].strip())
        end += 1
    text = part("\n".join(lines[end:])).own if end < len(lines) else ""
    if not text:
        return None
    sender = next((found["value"] for line in fields if _BLOCK.match(line) and (found := _FIELD.match(line))), "")
    found = _ADDRESS.search(sender)
    if found:
        return Forwarded(text, found["name"].strip() or found["address"], found["address"].lower())
    return Forwarded(text, sender.strip() or None, None)
