"""Verbs in all their forms: what each form is of, and the tense that it shows."""

# ruff: noqa: E501 - a table of words and patterns reads best with one form a line
from __future__ import annotations

from enum import StrEnum

from ingest.extract.reading.wordsets import word_set


class Tense(StrEnum):
    """What a form of a verb shows by itself."""

    BASE = "base"
    THIRD = "third"
    PAST = "past"
    PARTICIPLE = "participle"  # or past, where the two are one word
    GERUND = "gerund"


_REGULAR = [
    "live",
    "work",
    "reside",
    "move",
    "relocate",
    "settle",
    "rent",
    "join",
    "start",
    "start",
    "pick",
    "land",
    "hire",
    "employ",
    "volunteer",
    "study",
    "major",
    "graduate",
    "attend",
    "enrol",
    "enroll",
    "manage",
    "supervise",
    "head",
    "report",
    "belong",
    "marry",
    "date",
    "engage",
    "adopt",
    "own",
    "use",
    "like",
    "love",
    "enjoy",
    "adore",
    "hate",
    "dislike",
    "detest",
    "loathe",
    "prefer",
    "play",
    "avoid",
    "follow",
    "suffer",
    "diagnose",
    "visit",
    "travel",
    "head",
    "plan",
    "intend",
    "locate",
    "base",
    "found",
    "establish",
    "sell",
    "weigh",
    "turn",
    "measure",
    "retire",
    "resign",
    "divorce",
    "split",
    "separate",
    "name",
    "call",
    "nickname",
    "finish",
    "pass",
    "sign",
    "stop",
    "cook",
    "collect",
    "practise",
    "practice",
    "train",
    "coach",
    "watch",
    "listen",
    "learn",
    "want",
    "hope",
    "need",
    "expect",
    "switch",
    "change",
    "stay",
    "share",
    "stand",
    "celebrate",
    "graduate",
    "invent",
    "launch",
    "co-found",
    "cofound",
    "quit",
    "relocate",
    "park",
    "store",
    "hide",
    "stash",
    "host",
    "organise",
    "organize",
    "present",
    "fancy",
    "crave",
    "appreciate",
    "treasure",
    "despise",
    "work",
    "abstain",
    "support",
    "dump",
    "lease",
    "lecture",
    "promote",
    "license",
    "certify",
    "fire",
    "dismiss",
    "terminate",
    "cancel",
    "drop",
    "remember",
    "save",
    "note",
    "forget",
    "delete",
    "erase",
    "remove",
    "wipe",
    "clear",
    "introduce",
    "rescue",
    "publish",
    "serve",
    "offer",
    "produce",
    "operate",
    "specialise",
    "specialize",
    "design",
    "celebrate",
    "interview",
    "commute",
    "cycle",
    "sail",
    "ski",
    "surf",
    "hike",
    "climb",
    "code",
    "program",
    "paint",
    "garden",
    "bake",
    "knit",
    "sew",
    "foster",
    "raise",
    "breed",
    "walk",
    "adore",
    "admire",
    "volunteer",
    "consult",
    "mention",
    "claim",
    "reply",
    "text",
    "email",
    "complain",
    "point",
    "answer",
    "add",
    "explain",
    "insist",
    "announce",
    "argue",
    "add",
    "whisper",
    "shout",
    "state",
    "teach",
    "name",
    "spell",
    "pronounce",
    "confuse",
    "mean",
    "refer",
    "stand",
    "abbreviate",
]
_IRREGULAR = {
    "be": "am is are was were been being", "have": "has had had having", "do": "does did done doing",
    "go": "goes went gone going", "get": "gets got gotten getting", "buy": "buys bought bought buying",
    "keep": "keeps kept kept keeping", "speak": "speaks spoke spoken speaking", "drive": "drives drove driven driving",
    "ride": "rides rode ridden riding", "lead": "leads led led leading", "run": "runs ran run running",
    "sing": "sings sang sung singing", "grow": "grows grew grown growing", "come": "comes came come coming",
    "eat": "eats ate eaten eating", "drink": "drinks drank drunk drinking", "take": "takes took taken taking",
    "leave": "leaves left left leaving", "quit": "quits quit quit quitting", "break": "breaks broke broken breaking",
    "give": "gives gave given giving", "make": "makes made made making", "teach": "teaches taught taught teaching",
    "know": "knows knew known knowing", "meet": "meets met met meeting", "fly": "flies flew flown flying",
    "see": "sees saw seen seeing", "say": "says said said saying", "tell": "tells told told telling",
    "write": "writes wrote written writing", "think": "thinks thought thought thinking", "put": "puts put put putting",
    "become": "becomes became become becoming", "begin": "begins began begun beginning", "sell": "sells sold sold selling",
    "swim": "swims swam swum swimming", "build": "builds built built building", "find": "finds found found finding",
    "lose": "loses lost lost losing", "wed": "weds wed wed wedding", "hold": "holds held held holding",
    "feel": "feels felt felt feeling", "read": "reads read read reading", "stand": "stands stood stood standing",
    "fall": "falls fell fallen falling", "bear": "bears bore borne bearing", "study": "studies studied studied studying",
    "marry": "marries married married marrying", "prefer": "prefers preferred preferred preferring",
    "carry": "carries carried carried carrying", "stop": "stops stopped stopped stopping",
    "lay": "lays laid laid laying", "let": "lets let let letting", "wear": "wears wore worn wearing",
    "win": "wins won won winning", "die": "dies died died dying", "plan": "plans planned planned planning",
    "split": "splits split split splitting", "travel": "travels travelled travelled travelling", "date": "dates dated dated dating",
    "understand": "understands understood understood understanding", "miss": "misses missed missed missing",
    "enrol": "enrols enrolled enrolled enrolling", "refer": "refers referred referred referring",
    "mean": "means meant meant meaning", "pay": "pays paid paid paying", "draw": "draws drew drawn drawing",
    "drop": "drops dropped dropped dropping", "forget": "forgets forgot forgotten forgetting", "hide": "hides hid hidden hiding",
    "ski": "skis skied skied skiing", "spell": "spells spelled spelt spelling", "program": "programs programmed programmed programming",
    "jog": "jogs jogged jogged jogging", "sleep": "sleeps slept slept sleeping", "bring": "brings brought brought bringing",
}  # fmt: skip
#: Indonesian verbs with their prefix, to the root that the grammar reads.
_ROOTS = {
    "bekerja": "kerja", "berkerja": "kerja", "menikah": "nikah", "bermain": "main", "berbicara": "bicara",
    "menyukai": "suka", "menyenangi": "suka", "mencintai": "cinta", "membenci": "benci", "mempunyai": "punya",
    "memiliki": "punya", "memelihara": "pelihara", "menjual": "jual", "membeli": "beli", "memakai": "pakai",
    "menggunakan": "pakai", "gunakan": "pakai", "makai": "pakai", "menjadi": "jadi", "berdomisili": "domisili", "bertempat": "tempat",
    "menghindari": "hindari", "mengidap": "idap", "menderita": "idap", "bergabung": "gabung", "mengajar": "ajar",
    "menghadiri": "hadiri", "mengikuti": "ikut", "memimpin": "pimpin", "mengelola": "kelola", "mendirikan": "dirikan",
    "mengerjakan": "kerjakan", "menyimpan": "simpan", "berlokasi": "lokasi", "terletak": "letak", "mengenal": "kenal",
    "menyewa": "sewa", "nyewa": "sewa", "berencana": "rencana", "merencanakan": "rencana", "bernama": "bernama",
    "berumur": "umur", "berusia": "umur", "beli": "beli", "jualan": "jual", "menetap": "tinggal", "bermukim": "tinggal",
    "berasal": "asal", "ngekos": "kos", "ngontrak": "kos", "belajar": "ajari", "naruh": "taruh", "menaruh": "taruh",
    "nyimpen": "simpan", "simpen": "simpan", "berangkat": "pergi", "berlibur": "liburan", "kepala": "kepala",
    "berpacaran": "pacaran", "bertunangan": "tunangan", "bercerai": "cerai", "terbang": "terbang", "mengendarai": "kendarai",
    "naik": "naik", "berbahasa": "bahasa", "melatih": "latih", "menggemari": "suka", "gemar": "suka", "doyan": "suka",
    "seneng": "suka", "senang": "suka", "demen": "suka",
}  # fmt: skip


