"""What kind of word stands behind "is a": an occupation, a nationality, a diet, an illness, a colour, a kind of thing."""

# ruff: noqa: E501 - a table of words and patterns reads best with one form a line
from __future__ import annotations

import functools

from ingest.extract.reading.wordsets import word_set

_WORK = word_set(
    "paramedic mechanic chef cook nurse midwife doctor surgeon dentist vet pilot clerk secretary student pupil intern "
    "apprentice freelancer engineer architect judge monk nun priest imam rabbi soldier sergeant captain athlete diplomat "
    "scholar academic critic poet model dj guide host hostess coach tutor au-pair nanny maid butler cop detective spy "
    "analyst barista sommelier concierge postie courier trucker cabbie plumber welder smith locksmith goldsmith potter "
    "weaver tailor seamstress carpenter joiner cobbler mason roofer glazier electrician janitor caretaker caregiver "
    "carer housewife househusband homemaker retiree pensioner entrepreneur founder ceo cto cfo coo vp director president "
    "chairman chairwoman treasurer manager executive consultant accountant assistant specialist technician professor "
    "lecturer dean principal headteacher librarian curator archivist journalist author novelist editor translator "
    "interpreter publisher producer actor actress singer musician dancer composer conductor drummer guitarist pianist "
    "violinist cellist artist painter sculptor illustrator designer photographer filmmaker animator developer programmer "
    "coder tester admin sysadmin scientist researcher chemist biologist physicist mathematician statistician geologist "
    "astronomer botanist zoologist ecologist historian linguist philosopher psychologist psychiatrist therapist "
    "counsellor counselor social-worker lawyer solicitor barrister attorney notary paralegal broker banker trader "
    "auditor actuary economist cashier salesman saleswoman salesperson marketer recruiter butcher baker grocer florist "
    "gardener farmer fisherman shepherd beekeeper brewer winemaker bartender waiter waitress hairdresser barber "
    "beautician stylist pharmacist optician radiologist cardiologist dermatologist oncologist paediatrician "
    "anaesthetist physiotherapist chiropractor dietitian nutritionist firefighter policeman policewoman officer guard "
    "lifeguard ranger driver conductor sailor seaman steward stewardess attendant dispatcher planner surveyor builder "
    "contractor mover welder machinist operator supervisor foreman inspector mayor politician senator minister teacher "
    "copywriter blogger youtuber streamer influencer sommelier cartographer locksmith undertaker lead trainee resident "
    "guru dosen dokter perawat bidan polisi tentara petani nelayan pedagang sopir supir pilot pramugari pramugara "
    "karyawan pegawai pns wiraswasta wirausaha pengusaha insinyur arsitek akuntan pengacara hakim jaksa notaris apoteker "
    "programmer desainer penulis wartawan jurnalis fotografer seniman penyanyi musisi aktor aktris mahasiswa mahasiswi "
    "pelajar siswa siswi koki juru-masak barista pelayan kasir satpam montir tukang teknisi manajer direktur sekretaris "
    "staf staff psikolog psikiater ustaz ustadz pendeta pastor peneliti ilmuwan analis konsultan penerjemah penjahit "
    "pematung pelukis penari atlet pelatih kurir ojol freelancer admin "
)
_WORK_ENDINGS = (
    "ologist", "ographer", "wright", "smith", "keeper", "maker", "worker", "writer", "teacher", "engineer", "manager",
    "officer", "driver", "dealer", "designer", "developer", "trainer", "builder", "player", "ician", "eer", "ist",
    "woman", "man",
)  # fmt: skip
_NOT_WORK = word_set(
    "woman man human christian feminist optimist pessimist perfectionist realist idealist minimalist extremist racist "
    "twist list mist wrist fist guest veteran superman best tourist volunteer beer deer peer cheer career snowman "
    "gentleman layman teetotalist atheist buddhist baptist narcissist nudist sexist egoist masochist sadist fatalist "
    "purist exist assist resist insist musicman vegetarian player musketeer dealer keeper maker lover spokesman freshman "
    "activist communist socialist anarchist capitalist nationalist"
)
_ROLE_TAILS = word_set("assistant lead officer representative worker engineer teacher staff member attendant")
_COUNTRY_STEMS = word_set(
    "american argentine argentinian australian austrian bangladeshi belgian bolivian brazilian british bulgarian "
    "cambodian cameroonian canadian chilean chinese colombian croatian cuban cypriot czech danish dutch ecuadorian "
    "egyptian emirati english estonian ethiopian fijian filipino filipina finnish french georgian german ghanaian greek "
    "guatemalan haitian honduran hungarian icelandic indian indonesian iranian iraqi irish israeli italian jamaican "
    "japanese jordanian kazakh kenyan korean kuwaiti kyrgyz lao laotian latvian lebanese libyan lithuanian "
    "luxembourgish macedonian malagasy malaysian maldivian malian maltese mexican moldovan mongolian montenegrin "
    "moroccan mozambican namibian nepalese nepali nicaraguan nigerian norwegian omani pakistani palestinian panamanian "
    "paraguayan peruvian polish portuguese qatari romanian russian rwandan salvadoran saudi scottish senegalese serbian "
    "singaporean slovak slovakian slovene slovenian somali spanish sudanese swedish swiss syrian taiwanese tajik "
    "tanzanian thai tunisian turkish turkmen ugandan ukrainian uruguayan uzbek venezuelan vietnamese welsh yemeni "
    "zambian zimbabwean kiwi aussie kosovar albanian algerian angolan armenian azerbaijani bahraini basque catalan "
    "belarusian bosnian burmese afghan"
)
_TONGUES = word_set(
    "arabic hebrew hindi urdu bengali tamil telugu marathi gujarati punjabi kannada malayalam sinhala persian farsi "
    "pashto kurdish swahili yoruba igbo hausa zulu xhosa amharic afrikaans mandarin cantonese javanese sundanese "
    "balinese malay tagalog esperanto latin catalan basque galician breton frisian flemish gaelic yiddish romani sami "
    "quechua guarani maori hawaiian samoan tongan mongolian tibetan uyghur khmer lao maltese luxembourgish somali "
    "tigrinya wolof shona inggris jawa sunda bali melayu jepang belanda jerman prancis perancis spanyol arab korea cina "
    "tionghoa italia rusia portugis batak minang madura bugis turki isyarat indonesia thailand batak asl bsl creole "
    "english french german spanish welsh"
)
_DIETS = word_set("vegetarian vegan pescatarian flexitarian fruitarian halal kosher keto paleo ketogenic gluten-free "
              "dairy-free lactose-free low-carb plant-based macrobiotic teetotal vegetaris")  # fmt: skip
