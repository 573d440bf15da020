"""The rows of the vocabulary, with the other spellings under which extractors and callers name the same thing."""

from __future__ import annotations

from collections.abc import Iterable

from doso.records import EntityType, LiteralKind
from graph.predicate_kinds import Predicate, Wording

PERSON, PET, ORG, PLACE = EntityType.PERSON, EntityType.PET, EntityType.ORG, EntityType.PLACE
EVENT, PRODUCT, TOPIC = EntityType.EVENT, EntityType.PRODUCT, EntityType.TOPIC
VERB, BE, KIND, NOUN, ROLE = Wording.VERB, Wording.BE, Wording.KIND, Wording.NOUN, Wording.ROLE
_LIVING = (PERSON, PET)
_TASTE = (TOPIC, PRODUCT, PLACE, PERSON, ORG)
_THING = (ORG, PRODUCT, PLACE, EVENT)


def _cues(words: str) -> frozenset[str]:
    return frozenset(words.split())


_IDENTITY = (
    Predicate(
        name="named",
        wording=NOUN,
        text="name",
        subject_types=_LIVING,
        is_single_valued=True,
        strength=1.0,
        cues=_cues("name named called nama namanya"),
    ),
    Predicate(
        name="nickname",
        wording=VERB,
        text="go by",
        third="goes by",
        past="went by",
        subject_types=_LIVING,
        strength=0.8,
        cues=_cues("nickname call called panggilan name"),
    ),
    Predicate(
        name="pronouns",
        wording=NOUN,
        text="pronouns",
        is_single_valued=True,
        strength=0.8,
        cues=_cues("pronoun pronouns gender"),
    ),
    Predicate(
        name="birthday",
        wording=NOUN,
        text="birthday",
        subject_types=_LIVING,
        literal_kind=LiteralKind.DATE,
        is_single_valued=True,
        strength=0.95,
        cues=_cues("birthday birth born bday lahir ulang tahun old age"),
    ),
    Predicate(
        name="age",
        wording=BE,
        text="",
        subject_types=_LIVING,
        is_single_valued=True,
        is_state=True,
        strength=0.8,
        cues=_cues("age old umur usia years"),
    ),
    Predicate(
        name="lives_in",
        wording=VERB,
        text="live in",
        subject_types=_LIVING,
        object_types=(PLACE,),
        is_single_valued=True,
        is_state=True,
        strength=0.95,
        cues=_cues(
            "live lives living home reside resides where city town move moved address tinggal rumah "
            "domisili pindah mana dimana"
        ),
    ),
    Predicate(
        name="from",
        wording=BE,
        text="from",
        object_types=(PLACE,),
        is_single_valued=True,
        strength=0.85,
        cues=_cues("from hometown origin born native where asal berasal kampung"),
    ),
    Predicate(
        name="nationality",
        wording=BE,
        text="",
        strength=0.8,
        cues=_cues("nationality citizen citizenship passport country kewarganegaraan"),
    ),
    Predicate(
        name="speaks",
        wording=VERB,
        text="speak",
        past="spoke",
        strength=0.7,
        cues=_cues("speak speaks language languages bahasa berbicara"),
    ),
    Predicate(
        name="phone",
        wording=NOUN,
        text="phone number",
        subject_types=(PERSON, ORG),
        strength=0.9,
        cues=_cues("phone number mobile cell telephone call telepon nomor hp"),
    ),
    Predicate(
        name="email",
        wording=NOUN,
        text="email",
        subject_types=(PERSON, ORG),
        strength=0.9,
        cues=_cues("email mail address e-mail surel contact"),
    ),
    Predicate(
        name="height",
        wording=BE,
        text="{} tall",
        subject_types=_LIVING,
        is_single_valued=True,
        is_state=True,
        cues=_cues("height tall tinggi"),
    ),
    Predicate(
        name="weight",
        wording=VERB,
        text="weigh",
        subject_types=_LIVING,
        is_single_valued=True,
        is_state=True,
        cues=_cues("weight weigh weighs heavy berat"),
    ),
)

