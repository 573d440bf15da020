"""Answers without a model: on the sample archive each question gets the very sentence that answers it."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ask.events import Cited
from ask.quoting import sentences_of, told
from ask.sentences import flat
from ask.wish import Means
from doso.records import Mention, Source
from doso.records.evidence import EvidenceItem, EvidenceSource, ItemKind, Scores
from ingest.ports import ImportOptions
from tests.ask.test_answer import cited, events_of, text_of
from tests.support.asking import Asked
from tests.support.gated_models import GatedModels
from tests.support.graphs import ME, PLACE
from tests.support.imports import read

FIXTURES = Path(__file__).parents[2] / "fixtures"
SAMPLE: dict[str, Any] = json.loads((FIXTURES / "questions.json").read_text(encoding="utf-8"))
#: What of the fragments, which are for evidence, an answer quotes in its own way.
AS_TOLD = {"Light table | 2,300,000": "Light table: 2,300,000"}


async def ask(asked: Asked, question: str) -> Cited:
    events = await events_of(asked, question, Means(GatedModels()), timezone="Asia/Jakarta")
    assert text_of(events) == cited(events).text
    return cited(events)


@pytest.fixture
async def archive(asked: Asked) -> Asked:
    options = ImportOptions(zone=SAMPLE["import"]["zone"], me=tuple(SAMPLE["import"]["me"]))
    asked.embedder = None  # words alone must do
    await asked.store(*read(FIXTURES / SAMPLE["import"]["path"], options).documents)
    return asked


async def test_every_question_of_the_sample_gets_its_sentence(archive: Asked) -> None:
    missed = {}
    for sample in SAMPLE["questions"]:
        answer = await ask(archive, sample["question"])
        wanted = [AS_TOLD.get(fragment, fragment) for fragment in sample["fragments"]]
        if not all(flat(fragment) in flat(answer.text) for fragment in wanted):
            missed[sample["question"]] = answer.text
        assert len(answer.text) <= 700, answer.text
        assert answer.is_verified is True, answer
    # words alone do not lead from "work" to "got the job"
    assert set(missed) <= {"Where does Rania work since March?"}, missed


async def test_facts_are_sentences_and_come_first(asked: Asked) -> None:
    await asked.told.say(ME, "lives_in", Mention("Solo", PLACE))
    await asked.chat("Ana: I live in Ghent.")
    assert (await ask(asked, "Where do I live?")).text == "You live in Solo [S1]."


async def test_what_is_only_near_is_told_as_such(asked: Asked) -> None:
    asked.embedder = None
    await asked.chat(
        "Ana: The boat trip to the island with all of our old friends from school was windy and very long."
    )
    text = (await ask(asked, "Which boat company did Viktor recommend for Patagonia last winter?")).text
    assert text.startswith(("I found no direct answer. The closest things in your memory:", "I found nothing"))


async def test_who_somebody_is_is_told_by_others(asked: Asked) -> None:
    asked.embedder = None
    await asked.chat("Rania: My brother Karim is allergic to peanuts.", "Karim: See you all at the pier.")
    assert '"My brother Karim is allergic to peanuts" [S' in (await ask(asked, "Who is Karim?")).text


async def test_the_same_is_told_once(asked: Asked) -> None:
    await asked.note("The ferry leaves at seven.")
    await asked.note("The ferry leaves at seven.\nBring a hat.")
    assert (await ask(asked, "When does the ferry leave?")).text.count("ferry leaves at seven") == 1


def item(text: str, **more: Any) -> EvidenceItem:
    source = EvidenceSource(None, None, (), **{"title": "", "source": Source.NOTE, **more})
    return EvidenceItem("S1", ItemKind.PASSAGE, text, 0.9, Scores(), 10, (source,))


@pytest.mark.parametrize(
    ("quoted", "text"),
    [
        (item("(8 May 2023, 13:56) Mara: Hi.", source=Source.WHATSAPP), 'On 8 May 2023 Mara wrote: "x" [S1].'),
        (item("(8 May 2023, 13:56) Hi.", source=Source.WHATSAPP), 'A message of 8 May 2023 says: "x" [S1].'),
        (item("Hi", title='My "list" [a]'), 'Your note "My \'list\' (a)" says: "x" [S1].'),
        (item("Hi", title="lease.pdf", source=Source.FILE), 'The document "lease.pdf" says: "x" [S1].'),
        (
            item("Hi", source=Source.GMAIL, author="Budi", occurred_at=datetime(2026, 1, 19, tzinfo=UTC)),
            'Budi wrote on 19 January 2026: "x" [S1].',
        ),
        (
            item(
                "Dentist\nWhen: Thursday, 12 March 2026, 15:30 (Asia/Jakarta)\nWhere: Dago",
                title="Dentist",
                source=Source.CALENDAR,
            ),
            'Your calendar has "Dentist" on Thursday, 12 March 2026, 15:30, at Dago [S1].',
        ),
        (item("Hi", source=Source.FIRECRAWL, title="Kestrel"), 'The page "Kestrel" says: "x" [S1].'),
    ],
)
def test_quotations_say_whose_they_are(quoted: EvidenceItem, text: str) -> None:
    assert told(quoted, "x.") == text


def test_marks_inside_a_quotation_are_text() -> None:
    assert told(item("a"), 'see [S7] and "this".') == "Your note says: \"see (S7) and 'this'\" [S1]."


def test_sentences_leave_out_titles_greetings_and_list_signs() -> None:
    text = "# Trip\n\nDear Mara,\nWe meet Mr. Tan at 7 p.m. sharp. Bring:\n- hats\n- 2.5 l of water"
    assert sentences_of(item(text, title="Trip")) == [
        "We meet Mr. Tan at 7 p.m. sharp.",
        "Bring:",
        "hats",
        "2.5 l of water",
    ]
