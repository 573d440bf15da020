"""Nouns that relate people, animals and things, each with the predicate that it states."""

# ruff: noqa: E501 - a table of words and patterns reads best with one form a line
from __future__ import annotations

from dataclasses import dataclass

from doso.records import EntityType
from ingest.extract.reading.kinds import is_trade
from ingest.extract.reading.wordsets import word_set

PERSON, PET, ORG, PLACE = EntityType.PERSON, EntityType.PET, EntityType.ORG, EntityType.PLACE
EVENT, PRODUCT, TOPIC = EntityType.EVENT, EntityType.PRODUCT, EntityType.TOPIC


def _map(lines: dict[str, str]) -> dict[str, str]:
    return {word: predicate for predicate, words in lines.items() for word in words.split()}


#: "my <noun> Ana": Ana <predicate> me. "~": I <predicate> Ana.
RELATIONS: dict[str, str] = _map(
    {
        "mother_of": "mother mama mamah bunda stepmother ibunda",
        "father_of": "father dad daddy ayah bapak papah pop stepfather ayahanda",
        "daughter_of": "daughter daughters stepdaughter putri",
        "son_of": "son sons stepson putra",
        "child_of": "child kid kids children anak toddler",
        "sister_of": "sister stepsister half-sister sisters",
        "brother_of": "brother stepbrother half-brother brothers",
        "sibling_of": "sibling siblings kakak adik twin kembaran abang saudara",
        "grandmother_of": "grandmother grandma granny gran nan nana oma nenek eyang",
        "grandfather_of": "grandfather grandpa grandad granddad opa kakek",
        "aunt_of": "aunt aunts auntie aunty tante bibi bude bulik",
        "uncle_of": "uncle uncles om paman pakde paklik",
        "niece_of": "niece nieces",
        "nephew_of": "nephew nephews",
        "cousin_of": "cousin cousins sepupu",
        "married_to": "wife husband spouse istri suami bini laki",
        "partner_of": "girlfriend boyfriend partner fiance fiancee pacar tunangan",
        "friend_of": "friend friends bestie mate buddy pal teman sahabat kawan",
        "colleague_of": "colleague colleagues teammate rekan",
        "neighbour_of": "neighbour neighbours tetangga",
        "lives_with": "flatmate flatmates roommate roommates housemate",
        "doctor_of": "doctor dentist therapist physician gp psychiatrist psychologist vet dokter cardiologist "
        "dermatologist paediatrician pediatrician gynaecologist physiotherapist",
        "~reports_to": "boss manager supervisor atasan bosku",
        "~manages": "report subordinate bawahan anak-buah",
    }
)
#: Nouns of people without a predicate of the vocabulary: their name is known, nothing else.
OTHER_PEOPLE = word_set(
    "tutor trainer coach landlord landlady teacher guru client customer assistant tenant professor lecturer nanny "
    "babysitter mentor pelatih ex godmother godfather stepparent parents orang-tua guest lawyer accountant barber "
    "hairdresser pastor conductor bandmate classmate"
)
#: Pairs of words that read as one noun.
PAIRS = {
    ("best", "friend"): "friend", ("team", "mate"): "teammate", ("flat", "mate"): "flatmate",
    ("anak", "perempuan"): "putri", ("anak", "laki-laki"): "putra", ("anak", "cewek"): "putri",
    ("anak", "cowok"): "putra", ("kakak", "perempuan"): "kakak", ("kakak", "laki-laki"): "kakak",
    ("adik", "perempuan"): "adik", ("adik", "laki-laki"): "adik", ("kakak", "cewek"): "kakak",
    ("kakak", "cowok"): "kakak", ("adik", "cewek"): "adik", ("adik", "cowok"): "adik", ("teman", "kantor"): "rekan",
    ("teman", "kerja"): "rekan", ("rekan", "kerja"): "rekan", ("teman", "sekamar"): "roommate",
    ("teman", "kos"): "roommate", ("dokter", "gigi"): "dentist", ("dokter", "hewan"): "vet", ("saudara", "sepupu"): "sepupu",
    ("line", "manager"): "manager", ("family", "doctor"): "doctor", ("calon", "istri"): "tunangan",
    ("calon", "suami"): "tunangan", ("saudara", "kembar"): "twin", ("orang", "tua"): "parents",
}  # fmt: skip
#: What may stand between "my" and the noun and adds nothing to it.
MODIFIERS = word_set(
    "younger older elder big little baby twin eldest oldest youngest best good close old new upstairs downstairs "
    "next-door dear lovely late only first second middle former current direct other own beloved favourite great-grand "
    "sweet former adopted half step sulung bungsu kandung tiri ipar dekat baik baru lama tersayang family work school "
    "college university childhood long-time soon-to-be tall grown-up two three four five teenage"
)
FORMER = word_set("ex former ex-wife ex-husband ex-girlfriend ex-boyfriend mantan")
#: Whoever they are, people of one sex.
FEMALE_NOUNS = word_set(
    "mother mama mamah bunda stepmother daughter stepdaughter putri sister stepsister half-sister grandmother grandma "
    "granny gran nan nana oma nenek aunt auntie aunty tante bibi niece wife girlfriend fiancee istri landlady bude "
)
MALE_NOUNS = word_set(
    "father dad daddy ayah bapak son stepson putra brother stepbrother half-brother grandfather grandpa grandad opa "
    "kakek uncle om paman nephew husband boyfriend fiance suami abang landlord pakde"
)
#: Words by which one calls a relative without "my".
CALLED_ALONE = word_set("dad daddy mother grandma grandpa granny grandad oma opa ibu ayah bapak mama nenek kakek")
RELATIONS["ibu"] = "mother_of"

