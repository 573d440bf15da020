"""X search against xAI's wire on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doso.outgoing import Outgoing
from doso.records import Source
from doso.records.live import FailedSource
from ingest.live.x import MAX_POSTS, REST_S, Annotation, Content, Output, Reply, XSearch, build, error_text, posts_of
from ingest.ports import LiveConfig, LivePage
from tests.support.provider import Answer, End, Pause, Scripted, http
from tests.support.xai import KEY, XaiStub, cited, reply, xai_stub

ANA, BO = "https://x.com/ana_k/status/1801", "https://twitter.com/bo/status/1802"
TEXT = f"@ana_k wrote on 3 March: the bridge is open again.[[1]]({ANA})\n\n@bo says he crossed it.[[2]]({BO})"


async def no_pause(_seconds: float) -> None:
    return None


def source(stub: XaiStub, key: str | None = KEY) -> XSearch:
    return build(LiveConfig(stub.url, key), Outgoing(), pause=no_pause)


async def all_of(items: AsyncIterator[LivePage | FailedSource]) -> list[LivePage | FailedSource]:
    return [item async for item in items]


async def test_each_cited_post_comes_with_what_is_said_of_it() -> None:
    async with xai_stub(reply(TEXT, [cited(ANA), cited(BO)])) as stub:
        found = await all_of(source(stub).search("is the   bridge open?"))
    note = ("What xAI's search says of the post.",)
    assert found == [
        LivePage(
            ANA,
            "Post by @ana_k",
            "@ana_k wrote on 3 March: the bridge is open again.",
            Source.X,
            author="@ana_k",
            notes=note,
        ),
        LivePage(BO, "Post by @bo", "@bo says he crossed it.", Source.X, author="@bo", notes=note),
    ]
    (body,) = stub.bodies
    assert (body["model"], body["tools"]) == ("grok-4", [{"type": "x_search"}])
    assert body["input"][0]["content"][0]["text"].endswith("Query: is the bridge open?")


def answered(text: str, annotations: list[Annotation]) -> list[LivePage]:
    return list(posts_of(Reply([Output("message", [Content("output_text", text, annotations)])])))


def test_a_citation_without_its_address_in_the_text_is_placed_by_its_offsets() -> None:
    text = "First thing.\n\nSecond thing [1]."
    (post,) = answered(text, [Annotation("url_citation", ANA, "1", 27, 30)])
    assert post.text == "Second thing [1]."


def test_a_citation_that_stands_nowhere_takes_the_whole_text() -> None:
    (post,) = answered("First.\n\nSecond.", [Annotation("url_citation", ANA)])
    assert post.text == "First.\n\nSecond."


def test_one_post_under_several_addresses_comes_once() -> None:
    other = "https://x.com/i/status/1801?s=20"
    text = f"One.[1]({ANA})\n\nTwo.[2]({other})"
    (post,) = answered(text, [Annotation("url_citation", ANA), Annotation("url_citation", other)])
    assert (post.uri, post.text) == (ANA, "One.\n\nTwo.")


@pytest.mark.parametrize("url", ["https://example.com/a", "http://127.0.0.1/x.com/a/status/1", "javascript:x", None])
def test_what_is_no_post_is_left_out(url: str | None) -> None:
    assert answered("Text.", [Annotation("url_citation", url)]) == []


async def test_posts_are_bounded() -> None:
    many = [cited(f"https://x.com/a/status/{n}") for n in range(50)]
    async with xai_stub(reply("Text.", many)) as stub:
        assert len(await all_of(source(stub).search("x"))) == MAX_POSTS


FAULTS: dict[str, tuple[Scripted, str]] = {
    "no post": (reply("Nothing found."), "live.nothing"),
    "empty output": (http(200, {"output": []}), "live.nothing"),
    "no output": (http(200, {"id": "r1"}), "live.unreadable"),
    "html": (http(200, b"<html>", type="text/html"), "live.unreadable"),
    "empty": (http(200, b""), "live.unreadable"),
    "nested": (http(200, b"[" * 100_000), "live.unreadable"),
    "another shape": (http(200, {"output": "text"}), "live.unreadable"),
    "no such endpoint": (http(404, b"404 page not found", type="text/plain"), "live.unsupported"),
    "no such tool": (
        http(400, {"error": {"message": "Unknown tool type: x_search", "type": "invalid_request_error"}}),
        "live.unsupported",
    ),
    "no such tool, second form": (
        http(400, {"code": "invalid", "error": "tools[0].type: unsupported"}),
        "live.unsupported",
    ),
    "no such tool, third form": (http(422, {"error": "unknown variant `x_search`"}), "live.unsupported"),
    "another bad request": (http(400, {"error": "The query is empty"}), "live.refused"),
    "key": (http(401, {"error": {"message": "no"}}), "live.key"),
    "credit": (http(402, {"code": "no_credit", "error": "no"}), "live.no_credit"),
    "too often": (http(429, {"error": "no"}), "live.rate_limited"),
    "broken": (http(500, {"error": "no"}), "live.failed"),
    "broken as html": (http(503, b"<html>"), "live.failed"),
    "closed": (Answer((), End.CLOSE), "live.unreachable"),
    "reset": (Answer((b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{",), End.RESET), "live.unreachable"),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_a_failed_search_is_told_with_its_reason(name: str) -> None:
    answer, code = FAULTS[name]
    async with xai_stub(answer) as stub:
        (found,) = await all_of(source(stub).search("x"))
    assert isinstance(found, FailedSource)
    assert (found.uri, found.code) == ("x", code)


async def test_a_wrong_key_is_told_though_it_comes_as_a_bad_request() -> None:
    async with xai_stub(reply(TEXT)) as stub:
        (found,) = await all_of(source(stub, "xai-wrong").search("x"))
    assert isinstance(found, FailedSource) and found.code == "live.key"


async def test_a_search_that_takes_too_long_is_given_up() -> None:
    async with xai_stub(Answer((Pause(60),), End.HOLD)) as stub:
        quick = XSearch(source(stub).service, Outgoing(), deadline_s=0.3)
        (found,) = await all_of(quick.search("x"))
    assert isinstance(found, FailedSource) and found.code == "live.timeout"


async def test_a_server_without_the_search_is_left_alone_for_a_while() -> None:
    now = 0.0
    async with xai_stub(reply(TEXT, [cited(ANA)]), http(404, b"")) as stub:
        live = XSearch(source(stub).service, Outgoing(), now_s=lambda: now)
        for _ in range(3):
            (found,) = await all_of(live.search("x"))
            assert isinstance(found, FailedSource) and found.code == "live.unsupported"
        assert len(stub.bodies) == 1
        now = REST_S
        (post,) = await all_of(live.search("x"))
    assert isinstance(post, LivePage)


async def test_the_configured_model_searches() -> None:
    async with xai_stub(reply(TEXT, [cited(ANA)])) as stub:
        await all_of(build(LiveConfig(stub.url, KEY, "grok-5"), Outgoing()).search("x"))
    assert stub.bodies[0]["model"] == "grok-5"


async def test_pages_are_not_its_business() -> None:
    async with xai_stub(reply(TEXT)) as stub:
        (found,) = await all_of(source(stub).read(["https://a.test/"]))
    assert found == FailedSource(
        "https://a.test/", "live.no_reader", "No live source that is on reads pages; turn on Firecrawl."
    )


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"error": {"message": "a"}}, "a"),
        ({"code": "c", "error": "a"}, "c a"),
        ({"error": "a"}, "a"),
        ({"error": 7}, ""),
        (["a"], ""),
    ],
)
def test_errors_come_in_three_forms(body: object, text: str) -> None:
    assert error_text(msgspec.json.encode(body)) == text


@given(st.binary(max_size=200))
def test_any_bytes_are_an_error_of_some_kind(body: bytes) -> None:
    assert isinstance(error_text(body), str)


@given(st.text(max_size=200), st.integers(-5, 300), st.integers(-5, 300), st.sampled_from([ANA, BO, "https://x.com/"]))
def test_any_offsets_give_text_of_the_reply_or_no_post(text: str, start: int, end: int, url: str) -> None:
    for post in answered(text, [Annotation("url_citation", url, None, start, end)]):
        assert post.text