_CONDITIONS = {
    "diabetic": "diabetes", "asthmatic": "asthma", "coeliac": "coeliac disease", "celiac": "celiac disease",
    "epileptic": "epilepsy", "dyslexic": "dyslexia", "autistic": "autism", "anaemic": "anaemia", "anemic": "anemia",
    "colour-blind": "colour blindness", "colorblind": "colour blindness", "colourblind": "colour blindness",
    "arthritic": "arthritis", "bipolar": "bipolar disorder", "dyspraxic": "dyspraxia", "lactose-intolerant": "lactose intolerance",
    "deaf": "deafness", "blind": "blindness", "haemophiliac": "haemophilia", "hypertensive": "hypertension",
    "insomniac": "insomnia", "near-sighted": "near-sightedness", "short-sighted": "short-sightedness",
}  # fmt: skip
_ILLNESSES = word_set(
    "asthma diabetes cancer epilepsy migraine migraines adhd add autism arthritis depression anxiety eczema psoriasis "
    "hypertension insomnia anaemia anemia leukaemia leukemia lupus scoliosis tinnitus vertigo ibs crohn's endometriosis "
    "parkinson's alzheimer's gout glaucoma dementia fibromyalgia hayfever hay-fever osteoporosis dyslexia dyspraxia hiv "
    "tuberculosis malaria lymphoma sciatica reflux gerd pcos ocd ptsd copd narcolepsy haemophilia asma maag hipertensi "
    "migrain kanker jantung lupus tbc asam-urat kolesterol thalassemia thalassaemia hypothyroidism hyperthyroidism "
)
_ILLNESS_ENDINGS = ("itis", "osis", "emia", "aemia", "algia", "opathy", "plegia", "phobia", "somnia", "thyroidism")
_ILLNESS_HEADS = word_set("disease syndrome disorder condition allergy cancer diabetes arthritis failure blindness "
                      "intolerance deficiency apnea apnoea pressure palsy")  # fmt: skip
