"""Small words of English and Indonesian by what they do in a sentence, and how they are written in chats."""

from __future__ import annotations

from ingest.extract.reading.wordsets import word_set

#: Written words that are several.
CONTRACTED = {
    "i'm": "i am", "im": "i am", "ive": "i have", "i'd": "i would", "it's": "it is", "that's": "that is",
    "thats": "that is", "what's": "what is", "whats": "what is", "who's": "who is", "whos": "who is",
    "where's": "where is", "wheres": "where is", "how's": "how is", "when's": "when is", "there's": "there is",
    "here's": "here is", "theres": "there is", "he's": "he is", "she's": "she is", "hes": "he is", "shes": "she is",
    "let's": "let us", "lets": "let us", "can't": "can not", "cant": "can not", "cannot": "can not",
    "won't": "will not", "wont": "will not", "shan't": "shall not", "don't": "do not", "dont": "do not",
    "doesn't": "does not", "doesnt": "does not", "didn't": "did not", "didnt": "did not", "isn't": "is not",
    "isnt": "is not", "aren't": "are not", "arent": "are not", "wasn't": "was not", "wasnt": "was not",
    "weren't": "were not", "werent": "were not", "ain't": "is not", "haven't": "have not", "havent": "have not",
    "hasn't": "has not", "hasnt": "has not", "hadn't": "had not", "wouldn't": "would not", "wouldnt": "would not",
    "couldn't": "could not", "couldnt": "could not", "shouldn't": "should not", "shouldnt": "should not",
    "mustn't": "must not", "needn't": "need not", "gonna": "going to", "wanna": "want to", "gotta": "have to",
    "they're": "they are", "theyre": "they are", "we're": "we are", "you're": "you are", "youre": "you are",
    "y'all": "you all", "o'clock": "o'clock",
}  # fmt: skip
#: Endings behind an apostrophe.
CLITICS = {"n't": "not", "n’t": "not", "'ve": "have", "’ve": "have", "'ll": "will", "’ll": "will", "'re": "are",
           "’re": "are", "'m": "am", "’m": "am", "'d": "would", "’d": "would", "'s": "'s", "’s": "'s"}  # fmt: skip
#: How words are written in chats, to how they are read.
SLANG = {
    "u": "you", "ur": "your", "gf": "girlfriend", "bf": "boyfriend", "bff": "friend", "hubby": "husband",
    "wifey": "wife", "sis": "sister", "luv": "love", "rly": "really", "bday": "birthday", "b-day": "birthday",
    "yrs": "years", "yr": "year", "pls": "please", "plz": "please", "thx": "thanks", "rn": "now", "cuz": "because",
    "coz": "because", "bc": "because", "tho": "though", "uni": "university", "dunno": "know not",
    "gw": "saya", "gue": "saya", "gua": "saya", "aku": "saya", "ak": "saya", "aq": "saya", "gwe": "saya", 
    "nggak": "tidak", "enggak": "tidak", "gak": "tidak", "ga": "tidak", "ngga": "tidak", "gk": "tidak", "nda": "tidak",
    "ndak": "tidak", "tak": "tidak", "kagak": "tidak", "kaga": "tidak", "tdk": "tidak", "udah": "sudah", "udh": "sudah",
    "sdh": "sudah", "dah": "sudah", "telah": "sudah", "blm": "belum", "yg": "yang", "dgn": "dengan", "dg": "dengan",
    "jg": "juga", "krn": "karena", "karna": "karena", "utk": "untuk", "lu": "kamu", "loe": "kamu",
    "lo": "kamu", "elo": "kamu", "tpi": "tapi", "tp": "tapi", "tetapi": "tapi", "dlm": "dalam", 
    "kpd": "kepada", "bpk": "bapak", "hri": "hari", "bln": "bulan", "thn": "tahun", "skrg": "sekarang",
    "skrng": "sekarang", "kmrn": "kemarin", "bnr": "benar", "bener": "benar", "adek": "adik", 
    "kaka": "kakak", "temen": "teman", "tmn": "teman", "hrs": "harus", "pake": "pakai",
    "nyokap": "ibu", "bokap": "ayah", "nikahan": "pernikahan", "ngajar": "mengajar", "fav": "favourite",
    "favorite": "favourite", "fave": "favourite", "color": "colour", "neighbor": "neighbour", "mom": "mother",
    "mum": "mother", "mommy": "mother", "mummy": "mother", "papa": "father", "bos": "boss",
    "favoritku": "favorit saya", "favoritnya": "favorit dia", "colleage": "colleague", "coworker": "colleague",
    "co-worker": "colleague", "workmate": "colleague", "jd": "jadi", "sm": "sama", "bhs": "bahasa",
    "kuliahnya": "kuliah", "kerjanya": "kerja",
}  # fmt: skip

