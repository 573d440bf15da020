"""The rows of the vocabulary: every predicate that Doso knows, by what it speaks of."""

from __future__ import annotations

from doso.records import EntityType, LiteralKind
from graph.predicate_kinds import Predicate, Wording

PERSON, PET, ORG, PLACE = EntityType.PERSON, EntityType.PET, EntityType.ORG, EntityType.PLACE
EVENT, PRODUCT, TOPIC = EntityType.EVENT, EntityType.PRODUCT, EntityType.TOPIC
VERB, BE, KIND, NOUN, ROLE = Wording.VERB, Wording.BE, Wording.KIND, Wording.NOUN, Wording.ROLE
_LIVING = (PERSON, PET)
_TASTE = (TOPIC, PRODUCT, PLACE, PERSON, ORG)


def _cues(words: str) -> frozenset[str]:
    return frozenset(words.split())


# A table reads best with a row in few lines.
# fmt: off
_IDENTITY = (
    Predicate(name="named", wording=NOUN, text="name", subject_types=_LIVING, is_single_valued=True, strength=1.0,
              cues=_cues("called nama namanya name named")),
    Predicate(name="pronouns", wording=NOUN, text="pronouns", is_single_valued=True, strength=0.8,
              cues=_cues("gender pronoun pronouns")),
    Predicate(name="nickname", wording=VERB, text="go by", subject_types=_LIVING, third="goes by", past="went by",
              strength=0.8,
              cues=_cues("call called name nickname panggilan")),
    Predicate(name="birthday", wording=NOUN, text="birthday", subject_types=_LIVING, literal_kind=LiteralKind.DATE,
              is_single_valued=True, strength=0.95,
              cues=_cues("age bday birth birthday born lahir old tahun ulang")),
    Predicate(name="age", wording=BE, text="", subject_types=_LIVING, is_single_valued=True, is_state=True,
              strength=0.8,
              cues=_cues("age old umur usia years")),
    Predicate(name="lives_in", wording=VERB, text="live in", subject_types=_LIVING, object_types=(PLACE,),
              is_single_valued=True, is_state=True, strength=0.95,
              cues=_cues("address city dimana domisili home live lives living mana move moved pindah reside resides "
                         "rumah tinggal town where")),
    Predicate(name="from", wording=BE, text="from", object_types=(PLACE,), is_single_valued=True, strength=0.85,
              cues=_cues("asal berasal born from hometown kampung native origin where")),
    Predicate(name="nationality", wording=BE, text="", strength=0.8,
              cues=_cues("citizen citizenship country kewarganegaraan nationality passport")),
    Predicate(name="speaks", wording=VERB, text="speak", past="spoke", strength=0.7,
              cues=_cues("bahasa berbicara language languages speak speaks")),
    Predicate(name="phone", wording=NOUN, text="phone number", subject_types=(PERSON, ORG), strength=0.9,
              cues=_cues("call cell hp mobile nomor number phone telephone telepon")),
    Predicate(name="email", wording=NOUN, text="email", subject_types=(PERSON, ORG), strength=0.9,
              cues=_cues("address contact e-mail email mail surel")),
    Predicate(name="height", wording=BE, text="{} tall", subject_types=_LIVING, is_single_valued=True,
              is_state=True, strength=0.6,
              cues=_cues("height tall tinggi")),
    Predicate(name="weight", wording=VERB, text="weigh", subject_types=_LIVING, is_single_valued=True,
              is_state=True, strength=0.6,
              cues=_cues("berat heavy weigh weighs weight")),
)

