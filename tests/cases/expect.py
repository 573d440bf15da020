"""Expectations of a case by name. A key that has no check fails the runner, never passes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.cases import checks_http as http
from tests.cases import checks_import as imported
from tests.cases import checks_memory as memory
from tests.cases import checks_model as model
from tests.cases import checks_stream as stream
from tests.cases import checks_web as web
from tests.cases.model import NoDoorError, Outcome, RunnerError
from tests.cases.plans import plan_has_no
from tests.cases.scene import Check, Scene, needs

#: Keys that say why or where, not what.
COMMENTS = frozenset({"why", "note", "store", "order"})
_STEPS = re.compile(r"^(?:step|turn)s?_(\d+)(?:_(?:to_)?(\d+))?$")


def check(scene: Scene, outcome: Outcome, expected: dict[str, Any]) -> list[NoDoorError]:
    """Check all keys; the doors that were missing come back, what was not met is raised."""
    missing: list[NoDoorError] = []
    leaves = outcome.leaves()
    if all(leaf.missing is not None for leaf in leaves):
        return [leaf.missing for leaf in leaves if leaf.missing is not None]
    for key, value in expected.items():
        if key in COMMENTS:
            continue
        try:
            if match := _STEPS.match(key):
                first, last = int(match[1]), int(match[2] or match[1])
                for part in outcome.parts[first - 1 : last]:
                    missing += check(scene.of(part.user), part, value)
            elif key in CHECKS:
                missing += CHECKS[key](scene, outcome, value) or []
            else:
                raise RunnerError(f"unknown expectation {key!r}")
        except NoDoorError as error:
            missing.append(error)
    return missing + [leaf.missing for leaf in outcome.leaves() if leaf.missing is not None]


def either(is_first: Callable[[Scene, Any], bool], first: Check, second: Check) -> Check:
    """A key that two kinds of cases use for different things."""

    def chosen(scene: Scene, outcome: Outcome, value: Any) -> list[NoDoorError] | None:
        return (first if is_first(scene, value) else second)(scene, outcome, value)

    return chosen


CHECKS: dict[str, Check] = {
    **model.CHECKS,
    **stream.CHECKS,
    **web.CHECKS,
    "after_load": http.after_load,
    "after_turn": memory.after_turn,
    "aliases": memory.listed("aliases"),
    "aliases_include": memory.aliases_include,
    "aliases_of": memory.aliases_of,
    "all_steps": http.all_steps,
    "answer_contains": http.answer_contains,
    "answer_not_contains": http.answer_not_contains,
    "answer_within_s": http.seconds_max,
    "attempts_min": imported.attempts_min,
    "bodies_equal": memory.compared_across_stores,
    "body_has_no": http.body_has_no,
    "canonical": memory.listed("canonical"),
    "canonical_codepoints_without": memory.listed("codepoints"),
    "citations": either(lambda _scene, value: isinstance(value, int), http.citations, stream.citations),
    "conversations_created": needs("conversations"),
    "count": http.count,
    "count_on_each": memory.count_on_each,
    "dates": imported.dates,
    "duplicates": memory.duplicates,
    "each": http.each,
    "each_keeps_its_own_fact": memory.each_keeps_its_own_fact,
    "edges_distinct": memory.edges_distinct,
    "edges_max": http.edges_max,
    "edges_sent_to_model_max": http.items_max,
    "entities": memory.entities,
    "error_body": http.error_body,
    "errors_5xx": http.errors_5xx,
    "evidence_count": memory.evidence_count,
    "evidence_of_fact": memory.evidence_of_fact,
    "facts": memory.facts,
    "facts_now": memory.facts_now,
    "facts_on_entity": memory.facts_on_entity,
    "facts_total": memory.facts_total,
    "facts_total_new": memory.facts_total_new,
    "first_message_contains": imported.first_message_contains,
    "for_value": either(lambda scene, _value: scene.case.needs_model, model.for_value, http.for_value),
    "forbidden_alias": memory.forbidden_alias,
    "header": http.header,
    "hits": http.hits,
    "hits_contain": http.hits_contain,
    "hits_min": http.hits_min,
    "if_200": http.if_status(200),
    "if_2xx": http.if_status(200),
    "if_413": http.if_status(413),
    "if_starts": http.if_starts,
    "imported_min": imported.imported_min,
    "in": http.one_of,
    "job": imported.job,
    "jobs": imported.jobs,
    "jobs_final": imported.jobs_final,
    "last": imported.last,
    "latency_ms_max": http.latency_ms_max,
    "latency_s_max": http.seconds_max,
    "lost_acknowledged_writes": imported.lost_acknowledged_writes,
    "mentions": http.mentions,
    "messages": imported.messages,
    "messages_in": imported.messages,
    "messages_total": imported.messages,
    "must_name_both_or_ask": http.must_name_both_or_ask,
    "never": http.never,
    "steps_2_3": needs("conversations"),
    "next_request_ok": http.next_request_ok,
    "no_5xx": http.no_5xx,
    "not": http.is_not,
    "not_facts_now": memory.not_facts_now,
    "p95_ms_max": http.percentile(0.95, 1000),
    "p95_s_max": http.percentile(0.95, 1),
    "p99_s_max": http.percentile(0.99, 1),
    "placeholders_counted": imported.skipped_as("placeholder"),
    "plan_has_no": plan_has_no,
    "provider_requests_each_below_limit": needs("chat memory"),
    "provider_calls": http.provider_calls,
    "provider_calls_max": http.provider_calls_max,
    "read_back": memory.read_back,
    "reason": imported.reason,
    "rejected": imported.rejected,
    "results_returned": http.results_returned,
    "rss_growth_mb_max": http.rss_growth_mb_max,
    "same_body_as_random_id": http.same_body_as_random_id,
    "same_ids_on_both_stores": memory.compared_across_stores,
    "same_status_on_both_stores": memory.compared_across_stores,
    "server_memory_growth_mb_max": http.rss_growth_mb_max,
    "server_process_restarts": memory.restarts,
    "share_200_min": http.share_200_min,
    "status": http.status,
    "status_in": either(lambda scene, _value: scene.case.needs_web, web.status_in_or_told, http.status_in),
    "stored_message_equals_sent": needs("conversations"),
    "stored_text_has_no": needs("conversations"),
    "stored_times_all_utc_aware": memory.stored_times_all_utc_aware,
    "system_lines": imported.skipped_as("system"),
    "text": either(lambda scene, _value: scene.case.needs_model, stream.content, imported.text),
    "text_lost_chars": imported.text_lost_chars,
    "then_list_conversations": needs("conversations"),
    "times_utc": imported.times_utc,
    "title": needs("conversations"),
    "top_hit_contains": http.top_hit_contains,
    "traceback_in_log": memory.no_traceback,
    "truncated_flag": http.truncated_flag,
    "types_listed": memory.types_listed,
    "u1_answer_has_no": memory.answers_of("u1"),
    "u1_data_unchanged": memory.unchanged,
    "u2_answer_has_no": memory.answers_of("u2"),
    "uploads_acknowledged_lost": imported.uploads_acknowledged_lost,
    "within_s": http.seconds_max,
    "write_p99_ms_max": http.percentile(0.99, 1000),
    "blank.txt": lambda scene, outcome, value: imported.file_receipt(scene, outcome, value, "blank.txt"),
    "ok.txt": lambda scene, outcome, value: imported.file_receipt(scene, outcome, value, "ok.txt"),
}