COLOURS = word_set(
    "black white grey gray brown red green blue yellow orange purple pink silver gold golden beige cream tan ginger "
    "teal turquoise maroon navy violet indigo tortoiseshell calico tabby hitam putih abu-abu coklat cokelat merah hijau "
    "biru kuning jingga oranye ungu emas perak krem"
)
ORG_KINDS = word_set(
    "company startup start-up firm bank agency charity foundation nonprofit cooperative co-op airline railway hospital "
    "clinic school university college academy institute laboratory lab studio restaurant cafe bakery bar pub hotel shop "
    "store supermarket retailer brewery publisher newspaper magazine broadcaster manufacturer consultancy union party "
    "club team band orchestra choir association organisation organization ngo corporation business insurer carmaker "
    "brand marketplace perusahaan bank toko restoran warung kedai sekolah kampus yayasan koperasi klub "
)
PLACE_KINDS = word_set("city town village country island river mountain lake district suburb street beach region province "
                   "kota desa pulau negara gunung kampung provinsi")  # fmt: skip
PRODUCT_KINDS = word_set(
    "app application tool program library framework language database game software platform device phone laptop car "
    "bike boat film movie book album song novel magazine printer camera service plugin website aplikasi"
)
#: Countries that bear one name in most languages, which the list of towns leaves out.
COUNTRIES = word_set(
    "peru chile cuba panama malta qatar oman nepal bhutan laos mali niger nigeria ghana togo benin gabon kenya uganda "
    "rwanda burundi malawi zambia angola namibia botswana lesotho sudan somalia senegal gambia liberia tunisia libya "
    "iran iraq kuwait bahrain yemen israel pakistan bangladesh myanmar vietnam fiji samoa tonga vanuatu kiribati tuvalu "
    "nauru palau jamaica haiti bahamas barbados grenada belize honduras guatemala nicaragua venezuela colombia ecuador "
    "bolivia paraguay uruguay guyana suriname argentina canada monaco andorra liechtenstein kosovo serbia bosnia "
    "montenegro moldova belarus ukraine latvia lithuania estonia armenia azerbaijan kazakhstan uzbekistan tajikistan "
    "turkmenistan kyrgyzstan mongolia maldives mauritius seychelles madagascar mozambique zimbabwe eritrea ethiopia "
    "djibouti chad guinea malaysia singapore brunei indonesia portugal iceland ireland scotland wales england bali"
)
VEHICLES = word_set(
    "car bike bicycle motorbike motorcycle scooter van truck lorry boat caravan campervan camper tractor moped e-bike "
    "suv minivan yacht kayak canoe sailboat jeep pickup trike mobil motor sepeda perahu truk vespa"
)
BELONGINGS = VEHICLES | word_set(
    "house flat apartment cottage cabin farm garden shop bakery cafe restaurant business company guitar piano violin "
    "cello camera laptop computer tablet phone telescope drone printer tent surfboard skateboard sewing-machine kiln "
    "loom rumah apartemen ruko warung toko kebun sawah tanah kedai gitar kamera villa vineyard"
)
OCCASIONS = word_set(
    "appointment interview exam meeting check-up checkup surgery operation concert conference workshop wedding party "
    "festival course class lesson audition hearing trial marathon race tournament match show exhibition seminar webinar "
    "summit congress reunion funeral ceremony graduation viva presentation flight audition recital rehearsal retreat "
    "bootcamp hackathon fair expo gig scan consultation session camp anniversary gala meetup convention "
    "wawancara ujian rapat konser pernikahan operasi janji seminar acara lomba kontrol wisuda konferensi sidang reuni"
)
_DATED_OCCASIONS = word_set("birthday anniversary deadline holiday christmas semester term")
GROUPS = word_set(
    "club team choir band orchestra board committee association society union league group church council party gym "
    "guild quartet ensemble troupe federation cooperative class squad crew chapter network "
    "klub tim paduan grup kelompok komunitas organisasi himpunan partai karang-taruna majelis sanggar"
)
SCHOOLS = word_set("university college school academy institute polytechnic universitas sekolah institut kampus akademi "
               "politeknik sma smp sd smk uni high-school madrasah pesantren conservatory faculty")  # fmt: skip