def _inflected(verb: str) -> dict[str, tuple[str, Tense]]:
    stem = verb.removesuffix("e") if verb.endswith("e") and not verb.endswith("ee") else verb
    third = verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "z")) else "s")
    past = verb + ("d" if verb.endswith("e") else "ed")
    return {
        verb: (verb, Tense.BASE), third: (verb, Tense.THIRD), past: (verb, Tense.PAST), f"{stem}ing": (verb, Tense.GERUND),
    }  # fmt: skip


def _forms() -> dict[str, tuple[str, Tense]]:
    found: dict[str, tuple[str, Tense]] = {}
    for verb in _REGULAR:
        found |= _inflected(verb)
    for verb, line in _IRREGULAR.items():
        forms = line.split()
        tenses = (Tense.THIRD, Tense.PAST, Tense.PARTICIPLE, Tense.GERUND)
        if verb != "be":
            found[verb] = (verb, Tense.BASE)
            for form, tense in zip(reversed(forms), reversed(tenses), strict=True):
                if form != verb or tense is Tense.PAST:
                    found[form] = (verb, tense)
    return found


#: Every form of the verbs that the grammar knows, to its base and tense.
FORMS: dict[str, tuple[str, Tense]] = _forms()


def lemma(norm: str) -> str:
    """The base of a verb's form, the root of an Indonesian verb, or the word itself."""
    found = FORMS.get(norm)
    return found[0] if found is not None else _ROOTS.get(norm, norm)


def tense_of(norm: str) -> Tense | None:
    """What tense a form of a known English verb shows."""
    found = FORMS.get(norm)
    return None if found is None else found[1]


#: Indonesian verbs in the form in which they are said.
INDONESIAN = word_set(
    "tinggal kerja kuliah pindah punya suka benci alergi main bisa berasal asal lahir umur adalah jadi pakai beli jual "
    "menikah nikah ikut kenal domisili kos sekolah join gabung magang resign keluar berhenti putus cerai hobi orang "
    "anggota menyukai pelihara bernama namanya nama terbang pergi liburan mudik taruh simpan ada di dipanggil pacaran "
    "tunangan bahasa lulus didirikan pantang"
)
