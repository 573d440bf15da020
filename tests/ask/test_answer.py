"""Questions answered end to end by the fast topology, on real stores, with models under the test's hand."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from ask.answer import answer, until
from ask.events import AskEvent, Cited, Finished, PhaseChanged, SourcesFound
from ask.kit import AskKit
from ask.question import Question, Turn
from ask.wish import Means, Wish
from doso.errors import InvalidInput, ProviderStreamFailed, ProviderTimeout, ProviderUnavailable, ReplyUnreadable
from doso.llm.chat import FinishReason, Profile, ReasoningDelta, ReplyShape, Role, TextDelta, ToolCallDelta
from doso.llm.ports import Ability
from tests.support.asking import Asked
from tests.support.gated_live import GatedLive, page
from tests.support.gated_models import Event, GatedModels

FAST = Profile.DRAFT_FAST
TOOLS = json.dumps([{"type": "function", "function": {"name": name}} for name in ("book", "search")])


async def events_of(asked: Asked, text: str, means: Means, wish: Wish | None = None, **more: Any) -> list[AskEvent]:
    kit = AskKit(asked.graph, asked.library, asked.embedder, lambda: asked.now)
    return [event async for event in answer(kit, Question(asked.owner, text, **more), wish or Wish(), means)]


def text_of(events: list[AskEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def cited(events: list[AskEvent]) -> Cited:
    (found,) = [event for event in events if isinstance(event, Cited)]
    return found


def finished(events: list[AskEvent]) -> Finished:
    assert isinstance(events[-1], Finished)
    assert all(span.end_s is not None for span in events[-1].trace.spans if span.name != "assistant.request")
    return events[-1]


@pytest.fixture
async def ferry(asked: Asked) -> Asked:
    await asked.chat(
        "Bo: Shall we paint the kitchen?",
        "Ana: The ferry to Lombok leaves at seven.",
        "Bo: I'll bring the tickets.",
    )
    return asked


async def test_without_a_model_the_answer_is_made_of_the_evidence(ferry: Asked) -> None:
    events = await events_of(ferry, "When does the ferry leave?", Means(GatedModels()))
    text = 'On 1 March 2026 Ana wrote: "The ferry to Lombok leaves at seven" [S1].'
    assert text_of(events) == cited(events).text == text
    assert [citation.mark for citation in cited(events).citations] == ["S1"]
    assert cited(events).is_verified is True
    assert (finished(events).provider, finished(events).usage.output_tokens) == (None, 0)


async def test_the_sources_come_before_the_first_word(ferry: Asked) -> None:
    kinds = [type(event) for event in await events_of(ferry, "When does the ferry leave?", Means(GatedModels()))]
    assert kinds == [PhaseChanged, SourcesFound, PhaseChanged, TextDelta, Cited, Finished]


@pytest.mark.parametrize(
    "pieces",
    [
        ['{"answer": "The ferry leaves', " at seven [S", '1].", "citations": ["S1"]}'],
        ["```json\n", '{"citations": ["S1"], "answer": "The ferry leaves at seven [1]."}', "\n```"],
        ["The ferry leaves at ", "seven [[1", "]]."],
    ],
)
async def test_the_answer_of_a_model_streams_as_prose_whatever_its_form(ferry: Asked, pieces: list[str]) -> None:
    models = GatedModels({FAST: [pieces]})
    events = await events_of(ferry, "When does the ferry leave?", Means(models))
    assert text_of(events) == cited(events).text == "The ferry leaves at seven [S1]."
    assert (finished(events).provider, finished(events).model) == ("stub", "stub-1")
    (citation,) = cited(events).citations
    assert cited(events).text[citation.start : citation.end] == "[S1]"


async def test_words_are_shown_while_the_model_still_writes(ferry: Asked) -> None:
    """The first words come out although the model never ends."""
    gate = asyncio.Event()

    class Endless(GatedModels):
        async def stream(self, profile: Any, request: Any) -> Any:
            yield TextDelta("The ferry leaves ")
            await gate.wait()

    kit = AskKit(ferry.graph, ferry.library, ferry.embedder, lambda: ferry.now)
    question = Question(ferry.owner, "When does the ferry leave?")
    async with aclosing(answer(kit, question, Wish(), Means(Endless({FAST: [[]]})))) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                assert event.text == "The ferry leaves"
                return
    raise AssertionError("nothing was shown")


async def test_nothing_found_costs_no_call(ferry: Asked) -> None:
    models = GatedModels({FAST: [["never"]]})
    events = await events_of(ferry, "Which mountain did Viktor climb in Patagonia?", Means(models))
    assert text_of(events) == "I found nothing about this in your memory."
    assert (models.calls, cited(events).is_verified) == ([], None)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Gunung apa yang didaki Viktor di Patagonia?", "Saya tidak menemukan apa pun tentang ini di memori Anda."),
        (
            "Welchen Berg hat Viktor in Patagonien bestiegen und wann?",
            "Dazu habe ich in deinem Gedächtnis nichts gefunden.",
        ),
    ],
)
async def test_nothing_found_is_said_in_the_askers_language(ferry: Asked, question: str, text: str) -> None:
    assert text_of(await events_of(ferry, question, Means(GatedModels()))) == text


async def test_named_pages_are_read_beside_the_memory(ferry: Asked) -> None:
    live = GatedLive((page(ferry.owner, "The ferry to Lombok leaves at nine in winter."),))
    models = GatedModels({FAST: [["At seven [S1], at nine in winter [S2]."]]})
    ferry.embedder = None
    events = await events_of(
        ferry, "When does the ferry leave?", Means(models, live), Wish(urls=("https://f.example/",))
    )
    assert text_of(events) == "At seven [S1], at nine in winter [S2]."
    assert live.asked == [("When does the ferry leave?", ("https://f.example/",))]


async def test_named_pages_that_are_late_are_left_out(ferry: Asked) -> None:
    live = GatedLive(gate=asyncio.Event())
    means = Means(GatedModels({FAST: [["At seven [S1]."]]}), live, deadline_s=3.0)
    events = await events_of(ferry, "When does the ferry leave?", means, Wish(urls=("https://f.example/",)))
    assert text_of(events) == "At seven [S1]."
    assert finished(events).notes == ("Live research was not done in time and was left out.",)


async def test_small_talk_goes_to_the_model_without_evidence(ferry: Asked) -> None:
    models = GatedModels({FAST: [["Hi! Nice to see you [S1]."]]})
    events = await events_of(ferry, "hello there!", Means(models))
    assert text_of(events) == "Hi! Nice to see you."
    assert not any(isinstance(event, SourcesFound) for event in events)
    assert "ferry" not in models.calls[0].prompt


@pytest.mark.parametrize(
    ("said", "reply"),
    [("hi", "Hello! Ask me about anything in your memory."), ("Thanks a lot!", "You're welcome."), ("bye", "Goodbye!")],
)
async def test_small_talk_without_a_model_has_a_fixed_reply(ferry: Asked, said: str, reply: str) -> None:
    assert text_of(await events_of(ferry, said, Means(GatedModels()))) == reply


async def test_a_claim_that_its_source_does_not_bear_is_marked_unverified(asked: Asked) -> None:
    await asked.note("Nina lives in Bogor.")
    await asked.note("Budi lives in Medan.")
    models = GatedModels({FAST: [["Nina lives ", "in Medan [1]."]]})
    events = await events_of(asked, "Where does Nina live?", Means(models))
    assert text_of(events) == "Nina lives in Medan."
    assert [(drop.mark, drop.by) for drop in cited(events).dropped] == [("S1", ("support",))]
    assert cited(events).is_verified is False
    assert finished(events).notes == ("No citation stood the check: what the answer states is unverified.",)


async def test_reasoning_is_passed_on_and_is_no_part_of_the_answer(ferry: Asked) -> None:
    models = GatedModels({FAST: [[ReasoningDelta("hm "), "At seven [S1]."]]})
    events = await events_of(ferry, "When does the ferry leave?", Means(models))
    assert [event.text for event in events if isinstance(event, ReasoningDelta)] == ["hm "]
    assert text_of(events) == "At seven [S1]."


async def test_the_prompt_holds_rules_wishes_history_evidence_and_question(ferry: Asked) -> None:
    models = GatedModels({FAST: [["At seven [S1]."]]})
    await events_of(
        ferry,
        "When does the ferry leave?",
        Means(models),
        Wish(instructions="Answer like a pirate.", temperature=0.1, max_output_tokens=50),
        history=(Turn("user", "Hi"), Turn("assistant", "Hello!")),
    )
    request = models.calls[0].request
    system, *history, last = request.messages
    assert system.role is Role.SYSTEM
    assert system.text.index("Use only the evidence") < system.text.index("Answer like a pirate.")
    assert [(message.role, message.text) for message in history] == [(Role.USER, "Hi"), (Role.ASSISTANT, "Hello!")]
    assert last.text.index("[S1] (1 March 2026, 09:01) Ana:") < last.text.index("Question: When does the ferry leave?")
    assert (request.temperature, request.max_output_tokens, request.reply) == (0.1, 50, None)


async def test_a_model_that_knows_schemas_is_asked_for_an_object(ferry: Asked) -> None:
    models = GatedModels({FAST: [['{"answer": "At seven [S1].", "citations": []}']]}, can=Ability(has_schema=True))
    await events_of(ferry, "When does the ferry leave?", Means(models))
    reply = models.calls[0].request.reply
    assert reply is not None
    assert reply.name == "answer"


async def test_a_small_context_gets_fewer_items_and_cites_only_these(asked: Asked) -> None:
    asked.embedder = None
    await asked.chat(*(f"Ana: The boat trip to island {n} was windy. " + f"Wave {n} came. " * 20 for n in range(20)))
    models = GatedModels({FAST: [["It was windy [S1]. And cold [S15]."]]}, can=Ability(context_tokens=2_000))
    events = await events_of(asked, "Was the boat trip to the island windy?", Means(models))
    assert "[S15]" not in models.calls[0].prompt
    assert text_of(events) == "It was windy [S1]. And cold."


async def test_a_json_reply_streams_as_it_is(ferry: Asked) -> None:
    shape = ReplyShape("trip", {"type": "object", "properties": {"hour": {"type": "integer"}}})
    models = GatedModels({FAST: [["```json\n", '{"hour": 7, "note": "see [1]"}', "\n```\n"]]})
    events = await events_of(ferry, "When does the ferry leave?", Means(models), Wish(is_json=True, shape=shape))
    assert json.loads(text_of(events)) == {"hour": 7, "note": "see [1]"}
    assert models.calls[0].request.reply == shape
    assert (cited(events).citations, cited(events).is_verified) == ((), None)


async def test_without_a_model_json_is_an_object_and_a_schema_is_refused(ferry: Asked) -> None:
    events = await events_of(ferry, "When does the ferry leave?", Means(GatedModels()), Wish(is_json=True))
    assert json.loads(text_of(events))["citations"] == ["S1"]
    with pytest.raises(InvalidInput, match="needs a model"):
        await events_of(ferry, "When?", Means(GatedModels()), Wish(is_json=True, shape=ReplyShape("x", {})))


async def test_calls_of_the_clients_tools_are_relayed(ferry: Asked) -> None:
    call: list[Event] = [ToolCallDelta(0, "", "c1", "book"), ToolCallDelta(0, '{"at": 7}'), FinishReason.TOOL_CALLS]
    models = GatedModels({FAST: [call]}, can=Ability(has_tools=True, has_schema=True))
    events = await events_of(ferry, "Book the ferry", Means(models), Wish(tools=TOOLS))
    assert [event for event in events if isinstance(event, ToolCallDelta)] == call[:2]
    assert finished(events).reason is FinishReason.TOOL_CALLS
    assert models.calls[0].request.tools == TOOLS
    assert "[S1] (1 March 2026, 09:01) Ana:" in models.calls[0].prompt
    assert models.calls[0].request.reply is None


async def test_calls_of_tools_that_nobody_offered_go_nowhere(ferry: Asked) -> None:
    calls: list[Event] = [
        ToolCallDelta(0, "{}", "c1", "delete_memory"),
        ToolCallDelta(1, "{", "c2", "book"),
        ToolCallDelta(0, "x"),
        ToolCallDelta(1, "}"),
        FinishReason.TOOL_CALLS,
    ]
    models = GatedModels({FAST: [calls]}, can=Ability(has_tools=True))
    events = await events_of(ferry, "Book the ferry", Means(models), Wish(tools=TOOLS))
    assert [event for event in events if isinstance(event, ToolCallDelta)] == [calls[1], calls[3]]


async def test_tools_go_to_the_model_where_nothing_is_found(ferry: Asked) -> None:
    models = GatedModels({FAST: [[ToolCallDelta(0, "{}", "c1", "search"), FinishReason.TOOL_CALLS]]}, can=Ability(True))
    events = await events_of(ferry, "Which mountain did Viktor climb?", Means(models), Wish(tools=TOOLS))
    assert finished(events).reason is FinishReason.TOOL_CALLS


async def test_tools_that_no_model_calls_are_left_out_and_said_so(ferry: Asked) -> None:
    models = GatedModels({FAST: [["At seven [S1]."]]})
    events = await events_of(ferry, "When does the ferry leave?", Means(models), Wish(tools="[{}]"))
    assert models.calls[0].request.tools is None
    assert finished(events).notes == ("No model here calls tools: the answer was made without the client's tools.",)
    with pytest.raises(InvalidInput, match="demanded"):
        await events_of(ferry, "Book it", Means(models), Wish(tools="[{}]", tool_choice='"required"'))


async def test_a_failing_model_is_an_error_and_not_replaced(ferry: Asked) -> None:
    means = Means(GatedModels({FAST: [[ProviderUnavailable("down")]]}))
    with pytest.raises(ProviderUnavailable):
        await events_of(ferry, "When does the ferry leave?", means)
    assert [span.error for span in means.trace.spans if span.name == "model.first_attempt"] == ["provider.unavailable"]


@pytest.mark.parametrize("reply", ["", "   \n", "{}", '{"thoughts": "hm"}', '{"answer": ""}'])
async def test_an_empty_reply_is_unreadable(ferry: Asked, reply: str) -> None:
    with pytest.raises(ReplyUnreadable):
        await events_of(ferry, "When does the ferry leave?", Means(GatedModels({FAST: [[reply]]})))


async def test_the_deadline_ends_the_ask_before_its_first_word(ferry: Asked) -> None:
    models = GatedModels({FAST: [["never"]]})
    models.gate(FAST)
    means = Means(models, deadline_s=0.3)
    with pytest.raises(ProviderTimeout):
        await events_of(ferry, "When does the ferry leave?", means)
    assert models.calls[0].closed.is_set()
    assert all(span.end_s is not None for span in means.trace.spans)


async def test_the_deadline_after_words_leaves_a_partial_answer() -> None:
    async def stuck() -> AsyncIterator[AskEvent]:
        yield TextDelta("The ferry leaves at")
        await asyncio.Event().wait()

    with pytest.raises(ProviderStreamFailed):
        async for _ in until(stuck(), asyncio.get_running_loop().time() + 0.05):
            pass


async def test_closing_the_answer_closes_the_call(ferry: Asked) -> None:
    models = GatedModels({FAST: [["The ferry ", "leaves ", "at seven."]]})
    means = Means(models)
    kit = AskKit(ferry.graph, ferry.library, ferry.embedder, lambda: ferry.now)
    async with aclosing(answer(kit, Question(ferry.owner, "When does the ferry leave?"), Wish(), means)) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                break
    assert models.calls[0].closed.is_set()
    assert all(span.end_s is not None for span in means.trace.spans)
