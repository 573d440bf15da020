"""What one model's server is known to take: as declared, and as its answers have shown."""

from __future__ import annotations

from collections.abc import Iterator

from doso.llm.chat import ModelRequest
from doso.llm.config import Capability, Structured
from doso.llm.ports import Ability
from doso.llm.providers.refusals import Feature

_NOT_ASKED: frozenset[Feature] = frozenset()
_UNDECLARED = Ability()


class Knowledge:
    """Features start as declared; what was not declared is asked for until it is refused."""

    def __init__(self, declared: Capability) -> None:
        self._declared = declared
        self._refused = set(_declared_absent(declared))
        self._proven = set(_declared_present(declared))

    def ability(self) -> Ability:
        """What a prompt may count on; what nobody knows yet counts as there, and is tried."""
        return Ability(
            has_tools=Feature.TOOLS not in self._refused,
            has_schema=Feature.SCHEMA not in self._refused,
            context_tokens=self._declared.context_tokens or _UNDECLARED.context_tokens,
            max_output_tokens=self._declared.max_output_tokens or _UNDECLARED.max_output_tokens,
        )

    def used_by(self, request: ModelRequest, without: frozenset[Feature] = _NOT_ASKED) -> frozenset[Feature]:
        """The features that a request is sent with, leaving out what is known or suspected to be refused."""
        return frozenset(_wanted(request, self._refused | without))

    def is_proven(self, feature: Feature) -> bool:
        """Whether the server has taken it before."""
        return feature in self._proven

    def learn(self, used: frozenset[Feature], refused: frozenset[Feature]) -> None:
        """Remember a request that worked: what it was sent with, and what it had to do without."""
        if refused:
            self._refused |= refused
        self._proven |= used


def _wanted(request: ModelRequest, refused: set[Feature]) -> Iterator[Feature]:
    if Feature.STREAM not in refused:
        yield Feature.STREAM
        if Feature.USAGE not in refused:
            yield Feature.USAGE
    if request.reply is not None:
        yield from _first_of((Feature.SCHEMA, Feature.JSON_OBJECT), refused)
    if request.tools is not None:
        yield Feature.TOOLS
    if request.max_output_tokens is not None:
        yield from _first_of((Feature.MAX_TOKENS, Feature.MAX_COMPLETION_TOKENS), refused)
    if request.temperature is not None and Feature.TEMPERATURE not in refused:
        yield Feature.TEMPERATURE
    if request.stop and Feature.STOP not in refused:
        yield Feature.STOP


def _first_of(features: tuple[Feature, ...], refused: set[Feature]) -> Iterator[Feature]:
    yield from [feature for feature in features if feature not in refused][:1]


def _declared_absent(declared: Capability) -> Iterator[Feature]:
    if declared.streaming is False:
        yield Feature.STREAM
    if declared.usage is False:
        yield Feature.USAGE
    if declared.tools is False:
        yield Feature.TOOLS
    if declared.structured in (Structured.NONE, Structured.JSON_OBJECT):
        yield Feature.SCHEMA
    if declared.structured is Structured.NONE:
        yield Feature.JSON_OBJECT


def _declared_present(declared: Capability) -> Iterator[Feature]:
    if declared.usage:
        yield Feature.USAGE
    if declared.structured is Structured.JSON_SCHEMA:
        yield Feature.SCHEMA
    if declared.structured is Structured.JSON_OBJECT:
        yield Feature.JSON_OBJECT
