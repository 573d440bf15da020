"""A page that the owner takes in by its address: fetched through the guard, read by the importers, stored."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from doso.clock import Clock, system_clock
from doso.errors import NoText, NotFound, UnknownFormat
from doso.ids import OwnerId
from doso.outgoing import Fetched, Outgoing, WebAddress, parse_address
from doso.records import Incoming, Operation, Skipped, Source, Trust, trust_of
from ingest.library import SqlLibrary
from ingest.library.prepared import document_id_of
from ingest.pipeline import Intake
from ingest.ports import ImportOptions
from ingest.registry import importer

#: What may be found at an address, and the ending that a file of each content type has.
FORMATS = ("html", "pdf", "markdown", "text")
_ENDINGS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "text/markdown": ".md",
    "text/plain": ".txt",
}
#: Added to a page's address where a document of the owner's own has that very address.
BESIDE = "#web"
_HEAD_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Asked:
    """What the owner states of a page. `title` stands above the page's own."""

    url: str
    title: str = ""
    zone: str | None = None


async def take_in(
    intake: Intake,
    guard: Outgoing,
    owner: OwnerId,
    asked: Asked,
    *,
    request_id: str | None = None,
    clock: Clock = system_clock,
) -> Operation:
    """Fetch a page and store it; the same page again updates its document. Raises AddressRefused, FetchFailed,
    TooLarge, UnknownFormat, NoText."""
    address = parse_address(asked.url)

    async def fetch() -> tuple[Incoming, Sequence[Skipped]]:
        fetched = await guard.fetch(address.url)
        incoming, skipped = await asyncio.to_thread(_read, fetched, address, asked)
        uri, _ = await place_of(intake.library, owner, address.url)
        return replace(incoming, uri=uri, occurred_at=clock()), skipped

    return await intake.store_fetched(owner, f"{address.url}\x1f{asked.title}", fetch, request_id=request_id)


async def place_of(library: SqlLibrary, owner: OwnerId, url: str) -> tuple[str, Source | None]:
    """Where what the web says under an address is stored, and as what it is there already. A document of the owner's
    own is never replaced by it: it then stands beside that."""
    for uri in (url, url + BESIDE):
        try:
            source = (await library.document(owner, document_id_of(owner, uri))).source
        except NotFound:
            return uri, None
        if trust_of(source) is Trust.WEB:
            return uri, source
    return url + BESIDE, None


def _read(fetched: Fetched, address: WebAddress, asked: Asked) -> tuple[Incoming, list[Skipped]]:
    """The document that the importers make of a page. Raises UnknownFormat, NoText."""
    skipped: list[Skipped] = []
    with tempfile.TemporaryDirectory(prefix="doso-page-") as folder:
        path = Path(folder) / f"page{_ENDINGS.get(fetched.type, '')}"
        path.write_bytes(_as_utf8(fetched))
        head = path.read_bytes()[:_HEAD_BYTES]
        known = [(reader.sniff(path, head), reader) for reader in map(importer, FORMATS)]
        score, best = max(known, key=lambda pair: pair[0])
        if score <= 0:
            raise UnknownFormat("The address leads to no page, text or PDF.", param="url")
        options = ImportOptions(zone=asked.zone, title=asked.title or None, origin=address.host)
        for item in best.read(path, options):
            if isinstance(item, Skipped):
                skipped.append(item)
            elif isinstance(item, Incoming):
                note = () if fetched.url == address.url else ("The address led on to another one.",)
                return replace(item, source=Source.WEB, external_id=None, notes=(*item.notes, *note)), skipped
    raise NoText("no text: nothing could be read at this address", param="url")


def _as_utf8(fetched: Fetched) -> bytes:
    """The bytes, in UTF-8 where the page named another encoding of its letters."""
    if fetched.charset is None or not fetched.type.startswith(("text/", "application/xhtml")):
        return fetched.body
    try:
        return fetched.body.decode(fetched.charset, "replace").encode("utf-8", "replace")
    except (LookupError, UnicodeError):
        return fetched.body
