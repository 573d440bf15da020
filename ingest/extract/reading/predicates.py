"""The frames of verbs: which words, in which order, state which predicate of what kind of object."""

# ruff: noqa: E501 - a table of words and patterns reads best with one form a line
from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import regex

from ingest.extract.reading.verbs import lemma
from ingest.extract.reading.words import ADVERBS


class Kind(StrEnum):
    """What the object of a frame is."""

    PLACE = "place"
    TOWN = "town"  # a place that the world knows by name
    ORG = "org"
    GROUP = "group"  # a club, choir or team, by name
    SCHOOL = "school"
    PERSON = "person"
    TOPIC = "topic"
    THING = "thing"  # a named product, vehicle or belonging
    TOOL = "tool"
    ROLE = "role"
    PET = "pet"
    LANGUAGE = "language"
    NATION = "nation"
    ILLNESS = "illness"
    DIET = "diet"
    OCCASION = "occasion"
    NAME = "name"
    DAY = "day"
    AGE = "age"
    MEASURE = "measure"
    WARE = "ware"
    RELATIVE = "relative"  # "a sister named Ana"
    HERE = "here"  # a place that was named before
    TEAM = "team"
    SPOT = "spot"  # where a thing is kept
    ACT = "act"  # an infinitive
    NONE = "none"


class Mode(StrEnum):
    """How a verb's tense is read."""

    STATE = "state"  # holds while the verb is in the present
    CHANGE = "change"  # once done, the state holds
    END = "end"  # once done, the state is over
    EVENT = "event"  # happens on a day


@dataclass(frozen=True, slots=True)
class Frame:
    """A verb with its particles. `negated`: the predicate that its negation states, "" where that only denies."""

    pattern: regex.Pattern[str]
    predicate: str
    kind: Kind
    mode: Mode = Mode.STATE
    negated: str = ""
    is_turned: bool = False
    only_negated: bool = False
    may_can: bool = False  # "I can" states it too
    needs_end: bool = False  # only for a bounded time


_ADV = "|".join(sorted((regex.escape(word) for word in ADVERBS), key=len, reverse=True))


def _compiled(words: str) -> regex.Pattern[str]:
    """ "a|b c? d_e *": choices, an optional word, a choice of two words, one to four words of any kind."""
    parts: list[str] = []
    has_head = False
    between = rf"(?:(?:{_ADV}) )*"
    for word in words.split():
        choices = "|".join(
            " ".join(regex.escape(lemma(part)) for part in choice.split("_")) for choice in word.rstrip("?").split("|")
        )
        choices = r"\S+(?: \S+){0,3}?" if word == "*" else choices
        if not word.endswith("?"):
            parts.append(f"(?: {between})(?:{choices})" if has_head else f"(?:{choices})")
            has_head = True
        elif has_head:
            parts.append(f"(?: {between}(?:{choices})(?= |$))?")
        else:
            parts.append(f"(?:(?:{choices}) {between})?")
    return regex.compile("".join(parts) + r"(?= |$)")


def _f(words: str, predicate: str, kind: Kind, mode: Mode = Mode.STATE, *, negated: str = "", turned: bool = False,
       only_negated: bool = False, can: bool = False, bounded: bool = False) -> Frame:  # fmt: skip
    return Frame(_compiled(words), predicate, kind, mode, negated, turned, only_negated, can, bounded)


