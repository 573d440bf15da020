"""Saved web pages: what a reader would see of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from bs4 import BeautifulSoup, Comment, Doctype, NavigableString, ParserRejectedMarkup, Tag

from doso.errors import NoText
from doso.records import Incoming, Skipped, Source
from doso.text import clean, is_blank
from ingest.importers._files import decode, file_name, file_uri, is_binary, read_all, title_of
from ingest.ports import ImportOptions, Progress

#: Of a page with more tags only the part before is read: a tree of tags takes some hundred times their size.
MAX_TAGS = 100_000
MAX_PAGE_CHARS = 8_000_000
_UNSEEN = (
    "script", "style", "noscript", "template", "head", "svg", "canvas", "iframe", "object", "select", "textarea",
    "input",
)  # fmt: skip
_BLOCKS = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "br",
        "dd",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "html",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    }
)
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])", re.IGNORECASE)
_SIGN = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_TAG = re.compile(rb"</(?:p|div|a|span|table|h[1-6]|li)>", re.IGNORECASE)
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)


def build() -> HtmlImporter:
    """The importer as the registry knows it."""
    return HtmlImporter()


class HtmlImporter:
    """Reads one page: its title and its visible text; scripts, comments and hidden parts are left out."""

    name = "html"

    def sniff(self, path: Path, head: bytes) -> float:
        """A page's own opening, or an HTML ending on tagged text."""
        if path.is_dir() or is_binary(head):
            return 0.0
        if _SIGN.search(head[:4096]) and head.lstrip(b"\xef\xbb\xbf\r\n\t ")[:1] == b"<":
            return 0.9
        return 0.7 if path.suffix.lower() in (".html", ".htm", ".xhtml") and _TAG.search(head) else 0.0

    def read(self, path: Path, options: ImportOptions) -> Iterator[Incoming | Skipped | Progress]:
        """Yield the one document. Raises NoText when nothing of it is visible."""
        page = decode_page(read_all(path))
        whole = len(page)
        page = bounded(page)
        if len(page) < whole:
            yield Skipped("end of the page", "too_large", f"Only its first {len(page)} characters were read.")
        title, text = visible_text(page)
        if is_blank(text):
            raise NoText(f"no text: nothing of {file_name(path, options)} is visible")
        yield Incoming(
            uri=file_uri(path, options),
            title=options.title or title or title_of(path, options),
            source=Source.FILE,
            text=text,
            external_id=file_name(path, options),
            zone=options.zone,
        )


def decode_page(data: bytes) -> str:
    """A page's characters: its mark or valid UTF-8, else the encoding it states, else a guess."""
    stated = _CHARSET.search(data[:4096])
    if stated:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            try:
                return data.decode(stated[1].decode("ascii"), "replace")
            except LookupError:
                pass
    return decode(data)


def bounded(page: str) -> str:
    """The page up to what a reader of it can be expected to hold."""
    page = page[:MAX_PAGE_CHARS]
    if page.count("<") <= MAX_TAGS:
        return page
    at = -1
    for _ in range(MAX_TAGS):
        at = page.index("<", at + 1)
    return page[:at]


def visible_text(page: str) -> tuple[str | None, str]:
    """Title and visible text of HTML; blocks become lines. Never raises: broken markup is read as far as it goes."""
    try:
        soup = BeautifulSoup(bounded(page), "lxml")
    except (ParserRejectedMarkup, AssertionError, ValueError, RecursionError):
        return None, clean(re.sub(r"<[^>]{0,2000}>", " ", page))
    title = " ".join(soup.title.get_text(" ").split()) if soup.title else None
    pieces = list(_pieces(soup))
    lines = (" ".join(line.split()) for line in "".join(pieces).split("\n"))
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    return (clean(title) or None) if title else None, clean(text)


def _pieces(soup: BeautifulSoup) -> Iterator[str]:
    """Strings and line breaks in reading order, without recursion: pages nest as deep as they like."""
    stack: list[Tag | NavigableString | str] = [soup]
    while stack:
        node = stack.pop()
        if isinstance(node, Tag):
            if _is_hidden(node):
                continue
            edge = "\n" if node.name in _BLOCKS else ""
            cell = "\t" if node.name in ("td", "th") else edge
            stack.append(cell)
            stack.extend(child for child in reversed(node.contents) if isinstance(child, Tag | NavigableString))
            stack.append("" if node.name in ("td", "th", "br") else edge)
        elif isinstance(node, Comment | Doctype) or type(node) not in (NavigableString, str):
            continue
        else:
            yield str(node) if type(node) is str else re.sub(r"\s+", " ", str(node))


def _is_hidden(node: Tag) -> bool:
    if node.name in _UNSEEN or node.has_attr("hidden"):
        return True
    style = node.get("style")
    return node.get("aria-hidden") == "true" or (isinstance(style, str) and bool(_HIDDEN_STYLE.search(style)))