_WORK = (
    Predicate(
        name="works_at",
        wording=VERB,
        text="work at",
        object_types=(ORG,),
        is_state=True,
        strength=0.95,
        cues=_cues("work works working job employer employed company office kerja bekerja kantor perusahaan where"),
    ),
    Predicate(
        name="works_as",
        wording=KIND,
        text="",
        is_state=True,
        strength=0.9,
        cues=_cues(
            "job occupation profession work works role title position career do pekerjaan profesi jabatan living"
        ),
    ),
    Predicate(
        name="works_on",
        wording=VERB,
        text="work on",
        object_types=(TOPIC, PRODUCT),
        is_state=True,
        cues=_cues("work works working project projects product proyek"),
    ),
    Predicate(
        name="studies_at",
        wording=VERB,
        text="study at",
        third="studies at",
        past="studied at",
        object_types=(ORG,),
        is_state=True,
        strength=0.85,
        cues=_cues("study studies school university college student kuliah sekolah kampus belajar where"),
    ),
    Predicate(
        name="studies",
        wording=VERB,
        text="study",
        third="studies",
        past="studied",
        object_types=(TOPIC,),
        is_state=True,
        strength=0.8,
        cues=_cues("study studies major degree subject field jurusan belajar what"),
    ),
    Predicate(
        name="manages",
        wording=VERB,
        text="manage",
        past="managed",
        object_types=(PERSON, ORG),
        inverse="reports_to",
        is_state=True,
        strength=0.8,
        cues=_cues("manage manages manager boss lead leads team report reports atasan memimpin who"),
    ),
    Predicate(
        name="reports_to",
        wording=VERB,
        text="report to",
        past="reported to",
        object_types=(PERSON,),
        inverse="manages",
        is_state=True,
        strength=0.8,
        cues=_cues("report reports boss manager supervisor atasan who"),
    ),
    Predicate(
        name="member_of",
        wording=BE,
        text="a member of",
        object_types=(ORG,),
        is_state=True,
        strength=0.7,
        cues=_cues("member club team choir band board group anggota join joined"),
    ),
    Predicate(
        name="founded_by",
        wording=BE,
        text="founded by",
        subject_types=(ORG,),
        object_types=(PERSON,),
        strength=0.85,
        cues=_cues("found founded founder founders started pendiri didirikan who"),
    ),
    Predicate(
        name="founded_in",
        wording=BE,
        text="founded in",
        subject_types=(ORG,),
        literal_kind=LiteralKind.DATE,
        is_single_valued=True,
        strength=0.8,
        cues=_cues("founded established started when year berdiri didirikan tahun old"),
    ),
    Predicate(
        name="ceo_of",
        wording=BE,
        text="the CEO of",
        object_types=(ORG,),
        is_state=True,
        strength=0.9,
        cues=_cues("ceo chief executive head runs direktur utama who"),
    ),
    Predicate(
        name="sells",
        wording=VERB,
        text="sell",
        past="sold",
        subject_types=(ORG, PERSON),
        object_types=(PRODUCT,),
        cues=_cues("sell sells selling offer shop store buy jual menjual"),
    ),
)

_CLOSE = (
    Predicate(
        name="married_to",
        wording=BE,
        text="married to",
        object_types=(PERSON,),
        is_single_valued=True,
        is_symmetric=True,
        strength=0.95,
        cues=_cues("married wife husband spouse marry wedding istri suami menikah partner who"),
    ),
    Predicate(
        name="partner_of",
        wording=ROLE,
        text="partner",
        object_types=(PERSON,),
        is_single_valued=True,
        is_symmetric=True,
        strength=0.9,
        cues=_cues("partner girlfriend boyfriend fiance fiancee dating gf bf pacar tunangan who"),
    ),
    Predicate(
        name="friend_of",
        wording=ROLE,
        text="friend",
        object_types=(PERSON,),
        is_symmetric=True,
        strength=0.75,
        cues=_cues("friend friends buddy pal mate teman sahabat who"),
    ),
    Predicate(
        name="colleague_of",
        wording=ROLE,
        text="colleague",
        object_types=(PERSON,),
        is_symmetric=True,
        strength=0.7,
        cues=_cues("colleague colleagues coworker coworkers teammate rekan work who"),
    ),
    Predicate(
        name="neighbour_of",
        wording=ROLE,
        text="neighbour",
        object_types=(PERSON,),
        is_symmetric=True,
        strength=0.7,
        cues=_cues("neighbour neighbor neighbours neighbors tetangga door who"),
    ),
    Predicate(
        name="lives_with",
        wording=VERB,
        text="live with",
        object_types=(PERSON,),
        is_symmetric=True,
        is_state=True,
        strength=0.75,
        cues=_cues("live lives flatmate roommate housemate serumah who"),
    ),
    Predicate(
        name="knows",
        wording=VERB,
        text="know",
        past="knew",
        object_types=(PERSON,),
        is_symmetric=True,
        strength=0.35,
        cues=_cues("know knows met kenal who"),
    ),
    Predicate(
        name="doctor_of",
        wording=ROLE,
        text="doctor",
        object_types=(PERSON, PET),
        strength=0.8,
        cues=_cues("doctor dentist therapist vet physician gp dokter who"),
    ),
)

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

