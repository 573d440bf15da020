"""Questions through the whole pipeline, on real stores of both kinds."""

from datetime import UTC, datetime, timedelta

import pytest

from ask.question import Scope, ScopeMode
from doso.errors import EmbedderUnavailable
from doso.llm.embedders.hashing import HashingEmbedder
from doso.llm.ports import EmbedderInfo, Vectors
from doso.records import EntityType, Literal, Mention, Source
from doso.text import token_count
from tests.support.asking import Asked, facts_of, passages_of
from tests.support.graphs import IMPORT, ME, ORG, PLACE, draft_of, person
from tests.support.library import START, WordEmbedder, message, thread

PRODUCT = EntityType.PRODUCT


async def test_the_right_message_comes_first_with_speaker_time_and_source(asked: Asked) -> None:
    await asked.chat(
        "Bo: Shall we paint the kitchen?",
        "Ana: The ferry to Lombok leaves at seven.",
        "Bo: I'll bring the tickets.",
    )
    found = await asked.ask("When does the ferry leave?")
    first = found.items[0]
    assert not found.no_results
    assert (first.mark, first.text) == ("S1", "(1 March 2026, 09:01) Ana: The ferry to Lombok leaves at seven.")
    source = first.sources[0]
    assert (source.external_ids, source.author, source.chat_id, source.source) == (
        ("m1",),
        "Ana",
        "c1",
        Source.WHATSAPP,
    )
    assert source.occurred_at == START + timedelta(minutes=1)


async def test_the_one_fact_of_a_hub_that_is_asked_for_is_found(asked: Asked) -> None:
    office = Mention("Microsoft 365", PRODUCT)
    drafts = [draft_of(office, "used_by", Mention(f"Team {n}", ORG), document="d") for n in range(300)]
    await asked.graph.assert_facts(asked.owner, drafts, IMPORT)
    await asked.told.say(office, "price", Literal("12 euro"))
    for candidates in (False, True):
        found = await asked.ask("What does Microsoft 365 cost?", include_candidates=candidates)
        assert "12 euro" in facts_of(found)[0]
        assert len(found.items) <= 4  # of what was not asked for, a few


async def test_first_person_asks_about_the_owner_and_reads_as_you(asked: Asked) -> None:
    await asked.told.say(ME, "lives_in", Mention("Solo", PLACE))
    await asked.told.say(ME, "named", Literal("Mara Lindqvist"))
    await asked.told.say(person("Bo"), "lives_in", Mention("Ghent", PLACE))
    assert facts_of(await asked.ask("Where do I live?"))[0].startswith("You live in Solo")
    assert facts_of(await asked.ask("What's my name?"))[0] == "Your name is Mara Lindqvist"


async def test_namesakes_are_both_heard(asked: Asked) -> None:
    await asked.told.say(person("Ana Tan"), "works_at", Mention("Kestrel Air", ORG))
    await asked.told.say(person("Ana Lim"), "works_at", Mention("Norrland Rail", ORG))
    text = " ".join(facts_of(await asked.ask("Where do Ana Tan and Ana Lim work?")))
    assert "Kestrel Air" in text
    assert "Norrland Rail" in text


async def test_candidates_are_told_only_when_asked_for(asked: Asked) -> None:
    draft = draft_of(person("Bo"), "works_at", Mention("Grab", ORG), document="d")
    await asked.graph.assert_facts(asked.owner, [draft], IMPORT)
    assert facts_of(await asked.ask("Where does Bo work?")) == []
    assert facts_of(await asked.ask("Where does Bo work?", include_candidates=True)) != []


async def test_the_past_is_read_as_of_its_moment(asked: Asked) -> None:
    await asked.told.say(ME, "lives_in", Mention("Solo", PLACE))
    then = asked.told.now
    asked.told.later(10)
    await asked.told.say(ME, "lives_in", Mention("Tegal", PLACE))
    asked.told.later(1)
    now = " ".join(facts_of(await asked.ask("Where do I live?")))
    past = " ".join(facts_of(await asked.ask("Where do I live?", as_of=then + timedelta(days=1))))
    assert ("Tegal" in now, "Solo" in now) == (True, False)
    assert ("Tegal" in past, "Solo" in past) == (False, True)