_C, _E, _V = Mode.CHANGE, Mode.END, Mode.EVENT
_HOME = (
    _f("live|reside|dwell in|at", "lives_in", Kind.PLACE),
    _f("live|reside|tinggal di?", "lives_in", Kind.HERE),
    _f("move|relocate|pindah ke? back|over?", "lives_in", Kind.HERE, _C),
    _f("live with", "lives_with", Kind.PERSON),
    _f("live|stay together with", "lives_with", Kind.PERSON),
    _f("share a|an|my|our flat|apartment|house|place|room with", "lives_with", Kind.PERSON),
    _f("share a|an|the|our flat|apartment|house|place|room", "lives_with", Kind.NONE),
    _f("live together", "lives_with", Kind.NONE),
    _f("be base in", "lives_in", Kind.PLACE),
    _f("settle down? in", "lives_in", Kind.PLACE, _C),
    _f("move|relocate in with", "lives_with", Kind.PERSON, _C),
    _f("move|relocate from * to", "lives_in", Kind.PLACE, _C),
    _f("move|relocate back|over|down|up|out? here? to", "lives_in", Kind.PLACE, _C),
    _f(
        "rent|lease a|an|my? small|new|tiny|big|little|studio? flat|apartment|house|room|place|studio in",
        "lives_in",
        Kind.PLACE,
    ),
    _f("have move to", "lives_in", Kind.PLACE, _C),
    _f("tinggal|domisili|kos|tempat tinggal? di", "lives_in", Kind.PLACE),
    _f("tinggal|serumah bersama|bareng|sama|dengan|ama", "lives_with", Kind.PERSON),
    _f("pindah dari * ke", "lives_in", Kind.PLACE, _C),
    _f("pindah|pindahan rumah? ke|di", "lives_in", Kind.PLACE, _C),
    _f("be|come originally? from", "from", Kind.PLACE),
    _f("hail from", "from", Kind.PLACE),
    _f("grow up in", "from", Kind.PLACE, _C),
    _f("be born and raised|bred in", "from", Kind.PLACE, _C),
    _f("be born in", "from", Kind.PLACE, _C),
    _f("asal dari?", "from", Kind.PLACE),
    _f("lahir|besar di", "from", Kind.PLACE, _C),
    _f("orang", "from", Kind.TOWN),
)
_WORK = (
    _f("work as", "works_as", Kind.ROLE),
    _f("become|be_promote_to|get_promote_to", "works_as", Kind.ROLE, _C),
    _f("work on", "works_on", Kind.TOOL),
    _f("work at|for|with|in", "works_at", Kind.ORG),
    _f("be employ at|by|with", "works_at", Kind.ORG),
    _f("be hire by|at", "works_at", Kind.ORG, _C),
    _f("get hire by|at", "works_at", Kind.ORG, _C),
    _f("teach|intern|freelance|lecture|volunteer at|for", "works_at", Kind.ORG),
    _f("start|begin work? at|with|for", "works_at", Kind.ORG, _C),
    _f(
        "start|begin|get|land|take|find|accept|pick a|an|my|up? up|a? new|second|third|first|full-time|part-time|great|another? job|position|role|gig|post at|with",
        "works_at",
        Kind.ORG,
        _C,
    ),
    _f("have a|an new|second|part-time|full-time? job|position|role at|with", "works_at", Kind.ORG),
    _f("join", "works_at", Kind.GROUP, _C),
    _f("report to", "reports_to", Kind.PERSON),
    _f("be manage|supervise by", "reports_to", Kind.PERSON),
    _f("work under", "reports_to", Kind.PERSON),
    _f("work with", "colleague_of", Kind.PERSON),
    _f("manage|lead|supervise|head up?", "manages", Kind.PERSON),
    _f("be in charge of", "manages", Kind.PERSON),
    _f("manage|lead|supervise|head|run up?", "manages", Kind.TEAM),
    _f("be in charge of", "manages", Kind.TEAM),
    _f("be|become? a|the? head|manager|leader|director|boss of", "manages", Kind.TEAM),
    _f("kerja sebagai", "works_as", Kind.ROLE),
    _f("jadi|profesi sebagai?", "works_as", Kind.ROLE),
    _f("kerja|ajar|magang|dines|dinas|ngantor di|untuk|buat", "works_at", Kind.ORG),
    _f("diterima kerja? di", "works_at", Kind.ORG, _C),
    _f("join|gabung|masuk di|ke|dengan|sama?", "works_at", Kind.GROUP, _C),
    _f("pimpin|kelola", "manages", Kind.PERSON),
    _f("pimpin|kelola", "manages", Kind.TEAM),
    _f("kerjakan", "works_on", Kind.TOOL),
)
_STUDY = (
    _f("study|major in?", "studies", Kind.TOPIC),
    _f("be do a|an|my phd|master|masters|degree|bachelor in", "studies", Kind.TOPIC),
    _f("do a|an|my phd|master|masters|degree|bachelor in", "studies", Kind.TOPIC),
    _f("be|get enrol|enroll at|in", "studies_at", Kind.SCHOOL),
    _f("enrol|enroll at|in", "studies_at", Kind.SCHOOL, _C),
    _f("go_to|attend", "studies_at", Kind.SCHOOL),
    _f("start at", "studies_at", Kind.SCHOOL, _C),
    _f("kuliah|sekolah|studi|ajari di", "studies_at", Kind.ORG),
    _f("kuliah|ambil jurusan", "studies", Kind.TOPIC),
)
_CLUBS = (
    _f("be a|an|the active|founding|proud|new? member of|at|in", "member_of", Kind.GROUP),
    _f("be|sit on the board of", "member_of", Kind.GROUP),
    _f("be|become part of", "member_of", Kind.GROUP),
    _f("belong to", "member_of", Kind.GROUP),
    _f("sing|play|row|dance|drum|perform|swim|train in|with|for|at", "member_of", Kind.GROUP),
    _f("jadi? anggota", "member_of", Kind.GROUP),
    _f("ikut|masuk|gabung di|ke?", "member_of", Kind.GROUP, _C),
    _f("be|become? a|the? ceo of|at", "ceo_of", Kind.ORG),
    _f("be|become? a|the? chief executive officer? of|at", "ceo_of", Kind.ORG),
    _f("be founded|establish|start|launch by", "founded_by", Kind.PERSON, _C),
    _f("didirikan|dibangun oleh?", "founded_by", Kind.PERSON, _C),
    _f("founded|establish|cofound|co-found|launch", "founded_by", Kind.ORG, _C, turned=True),
    _f("be a|the? founder|co-founder|cofounder of", "founded_by", Kind.ORG, turned=True),
    _f("dirikan", "founded_by", Kind.ORG, _C, turned=True),
    _f("sell|stock|offer", "sells", Kind.WARE),
    _f("jual", "sells", Kind.WARE),
)
_PEOPLE = (
    _f("be marry to|with", "married_to", Kind.PERSON),
    _f("get marry to", "married_to", Kind.PERSON, _C),
    _f("get marry|wed", "married_to", Kind.NONE, _C),
    _f("be marry", "married_to", Kind.NONE),
    _f("marry", "married_to", Kind.PERSON, _C),
    _f("nikah|kawin dengan|sama|ama", "married_to", Kind.PERSON, _C),
    _f("nikah", "married_to", Kind.NONE, _C),
    _f("be|get engage to", "partner_of", Kind.PERSON, _C),
    _f("be engage", "partner_of", Kind.NONE, _C),
    _f("date", "partner_of", Kind.PERSON),
    _f("go out with", "partner_of", Kind.PERSON),
    _f("see someone call", "partner_of", Kind.PERSON),
    _f("be in a relationship with", "partner_of", Kind.PERSON),
    _f("be together with", "partner_of", Kind.PERSON),
    _f("pacaran|tunangan|jadian dengan|sama|ama", "partner_of", Kind.PERSON),
    _f("be|become? good|close|best|old|great? friend with", "friend_of", Kind.PERSON),
    _f("temenan|berteman|bersahabat dengan|sama|ama", "friend_of", Kind.PERSON),
    _f("have|punya", "*bond", Kind.RELATIVE),
    _f("know", "knows", Kind.PERSON),
    _f("be acquaint with", "knows", Kind.PERSON),
    _f("kenal dengan|sama|ama?", "knows", Kind.PERSON),
)
_THINGS = (
    _f("have get?", "has_pet", Kind.PET),
    _f("own|adopt|get|buy|keep|rescue|foster|raise|breed", "has_pet", Kind.PET, _C),
    _f("punya|pelihara|adopsi|beli", "has_pet", Kind.PET),
    _f("drive|ride to?", "drives", Kind.THING),
    _f("kendarai|naik|bawa", "drives", Kind.THING),
    _f("own", "owns", Kind.THING),
    _f("have get?", "owns", Kind.THING),
    _f("buy|get|purchase|inherit|acquire me|myself?", "owns", Kind.THING, _C),
    _f("punya", "owns", Kind.THING),
    _f("beli", "owns", Kind.THING, _C),
    _f("use", "uses", Kind.TOOL),
    _f("switch over? to", "uses", Kind.TOOL, _C),
    _f("switch from * to", "uses", Kind.TOOL, _C),
    _f("pakai", "uses", Kind.TOOL),
    _f("keep|store|put|hide|leave|stash|stow|park", "located_in", Kind.SPOT),
    _f("be locate|base|situate|headquarter in|at", "located_in", Kind.PLACE),
    _f("have headquarters|headquarter|an|a? office? in", "located_in", Kind.PLACE),
    _f("lokasi|letak|kantor|pusat di", "located_in", Kind.PLACE),
    _f("ada|taruh|simpan|letakkan di", "located_in", Kind.SPOT),
)
_TASTES = (
    _f("like|love|enjoy|adore|admire|appreciate", "likes", Kind.TOPIC, negated="dislikes"),
    _f("be into", "likes", Kind.TOPIC, negated="dislikes"),
    _f("get into", "likes", Kind.TOPIC, _C),
    _f("be a|an big|huge|massive|great|real|lifelong? fan|lover of", "likes", Kind.TOPIC, negated="dislikes"),
    _f("be fond|enamoured of", "likes", Kind.TOPIC, negated="dislikes"),
    _f("be keen on", "likes", Kind.TOPIC, negated="dislikes"),
    _f("be crazy|mad|passionate|nuts|enthusiastic about", "likes", Kind.TOPIC, negated="dislikes"),
    _f("be interest in", "likes", Kind.TOPIC),
    _f("be obsess|smitten with", "likes", Kind.TOPIC),
    _f("care for", "likes", Kind.TOPIC, negated="dislikes", only_negated=True),
    _f("suka|cinta|hobi|sayang|nge-fans sekali|sama|dengan|ke?", "likes", Kind.TOPIC, negated="dislikes"),
    _f("hate|dislike|detest|loathe|despise", "dislikes", Kind.TOPIC),
    _f("can not stand|bear|abide|tolerate", "dislikes", Kind.TOPIC),
    _f("can not live|do|survive|function|cope|be without", "likes", Kind.TOPIC),
    _f("can not get enough of", "likes", Kind.TOPIC),
    _f("can not resist", "likes", Kind.TOPIC),
    _f("tidak bisa hidup tanpa", "likes", Kind.TOPIC),
    _f("be a sucker for", "likes", Kind.TOPIC),
    _f("have a thing|passion|weakness|soft_spot for", "likes", Kind.TOPIC),
    _f("be addict|partial to", "likes", Kind.TOPIC),
    _f("be hook on", "likes", Kind.TOPIC),
    _f("have no time|patience for", "dislikes", Kind.TOPIC),
    _f("be sick|tired of", "dislikes", Kind.TOPIC),
    _f("benci|sebel|anti|ogah sama|dengan?", "dislikes", Kind.TOPIC),
    _f("play the?", "plays", Kind.TOPIC, can=True),
    _f("main", "plays", Kind.TOPIC, can=True),
    _f("speak|talk", "speaks", Kind.LANGUAGE, can=True),
    _f("be fluent|bilingual|conversational in", "speaks", Kind.LANGUAGE),
    _f("bisa|fasih|lancar|bicara|ngomong|pakai? ngomong|bicara|berbicara? bahasa", "speaks", Kind.LANGUAGE, can=True),
    _f("bahasa", "speaks", Kind.LANGUAGE),
)
_BODY = (
    _f("be|become? allergic to", "allergic_to", Kind.TOPIC),
    _f("have a|an bad|severe|mild|serious|strong? allergy to", "allergic_to", Kind.TOPIC),
    _f("alergi terhadap|sama|dengan|pada|ama?", "allergic_to", Kind.TOPIC),
    _f("be lactose|gluten intolerant", "has_condition", Kind.NONE),
    _f("eat|follow|keep|be on|a|an? a|an?", "follows_diet", Kind.DIET),
    _f("go|turn|become", "follows_diet", Kind.DIET, _C),
    _f("eat|drink|touch|consume|smoke", "avoids", Kind.TOPIC, negated="avoids", only_negated=True),
    _f("use", "avoids", Kind.TOPIC, negated="avoids", only_negated=True),
    _f("can not eat|drink|have|tolerate|digest", "avoids", Kind.TOPIC),
    _f("avoid", "avoids", Kind.TOPIC),
    _f("stay|steer|keep away|clear from|of", "avoids", Kind.TOPIC),
    _f("hindari|pantang makan|minum?", "avoids", Kind.TOPIC),
    _f("makan|minum|konsumsi", "avoids", Kind.TOPIC, negated="avoids", only_negated=True),
    _f("have|get", "has_condition", Kind.ILLNESS),
    _f("suffer from|with?", "has_condition", Kind.ILLNESS),
    _f("be diagnose with|as", "has_condition", Kind.ILLNESS, _C),
    _f("get diagnose with", "has_condition", Kind.ILLNESS, _C),
    _f("live with", "has_condition", Kind.ILLNESS),
    _f("punya|idap|kena|sakit penyakit|riwayat?", "has_condition", Kind.ILLNESS),
    _f("hold|have a|an|the|dual?", "nationality", Kind.NATION),
    _f("be a|an citizen|national of", "nationality", Kind.NATION),
    _f("turn", "age", Kind.AGE, _C),
    _f("umur|berumur", "age", Kind.AGE),
    _f("weigh", "weight", Kind.MEASURE),
    _f("measure|stand", "height", Kind.MEASURE),
    _f("go by", "nickname", Kind.NAME),
    _f("change my|his|her|their|the name from * to", "named", Kind.NAME, _C),
    _f("change|ganti my|his|her|their|the|nama name|saya|dia? to|into|jadi|menjadi", "named", Kind.NAME, _C),
    _f("answer to", "nickname", Kind.NAME),
    _f("be name|call", "named", Kind.NAME),
    _f("bernama|nama", "named", Kind.NAME),
    _f("dipanggil", "nickname", Kind.NAME),
)
_OCCASIONS = (
    _f("attend|join|go_to", "attends", Kind.OCCASION, _V),
    _f("have get? a|an|my|the?", "attends", Kind.OCCASION, _V),
    _f("hadiri|ikut|punya|ada", "attends", Kind.OCCASION, _V),
    _f("take part|participate in", "attends", Kind.OCCASION, _V),
    _f("speak|present at", "attends", Kind.OCCASION, _V),
    _f("fly|travel|drive|sail|cycle|head|jet|go off|out|over|back? to", "travels_to", Kind.PLACE, _V),
    _f("go to", "travels_to", Kind.TOWN, _V),
    _f("visit", "travels_to", Kind.TOWN, _V),
    _f("take|book|have plan? a|an|my? trip|flight|holiday|vacation to|in", "travels_to", Kind.PLACE, _V),
    _f("be in", "travels_to", Kind.TOWN, _V, bounded=True),
    _f("stay in|at", "travels_to", Kind.TOWN, _V, bounded=True),
    _f("be_on|go_on holiday|vacation|trip in|to", "travels_to", Kind.PLACE, _V),
    _f("ke", "travels_to", Kind.TOWN, _V, bounded=True),
    _f("pergi|terbang|liburan|jalan-jalan|dinas|mudik|pulang|tugas ke", "travels_to", Kind.PLACE, _V),
    _f("di", "travels_to", Kind.TOWN, _V, bounded=True),
    _f("plan|intend|aim|decide|resolve on|to to?", "plans_to", Kind.ACT),
    _f("rencana", "plans_to", Kind.ACT),
)
_ENDINGS = (
    _f("leave|quit", "*left", Kind.ORG, _E),
    _f("leave|quit|give my|the? job|position|role|notice|post at|with|to", "works_at", Kind.ORG, _E),
    _f("resign|retire from|at", "works_at", Kind.ORG, _E),
    _f("be|get lay|let off|go from|by|at", "works_at", Kind.ORG, _E),
    _f("be|get fire|dismiss|sack from|by|at", "works_at", Kind.ORG, _E),
    _f("stop|finish|quit work at|for", "works_at", Kind.ORG, _E),
    _f("be do at|with", "works_at", Kind.ORG, _E),
    _f("lose my|the? job at|with", "works_at", Kind.ORG, _E),
    _f("resign|keluar|cabut|berhenti|mundur|pensiun kerja? dari|di", "*left", Kind.ORG, _E),
    _f("move away|out from|of", "lives_in", Kind.PLACE, _E),
    _f("drop out of", "studies_at", Kind.ORG, _E),
    _f("graduate from", "studies_at", Kind.ORG, _E),
    _f("lulus dari", "studies_at", Kind.ORG, _E),
    _f("sell|scrap|wreck|total off?", "owns", Kind.THING, _E),
    _f("give away", "owns", Kind.THING, _E),
    _f("get rid of", "owns", Kind.THING, _E),
    _f("jual|dijual", "owns", Kind.THING, _E),
    _f("divorce", "married_to", Kind.PERSON, _E),
    _f("be divorce from", "married_to", Kind.PERSON, _E),
    _f("get divorce from", "married_to", Kind.PERSON, _E),
    _f("get divorce", "married_to", Kind.NONE, _E),
    _f("cerai dengan|sama|dari|ama", "married_to", Kind.PERSON, _E),
    _f("break|split|separate up? with|from", "partner_of", Kind.PERSON, _E),
    _f("break|split|separate up?", "partner_of", Kind.NONE, _E),
    _f("putus dengan|sama|dari|ama", "partner_of", Kind.PERSON, _E),
    _f("putus", "partner_of", Kind.NONE, _E),
    _f("move out of", "lives_in", Kind.PLACE, _E),
    _f("stop|quit|give up? play the?", "plays", Kind.TOPIC, _E),
    _f("give up", "likes", Kind.TOPIC, _E),
    _f("stop|quit use", "uses", Kind.TOOL, _E),
    _f("stop|quit drive", "drives", Kind.THING, _E),
    _f("stop|quit eat|drink", "avoids", Kind.TOPIC, _C),
    _f("stop|quit be", "follows_diet", Kind.DIET, _E),
    _f("berhenti|stop makan|minum", "avoids", Kind.TOPIC, _C),
)
#: In the order in which they are tried; the first whose object can be read is taken.
FRAMES: tuple[Frame, ...] = (
    *_ENDINGS, *_OCCASIONS[:4], *_STUDY[1:], *_HOME, *_WORK, _STUDY[0], *_CLUBS, *_PEOPLE, *_BODY, *_THINGS, *_TASTES, *_OCCASIONS[4:],
)  # fmt: skip