FIRST = word_set("i me saya myself")
FIRST_MANY = word_set("we us kami kita")
MY = word_set("my our")
SECOND = word_set("you your yours kamu kalian anda")
THIRD = word_set("he she they him her them it dia ia beliau mereka")
THEIRS = word_set("his her their its")
MALE, FEMALE = word_set("he him his"), word_set("she her hers")
BE = word_set("am is are was were be been being 's")
HAVE = word_set("have has had having 've")
DO = word_set("do does did")
NOT = word_set("not never tidak bukan")
ARTICLES = word_set("a an the this that these those some any another one si sang para seorang sebuah seekor")
#: Words that may stand around a verb and change nothing.
ADVERBS = word_set(
    "just also still really currently now actually recently even originally both already finally absolutely totally "
    "mostly usually truly simply officially happily kinda always too all definitely certainly quite so very mainly "
    "primarily only presently basically obviously honestly personally generally typically often sometimes normally "
    "proudly deeply dearly secretly slowly gladly newly lately formally temporarily permanently again ever indeed "
    "masih juga memang kini sekarang sedang lagi baru tuh itu sih akan cuma hanya sangat banget suka-suka selalu "
    "sering biasanya pernah barusan kebetulan sebenarnya aslinya bener-bener benar-benar paling dah emang"
)
#: Words that a speaker drops in anywhere.
FILLERS = word_set(
    "ya yaa deh dong sih kok nih lho loh aja saja btw lol haha hahaha hehe hehehe wkwk wkwkwk xd lmao um uh uhm erm er "
    "hmm yah please tolong dong kan nah eh tuh ah oh anyway anyways"
)
#: What a sentence may begin with before it says anything.
OPENERS = word_set(
    "hi hello hey halo hai well so oh ok okay yes yeah yep yup ya iya actually anyway honestly btw also and but plus "
    "fyi great fine good nice cool thanks right sure alas sadly luckily fortunately unfortunately today sorry look "
    "listen guess sebenarnya jadi oke nah terus dan tapi by the way in fact for record lucky me great news"
)
CONNECTORS = word_set(
    "and but so because since while whereas plus then dan tapi karena jadi sedangkan sementara lalu terus"
)
PREPOSITIONS = word_set(
    "in on at by with from to of for near under over behind beside beneath above below inside between into onto around "
    "about since until till during after before without within next di ke dari pada dengan untuk sejak sampai bersama "
    "dekat bareng hingga oleh terhadap tentang as like than via per"
)
#: Whatever stands here ends a plain noun.
STOPS = (
    CONNECTORS
    | PREPOSITIONS
    | BE
    | word_set(
        "who which that when where why how if though although or not do does did will would can could has have had "
        "yang kalau ketika saat waktu kalo tidak bukan sudah belum akan bisa itu ini adalah atau too also now anymore "
        "again these days alone together instead yet already still always i we he she they you it saya kamu dia kami "
        "mereka me him them us sekarang lagi juga dulu"
    )
)
NUMBER_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
    "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90, "hundred": 100, "satu": 1, "dua": 2, "tiga": 3, "empat": 4, "lima": 5, "enam": 6,
    "tujuh": 7, "delapan": 8, "sembilan": 9, "sepuluh": 10, "sebelas": 11,
}  # fmt: skip


def number_of(norm: str) -> int | None:
    """The whole number that a word or figure says, "eighty-one" and "21" alike."""
    if norm.isdecimal():
        return int(norm) if len(norm) < 7 else None
    tens, _, ones = norm.partition("-")
    if tens in NUMBER_WORDS and (not ones or ones in NUMBER_WORDS):
        return NUMBER_WORDS[tens] + (NUMBER_WORDS[ones] if ones else 0)
    return None


def number_at(norms: list[str], at: int) -> tuple[int, int] | None:
    """A number that begins here and where it ends: "81", "eighty one", "dua puluh lima", "lima belas"."""
    first = number_of(norms[at]) if at < len(norms) else None
    if first is None:
        return None
    after = norms[at + 1] if at + 1 < len(norms) else ""
    if after == "belas" and first < 10:
        return first + 10, at + 2
    if after == "puluh" and first < 10:
        ones = number_of(norms[at + 2]) if at + 2 < len(norms) else None
        return (first * 10 + ones, at + 3) if ones is not None and ones < 10 else (first * 10, at + 2)
    ones = number_of(after) if after else None
    if first in range(20, 100, 10) and ones is not None and 0 < ones < 10 and not norms[at].isdecimal():
        return first + ones, at + 2
    return first, at + 1
