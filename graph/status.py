"""The rules of a fact's life: when it counts, what gives way to what, what another source changes. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum

from doso.records import Fact, FactDraft, Provenance, Status, Trust


class Contest(StrEnum):
    """What becomes of a new value of a single-valued predicate beside an older one."""

    BESIDE = "beside"  # they hold at different times
    SUPERSEDES = "supersedes"
    HISTORY = "history"  # the new value was true earlier: the older one stands
    CONFLICT = "conflict"  # a higher tier says otherwise


def first_status(draft: FactDraft) -> Status:
    """The status of a fact nobody stated before: a person's word and a rule's count at once."""
    if draft.provenance.trust is Trust.USER or draft.status is Status.VERIFIED:
        return Status.VERIFIED
    return Status.CANDIDATE


def world_time(valid_from: datetime | None, supports: Iterable[Provenance]) -> datetime | None:
    """Since when a value is known to hold in the world: its own start, else the last time that it was said."""
    if valid_from is not None:
        return valid_from
    said = [support.occurred_at for support in supports if support.occurred_at is not None]
    return max(said) if said else None


def has_ended(fact: Fact, now: datetime) -> bool:
    """Whether the fact no longer holds in the world."""
    return fact.valid_until is not None and fact.valid_until <= now


def contest(new: Fact, old: Fact, now: datetime) -> Contest:
    """How a new value stands to an older, current one of the same subject and single-valued predicate."""
    if has_ended(new, now) or has_ended(old, now):
        return Contest.BESIDE
    if new.trust < old.trust:
        return Contest.CONFLICT
    ours, theirs = world_time(new.valid_from, new.provenance), world_time(old.valid_from, old.provenance)
    if ours is not None and theirs is not None and ours < theirs:
        return Contest.HISTORY
    return Contest.SUPERSEDES


def is_taken_back(rows: Sequence[Fact]) -> bool:
    """Whether the newest of a triple's rows (newest first) was rejected, forgotten or undone rather than replaced."""
    return bool(rows) and rows[0].retired_at is not None and rows[0].superseded_by is None


def is_supported_by(fact: Fact, support: Provenance) -> bool:
    """Whether this very passage supports the fact already."""
    return any(
        (held.document_id, held.passage_id, held.extractor)
        == (support.document_id, support.passage_id, support.extractor)
        for held in fact.provenance
    )


def is_second_source(held: Provenance, other: Provenance) -> bool:
    """Whether the two supports are of two documents that state it, neither a copy (forward, quotation) of the other;
    what was only inferred from a document does not count."""
    if held.document_id is None or other.document_id is None or held.document_id == other.document_id:
        return False
    if Trust.INFERRED in (held.trust, other.trust):
        return False
    return held.fingerprint is None or held.fingerprint != other.fingerprint


def may_take_back(fact: Fact, draft: FactDraft) -> bool:
    """Whether a denial weighs enough against what stands: no lower tier's, and no guess against what counts."""
    is_guess = first_status(draft) is Status.CANDIDATE and fact.status is Status.VERIFIED
    return draft.provenance.trust >= fact.trust and not is_guess


def is_said_anew(fact: Fact, draft: FactDraft, now: datetime) -> bool:
    """Whether a draft says that an ended fact holds again."""
    if not has_ended(fact, now) or draft.valid_until is not None or fact.valid_until is None:
        return False
    said = world_time(draft.valid_from, (draft.provenance,))
    return said is not None and said > fact.valid_until


def with_support(fact: Fact, draft: FactDraft, now: datetime) -> Fact:
    """The fact once the draft's passage supports it too.

    A candidate counts once a person, a rule or a second independent document says the same.
    """
    support = draft.provenance
    supports = fact.provenance if is_supported_by(fact, support) else (*fact.provenance, support)
    is_repeated = any(is_second_source(held, support) for held in fact.provenance)
    counts = fact.status is Status.VERIFIED or first_status(draft) is Status.VERIFIED or is_repeated
    may_end = support.trust >= fact.trust
    return replace(
        fact,
        provenance=supports,
        status=Status.VERIFIED if counts else Status.CANDIDATE,
        verified_at=fact.verified_at or (now if counts else None),
        trust=max(fact.trust, support.trust),
        confidence=max(fact.confidence, draft.confidence),
        valid_from=fact.valid_from or draft.valid_from,
        valid_until=draft.valid_until if draft.valid_until and may_end else fact.valid_until,
        zone=fact.zone or draft.zone,
    )


def superseded(old: Fact, new: Fact, now: datetime) -> Fact:
    """The older value once the new one stands; it held until the new one's own start, where that is known."""
    until = old.valid_until
    if until is None and new.valid_from is not None and (old.valid_from is None or old.valid_from < new.valid_from):
        until = new.valid_from
    return replace(old, status=Status.SUPERSEDED, retired_at=now, superseded_by=new.id, valid_until=until)


def as_history(new: Fact, standing: Fact, now: datetime) -> Fact:
    """A new row for what was true earlier, while the standing value stays."""
    until = new.valid_until or (standing.valid_from if standing.valid_from else None)
    if until is not None and new.valid_from is not None and until <= new.valid_from:
        until = new.valid_until
    return replace(
        new,
        status=Status.SUPERSEDED,
        retired_at=now,
        superseded_by=standing.id,
        verified_at=new.verified_at,
        valid_until=until,
    )


def rejected(fact: Fact, now: datetime) -> Fact:
    """The fact as something that never was true."""
    return replace(fact, status=Status.REJECTED, retired_at=now, superseded_by=None)


def forgotten(fact: Fact, now: datetime) -> Fact:
    """The fact as something no read shows, not even of the past; also what an undone assertion becomes."""
    return replace(fact, status=Status.SUPERSEDED, retired_at=now, superseded_by=None, verified_at=None)


def revived(fact: Fact) -> Fact:
    """A superseded fact once what superseded it is gone."""
    status = Status.CANDIDATE if fact.verified_at is None else Status.VERIFIED
    return replace(fact, status=status, retired_at=None, superseded_by=None)