_WORK = (
    Predicate(name="works_at", wording=VERB, text="work at", object_types=(ORG,), is_state=True, strength=0.95,
              cues=_cues("bekerja company employed employer job kantor kerja office perusahaan where work working "
                         "works")),
    Predicate(name="works_as", wording=KIND, text="", is_state=True, strength=0.9,
              cues=_cues("career do jabatan job living occupation pekerjaan position profesi profession role title "
                         "work works")),
    Predicate(name="works_on", wording=VERB, text="work on", object_types=(TOPIC, PRODUCT), is_state=True,
              strength=0.6,
              cues=_cues("product project projects proyek work working works")),
    Predicate(name="studies_at", wording=VERB, text="study at", object_types=(ORG,), is_state=True,
              third="studies at", past="studied at", strength=0.85,
              cues=_cues("belajar college kampus kuliah school sekolah student studies study university where")),
    Predicate(name="studies", wording=VERB, text="study", object_types=(TOPIC,), is_state=True, third="studies",
              past="studied", strength=0.8,
              cues=_cues("belajar degree field jurusan major studies study subject what")),
    Predicate(name="manages", wording=VERB, text="manage", object_types=(PERSON, ORG), is_state=True,
              inverse="reports_to", past="managed", strength=0.8,
              cues=_cues("atasan boss lead leads manage manager manages memimpin report reports team who")),
    Predicate(name="reports_to", wording=VERB, text="report to", object_types=(PERSON,), is_state=True,
              inverse="manages", past="reported to", strength=0.8,
              cues=_cues("atasan boss manager report reports supervisor who")),
    Predicate(name="member_of", wording=BE, text="a member of", object_types=(ORG,), is_state=True, strength=0.7,
              cues=_cues("anggota band board choir club group join joined member team")),
    Predicate(name="founded_by", wording=BE, text="founded by", subject_types=(ORG,), object_types=(PERSON,),
              third="was", strength=0.85,
              cues=_cues("didirikan found founded founder founders pendiri started who")),
    Predicate(name="founded_in", wording=BE, text="founded in", subject_types=(ORG,), literal_kind=LiteralKind.DATE,
              is_single_valued=True, third="was", strength=0.8,
              cues=_cues("berdiri didirikan established founded old started tahun when year")),
    Predicate(name="ceo_of", wording=BE, text="the CEO of", object_types=(ORG,), is_state=True, strength=0.9,
              cues=_cues("ceo chief direktur executive head runs utama who")),
    Predicate(name="sells", wording=VERB, text="sell", subject_types=(ORG, PERSON), object_types=(PRODUCT,),
              past="sold", strength=0.6,
              cues=_cues("buy jual menjual offer sell selling sells shop store")),
)

_CLOSE = (
    Predicate(name="married_to", wording=BE, text="married to", object_types=(PERSON,), is_single_valued=True,
              is_symmetric=True, strength=0.95,
              cues=_cues("husband istri married marry menikah partner spouse suami wedding who wife")),
    Predicate(name="partner_of", wording=ROLE, text="partner", object_types=(PERSON,), is_single_valued=True,
              is_symmetric=True, strength=0.9,
              cues=_cues("bf boyfriend dating fiance fiancee gf girlfriend pacar partner tunangan who")),
    Predicate(name="friend_of", wording=ROLE, text="friend", object_types=(PERSON,), is_symmetric=True,
              strength=0.75,
              cues=_cues("buddy friend friends mate pal sahabat teman who")),
    Predicate(name="colleague_of", wording=ROLE, text="colleague", object_types=(PERSON,), is_symmetric=True,
              strength=0.7,
              cues=_cues("colleague colleagues coworker coworkers rekan teammate who work")),
    Predicate(name="neighbour_of", wording=ROLE, text="neighbour", object_types=(PERSON,), is_symmetric=True,
              strength=0.7,
              cues=_cues("door neighbor neighbors neighbour neighbours tetangga who")),
    Predicate(name="lives_with", wording=VERB, text="live with", object_types=(PERSON,), is_symmetric=True,
              is_state=True, strength=0.75,
              cues=_cues("flatmate housemate live lives roommate serumah who")),
    Predicate(name="knows", wording=VERB, text="know", object_types=(PERSON,), is_symmetric=True, past="knew",
              strength=0.35,
              cues=_cues("kenal know knows met who")),
    Predicate(name="doctor_of", wording=ROLE, text="doctor", object_types=_LIVING, strength=0.8,
              cues=_cues("dentist doctor dokter gp physician therapist vet who")),
)

