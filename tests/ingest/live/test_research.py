"""Live research: what is read is stored as documents of the lowest trust, and its best passages come back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest

from doso.ids import OwnerId
from doso.outgoing import Outgoing
from doso.records import Source, Status, Trust
from doso.records.live import FailedSource, LiveFindings
from doso.records.passages import PassageFilter
from doso.runtime import Runtime
from ingest.extract.rules import build as build_rules
from ingest.live.ranking import LEADING
from ingest.live.research import MAX_PASSAGES, MAX_URLS, Research
from ingest.live.tools import LiveTools, configured
from ingest.ports import LiveConfig, LivePage, LiveSource
from tests.ingest.conftest import Kit, make_kit
from tests.support.databases import empty_database
from tests.support.library import OWNER, START, note

A, B, C = "https://a.test/", "https://b.test/", "https://c.test/"


@dataclass
class Stand:
    """A source that gives what it is told, or waits for good."""

    found: dict[str, str | None] = field(default_factory=dict)
    source: Source = Source.FIRECRAWL
    name: str = "stand"
    deadline_s: float = 5.0
    reads_pages: bool = True
    waits_for: str | None = None
    queries: list[str] = field(default_factory=list)

    async def search(self, query: str) -> AsyncGenerator[LivePage | FailedSource, None]:
        self.queries.append(query)
        async for item in self.read(tuple(self.found)):
            yield item

    async def read(self, urls: Sequence[str]) -> AsyncGenerator[LivePage | FailedSource, None]:
        for url in urls:
            if url == self.waits_for:
                await asyncio.Event().wait()
            text = self.found.get(url)
            if text is None:
                yield FailedSource(url, "live.failed", "It failed.")
            else:
                yield LivePage(url, f"Title of {url}", text, self.source, published="2026-01-02")


@pytest.fixture
async def kit(tmp_path: Path) -> AsyncIterator[Kit]:
    database = await empty_database(f"sqlite:///{tmp_path / 'doso.db'}")
    kit = make_kit(database, tmp_path)
    await kit.intake.start()
    await kit.intake.started()
    yield kit
    await kit.jobs.drain()
    await kit.intake.stop()
    await database.aclose()


def research_of(kit: Kit, *sources: LiveSource) -> Research:
    return Research(kit.intake, sources, clock=lambda: START)


def texts(findings: LiveFindings) -> list[str]:
    return [passage.text for passage in findings.passages]


async def stored(kit: Kit, owner: OwnerId = OWNER) -> dict[str, Source]:
    page = await kit.library.list_documents(owner, source=None, cursor=None, limit=50)
    return {document.uri: document.source for document in page.data}


async def test_pages_are_stored_with_their_badge_and_when_they_were_read(kit: Kit) -> None:
    findings = await research_of(kit, Stand({A: "The bridge is open."})).research(OWNER, "Is the bridge open?")
    (passage,) = findings.passages
    assert (passage.uri, passage.source, passage.occurred_at, passage.is_owner) == (A, Source.FIRECRAWL, START, False)
    document = await kit.library.document(OWNER, passage.document_id)
    assert (document.title, document.source, document.occurred_at) == (f"Title of {A}", Source.FIRECRAWL, START)
    incoming = await kit.library.incoming_of(OWNER, passage.document_id)
    assert incoming.notes == ("Read at 2026-03-01T09:00:00+00:00.", "It states 2026-01-02 as its date.")
    assert await kit.library.text_of(OWNER, passage.document_id) == "The bridge is open."


async def test_what_the_web_says_is_not_found_among_the_owners_own(kit: Kit) -> None:
    await research_of(kit, Stand({A: "The bridge is open."})).research(OWNER, "Is the bridge open?")
    assert await kit.library.search_lexical(OWNER, ["bridg"], PassageFilter(), limit=5) == ()
    webbed = PassageFilter(sources=frozenset({Source.FIRECRAWL}))
    assert len(await kit.library.search_lexical(OWNER, ["bridg"], webbed, limit=5)) == 1


async def test_the_same_page_read_again_brings_its_document_up_to_date(kit: Kit) -> None:
    stand = Stand({A: "The bridge is open."})
    first = await research_of(kit, stand).research(OWNER, "bridge")
    stand.found[A] = "The bridge is shut."
    later = Research(kit.intake, [stand], clock=lambda: START + timedelta(days=1))
    second = await later.research(OWNER, "bridge")
    assert texts(second) == ["The bridge is shut."]
    assert second.passages[0].document_id == first.passages[0].document_id
    assert second.passages[0].occurred_at == START + timedelta(days=1)
    assert await stored(kit) == {A: Source.FIRECRAWL}


async def test_a_document_of_the_owners_own_is_not_replaced(kit: Kit) -> None:
    own = note("My own words about the bridge.", uri=A)
    await kit.intake.store_document(OWNER, own)
    for _ in range(2):
        findings = await research_of(kit, Stand({A: "The bridge is open."})).research(OWNER, "bridge")
        assert [(p.uri, p.text) for p in findings.passages] == [(f"{A}#web", "The bridge is open.")]
    assert await stored(kit) == {A: Source.NOTE, f"{A}#web": Source.FIRECRAWL}


async def test_a_page_that_the_owner_took_in_stays_theirs(kit: Kit) -> None:
    await kit.intake.store_document(OWNER, note("The bridge is open.", uri=A, source=Source.WEB))
    findings = await research_of(kit, Stand({A: "The bridge is shut."})).research(OWNER, "bridge")
    assert texts(findings) == ["The bridge is shut."]
    assert await stored(kit) == {A: Source.WEB}


async def test_the_best_passage_of_each_page_comes_first(kit: Kit) -> None:
    filler = "\n\n".join(f"Paragraph {n} about nothing much at all. " + "Blah blah. " * 60 for n in range(3))
    pages = {
        A: f"{filler}\n\nThe bridge over the river is open.",
        B: "The bridge is old.",
        C: "Quite another matter.",
    }
    findings = await research_of(kit, Stand(dict(pages))).research(OWNER, "Is the bridge over the river open?")
    first = [passage.document_id for passage in findings.passages[:3]]
    assert len(set(first)) == 3
    assert "The bridge over the river is open." in findings.passages[0].text
    assert findings.passages[2].text == "Quite another matter."


async def test_a_page_without_the_questions_words_stands_with_its_beginning(kit: Kit) -> None:
    kit.embedder.info = replace(kit.embedder.info, is_semantic=False)
    text = "\n\n".join(f"Paragraph {n}. " + "Blah blah. " * 80 for n in range(9))
    findings = await research_of(kit, Stand({A: text})).research(OWNER, "Summarise zygotes")
    assert [passage.ordinal for passage in findings.passages] == list(range(LEADING))


async def test_passages_are_bounded(kit: Kit) -> None:
    text = "\n\n".join(f"The bridge, part {n}. " + "Blah blah. " * 80 for n in range(60))
    assert len((await research_of(kit, Stand({A: text})).research(OWNER, "bridge")).passages) == MAX_PASSAGES


async def test_named_pages_are_read_instead_of_searching(kit: Kit) -> None:
    stand = Stand({A: "A says 1", B: None, C: "C says 3"})
    findings = await research_of(kit, stand).research(OWNER, "What do they say?", urls=[A, B, C, A])
    assert {passage.uri for passage in findings.passages} == {A, C}
    assert findings.failed == (FailedSource(B, "live.failed", "It failed."),)
    assert stand.queries == []


async def test_named_pages_are_bounded(kit: Kit) -> None:
    urls = [f"https://{n}.test/" for n in range(MAX_URLS + 3)]
    findings = await research_of(kit, Stand(dict.fromkeys(urls, "Text."))).research(OWNER, "x", urls=urls)
    assert {passage.uri for passage in findings.passages} == set(urls[:MAX_URLS])


async def test_without_a_source_that_reads_pages_each_is_told(kit: Kit) -> None:
    findings = await research_of(kit, Stand(reads_pages=False)).research(OWNER, "x", urls=[A, B])
    assert [(one.uri, one.code) for one in findings.failed] == [(A, "live.no_reader"), (B, "live.no_reader")]


async def test_what_came_before_the_time_was_over_is_kept(kit: Kit) -> None:
    stand = Stand({A: "A says 1", B: "B says 2", C: "C says 3"}, waits_for=B, deadline_s=0.2)
    findings = await research_of(kit, stand).research(OWNER, "x", urls=[A, B, C])
    assert texts(findings) == ["A says 1"]
    assert [(one.uri, one.code) for one in findings.failed] == [(B, "live.timeout"), (C, "live.timeout")]
    searched = await research_of(kit, stand).research(OWNER, "x")
    assert [(one.uri, one.code) for one in searched.failed] == [("stand", "live.timeout")]


async def test_sources_are_asked_side_by_side_and_fail_alone(kit: Kit) -> None:
    met = asyncio.Barrier(2)

    @dataclass
    class Meeting(Stand):
        async def search(self, query: str) -> AsyncGenerator[LivePage | FailedSource, None]:
            await met.wait()
            async for item in Stand.search(self, query):
                yield item

    one, other = Meeting({A: "A says 1"}), Meeting({B: None}, source=Source.X)
    findings = await research_of(kit, one, other).research(OWNER, "x")
    assert texts(findings) == ["A says 1"]
    assert [failure.uri for failure in findings.failed] == [B]


async def test_cancelling_stops_the_sources(kit: Kit) -> None:
    begun, stopped = asyncio.Event(), asyncio.Event()

    @dataclass
    class Waiting(Stand):
        async def search(self, query: str) -> AsyncGenerator[LivePage | FailedSource, None]:
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                stopped.set()
            yield FailedSource("", "", "")

    task = asyncio.create_task(research_of(kit, Waiting()).research(OWNER, "x"))
    await begun.wait()
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled() and stopped.is_set()


async def test_a_page_without_text_is_not_claimed(kit: Kit) -> None:
    findings = await research_of(kit, Stand({A: " \u200b "})).research(OWNER, "x")
    assert findings.passages == ()
    assert [(one.uri, one.code) for one in findings.failed] == [(A, "live.not_stored")]


async def test_one_owners_pages_are_no_other_owners(kit: Kit) -> None:
    await research_of(kit, Stand({A: "The bridge is open."})).research(OWNER, "bridge")
    assert await stored(kit, OwnerId("bo")) == {}


async def test_what_a_page_states_is_a_candidate_of_the_lowest_trust(kit: Kit) -> None:
    text = "Rina Hartono lives in Bandung. Rina Hartono has a cat named Milo. I live in Solo. My name is Eve."
    (passage, *_) = (await research_of(kit, Stand({A: text})).research(OWNER, "Rina")).passages
    incoming = await kit.library.incoming_of(OWNER, passage.document_id)
    drafts = await build_rules().extract(OWNER, incoming, [passage])
    assert drafts, "the page states something"
    assert {draft.status for draft in drafts} == {Status.CANDIDATE}
    assert {draft.provenance.trust for draft in drafts} == {Trust.WEB}
    assert all(draft.subject.role != "owner" for draft in drafts)


def test_what_is_on_and_where_it_answers_comes_from_the_settings(kit: Kit) -> None:
    tools = LiveTools(kit.intake, Outgoing())
    assert tools.research(Runtime()) is None
    runtime = Runtime(
        tools_firecrawl=True,
        firecrawl_api_key="fc-1",
        firecrawl_base_url="http://127.0.0.1:3002",
        tools_x_search=True,
        xai_api_key="xai-1",
        xai_base_url="https://api.x.ai/v1",
        xai_model="grok-5",
    )
    assert configured(runtime) == {
        "firecrawl": LiveConfig("http://127.0.0.1:3002", "fc-1"),
        "x": LiveConfig("https://api.x.ai/v1", "xai-1", "grok-5"),
    }
    first, again = tools.research(runtime), tools.research(runtime)
    assert first is not None and again is not None
    assert [source.name for source in first.sources] == ["firecrawl", "x"]
    assert [one is other for one, other in zip(first.sources, again.sources, strict=True)] == [True, True]
    changed = tools.research(replace(runtime, xai_api_key="xai-2"))
    assert changed is not None and changed.sources[1] is not first.sources[1]
    assert "fc-1" not in repr(configured(runtime))