@functools.lru_cache(maxsize=4096)
def is_occupation(phrase: str) -> bool:
    """Whether a folded noun phrase names what somebody does for a living, by its last (or, with "of", first) word."""
    words = phrase.split()
    if not words or len(words) > 6:
        return False
    head = words[next((at for at, word in enumerate(words) if word in ("of", "for", "in", "di")), len(words)) - 1]
    if _is_work(head) or (_is_work(words[0]) and words[0] in _WORK and not _is_english_modifier(words)):
        return True
    return len(words) > 1 and head in _ROLE_TAILS


def _is_english_modifier(words: list[str]) -> bool:
    """Whether the first word only qualifies a later one, as the doctor does in "doctor fan"."""
    return len(words) > 1 and words[0] not in _INDONESIAN_HEADS


_INDONESIAN_HEADS = word_set("guru dosen dokter perawat bidan tukang sopir supir pegawai karyawan staf staff manajer "
                         "direktur teknisi pedagang penjual pelatih kepala anggota mahasiswa mahasiswi analis juru ahli")  # fmt: skip


def _is_work(word: str) -> bool:
    if word in _NOT_WORK:
        return False
    if word in _WORK or (word.endswith("s") and word[:-1] in _WORK):
        return True
    return len(word) > 5 and word.endswith(_WORK_ENDINGS)


_NO_TRADE = word_set("lead model staff guide host admin principal guard officer coach trader officer tukang om agent")


def is_trade(noun: str) -> bool:
    """Whether a folded noun is an occupation by which one calls a person ("my plumber")."""
    return noun in _WORK and noun not in _NO_TRADE


def is_nationality(word: str) -> bool:
    """Whether a folded word names the people of a country."""
    return word in _COUNTRY_STEMS


def is_language(word: str) -> bool:
    """Whether a folded word names a language."""
    return word in _TONGUES or word in _COUNTRY_STEMS


def is_diet(phrase: str) -> bool:
    """Whether a folded phrase names a way of eating."""
    return phrase in _DIETS or phrase.replace(" ", "-") in _DIETS


def condition_of(phrase: str) -> str | None:
    """The illness that an adjective tells of ("diabetic"), None for another word."""
    if phrase.endswith(" intolerant"):
        return f"{phrase.removesuffix(' intolerant')} intolerance"
    return _CONDITIONS.get(phrase) or _CONDITIONS.get(phrase.replace(" ", "-"))


def is_illness(phrase: str) -> bool:
    """Whether a folded noun phrase names an illness or condition."""
    words = phrase.split()
    if not words or len(words) > 6:
        return False
    known = any(word in _ILLNESSES for word in (*words, "-".join(words)))
    return known or words[-1] in _ILLNESS_HEADS or words[-1].endswith(_ILLNESS_ENDINGS)


def is_occasion(words: tuple[str, ...]) -> bool:
    """Whether a noun phrase of these folded words names an event."""
    return any(word in OCCASIONS for word in words)


def is_dated(words: tuple[str, ...]) -> bool:
    """Whether it names an event or a day that comes round."""
    return is_occasion(words) or any(word in _DATED_OCCASIONS for word in words)