async def test_a_strict_scope_sees_one_chat_and_the_facts_from_it(asked: Asked) -> None:
    await asked.chat("Ana: The boat is called Heron.", chat_id="c1")
    await asked.chat("Ana: The boat is called Egret.", chat_id="c2")
    await asked.told.say(person("Ana"), "owns", Mention("Heron", PRODUCT))
    found = await asked.ask("What is the boat called?", scope=Scope(ScopeMode.STRICT_CHAT, ("c2",)))
    assert [text.endswith("Egret.") for text in passages_of(found)] == [True]
    assert facts_of(found) == []
    nothing = await asked.ask("What is the boat called?", scope=Scope(ScopeMode.STRICT_CHAT, ("c9",)))
    assert nothing.no_results


async def test_preferred_chats_give_way_when_they_hold_nothing(asked: Asked) -> None:
    await asked.chat("Ana: The boat is called Heron.", chat_id="c1")
    await asked.chat("Ana: The boat is called Egret.", "Ana: Lunch was great.", chat_id="c2")
    await asked.chat("Ana: Let us have lunch.", chat_id="c3")
    preferred = await asked.ask("What is the boat called?", scope=Scope(ScopeMode.PREFERRED, ("c2",)))
    assert all("Heron" not in text for text in passages_of(preferred))
    assert "Egret" in passages_of(preferred)[0]
    wider = await asked.ask("What is the boat called?", scope=Scope(ScopeMode.PREFERRED, ("c3",)))
    assert "boat" in passages_of(wider)[0]


async def test_what_was_said_at_a_time_is_from_that_time(asked: Asked) -> None:
    march, june = datetime(2025, 3, 5, 9, tzinfo=UTC), datetime(2025, 6, 5, 9, tzinfo=UTC)
    said = [
        (march, "The garden needs a new fence."),
        (june, "The garden fence is done and the garden is green."),
    ]
    messages = [
        message(n, text, author="Ana", minute=int((at - START).total_seconds() // 60))
        for n, (at, text) in enumerate(said)
    ]
    await asked.store(thread(*messages))
    found = await asked.ask("What did Ana say about the garden last March?", timezone="Asia/Jakarta")
    assert [text.partition("Ana: ")[2] for text in passages_of(found)] == ["The garden needs a new fence."]
    assert found.plan.time_range is not None
    assert found.plan.time_range.start == datetime(2025, 2, 28, 17, tzinfo=UTC)
    elsewhere = await asked.ask("What did Ana say about the garden last April?")
    assert len(passages_of(elsewhere)) == 2  # nothing of that time: everything is shown


async def test_a_question_of_nothing_but_time_gets_that_time(asked: Asked) -> None:
    await asked.chat("Ana: Coffee was good.", "Bo: See you soon.")
    found = await asked.ask("What happened on 1 March?")
    assert len(passages_of(found)) == 2
    assert (await asked.ask("What happened on 2 March?")).no_results


async def test_catching_up_shows_the_latest_first(asked: Asked) -> None:
    await asked.chat("Ana: The cat is fine.", "Bo: The boiler broke.", "Ana: Plumber comes tomorrow.")
    asked.now = START + timedelta(days=1)
    found = await asked.ask("Catch me up")
    assert [text[-6:] for text in passages_of(found)] == ["orrow.", "broke.", " fine."]


@pytest.mark.parametrize("question", ["*", "???", "—", "()", "🎂"])
async def test_signs_alone_find_nothing(asked: Asked, question: str) -> None:
    await asked.note("The multi-agent project is called Lumut.")
    found = await asked.ask(question)
    assert (found.no_results, found.items, found.tokens) == (True, (), 0)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("O'Brien's pub opens at noon.", "O'Brien"),
        ("The files lie in C:\\notes\\bank today.", "C:\\notes\\bank"),
        ("The multi-agent project is called Lumut.", "multi-agent"),
        ("The album NOT is mine.", "NOT"),
        ("用户服务器部署在腾讯云国内节点。", "腾讯云"),
        ("今日は成語しりとりをした。", "しりとり"),
        ("오늘 끝말잇기 게임을 했다.", "끝말잇기"),
        ("I love crème brûlée.", "creme brulee"),
        ("أَنَا أَعِيشُ فِي جَاكَرْتَا", "جاكرتا"),
    ],
)
async def test_any_script_and_sign_in_a_question_is_text(asked: Asked, text: str, question: str) -> None:
    await asked.note(text)
    await asked.note("Nothing to see here.")
    assert passages_of(await asked.ask(question))[:1] == [text]


