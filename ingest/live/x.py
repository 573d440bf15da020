"""X: searches posts through xAI's `x_search` on its Responses API."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import dataclass, field

import httpx
import msgspec

from doso.errors import AddressRefused
from doso.outgoing import Outgoing, WebAddress, parse_address
from doso.records import Source
from doso.records.live import FailedSource
from doso.telemetry import log
from doso.text import clean, is_blank
from ingest.live.failures import code_of_status, failed
from ingest.live.http import AnswerTooLargeError, Pause, Service
from ingest.ports import LiveConfig, LivePage

NAME = "X search"
MODEL = "grok-4"
MAX_QUERY_CHARS = 400
MAX_POSTS = 12
MAX_POST_CHARS = 4_000
TIMEOUT_S = 120.0
#: A server that knows no such search is not asked again for so long.
REST_S = 600.0
_ASK = (
    "Search X for recent posts that bear on the query below. For each post that you cite say in a paragraph of its own "
    "who wrote it, when, and what it says, in its words. Query: {query}"
)
_POST_HOSTS = frozenset({"x.com", "www.x.com", "twitter.com", "www.twitter.com", "mobile.twitter.com"})
_STATUS = re.compile(r"/(?P<handle>[A-Za-z0-9_]{1,20})/status/(?P<id>\d{1,25})")
_UNKNOWN_TOOL = re.compile(r"x_search|\btools?\b|unsupported|not supported|unknown (?:url|path)", re.IGNORECASE)
_WRONG_KEY = re.compile(r"api[ _-]?key", re.IGNORECASE)  # xAI answers 400 for it
_LINK = re.compile(r"\[{1,2}[^\[\]]{0,200}\]{1,2}\((https?://[^\s)]{1,2000})\)")


class Annotation(msgspec.Struct, frozen=True):
    """A citation of the reply. `start_index` and `end_index` are where its mark stands in the text."""

    type: str = ""
    url: str | None = None
    title: str | None = None
    start_index: int | None = None
    end_index: int | None = None


class Content(msgspec.Struct, frozen=True):
    """A piece of a message."""

    type: str = ""
    text: str | None = None
    annotations: list[Annotation] | None = None


class Output(msgspec.Struct, frozen=True):
    """An item of the reply: a message, or a step of searching."""

    type: str = ""
    content: list[Content] | None = None


class Reply(msgspec.Struct, frozen=True):
    """The reply, as far as it is read."""

    output: list[Output]
    status: str | None = None


@dataclass(slots=True)
class _Rest:
    """Until when the server is left alone, on the clock `now_s`."""

    until_s: float = float("-inf")


@dataclass(frozen=True, slots=True)
class XSearch:
    """Implements ingest.ports.LiveSource; it reads no pages."""

    service: Service
    guard: Outgoing
    model: str = MODEL
    name: str = "x"
    deadline_s: float = TIMEOUT_S
    reads_pages: bool = False
    now_s: Callable[[], float] = time.monotonic
    _rest: _Rest = field(default_factory=_Rest)

    async def search(self, query: str) -> AsyncGenerator[LivePage | FailedSource, None]:
        """Posts that bear on the query, each with what the reply says of it."""
        if self.now_s() < self._rest.until_s:
            yield failed(self.name, "live.unsupported", NAME)
            return
        found = await self._ask(" ".join(clean(query).split())[:MAX_QUERY_CHARS])
        if isinstance(found, FailedSource):
            yield found
            return
        posts = list(posts_of(found))
        if not posts:
            yield failed(self.name, "live.nothing", NAME)
        for post in posts[:MAX_POSTS]:
            yield post

    async def read(self, urls: Sequence[str]) -> AsyncGenerator[LivePage | FailedSource, None]:
        """Refuse each."""
        for url in urls:
            yield failed(url, "live.no_reader", NAME)

    async def _ask(self, query: str) -> Reply | FailedSource:
        text = {"type": "input_text", "text": _ASK.format(query=query)}
        body = {
            "model": self.model,
            "input": [{"role": "user", "content": [text]}],
            "tools": [{"type": "x_search"}],
            "stream": False,
        }
        try:
            response = await self.service.post("/responses", body, timeout_s=self.deadline_s)
            if response.status_code != 200:
                return self._failed(self._code_of(response))
            return msgspec.json.decode(response.content, type=Reply)
        except AnswerTooLargeError:
            return self._failed("live.too_large")
        except (httpx.TimeoutException, TimeoutError):
            return self._failed("live.timeout")
        except (httpx.HTTPError, httpx.InvalidURL):
            return self._failed("live.unreachable")
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return self._failed("live.unreadable")

    def _code_of(self, response: httpx.Response) -> str:
        """The code of a refusal. A server without this endpoint or tool answers 404, or 400 naming what it lacks."""
        text = error_text(response.content)
        is_refused = response.status_code in (400, 422)
        if is_refused and _WRONG_KEY.search(text):
            return "live.key"
        if response.status_code in (404, 405, 501) or (is_refused and _UNKNOWN_TOOL.search(text)):
            self._rest.until_s = self.now_s() + REST_S
            return "live.unsupported"
        return code_of_status(response.status_code)

    def _failed(self, code: str) -> FailedSource:
        log().warning("live.failed", tool=self.name, step="search", code=code)
        return failed(self.name, code, NAME)


def build(config: LiveConfig, guard: Outgoing, *, pause: Pause = asyncio.sleep) -> XSearch:
    """The source as the registry knows it."""
    headers = {"Authorization": f"Bearer {config.api_key}"} if config.api_key else {}
    return XSearch(Service(config.base_url, headers, pause=pause), guard, config.model or MODEL)


def error_text(body: bytes) -> str:
    """What an error says, in any of the three forms: `{"error": {"message"}}`, `{"code", "error": "…"}`,
    `{"error": "…"}`. It decides what to do and is shown to nobody."""
    try:
        found = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""
    error = found.get("error") if isinstance(found, dict) else None
    if isinstance(error, dict):
        error = error.get("message")
    code = found.get("code") if isinstance(found, dict) else None
    return " ".join(part for part in (code, error) if isinstance(part, str))


def posts_of(reply: Reply) -> Iterator[LivePage]:
    """Each post that the reply cites, once, with the paragraphs that cite it."""
    found: dict[str, list[str]] = {}
    posts: dict[str, WebAddress] = {}
    for content in (piece for item in reply.output for piece in item.content or ()):
        text = clean(content.text or "")
        for annotation in content.annotations or ():
            address = _post(annotation)
            if address is None:
                continue
            key = _status_id(address)
            posts.setdefault(key, address)
            said = found.setdefault(key, [])
            for paragraph in _paragraphs(text, annotation):
                if paragraph not in said:
                    said.append(paragraph)
    for key, said in found.items():
        address = posts[key]
        handle = _handle(address)
        text = "\n\n".join(said)[:MAX_POST_CHARS]
        if not is_blank(text):
            yield LivePage(
                uri=address.url,
                title=f"Post by {handle}" if handle else "Posts on X",
                text=text,
                source=Source.X,
                author=handle,
                notes=("What xAI's search says of the post.",),
            )


def _post(annotation: Annotation) -> WebAddress | None:
    """The address of a cited post; None for anything else."""
    if annotation.url is None:
        return None
    try:
        address = parse_address(annotation.url)
    except AddressRefused:
        return None
    return address if address.host in _POST_HOSTS else None


def _status_id(address: WebAddress) -> str:
    status = _STATUS.search(address.target)
    return status["id"] if status else address.url


def _handle(address: WebAddress) -> str | None:
    status = _STATUS.search(address.target)
    return f"@{status['handle']}" if status and status["handle"] != "i" else None


def _paragraphs(text: str, annotation: Annotation) -> Iterator[str]:
    """The paragraphs in which a citation stands: where its address is, else around its place; the whole text where
    neither tells."""
    paragraphs = list(_spans(text))
    holding = [part for _, part in paragraphs if annotation.url and annotation.url in part]
    if not holding and annotation.end_index is not None and 0 < annotation.end_index <= len(text):
        holding = [part for begin, part in paragraphs if begin <= annotation.end_index - 1 < begin + len(part)]
    for part in holding or [text]:
        yield _LINK.sub("", part).strip()


def _spans(text: str) -> Iterator[tuple[int, str]]:
    begin = 0
    for part in re.split(r"(\n\s*\n)", text):
        if part.strip():
            yield begin, part
        begin += len(part)
