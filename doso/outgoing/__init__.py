"""The one guard for requests to addresses that a text, a user or a search result named.

Addresses that the person who runs Doso configured (models, embedder, Firecrawl, xAI) are not its business: they may
lie in a private network on purpose. Everything else is opened through `Outgoing` and in no other way.
"""

from __future__ import annotations

from doso.outgoing.addresses import WebAddress, parse_address
from doso.outgoing.guard import Fetched, FetchLimits, Outgoing

__all__ = ["FetchLimits", "Fetched", "Outgoing", "WebAddress", "parse_address"]
