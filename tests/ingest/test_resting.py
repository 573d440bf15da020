"""How long a model that failed is left alone."""

from __future__ import annotations

from doso.ids import OwnerId
from ingest.resting import MAX_UNANSWERED, Rests

ANA, BO = OwnerId("ana"), OwnerId("bo")


def test_each_failure_doubles_the_rest_up_to_the_ceiling_and_success_ends_it() -> None:
    now = [0.0]
    rests = Rests(first_s=10, ceiling_s=30, now_s=lambda: now[0])
    lengths = []
    for _ in range(4):
        rests.begin(ANA, "provider.timeout")
        start = now[0]
        while rests.why(ANA) is not None:
            now[0] += 1
        lengths.append(now[0] - start)
    assert lengths == [10, 20, 30, 30]
    rests.end(ANA)
    rests.begin(ANA, "again")
    now[0] += 10
    assert rests.why(ANA) is None


def test_a_wish_of_the_server_counts_within_the_ceiling() -> None:
    now = [0.0]
    rests = Rests(first_s=10, ceiling_s=60, now_s=lambda: now[0])
    rests.begin(ANA, "provider.rate_limited", wanted_s=45)
    now[0] = 44
    assert rests.why(ANA) == "provider.rate_limited"
    rests.begin(ANA, "provider.rate_limited", wanted_s=10**9)
    now[0] = 44 + 61
    assert rests.why(ANA) is None


def test_owners_rest_apart() -> None:
    rests = Rests(now_s=lambda: 0.0)
    rests.begin(ANA, "down")
    assert (rests.why(ANA), rests.why(BO)) == ("down", None)


def test_other_models_in_the_settings_end_the_rest() -> None:
    rests = Rests(now_s=lambda: 0.0)
    rests.see(ANA, "one")
    rests.begin(ANA, "provider.refused")
    rests.see(ANA, "one")
    assert rests.why(ANA) == "provider.refused"
    rests.see(ANA, "two")
    assert rests.why(ANA) is None


def test_a_run_of_unanswered_documents_is_the_models_fault() -> None:
    rests = Rests(now_s=lambda: 0.0)
    assert [rests.is_lasting(ANA) for _ in range(MAX_UNANSWERED + 3)] == [False] * MAX_UNANSWERED + [True, False, True]
    rests.end(ANA)
    assert not rests.is_lasting(ANA)