#: Kinds of animals, each to the kind it is.
SPECIES: dict[str, str] = {
    word: word
    for word in ["dog", "cat", "rabbit", "hamster", "parrot", "tortoise", "turtle", "horse", "goldfish", "fish", "bird", "pony", "donkey", "goat", "sheep", "pig", "cow", "chicken", "duck", "goose", "hen", "rooster", "gecko", "lizard", "snake", "iguana", "chameleon", "frog", "guinea-pig", "gerbil", "rat", "mouse", "ferret", "hedgehog", "budgie", "budgerigar", "canary", "cockatiel", "cockatoo", "macaw", "parakeet", "finch", "pigeon", "tarantula", "axolotl", "chinchilla", "llama", "alpaca", "kucing", "anjing", "kelinci", "burung", "ikan", "kura-kura", "kuda", "ayam", "bebek", "kambing", "sapi", "ular", "cicak", "tokek", "marmut", "hamster", "landak", "beo", "kakatua", "kenari", "lovebird"]
} | {"kitten": "cat", "puppy": "dog", "pup": "dog", "doggo": "dog", "bunny": "rabbit", "kitty": "cat", "hound": "dog",
     "dogs": "dog", "cats": "cat", "foal": "horse", "mare": "horse"}  # fmt: skip
SPECIES_PAIRS = {("guinea", "pig"): "guinea pig", ("bearded", "dragon"): "bearded dragon", ("rescue", "dog"): "dog"}
#: Breeds by their last word or as a whole.
BREEDS = frozenset(
    line.strip()
    for line in [
        "beagle",
        " poodle",
        " dachshund",
        " labrador",
        " golden retriever",
        " retriever",
        " bulldog",
        " french bulldog",
        " rottweiler",
        " boxer",
        " german shepherd",
        " shepherd",
        " border collie",
        " collie",
        " corgi",
        " husky",
        " siberian husky",
        " chihuahua",
        " pomeranian",
        " pug",
        " shih tzu",
        " terrier",
        " jack russell",
        " jack russell terrier",
        " yorkshire terrier",
        " spaniel",
        " cocker spaniel",
        " dalmatian",
        " doberman",
        " great dane",
        " greyhound",
        " whippet",
        " malamute",
        " samoyed",
        " shiba",
        " shiba inu",
        " akita",
        " maltese",
        " mastiff",
        " schnauzer",
        " setter",
        " irish setter",
        " pointer",
        " vizsla",
        " weimaraner",
        " labradoodle",
        " goldendoodle",
        " cockapoo",
        " lurcher",
        " sheepdog",
        " basset",
        " basset hound",
        " bloodhound",
        " newfoundland",
        " saint bernard",
        " st bernard",
        " bichon frise",
        " papillon",
        " pekingese",
        " havanese",
        " maine coon",
        " siamese",
        " persian",
        " ragdoll",
        " bengal",
        " sphynx",
        " british shorthair",
        " shorthair",
        " russian blue",
        " scottish fold",
        " birman",
        " burmese",
        " abyssinian",
        " tabby",
        " norwegian forest",
        " angora",
        " tortoiseshell",
        " shetland",
        " arabian",
        " clydesdale",
        " friesian",
        " labrador retriever",
        " pitbull",
        " pit bull",
        " mutt",
        " mongrel",
        " anggora",
        " persia",
    ]
)
CAT_BREEDS = word_set(
    "siamese persian ragdoll bengal sphynx shorthair birman burmese abyssinian tabby tortoiseshell angora"
)

