"""Other spellings under which extractors and callers name the predicates and types of the vocabulary."""

from __future__ import annotations

from collections.abc import Iterable

from doso.records import EntityType
from graph.predicate_kinds import Predicate, Wording
from graph.predicate_table import EVENT, ORG, PERSON, PET, PLACE, PREDICATES, PRODUCT, TOPIC

#: Spellings of each predicate; a leading "~" says that subject and object change places.
# fmt: off
_OTHER_SPELLINGS: dict[str, str] = {
    "named": "name has_name called is_called full_name canonical_name is_named real_name nama bernama",
    "nickname": "goes_by also_known_as aka known_as nicknamed has_nickname is_nicknamed",
    "pronouns": "has_pronouns pronoun uses_pronouns",
    "birthday": "born_on was_born_on birth_date birthdate date_of_birth dob has_birthday born was_born",
    "age": "is_aged aged has_age years_old is_years_old umur",
    "lives_in": "lives_at resides_in residence home home_city moved_to has_moved_to relocated_to based_in "
        "is_based_in located_at_home current_city lives lives_near tinggal_di settled_in "
        "resides_at",
    "from": "comes_from is_from originates_from hometown has_hometown born_in was_born_in birthplace "
        "native_of origin grew_up_in berasal_dari",
    "nationality": "citizen_of has_nationality citizenship is_citizen_of",
    "speaks": "speaks_language language fluent_in is_fluent_in",
    "phone": "phone_number has_phone has_phone_number mobile telephone tel",
    "email": "email_address has_email mail e_mail mail_address has_email_address",
    "height": "is_tall has_height",
    "weight": "weighs has_weight",
    "works_at": "works_for employed_by is_employed_by employer has_employer job_at employed_at "
        "is_employed_at joined started_at ~employs ~has_employee ~employer_of bekerja_di kerja_di "
        "works_in_company",
    "works_as": "occupation has_occupation job has_job job_title profession role has_role position title "
        "has_job_title is_employed_as pekerjaan",
    "works_on": "working_on is_working_on contributes_to works_on_project",
    "studies_at": "attends_school attends_university student_at is_student_at enrolled_at is_enrolled_at "
        "student_of goes_to_school_at ~has_student kuliah_di",
    "studies": "majors_in major field_of_study is_studying studying",
    "manages": "leads boss_of manager_of is_manager_of supervises supervisor_of heads is_boss_of",
    "reports_to": "managed_by is_managed_by has_manager has_boss boss supervised_by works_under manager",
    "member_of": "is_member_of belongs_to_group plays_in is_a_member_of joined_club ~has_member "
        "part_of_team",
    "founded_by": "established_by created_by_founder has_founder founder was_founded_by ~founded "
        "~founder_of ~co_founded ~is_founder_of ~cofounder_of",
    "founded_in": "established_in was_founded_in founded_on established founding_year was_established_in "
        "since",
    "ceo_of": "is_ceo_of is_the_ceo_of chief_executive_of ~has_ceo ~ceo",
    "sells": "offers is_selling ~sold_by",
    "married_to": "wife_of husband_of spouse_of is_married_to spouse wife husband has_wife has_husband "
        "has_spouse got_married_to wed menikah_dengan",
    "partner_of": "girlfriend_of boyfriend_of fiance_of fiancee_of engaged_to is_engaged_to dating "
        "is_dating has_partner partner has_girlfriend has_boyfriend in_relationship_with",
    "friend_of": "is_friend_of friends_with is_friends_with best_friend_of has_friend friend",
    "colleague_of": "coworker_of co_worker_of works_with teammate_of has_colleague colleague is_colleague_of",
    "neighbour_of": "neighbor_of is_neighbor_of is_neighbour_of has_neighbour has_neighbor neighbour neighbor",
    "lives_with": "flatmate_of roommate_of housemate_of has_flatmate has_roommate is_flatmate_of flatmate "
        "roommate shares_flat_with lives_together_with",
    "knows": "acquainted_with is_acquainted_with acquaintance_of met_before",
    "doctor_of": "dentist_of therapist_of vet_of physician_of is_doctor_of gp_of ~has_doctor ~has_dentist "
        "~has_vet ~patient_of ~doctor ~dentist",
    "has_pet": "owns_pet pet keeps_pet ~pet_of ~is_pet_of",
    "breed": "has_breed is_breed dog_breed",
    "species": "has_species animal_type kind_of_animal",
    "owns": "owner_of possesses is_owner_of has_property owning punya memiliki bought ~owned_by "
        "~is_owned_by ~belongs_to ~property_of",
    "drives": "drives_car",
    "uses": "is_using using works_with_tool ~used_by",
    "color": "colour has_color has_colour is_color",
    "located_in": "located_at is_located_in is_in in situated_in headquartered_in is_headquartered_in "
        "location has_location based_at at takes_place_in held_in held_at is_held_in "
        "takes_place_at",
    "is_a": "is_an instance_of type kind is_kind_of is_type_of",
    "status": "has_status state is_status",
    "price": "costs has_price cost priced_at is_priced_at harga",
    "replaces": "supersedes ~replaced_by ~is_replaced_by ~superseded_by",
    "likes": "loves enjoys is_fan_of fan_of interested_in is_interested_in hobby has_hobby fond_of "
        "suka is_into",
    "dislikes": "hates cannot_stand detests loathes",
    "prefers": "would_rather likes_more",
    "plays": "plays_instrument plays_sport plays_game is_playing",
    "allergic_to": "has_allergy has_allergy_to allergy is_allergic_to allergies alergi",
    "avoids": "does_without abstains_from",
    "follows_diet": "diet has_diet is_on_diet dietary_preference",
    "has_condition": "suffers_from diagnosed_with has_illness condition has_disease is_diagnosed_with",
    "attends": "participates_in takes_part_in participant_of attendee_of is_attending attended "
        "going_to_event ~has_attendee ~attended_by",
    "organizes": "organises hosts organizer_of ~organized_by ~organised_by ~hosted_by ~has_organizer",
    "travels_to": "flies_to visited visits flew_to travelled_to traveled_to trip_to went_to is_visiting "
        "flying_to travelling_to",
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
    "favorite_food": "favourite_food has_favorite_food has_favourite_food favorite_dish favourite_dish",
    "favorite_drink": "favourite_drink has_favorite_drink has_favourite_drink",
    "favorite_color": "favourite_color has_favorite_color has_favourite_color favorite_colour favourite_colour",
    "favorite_movie": "favourite_movie has_favorite_movie has_favourite_movie favorite_film favourite_film",
    "favorite_book": "favourite_book has_favorite_book has_favourite_book",
    "favorite_music": "favourite_music has_favorite_music has_favourite_music favorite_band favorite_song",
    "favorite_place": "favourite_place has_favorite_place has_favourite_place favorite_city",
}
# fmt: on


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