_THINGS = (
    Predicate(
        name="has_pet",
        wording=VERB,
        text="have a pet,",
        third="has a pet,",
        past="had a pet,",
        object_types=(PET,),
        is_state=True,
        strength=0.85,
        cues=_cues("pet pets dog cat animal animals rabbit bird peliharaan kucing anjing own owns have"),
    ),
    Predicate(
        name="breed",
        wording=NOUN,
        text="breed",
        subject_types=(PET,),
        is_single_valued=True,
        strength=0.85,
        cues=_cues("breed kind race ras jenis dog what"),
    ),
    Predicate(
        name="species",
        wording=KIND,
        text="",
        subject_types=(PET,),
        is_single_valued=True,
        strength=0.8,
        cues=_cues("species animal kind pet hewan jenis what"),
    ),
    Predicate(
        name="owns",
        wording=VERB,
        text="own",
        subject_types=(PERSON, ORG),
        object_types=(PRODUCT, PLACE, ORG),
        is_state=True,
        strength=0.8,
        cues=_cues("own owns have has possess property punya memiliki milik bought belongs"),
    ),
    Predicate(
        name="drives",
        wording=VERB,
        text="drive",
        past="drove",
        object_types=(PRODUCT,),
        is_state=True,
        strength=0.75,
        cues=_cues("drive drives car vehicle mobil motor ride"),
    ),
    Predicate(
        name="uses",
        wording=VERB,
        text="use",
        past="used",
        subject_types=(PERSON, ORG),
        object_types=(PRODUCT,),
        is_state=True,
        cues=_cues("use uses using tool software app laptop pakai memakai"),
    ),
    Predicate(
        name="color",
        wording=BE,
        text="",
        subject_types=(PRODUCT, PET),
        is_single_valued=True,
        cues=_cues("color colour warna"),
    ),
    Predicate(
        name="located_in",
        wording=BE,
        text="in",
        subject_types=(PRODUCT, ORG, PLACE, EVENT),
        object_types=(PLACE,),
        is_single_valued=True,
        is_state=True,
        strength=0.8,
        cues=_cues("where located location place venue address city office in di mana lokasi tempat alamat"),
    ),
    Predicate(
        name="is_a",
        wording=KIND,
        text="",
        subject_types=(ORG, PRODUCT, PLACE, TOPIC, EVENT),
        strength=0.7,
        cues=_cues("what kind type is apa"),
    ),
    Predicate(
        name="status",
        wording=BE,
        text="",
        subject_types=(*_THING, TOPIC),
        is_single_valued=True,
        is_state=True,
        strength=0.85,
        cues=_cues("status state open closed done progress status"),
    ),
    Predicate(
        name="price",
        wording=VERB,
        text="cost",
        past="cost",
        subject_types=_THING,
        is_single_valued=True,
        is_state=True,
        strength=0.85,
        cues=_cues("price cost costs much expensive pay harga biaya berapa"),
    ),
    Predicate(
        name="replaces",
        wording=VERB,
        text="replace",
        past="replaced",
        subject_types=(PRODUCT, TOPIC),
        object_types=(PRODUCT, TOPIC),
        cues=_cues("replace replaces supersede instead"),
    ),
)