#: "my <noun> is V": the attributes that people state, each with its predicate.
ATTRIBUTES: dict[str, str] = _map(
    {
        "named": "name nama full-name given-name",
        "nickname": "nickname panggilan julukan nick",
        "pronouns": "pronouns pronoun",
        "birthday": "birthday birthdate dob ultah born tanggal-lahir date-of-birth ulang-tahun",
        "age": "age umur usia",
        "lives_in": "city town home hometown-now kota domisili address-city residence tempat-tinggal location lokasi",
        "from": "hometown birthplace asal kampung-halaman tempat-lahir home-town origin",
        "nationality": "nationality citizenship kewarganegaraan",
        "speaks": "language languages bahasa native-language mother-tongue",
        "phone": "phone number mobile telephone cell nomor phone-number nomor-hp nomor-telepon mobile-number no-hp telepon "
        "cell-number hp whatsapp whatsapp-number nomor-wa",
        "email": "email e-mail mail email-address surel mail-address alamat-email",
        "height": "height tinggi tinggi-badan",
        "weight": "weight berat berat-badan",
        "works_at": "employer company workplace perusahaan kantor tempat-kerja",
        "works_as": "job occupation profession role title job-title pekerjaan profesi jabatan position",
        "works_on": "project proyek",
        "studies_at": "school university college kampus sekolah universitas",
        "studies": "major jurusan degree field",
        "likes": "hobby hobbies hobi interests interest passion kesukaan kegemaran minat",
        "dislikes": "dislikes dislike",
        "allergic_to": "allergy allergies alergi",
        "follows_diet": "diet",
        "has_condition": "condition penyakit illness diagnosis",
        "breed": "breed ras",
        "species": "species jenis",
        "color": "colour warna fur coat feathers bulu plumage mane",
        "drives": "car mobil",
        "plays": "instrument",
        "has_pet": "pet pets peliharaan hewan-peliharaan",
    }
)
#: Two or three words that are one attribute.
ATTRIBUTE_GROUPS = {
    ("full", "name"): "named", ("first", "name"): "named", ("given", "name"): "named", ("real", "name"): "named",
    ("last", "name"): "", ("middle", "name"): "", ("user", "name"): "", ("maiden", "name"): "", ("family", "name"): "",
    ("nama", "lengkap"): "named", ("nama", "asli"): "named", ("nama", "panggilan"): "nickname",
    ("date", "of", "birth"): "birthday", ("birth", "date"): "birthday", ("tanggal", "lahir"): "birthday",
    ("ulang", "tahun"): "birthday", ("hari", "lahir"): "birthday", ("birth", "day"): "birthday",
    ("home", "town"): "from", ("kampung", "halaman"): "from", ("tempat", "lahir"): "from", ("kota", "asal"): "from",
    ("place", "of", "birth"): "from", ("tempat", "tinggal"): "lives_in", ("kota", "tinggal"): "lives_in",
    ("home", "city"): "lives_in", ("current", "city"): "lives_in", ("native", "language"): "speaks",
    ("mother", "tongue"): "speaks", ("first", "language"): "speaks", ("bahasa", "ibu"): "speaks",
    ("phone", "number"): "phone", ("mobile", "number"): "phone", ("cell", "number"): "phone",
    ("telephone", "number"): "phone", ("contact", "number"): "phone", ("work", "number"): "phone",
    ("cell", "phone"): "phone", ("mobile", "phone"): "phone", ("nomor", "hp"): "phone", ("no", "hp"): "phone",
    ("nomor", "telepon"): "phone", ("nomor", "telpon"): "phone", ("no", "telepon"): "phone", ("nomor", "wa"): "phone",
    ("no", "wa"): "phone", ("nomor", "whatsapp"): "phone", ("whatsapp", "number"): "phone",
    ("email", "address"): "email", ("e-mail", "address"): "email", ("mail", "address"): "email",
    ("alamat", "email"): "email", ("work", "email"): "email", ("tinggi", "badan"): "height",
    ("berat", "badan"): "weight", ("job", "title"): "works_as", ("tempat", "kerja"): "works_at",
    ("place", "of", "work"): "works_at", ("field", "of", "study"): "studies", ("jurusan", "kuliah"): "studies",
    ("hewan", "peliharaan"): "has_pet", ("golongan", "darah"): "", ("blood", "type"): "", ("bank", "account"): "",
}  # fmt: skip
#: "favourite <noun>".
FAVOURITES: dict[str, str] = _map(
    {
        "favorite_food": "food dish meal cuisine makanan masakan snack dessert fruit vegetable camilan",
        "favorite_drink": "drink beverage minuman tea coffee cocktail",
        "favorite_color": "colour warna",
        "favorite_movie": "movie film",
        "favorite_book": "book novel buku",
        "favorite_music": "music band song album singer musician artist genre musik lagu penyanyi",
        "favorite_place": "place city spot country beach tempat kota restaurant cafe park",
    }
)
#: Favourites of a narrower kind than the predicate: only liked.
NARROW_FAVOURITES = word_set("snack dessert fruit vegetable camilan tea coffee cocktail singer musician artist genre "
                         "restaurant cafe cuisine")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bond:
    """What a noun says of its bearer and the one it belongs to."""

    noun: str
    predicate: str
    is_turned: bool  # the owner of the phrase is the subject
    is_known: bool = True


def bond_of(noun: str) -> Bond | None:
    """The bond that a noun of people states, None for another noun."""
    predicate = RELATIONS.get(noun)
    if predicate is not None:
        return Bond(noun, predicate.lstrip("~"), predicate.startswith("~"))
    return Bond(noun, "", False, is_known=False) if noun in OTHER_PEOPLE or is_trade(noun) else None


def attribute_at(norms: list[str], at: int) -> tuple[str, int] | None:
    """The attribute whose noun begins here, with where it ends; its predicate is "" for one that is not kept."""
    for size in (3, 2):
        group = tuple(norms[at : at + size])
        if len(group) == size and group in ATTRIBUTE_GROUPS:
            return ATTRIBUTE_GROUPS[group], at + size
    if at < len(norms) and norms[at] in ATTRIBUTES:
        return ATTRIBUTES[norms[at]], at + 1
    return None


#: Nouns of several people.
PLURALS = word_set(
    "kids children sisters brothers siblings sons daughters aunts uncles nieces nephews cousins friends colleagues "
    "neighbours flatmates roommates anak saudara sepupu teman"
)
