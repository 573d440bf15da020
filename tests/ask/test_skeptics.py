"""The lenses by their rules, without a model, and how they read one."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from ask.skeptics.ports import Case, Claim
from ask.skeptics.registry import LENSES, open_lenses
from doso.ids import EntityId, FactId, OwnerId
from doso.llm.chat import Profile
from doso.records import Entity, EntityType, Literal, Source, Status
from doso.records.evidence import (
    EvidenceFact,
    EvidenceItem,
    EvidenceSource,
    Intent,
    ItemKind,
    PersonRef,
    Plan,
    Route,
    Scores,
)
from tests.support.gated_models import GatedModels

ASKED = Plan(Intent.CONVERSATION_QA, Route.HYBRID, people=(PersonRef("Nina Haddad"),))


def item(text: str, score: float = 0.9, fact: EvidenceFact | None = None) -> EvidenceItem:
    source = EvidenceSource(None, None, (), "", Source.NOTE)
    kind = ItemKind.PASSAGE if fact is None else ItemKind.FACT
    return EvidenceItem("S1", kind, text, score, Scores(), 10, (source,), fact)


def fact_about(name: str) -> EvidenceFact:
    person = Entity(EntityId("e1"), OwnerId("ana"), EntityType.PERSON, name, EntityId("e1"))
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    return EvidenceFact(FactId("f1"), person, "lives_in", Literal("Bogor"), Status.VERIFIED, 1.0, moment)


async def votes(claim: Claim, models: Any = None) -> dict[str, bool]:
    case = Case("Where does Nina live?", ASKED, (claim,), models or GatedModels())
    return {lens.name: verdict.stands for lens in open_lenses() for verdict in await lens.judge(case)}


def test_the_panel_is_three_lenses() -> None:
    assert [lens.name for lens in open_lenses()] == list(LENSES) == ["support", "identity", "relevance"]


@pytest.mark.parametrize(
    ("statement", "cited", "against"),
    [
        ("Nina lives in Bogor.", item("Nina lives in Bogor."), set()),
        ("Nina lives in Medan.", item("Nina lives in Bogor."), {"support"}),
        ("Nina moved on 3 May.", item("Nina moved to Bogor on 7 May."), {"support", "identity"}),
        (
            "Nina Haddad lives in Bogor.",
            item("Nina Tan lives in Bogor", fact=fact_about("Budi Tan")),
            {"support", "identity"},
        ),
        ("The soup needs salt.", item("The soup needs more salt.", score=0.0), {"relevance"}),
        ("Nina likes the soup.", item("Nina likes the soup.", score=0.0), set()),
    ],
)
async def test_rules_judge_where_no_model_does(statement: str, cited: EvidenceItem, against: set[str]) -> None:
    found = await votes(Claim(1, statement, cited))
    assert {name for name, stands in found.items() if not stands} == against


async def test_a_models_verdicts_count_only_for_claims_there_are() -> None:
    rows = [
        {"number": 7, "stands": False},
        {"number": 1, "stands": False, "why": "x" * 900},
        {"number": 1, "stands": True},
    ]
    models = GatedModels({Profile.SKEPTIC: [[json.dumps({"verdicts": rows})]]})
    claim = Claim(1, "Nina lives in Bogor.", item("Nina lives in Bogor."))
    assert await votes(claim, models) == {"support": True, "identity": True, "relevance": True}


async def test_a_model_that_says_nothing_abstains() -> None:
    models = GatedModels({Profile.SKEPTIC: [['{"verdicts": []}']]})
    assert await votes(Claim(1, "Nina lives in Bogor.", item("Nina lives in Bogor.")), models) == {}