_TASTES = (
    Predicate(
        name="likes",
        wording=VERB,
        text="like",
        past="liked",
        subject_types=_LIVING,
        object_types=_TASTE,
        is_state=True,
        strength=0.7,
        cues=_cues("like likes love loves enjoy enjoys hobby hobbies fan into interest interests suka hobi senang"),
    ),
    Predicate(
        name="dislikes",
        wording=VERB,
        text="dislike",
        past="disliked",
        subject_types=_LIVING,
        object_types=_TASTE,
        is_state=True,
        strength=0.7,
        cues=_cues("dislike dislikes hate hates benci stand"),
    ),
    Predicate(
        name="prefers",
        wording=VERB,
        text="prefer",
        past="preferred",
        subject_types=_LIVING,
        object_types=(TOPIC, PRODUCT, PLACE, ORG),
        is_state=True,
        strength=0.75,
        cues=_cues("prefer prefers preference rather better lebih suka"),
    ),
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
    Predicate(
        name="plays",
        wording=VERB,
        text="play",
        object_types=(TOPIC,),
        is_state=True,
        strength=0.7,
        cues=_cues("play plays instrument sport game main bermain hobby"),
    ),
    Predicate(
        name="allergic_to",
        wording=BE,
        text="allergic to",
        subject_types=_LIVING,
        object_types=(TOPIC,),
        strength=0.9,
        cues=_cues("allergic allergy allergies alergi eat"),
    ),
    Predicate(
        name="avoids",
        wording=VERB,
        text="avoid",
        subject_types=_LIVING,
        object_types=(TOPIC,),
        is_state=True,
        strength=0.75,
        cues=_cues("avoid avoids eat drink not menghindari"),
    ),
    Predicate(
        name="follows_diet",
        wording=BE,
        text="",
        is_state=True,
        strength=0.8,
        cues=_cues("diet vegetarian vegan halal kosher keto eat makan"),
    ),
    Predicate(
        name="has_condition",
        wording=VERB,
        text="have",
        third="has",
        past="had",
        subject_types=_LIVING,
        object_types=(TOPIC,),
        is_state=True,
        strength=0.85,
        cues=_cues("condition illness disease health sick suffer suffers penyakit sakit"),
    ),
)

_DOINGS = (
    Predicate(
        name="attends",
        wording=VERB,
        text="attend",
        object_types=(EVENT,),
        is_occasion=True,
        strength=0.75,
        cues=_cues("attend attends attending meeting event appointment calendar who hadir acara rapat when"),
    ),
    Predicate(
        name="organizes",
        wording=VERB,
        text="organize",
        past="organized",
        object_types=(EVENT,),
        is_occasion=True,
        strength=0.6,
        cues=_cues("organize organizes organizer host hosts invite meeting who"),
    ),
    Predicate(
        name="travels_to",
        wording=VERB,
        text="travel to",
        past="travelled to",
        object_types=(PLACE,),
        is_occasion=True,
        strength=0.8,
        cues=_cues(
            "travel travels trip visit visited fly flew flight holiday vacation went pergi terbang liburan where when"
        ),
    ),
    Predicate(
        name="plans_to",
        wording=VERB,
        text="plan to",
        past="planned to",
        strength=0.65,
        is_state=True,
        cues=_cues("plan plans planning going intend rencana mau"),
    ),
    Predicate(
        name="happens_on",
        wording=BE,
        text="on",
        subject_types=(EVENT,),
        literal_kind=LiteralKind.DATE,
        is_single_valued=True,
        strength=0.9,
        cues=_cues("when date day on kapan tanggal hari time"),
    ),
    Predicate(
        name="event",
        wording=VERB,
        text="",
        third="",
        past="",
        is_occasion=True,
        strength=0.65,
        cues=_cues("when happened what broke did"),
    ),
    Predicate(
        name="wrote_to",
        wording=VERB,
        text="wrote to",
        third="wrote to",
        past="wrote to",
        object_types=(PERSON,),
        strength=0.15,
        cues=_cues("write wrote mail mailed email emailed contact"),
    ),
    Predicate(
        name="replied_to",
        wording=VERB,
        text="replied to",
        third="replied to",
        past="replied to",
        object_types=(PERSON,),
        strength=0.1,
        cues=_cues("reply replied answer answered"),
    ),
)

PREDICATES: dict[str, Predicate] = {
    row.name: row for row in (*_IDENTITY, *_WORK, *_CLOSE, *_KIN, *_THINGS, *_TASTES, *_DOINGS)
}

