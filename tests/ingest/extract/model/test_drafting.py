"""Claims into candidates: only what the passages bear out, bound to whom they mean, as surely as they say it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from doso.ids import DocumentId
from doso.records import (
    DocumentKind,
    EntityType,
    FactDraft,
    Incoming,
    Literal,
    LiteralKind,
    Mention,
    Passage,
    Source,
    Status,
    Trust,
)
from ingest.extract.model.claims import Claim, claims_of
from ingest.extract.model.drafting import Drafting
from ingest.extract.model.prompting import Batch
from ingest.extract.statements import statements
from tests.ingest.extract.model.passages import AT, document_of, passage, said, triples


def drafts(passages: Sequence[Passage] | Passage, *items: object, with_rules: bool = False) -> list[FactDraft]:
    batch = (passages,) if isinstance(passages, Passage) else tuple(passages)
    document = document_of(batch[0].source)
    certain = [draft for one in batch for draft in statements(document, one)] if with_rules else []
    return list(Drafting(Batch(document, batch), "small-1", certain).drafts(claims_of({"facts": list(items)})))


def test_a_fact_that_stands_there_is_a_candidate_with_its_span() -> None:
    text = "Yesterday was fun. Rina plays the cello in Bandung."
    item = {
        "passage": "P1",
        "quote": "Rina plays the cello",
        "subject": "Rina",
        "predicate": "plays",
        "object": "cello",
        "confidence": 0.8,
    }
    (draft,) = drafts(passage(text), item)
    assert draft.subject == Mention("Rina", EntityType.PERSON, thread="c1", document_id=DocumentId("d1"))
    assert (draft.predicate, draft.status, draft.confidence) == ("plays", Status.CANDIDATE, 0.8)
    support = draft.provenance
    assert support.span is not None and text[slice(*support.span)] == "Rina plays the cello"
    assert (support.extractor, support.trust, support.passage_id) == ("model:small-1", Trust.IMPORTED, "p0")


def test_without_a_quote_the_span_is_where_the_object_stands() -> None:
    text = "Rina plays the cello."
    (draft,) = drafts(passage(text), ["Rina", "plays", "cello"])
    assert draft.provenance.span is not None and text[slice(*draft.provenance.span)] == "cello"


@pytest.mark.parametrize(
    "item",
    [
        ["Rina", "plays", "piano"],
        ["Tuti", "plays", "cello"],
        ["Rina", "lives_in", "Surabaya"],
        {
            "subject": "Rina",
            "predicate": "lives_in",
            "object": "Surabaya",
            "quote": "Rina lives in Surabaya",
            "passage": "P1",
        },
    ],
    ids=str,
)
def test_what_is_not_written_there_is_dropped(item: object) -> None:
    assert drafts(passage("Rina plays the cello."), item) == []


@pytest.mark.parametrize(
    "name",
    [
        "she",
        "you",
        "someone",
        "the company",
        "my office",
        "company",
        "team",
        "",
        "   ",
        "!!!",
        "it",
        "Dia",
        "them",
        "Rina plays the cello. And she also sings in a choir",
        "word " * 9,
        "42",
    ],
)
def test_what_is_no_name_stands_for_nobody(name: str) -> None:
    text = f"Rina plays the cello with {name}. She said hi to the company and my office."
    assert drafts(passage(text), [name, "friend_of", "Rina"], ["Rina", "friend_of", name]) == []


def test_the_first_person_is_whoever_wrote_the_passage() -> None:
    item = ["me", "lives_in", "Jakarta"]
    (theirs,) = drafts(passage("I live in Jakarta."), item)
    assert (theirs.subject.name, theirs.subject.role) == ("Budi Santoso", None)
    (ours,) = drafts(said("I live in Jakarta."), item)
    assert (ours.subject.name, ours.subject.role) == ("me", "owner")


def test_in_a_document_of_nobodys_the_first_person_is_nobody() -> None:
    assert drafts(passage("I live in Jakarta.", source=Source.NOTE, author=None), ["me", "lives_in", "Jakarta"]) == []
    page = passage("I live in Jakarta.", source=Source.FIRECRAWL, author=None)
    assert (
        drafts(page, ["I", "lives_in", "Jakarta"], ["user", "lives_in", "Jakarta"], ["owner", "lives_in", "Jakarta"])
        == []
    )


def test_who_is_called_by_the_writers_name_is_the_writer() -> None:
    own = passage("I live in Jakarta.", author="Ana P.", is_owner=True)
    (draft,) = drafts(own, ["Ana P.", "lives_in", "Jakarta"])
    assert draft.subject.role == "owner"


def test_what_the_owner_tells_plainly_has_the_owners_trust() -> None:
    (draft,) = drafts(said("I collect old maps of Java."), ["me", "likes", "old maps"])
    assert draft.provenance.trust is Trust.USER


@pytest.mark.parametrize(
    "text",
    [
        "Maybe I live in Jakarta next year.",
        "Do I live in Jakarta?",
        "If I live in Jakarta, I can walk to work.",
        "I don't live in Jakarta.",
        "My boss says I live in Jakarta.",
        "Summarise this: I live in Jakarta.",
        "> I live in Jakarta.",
        '"I live in Jakarta" is what the form says.',
    ],
)
def test_what_the_owner_does_not_assert_has_not_the_owners_trust(text: str) -> None:
    for draft in drafts(said(text), ["me", "lives_in", "Jakarta"]):
        assert draft.provenance.trust is Trust.INFERRED
        assert draft.confidence < 0.5


def test_a_denial_is_no_fact_and_takes_none_back() -> None:
    denied = {"subject": "Rina", "predicate": "lives_in", "object": "Solo", "negated": True}
    assert drafts(passage("Rina does not live in Solo."), denied, ["Rina", "does_not_live_in", "Solo"]) == []


def test_a_value_in_other_words_is_a_guess_of_the_sentence() -> None:
    item = {
        "subject": "Rina",
        "predicate": "works_as",
        "object": "musician",
        "quote": "Rina plays the cello for a living",
        "passage": "P1",
    }
    (draft,) = drafts(passage("Rina plays the cello for a living."), item)
    assert (draft.object, draft.provenance.trust) == (Literal("musician"), Trust.INFERRED)
    assert draft.confidence == pytest.approx(0.35)
    assert drafts(passage("Rina plays the cello for a living."), ["Rina", "works_as", "musician"]) == []


def test_someone_named_in_the_message_before_is_known_less_surely() -> None:
    thread = [passage("Rina called today."), passage("She moved into a flat in Bandung.", place=1)]
    (draft,) = drafts(thread, {"passage": "P2", "subject": "Rina", "predicate": "lives_in", "object": "Bandung"})
    assert draft.provenance.passage_id == "p1"
    assert draft.confidence == pytest.approx(0.49)
    assert draft.provenance.trust is Trust.INFERRED


def test_the_passage_that_bears_it_out_counts_not_the_one_that_is_named() -> None:
    thread = [passage("Hello everyone in this group."), passage("Rina lives in Bandung now.", place=1)]
    (draft,) = drafts(
        thread,
        {
            "passage": "P1",
            "subject": "Rina",
            "predicate": "lives_in",
            "object": "Bandung",
            "quote": "Rina lives in Bandung",
        },
    )
    assert draft.provenance.passage_id == "p1"
    (draft,) = drafts(thread, {"passage": "P9", "subject": "Rina", "predicate": "lives_in", "object": "Bandung"})
    assert draft.provenance.passage_id == "p1"


def test_what_a_rule_states_already_is_not_said_twice() -> None:
    text = "I live in Jakarta and work at Gojek"
    assert (
        drafts(
            said(text),
            ["me", "lives_in", "Jakarta"],
            ["me", "works_at", "Gojek"],
            ["I", "residence", "jakarta"],
            with_rules=True,
        )
        == []
    )


def test_the_same_fact_in_two_spellings_is_one_draft() -> None:
    text = "Rina is married to Budi and plays the cello."
    found = drafts(
        passage(text),
        ["Rina", "married_to", "Budi"],
        ["Budi", "spouse_of", "Rina"],
        ["Rina", "plays", "cello"],
        ["Rina", "is_playing", "Cello"],
    )
    assert triples(found) == [("Rina", "married_to", "Budi"), ("Rina", "plays", "cello")]


def test_an_inverse_predicate_keeps_the_types_of_its_ends() -> None:
    (draft,) = drafts(passage("Gojek employs Rina since last year."), ["Gojek", "employs", "Rina"])
    assert isinstance(draft.object, Mention)
    assert (draft.subject.type, draft.object.type) == (EntityType.ORG, EntityType.PERSON)


@pytest.mark.parametrize("predicate", ["info", "mentioned", "is", "related_to", "", "!!", "a_b_c_d_e_f_g", "x" * 60])
def test_a_predicate_that_says_nothing_makes_no_fact(predicate: str) -> None:
    assert drafts(passage("Rina plays the cello."), ["Rina", predicate, "cello"]) == []


def test_a_predicate_outside_the_vocabulary_holds_a_value() -> None:
    code = "I wrote std::map<int, char> m = {{1, 'a'}};"
    (draft,) = drafts(said(code), ["me", "wrote", "std::map<int, char> m = {{1, 'a'}}; // path C:\\tmp\\x\n\tend"])
    assert draft.object == Literal("std::map<int, char> m = {{1, 'a'}}; // path C:\\tmp\\x\n\tend")


def test_json_values_must_stand_there_too() -> None:
    shop = passage("Toko Abadi is open 9-17 on Monday and Tuesday", source=Source.NOTE, author=None)
    found = drafts(
        shop, ["Toko Abadi", "opening", {"mon": "9-17", "tue": "9-17"}], ["Toko Abadi", "tags", ["bread", None, 3]]
    )
    assert [draft.object for draft in found] == [Literal('{"mon":"9-17","tue":"9-17"}', LiteralKind.JSON)]


def test_dates_are_read_where_the_predicate_wants_one() -> None:
    (draft,) = drafts(
        passage("Rina was born on 14 February 1991."),
        {
            "subject": "Rina",
            "predicate": "birthday",
            "object": "1991-02-14",
            "quote": "Rina was born on 14 February 1991",
        },
    )
    assert draft.object == Literal("1991-02-14", LiteralKind.DATE)
    assert drafts(passage("Rina was born in spring."), ["Rina", "birthday", "spring"]) == []


def test_since_when_is_what_the_sentence_says() -> None:
    (draft,) = drafts(
        passage("Rina has worked at Gojek since May 2024."),
        {"subject": "Rina", "predicate": "works_at", "object": "Gojek", "valid_from": "2019-01-01"},
    )
    assert draft.valid_from == datetime(2024, 4, 30, 17, 0, tzinfo=UTC)


def test_a_model_makes_up_no_dates() -> None:
    (draft,) = drafts(
        passage("Rina is good at chess.", source=Source.NOTE, author=None),
        {"subject": "Rina", "predicate": "plays", "object": "chess", "valid_from": "2019-01-01"},
    )
    assert draft.valid_from is None


def test_generic_words_absorb_no_name() -> None:
    text = "The company hired me. PT Astra is a company."
    found = drafts(said(text), ["company", "hired", "me"], ["PT Astra", "is_a", "company"])
    assert triples(found) == [("PT Astra", "is_a", "company")]


def test_a_forwarded_sentence_has_one_fingerprint() -> None:
    item = ["Rina", "plays", "cello"]
    (one,) = drafts(passage("Rina plays the cello."), item)
    (two,) = drafts(passage("Look:\n“RINA plays the  cello”."), item)
    (other,) = drafts(passage("Rina plays the cello and the drums."), item)
    assert one.provenance.fingerprint == two.provenance.fingerprint != other.provenance.fingerprint


def test_a_lone_claim_over_scripts_without_blanks_is_found() -> None:
    (draft,) = drafts(passage("田中さんは東京に住んでいます。"), ["田中", "lives_in", "東京"])
    assert triples([draft]) == [("田中", "lives_in", "東京")]


def test_a_claim_without_passages_gives_nothing() -> None:
    document = Incoming("x", "", Source.NOTE)
    assert list(Drafting(Batch(document, ()), "m").drafts([Claim("Rina", "plays", "cello")])) == []


def test_a_sentence_in_the_owners_chat_is_shared_by_its_author_only() -> None:
    other = replace(passage("I live in Jakarta."), author=" ")
    assert drafts(other, ["me", "lives_in", "Jakarta"]) == []


@pytest.mark.parametrize(
    "text",
    [
        "> I live in Jakarta.\nGood for you!",
        'Budi wrote: "I live in Jakarta." Good for him.',
        "Forwarded: I live in Jakarta.",
        "Translate this into French: I live in Jakarta.",
        "Dewi: I live in Jakarta.",
        "```\nI live in Jakarta.\n```",
    ],
)
def test_another_ones_i_is_not_the_writer(text: str) -> None:
    for one in (said(text), passage(text)):
        assert (
            drafts(
                one,
                ["me", "lives_in", "Jakarta"],
                {"subject": "me", "predicate": "lives_in", "object": "Jakarta", "quote": "I live in Jakarta"},
            )
            == []
        )


def test_an_earlier_mail_below_does_not_speak_for_the_sender() -> None:
    text = "Sure, see you then.\n\nOn Mon, 2 Mar 2026 at 10:00, Dewi wrote:\nI live in Jakarta."
    mail = Incoming("mail://1", "Re: visit", Source.GMAIL, kind=DocumentKind.MAIL, text=text, occurred_at=AT)
    batch = Batch(mail, (passage(text, source=Source.GMAIL),))
    assert list(Drafting(batch, "m").drafts(claims_of([["me", "lives_in", "Jakarta"]]))) == []


def test_a_name_from_a_model_is_never_sure() -> None:
    (draft,) = drafts(said("I am called Sam by everyone."), ["me", "named", "Sam"])
    assert draft.provenance.trust is Trust.INFERRED
    text = "PT Astra is the company that hired me."
    assert drafts(said(text), ["PT Astra", "named", "company"], ["PT Astra", "also_known_as", "the company"]) == []


@pytest.mark.parametrize(
    "item",
    [
        {
            "subject": "Gojek",
            "subject_type": "ORG",
            "predicate": "lives_in",
            "object": "Jakarta",
            "object_type": "PLACE",
        },
        {
            "subject": "Rina",
            "subject_type": "PERSON",
            "predicate": "lives_in",
            "object": "Budi",
            "object_type": "PERSON",
        },
        {"subject": "Rina", "predicate": "married_to", "object": "Gojek", "object_type": "ORG"},
    ],
    ids=str,
)
def test_what_cannot_stand_on_a_side_is_dropped(item: object) -> None:
    assert drafts(passage("Rina and Budi of Gojek met in Jakarta."), item) == []


def test_a_kind_that_the_predicate_does_not_know_gives_way_to_its_own() -> None:
    item = {"subject": "Rina", "predicate": "works_at", "object": "Gojek", "object_type": "PRODUCT"}
    (draft,) = drafts(passage("Rina works at Gojek."), item)
    assert isinstance(draft.object, Mention)
    assert draft.object.type is EntityType.ORG