_THINGS = (
    Predicate(name="has_pet", wording=VERB, text="have a pet,", object_types=(PET,), is_state=True,
              third="has a pet,", past="had a pet,", strength=0.85,
              cues=_cues("animal animals anjing bird cat dog have kucing own owns peliharaan pet pets rabbit")),
    Predicate(name="breed", wording=NOUN, text="breed", subject_types=(PET,), is_single_valued=True, strength=0.85,
              cues=_cues("breed dog jenis kind race ras what")),
    Predicate(name="species", wording=KIND, text="", subject_types=(PET,), is_single_valued=True, strength=0.8,
              cues=_cues("animal hewan jenis kind pet species what")),
    Predicate(name="owns", wording=VERB, text="own", subject_types=(PERSON, ORG), object_types=(PRODUCT, PLACE,
              ORG), is_state=True, strength=0.8,
              cues=_cues("belongs bought has have memiliki milik own owns possess property punya")),
    Predicate(name="drives", wording=VERB, text="drive", object_types=(PRODUCT,), is_state=True, past="drove",
              strength=0.75,
              cues=_cues("car drive drives mobil motor ride vehicle")),
    Predicate(name="uses", wording=VERB, text="use", subject_types=(PERSON, ORG), object_types=(PRODUCT,),
              is_state=True, past="used", strength=0.6,
              cues=_cues("app laptop memakai pakai software tool use uses using")),
    Predicate(name="color", wording=BE, text="", subject_types=(PRODUCT, PET), is_single_valued=True, strength=0.6,
              cues=_cues("color colour warna")),
    Predicate(name="located_in", wording=BE, text="in", subject_types=(PRODUCT, ORG, PLACE, EVENT),
              object_types=(PLACE,), is_single_valued=True, is_state=True, strength=0.8,
              cues=_cues("address alamat city di in located location lokasi mana office place tempat venue where")),
    Predicate(name="is_a", wording=KIND, text="", subject_types=(ORG, PRODUCT, PLACE, TOPIC, EVENT), strength=0.7,
              cues=_cues("apa is kind type what")),
    Predicate(name="status", wording=BE, text="", subject_types=(ORG, PRODUCT, PLACE, EVENT, TOPIC),
              is_single_valued=True, is_state=True, strength=0.85,
              cues=_cues("closed done open progress state status")),
    Predicate(name="price", wording=VERB, text="cost", subject_types=(ORG, PRODUCT, PLACE, EVENT),
              is_single_valued=True, is_state=True, past="cost", strength=0.85,
              cues=_cues("berapa biaya cost costs expensive harga much pay price")),
    Predicate(name="replaces", wording=VERB, text="replace", subject_types=(PRODUCT, TOPIC), object_types=(PRODUCT,
              TOPIC), past="replaced", strength=0.6,
              cues=_cues("instead replace replaces supersede")),
)

_TASTES = (
    Predicate(name="likes", wording=VERB, text="like", subject_types=_LIVING, object_types=_TASTE, is_state=True,
              past="liked", strength=0.7,
              cues=_cues("enjoy enjoys fan hobbies hobby hobi interest interests into like likes love loves senang "
                         "suka")),
    Predicate(name="dislikes", wording=VERB, text="dislike", subject_types=_LIVING, object_types=_TASTE,
              is_state=True, past="disliked", strength=0.7,
              cues=_cues("benci dislike dislikes hate hates stand")),
    Predicate(name="prefers", wording=VERB, text="prefer", subject_types=_LIVING, object_types=(TOPIC, PRODUCT,
              PLACE, ORG), is_state=True, past="preferred", strength=0.75,
              cues=_cues("better lebih prefer preference prefers rather suka")),
    Predicate(name="plays", wording=VERB, text="play", object_types=(TOPIC,), is_state=True, strength=0.7,
              cues=_cues("bermain game hobby instrument main play plays sport")),
    Predicate(name="allergic_to", wording=BE, text="allergic to", subject_types=_LIVING, object_types=(TOPIC,),
              strength=0.9,
              cues=_cues("alergi allergic allergies allergy eat")),
    Predicate(name="avoids", wording=VERB, text="avoid", subject_types=_LIVING, object_types=(TOPIC,),
              is_state=True, strength=0.75,
              cues=_cues("avoid avoids drink eat menghindari not")),
    Predicate(name="follows_diet", wording=BE, text="", is_state=True, strength=0.8,
              cues=_cues("diet eat halal keto kosher makan vegan vegetarian")),
    Predicate(name="has_condition", wording=VERB, text="have", subject_types=_LIVING, object_types=(TOPIC,),
              is_state=True, third="has", past="had", strength=0.85,
              cues=_cues("condition disease health illness penyakit sakit sick suffer suffers")),
)

