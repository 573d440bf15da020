"""What of a turn is the speaker's own word at all: pasted text, prompts of clients, play, secrets fall away first."""

# ruff: noqa: E501 - a table of words and patterns reads best with one form a line
from __future__ import annotations

from dataclasses import dataclass

import regex

MAX_CHARS = 20_000
_BLANK = "\u0000"

_HOUSEKEEPING = regex.compile(
    r"(?:^|\n)[ \t]*+#{1,4} ?(?:task|instructions?|guidelines|output|chat history)\b|<chat_history>|</?(?:conversation|transcript|history|messages)>"
    r"|(?:generate|create|write|suggest|provide|make|give|return|come up with|propose|produce|buatkan|buat)\b[^.\n]{0,60}\b(?:title|tags?|judul|follow-?up questions?|emoji|search quer(?:y|ies)|autocomplet\w+|summary)\b[^.\n]{0,60}"
    r"\b(?:conversation|chat|dialog(?:ue)?|messages?|thread|percakapan|obrolan|history)\b"
    r"|(?:summari[sz]e|categori[sz]e|classify|label|rangkum|ringkas)\b[^.\n]{0,30}\b(?:this|the|above|following)\b[^.\n]{0,20}\b(?:conversation|chat|dialog(?:ue)?|chat history|percakapan)\b"
    r"|reply with (?:only )?the title|respond (?:only )?(?:with|in) (?:a )?(?:valid )?json|you are an? (?:autocomplet\w+|title generat\w+|helpful assistant|ai assistant|search query)\b|\bJSON format:",
    regex.IGNORECASE,
)
_TRANSCRIPT = regex.compile(
    r"^[ \t]*+(?:user|assistant|human|ai|system|bot|chatgpt|claude)[ \t]*+:", regex.IGNORECASE | regex.MULTILINE
)
_NOT_FOR_MEMORY = regex.compile(
    r"\b(?:(?:do not|don['’]?t|please don['’]?t|never|no need to|you (?:don['’]t|do not) (?:have|need) to) (?:remember|save|store|keep|memori[sz]e|log|record|note|write down|hold on to|add|put)\b(?! (?:me|my (?!memory)))[^.!?\n]{0,40}"
    r"|off the record|(?:not|isn['’]t) (?:meant |something )?(?:for|to go (?:in|into)) (?:your|the) memory|(?:keep|leave) (?:this|it|that) out of (?:your )?memory|not to be (?:remembered|saved|stored)|without (?:saving|storing|remembering)"
    r"|this (?:stays|is) (?:strictly )?between (?:us|you and me)|forget i (?:said|told|mentioned)|nothing to (?:remember|save)"
    r"|jangan (?:di)?(?:ingat|simpan|catat|rekam|save)\b|tidak usah (?:di)?(?:ingat|simpan|catat)\b|(?:gak|nggak|ga|tak) usah (?:di)?(?:ingat|simpan|catat|inget)\b|jangan (?:masukin|masukkan) (?:ke )?(?:memori|memory)|rahasia ya|jangan diinget)",
    regex.IGNORECASE,
)
_PLAY = regex.compile(
    r"\b(?:role-?\s?play(?:ing)?|let['’]?s (?:pretend|play|imagine)|pretend (?:that |to be |you|i|we)|act as|you are (?:now )?(?:a|an|the) (?!good|great|nice|true|very|real|star|genius|life ?saver|treasure|gem|angel|legend)|imagine (?:that |you|i|we|a)"
    r"|in (?:my|the|this|our) (?:novel|story|book|game|film|movie|script|campaign|fanfic|screenplay|play|comic|short story)|my (?:character|protagonist|oc|avatar|persona|hero|villain)\b|the (?:main character|protagonist|hero|heroine|narrator) (?:is|lives|works|says|of)"
    r"|once upon a time|(?:chapter|act|scene) (?:\d+|one|two|three)\b|(?:continue|write|finish) (?:the|this|a|my|another|me a) (?:short |little )?(?:story|scene|chapter|poem|song|novel|tale|monologue|dialogue)\b[^.\n]*[:\n]"
    r"|(?:first|opening) line of (?:my|the|a)|dungeons (?:&|and) dragons|d&d|bermain peran|pura-puranya|pura-pura|berperan (?:sebagai|jadi)|anggap (?:saja )?(?:saya|aku|kamu)|alkisah|pada suatu hari|(?:di|dalam) (?:novel|cerita|cerpen|game|buku)(?:ku| saya| ini)|tokoh utama(?:nya)?|karakter(?:ku| saya|nya)\b)",
    regex.IGNORECASE,
)
_FENCE = regex.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", regex.DOTALL)
_INLINE_CODE = regex.compile(r"`[^`\n]+`")
_QUOTED_LINE = regex.compile(r"^[ \t]*[>|].*$", regex.MULTILINE)
_LOG_LINE = regex.compile(
    r"^[ \t]*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*.*|\[?\d{1,2}[/.]\d{1,2}[/.]\d{2,4},? \d{1,2}[:.]\d\d.*|\[\d{1,2}:\d\d(?::\d\d)?\].*|\d\d:\d\d:\d\d.*|(?:INFO|WARN|ERROR|DEBUG|TRACE)\b.*|Traceback .*|[ \t]+File \".*|.*\b\w+=\S+ \w+=\S+.*|[<{\[].*[>}\]];?)$",
    regex.MULTILINE,
)
_SPEAKER_LINE = regex.compile(r"^[ \t]*\p{Lu}[\p{L} .]{1,24}:[ \t]+\S.*$", regex.MULTILINE)
_LETTER = regex.compile(
    r"^(?:(?:Hi|Hello|Dear|Hey|Halo|Yth\.?|Kepada) [^\n]{1,40}[,:]?[ \t]*\n).{0,3000}?^(?:(?:Best|Kind|Warm)(?: regards| wishes)?|Regards|Cheers|Sincerely|Thanks|Thank you|Yours(?: \w+)?|Salam|Hormat saya|Terima kasih|Love)[,.!]?[ \t]*\n.*?(?:\n\n|\Z)",
    regex.MULTILINE | regex.DOTALL,
)
_EARLIER_MAIL = regex.compile(
    r"^(?:On .{5,120} wrote:|Pada .{5,120} menulis:|Begin forwarded message:|-{2,} ?(?:Original|Forwarded) [Mm]essage ?-{2,}|From: .+\n(?:Sent|To|Date): .+|Subject: .+)",
    regex.MULTILINE,
)
#: An order to work on a text: what follows is that text.
_WORK_ON = regex.compile(
    r"^\s*(?:(?:please|pls|can you|could you|would you|hey|hi|ok|tolong|bisa|coba)[,]? )*(?:help me )?(?:to )?(?:summari[sz]e|translate|rewrite|rephrase|paraphrase|proof-?read|correct|edit|fix|improve|shorten|polish|check|review|classify|extract|explain|"
    r"analy[sz]e|comment on|reply to|respond to|answer|continue|convert|format|simplify|expand|turn|make|read|look at|what do you think of|what does (?:this|it|that|the following)|what is (?:this|the following|that)|is (?:this|the following|that)|who (?:wrote|said) (?:this|that)|does this|how does this|why does this|terjemahkan|ringkas(?:kan)?|rangkum(?:kan)?|perbaiki|koreksi|cek|ubah|edit|apa (?:maksud|arti|isi)(?:nya)?)\b",
    regex.IGNORECASE,
)
_FORWARDED = regex.compile(
    r"^\s*(?:forwarded|diteruskan|fwd?:|fw:|copy-?pasted?|copied|pasted|here['’]s (?:the|an?|what) (?:email|mail|text|article|message|letter|post|transcript)|from the (?:article|website|email|mail|page|docs?)|text below|the (?:email|message|article|letter|text) (?:says|said|reads))\b",
    regex.IGNORECASE,
)
_TEXT_AHEAD = regex.compile(r":[ \t]*+(?:\n|$|[\"“„«'‘])|\n[ \t]*+\n|\n[ \t]*+[\"“„«]|(?<=[a-z]): (?=\S)")
_SECRET = regex.compile(
    r"\b(?:pass ?words?|passwd|pass ?codes?|pass ?phrases?|pins?(?: (?:code|number))?|pin code|api[ -]?keys?|secret(?: key)?s?|access[ -]?(?:key|token|code)s?|private key|tokens?|log-?ins?|credentials?|cvv|cvc|security code|card (?:number|no)|(?:credit|debit|bank) card|"
    r"account number|bank (?:account|login|details)|sort code|iban|routing number|ssn|social security|passport (?:number|no)|id (?:card|number)|licen[cs]e number|tax (?:id|number)|national (?:id|insurance)|otp|one-?time (?:code|password)|verification code|2fa|recovery (?:code|phrase)|seed phrase|door code|alarm code|gate code|entry code|"
    r"unlock code|combination|wi-?fi (?:password|key)|kata sandi|sandi|password(?:nya)?|kode (?:otp|verifikasi|pin|akses|rahasia|pintu)|nomor (?:kartu|rekening|ktp|paspor|npwp|nik|sim)|no\.? ?(?:rekening|ktp|nik|kartu)|rekening|nik|ktp|npwp|username|user name)(?: saya|ku|nya)?\b",
    regex.IGNORECASE,
)
_KEY = regex.compile(
    r"\b(?:sk|pk|rk|ghp|gho|xox[bpas]|AKIA|AIza|eyJ)[-_A-Za-z0-9]{10,}|\b(?:\d[ -]?){13,19}\b|-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|\Z)|\b\d{3}-\d{2}-\d{4}\b|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b",
    regex.DOTALL,
)
_IS_NUMBER_TALK = regex.compile(
    r"\b(?:pins and|bowling|pin board|pinboard|combination of|token of|secret (?:santa|recipe|garden|admirer))\b",
    regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Own:
    """The text with what isn't the speaker's own word blanked out, offsets kept; `why` names what was found."""

    text: str
    why: str = ""

    @property
    def is_empty(self) -> bool:
        return not self.text.strip(" \n\t\u0000")


def own_words(text: str) -> Own:
    """What of a turn may be read at all."""
    text = text[:MAX_CHARS]
    if _HOUSEKEEPING.search(text) or (len(_TRANSCRIPT.findall(text)) >= 2):
        return Own("", "housekeeping")
    if _is_off_record(text):
        return Own("", "not for memory")
    if _PLAY.search(text):
        return Own("", "play")
    bare, why = _without_pasted(text)
    bare = _KEY.sub(_blanked, bare)
    return Own(bare, why)


def is_secret(text: str) -> bool:
    """Whether a clause speaks of something that opens doors or accounts."""
    return _SECRET.search(text) is not None and not _IS_NUMBER_TALK.search(text)


def _is_off_record(text: str) -> bool:
    match = _NOT_FOR_MEMORY.search(text)
    if not match:
        return False
    said = match.group().casefold()
    if regex.search(r"\b(?:keep|put|store|add|hold|record|log|write)\b", said):
        return (
            regex.search(r"\b(?:this|that|it|memory|anything)\b", said) is not None
            and regex.search(r"\bkeep (?:it )?(?:in|at|pets|up)\b", said) is None
        )
    if regex.match(r"(?:do not|don['’]?t) remember", said):
        return regex.search(r"\b(?:this|that|it|what i|anything|any of)\b", said) is not None
    return True


def _blanked(match: regex.Match[str]) -> str:
    return regex.sub(r"[^\n]", _BLANK, match.group())


def _without_pasted(text: str) -> tuple[str, str]:
    bare = text
    for pattern in (_FENCE, _INLINE_CODE, _QUOTED_LINE, _LOG_LINE, _LETTER):
        bare = pattern.sub(_blanked, bare)
    if earlier := _EARLIER_MAIL.search(bare):
        bare = bare[: earlier.start()] + _blanked_text(bare[earlier.start() :])
    if len(_SPEAKER_LINE.findall(bare)) >= 3 and len(
        {line.split(":")[0] for line in _SPEAKER_LINE.findall(bare)}
    ) < len(_SPEAKER_LINE.findall(bare)):
        bare = _SPEAKER_LINE.sub(_blanked, bare)
    if _FORWARDED.match(text):
        return _blanked_text(text), "pasted"
    work = _WORK_ON.match(text)
    if work:
        ahead = _TEXT_AHEAD.search(bare, work.end())
        if ahead:
            bare = bare[: ahead.start()] + _blanked_text(bare[ahead.start() :])
            return bare, "pasted"
    return bare, "pasted" if bare != text else ""


def _blanked_text(text: str) -> str:
    return regex.sub(r"[^\n]", _BLANK, text)