async def test_what_the_memory_does_not_hold_has_no_results(asked: Asked) -> None:
    await asked.chat("Ana: The boat is called Heron.", "Bo: I paint the kitchen green.")
    found = await asked.ask("Which mountain did Viktor climb in Patagonia?")
    assert found.no_results
    assert found.prompt == "No evidence was found for this question."


async def test_words_still_find_when_the_embedder_is_down(asked: Asked) -> None:
    await asked.chat("Ana: The boat is called Heron.")
    asked.embedder = DownEmbedder()
    found = await asked.ask("What is the boat called?")
    assert passages_of(found) == ["(1 March 2026, 09:00) Ana: The boat is called Heron."]
    assert found.index_status.warnings == ("The embedder does not answer: searched by words only.",)


async def test_words_still_find_when_the_index_is_of_another_model(asked: Asked) -> None:
    await asked.chat("Ana: The boat is called Heron.")
    asked.embedder = WordEmbedder(dimensions=32, model="other")
    found = await asked.ask("What is the boat called?")
    assert passages_of(found) == ["(1 March 2026, 09:00) Ana: The boat is called Heron."]
    assert any("words only" in warning for warning in found.index_status.warnings)


@pytest.mark.parametrize("embedder", [None, HashingEmbedder()])
async def test_words_find_without_a_model_of_meaning(asked: Asked, embedder: HashingEmbedder | None) -> None:
    await asked.chat("Ana: The boat is called Heron.", "Bo: I paint the kitchen green.")
    asked.embedder = embedder
    found = await asked.ask("What is the boat called?")
    assert passages_of(found)[0] == "(1 March 2026, 09:00) Ana: The boat is called Heron."
    assert (await asked.ask("Which mountain did Viktor climb in Patagonia?")).no_results


@pytest.mark.parametrize("max_tokens", [100, 150, 333])
async def test_a_pack_never_passes_its_bounds(asked: Asked, max_tokens: int) -> None:
    await asked.chat(*(f"Ana: boat trip number {n} " + "was long and windy " * (n % 9) for n in range(60)))
    found = await asked.ask("How was the boat trip?", max_tokens=max_tokens, limit=7)
    assert sum(token_count(item.text) for item in found.items) == found.tokens <= max_tokens
    assert 1 <= len(found.items) <= 7
    assert [item.mark for item in found.items] == [f"S{n + 1}" for n in range(len(found.items))]
    assert all(0 <= item.score <= 1 for item in found.items)


async def test_what_was_said_twice_is_shown_once(asked: Asked) -> None:
    await asked.chat("Ana: The ferry leaves at seven sharp.", "Ana: The ferry leaves at seven sharp.")
    assert len(passages_of(await asked.ask("When does the ferry leave?"))) == 1


async def test_sources_narrow_what_is_seen(asked: Asked) -> None:
    await asked.chat("Ana: The ferry leaves at seven.")
    await asked.note("The ferry costs 4 euro.")
    found = await asked.ask("What about the ferry?", sources=frozenset({Source.NOTE}))
    assert passages_of(found) == ["The ferry costs 4 euro."]


async def test_another_owner_sees_nothing(asked: Asked) -> None:
    await asked.chat("Ana: The ferry leaves at seven.")
    await asked.told.say(person("Ana"), "lives_in", Mention("Solo", PLACE))
    asked.told.owner = type(asked.owner)("someone-else")
    assert (await asked.ask("When does the ferry leave? Where does Ana live?")).no_results


class DownEmbedder:
    """An embedder that does not answer."""

    info = EmbedderInfo("words", 256, "1")

    async def embed_passages(self, texts: object) -> Vectors:
        raise EmbedderUnavailable("down")

    async def embed_query(self, text: str) -> Vectors:
        raise EmbedderUnavailable("down")

    async def aclose(self) -> None:
        """Nothing to release."""