_DOINGS = (
    Predicate(name="attends", wording=VERB, text="attend", object_types=(EVENT,), is_occasion=True, strength=0.75,
              cues=_cues("acara appointment attend attending attends calendar event hadir meeting rapat when who")),
    Predicate(name="organizes", wording=VERB, text="organize", object_types=(EVENT,), is_occasion=True,
              past="organized", strength=0.6,
              cues=_cues("host hosts invite meeting organize organizer organizes who")),
    Predicate(name="travels_to", wording=VERB, text="travel to", object_types=(PLACE,), is_occasion=True,
              past="travelled to", strength=0.8,
              cues=_cues("flew flight fly holiday liburan pergi terbang travel travels trip vacation visit visited "
                         "went when where")),
    Predicate(name="plans_to", wording=VERB, text="plan to", is_state=True, past="planned to", strength=0.65,
              cues=_cues("going intend mau plan planning plans rencana")),
    Predicate(name="happens_on", wording=BE, text="on", subject_types=(EVENT,), literal_kind=LiteralKind.DATE,
              is_single_valued=True, strength=0.9,
              cues=_cues("date day hari kapan on tanggal time when")),
    Predicate(name="event", wording=VERB, text="", is_occasion=True, strength=0.65,
              cues=_cues("broke did happened what when")),
    Predicate(name="wrote_to", wording=VERB, text="wrote to", object_types=(PERSON,), third="wrote to",
              past="wrote to", strength=0.15,
              cues=_cues("contact email emailed mail mailed write wrote")),
    Predicate(name="replied_to", wording=VERB, text="replied to", object_types=(PERSON,), third="replied to",
              past="replied to", strength=0.1,
              cues=_cues("answer answered replied reply")),
)

# fmt: on
_KIN = tuple(
    Predicate(
        name=f"{noun}_of",
        wording=ROLE,
        text=noun,
        object_types=(PERSON,),
        is_symmetric=noun == "cousin",
        inverse=inverse,
        strength=0.9,
        cues=_cues(f"{noun} {noun}s {cues} family who"),
    )
    for noun, inverse, cues in (
        ("mother", "child_of", "mum mom mama ibu parent parents"),
        ("father", "child_of", "dad papa ayah bapak parent parents"),
        ("daughter", None, "child children kid kids girl anak perempuan"),
        ("son", None, "child children kid kids boy anak"),
        ("child", None, "children kid kids son daughter anak"),
        ("sister", None, "sibling siblings kakak adik saudara"),
        ("brother", None, "sibling siblings kakak adik saudara"),
        ("sibling", None, "brother sister kakak adik saudara"),
        ("grandmother", None, "grandma granny oma nenek grandparents"),
        ("grandfather", None, "grandpa opa kakek grandparents"),
        ("aunt", None, "tante bibi"),
        ("uncle", None, "om paman"),
        ("niece", None, "keponakan"),
        ("nephew", None, "keponakan"),
        ("cousin", None, "sepupu"),
    )
)

_FAVORITES = (
    *(
        Predicate(
            name=f"favorite_{noun}",
            wording=NOUN,
            text=f"favorite {noun}",
            subject_types=_LIVING,
            is_single_valued=True,
            is_state=True,
            strength=0.8,
            cues=_cues(f"favorite favourite best {noun} like likes favorit kesukaan {more}"),
        )
        for noun, more in (
            ("food", "eat dish makanan"),
            ("drink", "minuman"),
            ("color", "colour warna"),
            ("movie", "film"),
            ("book", "buku read"),
            ("music", "song band musik lagu"),
            ("place", "tempat"),
        )
    ),
)

PREDICATES: dict[str, Predicate] = {
    row.name: row for row in (*_IDENTITY, *_WORK, *_CLOSE, *_KIN, *_THINGS, *_TASTES, *_FAVORITES, *_DOINGS)
}
