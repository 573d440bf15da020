"""What an ask tells while it runs: one typed stream, which every transport only encodes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from doso.llm.chat import FinishReason, ReasoningDelta, TextDelta, TokenUsage, ToolCallDelta
from doso.records.evidence import Evidence, EvidenceItem
from doso.tracing import Trace


class Phase(StrEnum):
    """What is being done; for progress displays, never part of the answer."""

    RETRIEVING = "retrieving"
    RESEARCHING = "researching"
    ANSWERING = "answering"
    CHECKING = "checking"
    SAVING = "saving"


@dataclass(frozen=True, slots=True)
class PhaseChanged:
    """The ask goes on to this."""

    phase: Phase


@dataclass(frozen=True, slots=True)
class SourcesFound:
    """The evidence the answer is drafted from, before its first word."""

    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Citation:
    """A place in the answer that an item stands behind. `start` and `end` are code point offsets of its mark, `claim`
    is the sentence or clause that it is to bear."""

    mark: str
    start: int
    end: int
    item: EvidenceItem
    claim: str = ""


@dataclass(frozen=True, slots=True)
class DroppedCitation:
    """A mark that was taken out, by which lens (or "mark" for one that names no item), and why."""

    mark: str
    by: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Cited:
    """The whole answer and its checked citations, once, after the last word.

    `is_verified`: whether a citation that was checked stands behind what it states; False: it states something and none
    does. None where nothing was to be cited: small talk, a JSON reply, a call of the client's tools, nothing found.
    """

    text: str
    citations: tuple[Citation, ...]
    dropped: tuple[DroppedCitation, ...] = ()
    is_verified: bool | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of an ask that did not fail. `provider` and `model` are None where no model was called.

    `notes` say what went less than well: an arm that was late, a source that failed.
    """

    reason: FinishReason
    usage: TokenUsage
    trace: Trace
    provider: str | None = None
    model: str | None = None
    notes: tuple[str, ...] = ()


#: A failing ask raises a DosoError out of its generator: ProviderStreamFailed after the first word, others before it.
AskEvent = PhaseChanged | SourcesFound | ReasoningDelta | TextDelta | ToolCallDelta | Cited | Finished