#: "other spelling other spelling": a leading "~" says that subject and object change places.
_OTHER_SPELLINGS: dict[str, str] = {
    "named": "name has_name called is_called full_name canonical_name is_named real_name nama bernama",
    "nickname": "goes_by also_known_as aka known_as nicknamed has_nickname is_nicknamed",
    "pronouns": "has_pronouns pronoun uses_pronouns",
    "birthday": "born_on was_born_on birth_date birthdate date_of_birth dob has_birthday born was_born",
    "age": "is_aged aged has_age years_old is_years_old umur",
    "lives_in": "lives_at resides_in residence home home_city moved_to has_moved_to relocated_to based_in is_based_in "
    "located_at_home current_city lives lives_near tinggal_di settled_in resides_at",
    "from": "comes_from is_from originates_from hometown has_hometown born_in was_born_in birthplace native_of "
    "origin grew_up_in berasal_dari",
    "nationality": "citizen_of has_nationality citizenship is_citizen_of",
    "speaks": "speaks_language language fluent_in is_fluent_in",
    "phone": "phone_number has_phone has_phone_number mobile telephone tel",
    "email": "email_address has_email mail e_mail mail_address has_email_address",
    "height": "is_tall has_height",
    "weight": "weighs has_weight",
    "works_at": "works_for employed_by is_employed_by employer has_employer job_at employed_at is_employed_at "
    "joined started_at ~employs ~has_employee ~employer_of bekerja_di kerja_di works_in_company",
    "works_as": "occupation has_occupation job has_job job_title profession role has_role position title "
    "has_job_title is_employed_as pekerjaan",
    "works_on": "working_on is_working_on contributes_to works_on_project",
    "studies_at": "attends_school attends_university student_at is_student_at enrolled_at is_enrolled_at "
    "student_of goes_to_school_at ~has_student kuliah_di",
    "studies": "majors_in major field_of_study is_studying studying",
    "manages": "leads boss_of manager_of is_manager_of supervises supervisor_of heads is_boss_of",
    "reports_to": "managed_by is_managed_by has_manager has_boss boss supervised_by works_under manager",
    "member_of": "is_member_of belongs_to_group plays_in is_a_member_of joined_club ~has_member part_of_team",
    "founded_by": "established_by created_by_founder has_founder founder was_founded_by ~founded ~founder_of ~co_founded "
    "~is_founder_of ~cofounder_of",
    "founded_in": "established_in was_founded_in founded_on established founding_year was_established_in since",
    "ceo_of": "is_ceo_of is_the_ceo_of chief_executive_of ~has_ceo ~ceo",
    "sells": "offers is_selling ~sold_by",
    "married_to": "wife_of husband_of spouse_of is_married_to spouse wife husband has_wife has_husband has_spouse "
    "got_married_to wed menikah_dengan",
    "partner_of": "girlfriend_of boyfriend_of fiance_of fiancee_of engaged_to is_engaged_to dating is_dating "
    "has_partner partner has_girlfriend has_boyfriend in_relationship_with",
    "friend_of": "is_friend_of friends_with is_friends_with best_friend_of has_friend friend",
    "colleague_of": "coworker_of co_worker_of works_with teammate_of has_colleague colleague is_colleague_of",
    "neighbour_of": "neighbor_of is_neighbor_of is_neighbour_of has_neighbour has_neighbor neighbour neighbor",
    "lives_with": "flatmate_of roommate_of housemate_of has_flatmate has_roommate is_flatmate_of flatmate roommate "
    "shares_flat_with lives_together_with",
    "knows": "acquainted_with is_acquainted_with acquaintance_of met_before",
    "doctor_of": "dentist_of therapist_of vet_of physician_of is_doctor_of gp_of ~has_doctor ~has_dentist ~has_vet "
    "~patient_of ~doctor ~dentist",
    "has_pet": "owns_pet pet keeps_pet ~pet_of ~is_pet_of",
    "breed": "has_breed is_breed dog_breed",
    "species": "has_species animal_type kind_of_animal",
    "owns": "owner_of possesses is_owner_of has_property owning punya memiliki bought ~owned_by ~is_owned_by "
    "~belongs_to ~property_of",
    "drives": "drives_car",
    "uses": "is_using using works_with_tool ~used_by",
    "color": "colour has_color has_colour is_color",
    "located_in": "located_at is_located_in is_in in situated_in headquartered_in is_headquartered_in location "
    "has_location based_at at takes_place_in held_in held_at is_held_in takes_place_at",
    "is_a": "is_an instance_of type kind is_kind_of is_type_of",
    "status": "has_status state is_status",
    "price": "costs has_price cost priced_at is_priced_at harga",
    "replaces": "supersedes ~replaced_by ~is_replaced_by ~superseded_by",
    "likes": "loves enjoys is_fan_of fan_of interested_in is_interested_in hobby has_hobby fond_of suka is_into",
    "dislikes": "hates cannot_stand detests loathes",
    "prefers": "would_rather likes_more",
    "plays": "plays_instrument plays_sport plays_game is_playing",
    "allergic_to": "has_allergy has_allergy_to allergy is_allergic_to allergies alergi",
    "avoids": "does_without abstains_from",
    "follows_diet": "diet has_diet is_on_diet dietary_preference",
    "has_condition": "suffers_from diagnosed_with has_illness condition has_disease is_diagnosed_with",
    "attends": "participates_in takes_part_in participant_of attendee_of is_attending attended going_to_event "
    "~has_attendee ~attended_by",
    "organizes": "organises hosts organizer_of ~organized_by ~organised_by ~hosted_by ~has_organizer",
    "travels_to": "flies_to visited visits flew_to travelled_to traveled_to trip_to went_to is_visiting flying_to "
    "travelling_to",
    "plans_to": "intends_to wants_to is_planning_to plans going_to",
    "happens_on": "on date is_on takes_place_on occurs_on scheduled_for is_scheduled_for held_on event_date",
    "wrote_to": "emailed mailed sent_mail_to messaged",
    "replied_to": "answered",
    "mother_of": "mum_of mom_of is_mother_of ~has_mother ~mother",
    "father_of": "dad_of is_father_of ~has_father ~father",
    "daughter_of": "~has_daughter",
    "son_of": "~has_son",
    "child_of": "kid_of ~has_child ~parent_of ~is_parent_of ~has_kid",
    "sister_of": "~has_sister elder_sister_of younger_sister_of",
    "brother_of": "~has_brother elder_brother_of younger_brother_of",
    "sibling_of": "younger_sibling_of older_sibling_of elder_sibling_of ~has_sibling twin_of",
    "grandmother_of": "grandma_of ~has_grandmother",
    "grandfather_of": "grandpa_of ~has_grandfather",
    "aunt_of": "~has_aunt",
    "uncle_of": "~has_uncle",
    "niece_of": "~has_niece",
    "nephew_of": "~has_nephew",
    "cousin_of": "~has_cousin cousin",
    **{
        f"favorite_{noun}": f"favourite_{noun} has_favorite_{noun} has_favourite_{noun} {more}"
        for noun, more in (
            ("food", "favorite_dish favourite_dish"),
            ("drink", ""),
            ("color", "favorite_colour favourite_colour"),
            ("movie", "favorite_film favourite_film"),
            ("book", ""),
            ("music", "favorite_band favorite_song"),
            ("place", "favorite_city"),
        )
    },
}


