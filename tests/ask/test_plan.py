"""The same words at the same moment compile to the same plan."""

from datetime import UTC, datetime

import pytest

from ask.plan import compile_plan
from ask.question import Question
from doso.ids import OwnerId
from doso.records.evidence import Intent, Plan, Ranking, RequestedAction, Route

NOW = datetime(2026, 3, 11, 3, 0, tzinfo=UTC)


def plan_of(text: str) -> Plan:
    return compile_plan(Question(OwnerId("ana"), text, timezone="Asia/Jakarta"), NOW)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Who is Bram?", Intent.IDENTITY_LOOKUP),
        ("What's my name?", Intent.IDENTITY_LOOKUP),
        ("Siapa Rina?", Intent.IDENTITY_LOOKUP),
        ("What did Ana plan for the trip?", Intent.PLAN_RECALL),
        ("Who are my closest friends?", Intent.PEOPLE_RANKING),
        ("Draft a message to Bram about dinner", Intent.ACTION_REQUEST),
        ("What colour is the boat?", Intent.CONVERSATION_QA),
    ],
)
def test_intent(text: str, intent: Intent) -> None:
    assert plan_of(text).intent is intent


def test_a_ranking_has_its_number() -> None:
    assert plan_of("Who are my top 5 people?").ranking == Ranking("relationship_strength", 5)
    assert plan_of("Who do I talk to most?").ranking == Ranking("relationship_strength", 12)


def test_an_action_always_needs_approval() -> None:
    assert plan_of("Remind me to call Bram").requested_action == RequestedAction("create_reminder", True)
    assert plan_of("Please send Ana the address").requested_action == RequestedAction("draft_outreach", True)
    assert plan_of("What did Ana send me?").requested_action is None


def test_place_and_state_of_a_plan() -> None:
    plan = plan_of("Was the meeting in Mexico City cancelled?")
    assert plan.location is not None
    assert plan.location.city == "Mexico City"
    assert plan.plan_status == ("cancelled",)
    assert plan_of("What happened in March?").location is None


def test_catching_up_reads_what_is_recent() -> None:
    assert plan_of("Catch me up").route is Route.RECENT
    assert plan_of("Where does Ana live?").route is Route.HYBRID


def test_compiling_is_deterministic() -> None:
    text = "What did Ana say about the meeting in Porto last March?"
    assert plan_of(text) == plan_of(text)