def _spellings() -> dict[str, tuple[str, bool]]:
    """Every known spelling to its predicate and whether it is read the other way round."""
    found: dict[str, tuple[str, bool]] = {}
    for name, line in _OTHER_SPELLINGS.items():
        for spelling in line.split():
            found.setdefault(spelling.lstrip("~"), (name, spelling.startswith("~")))
    for row in PREDICATES.values():
        for spelling in _inflections(row):
            found.setdefault(spelling, (row.name, False))
    return {**found, **{name: (name, False) for name in PREDICATES}}


def _inflections(row: Predicate) -> Iterable[str]:
    if row.wording is Wording.ROLE:
        return (f"is_{row.name}", f"is_the_{row.name}")
    if row.wording is not Wording.VERB:
        return (f"is_{row.name}", f"was_{row.name}") if "_" in row.name else ()
    head, _, rest = row.text.rstrip(",").partition(" ")
    tail = f"_{rest.replace(' ', '_')}" if rest else ""
    past = (row.past or f"{head}{'d' if head.endswith('e') else 'ed'}").split(" ")[0]
    stem = head.removesuffix("e") if head.endswith("e") and not head.endswith("ee") else head
    return (f"{head}{tail}", f"{past}{tail}", f"is_{stem}ing{tail}", f"{stem}ing{tail}")


SPELLINGS: dict[str, tuple[str, bool]] = _spellings()

TYPE_WORDS: dict[str, EntityType] = {
    word: type
    for type, line in {
        PERSON: "person people human individual contact man woman user character orang",
        PET: "pet animal dog cat hewan",
        ORG: "org organization organisation company business firm institution agency team group school university club "
        "startup corporation band perusahaan organisasi",
        PLACE: "place location city country town region geo area gpe address building venue tempat kota negara",
        EVENT: "event meeting appointment occasion trip conference acara",
        PRODUCT: "product thing item object tool device software library technology app application vehicle work "
        "document barang produk",
        TOPIC: "topic concept subject activity food theme illness idea misc other category topik",
    }.items()
    for word in line.split()
}
