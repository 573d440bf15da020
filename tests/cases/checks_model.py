"""Expectations of what a scripted model led to: calls of its server, facts of its replies, secrets kept."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.cases.frames import reply_of
from tests.cases.model import Outcome
from tests.cases.scene import Check, Scene, answered, must, needs, within, words
from tests.cases.scripts import PROVIDER_KEY, is_for_facts
from tests.cases.verbs_model import ask, scripted

ROOT = Path(__file__).parents[2]
_EVALUATES = re.compile(r"(?<![.\w])(?:eval|exec|literal_eval)\(")


def client_status(_scene: Scene, outcome: Outcome, value: int) -> None:
    for part in answered(outcome):
        must(part.status == value, f"{part.status}, not {value}: {part.text[:160]}")


def client_status_in(_scene: Scene, outcome: Outcome, value: list[int]) -> None:
    for part in answered(outcome):
        must(part.status in value, f"{str(part.label)[:40]} gave {part.status}: {part.text[:160]}")


def gap_between_calls_s(_scene: Scene, outcome: Outcome, value: list[float]) -> None:
    gap_s = outcome.numbers["gap_s"]
    must(gap_s >= value[0], f"tried again after {gap_s:.2f} s")
    within(gap_s <= value[1], f"tried again after {gap_s:.2f} s")


def for_value(scene: Scene, outcome: Outcome, value: dict[str, dict[str, Any]]) -> None:
    for name, wanted in value.items():
        for part in outcome.parts:
            if name in part.label and "client_header_retry_after_s_min" in wanted and part.status == 429:
                after_s = int(part.headers["retry-after"])
                must(after_s >= wanted["client_header_retry_after_s_min"], f"retry-after is {after_s}")


def chat_reply_status(scene: Scene, _outcome: Outcome, value: int) -> None:
    answer = ask(scene.world, scene.user, scene.case.input["turns"][-1], stream=False)
    must(answer.status == value, f"the chat gave {answer.status}")


def memory_status(_scene: Scene, outcome: Outcome, value: str) -> None:
    must(value == "retried_or_marked_unprocessed", f"unknown: {value}")
    for part in outcome.leaves():
        for receipt in part.operations:
            is_marked = bool(receipt.get("unread") or receipt.get("error") or receipt["state"] == "failed")
            must(is_marked or part.numbers["provider_calls"] > 1, f"the receipt says {receipt}")


def log_reason(scene: Scene, _outcome: Outcome, value: str) -> None:
    must(value in scene.world.server.log_path.read_text(errors="replace"), f"the log does not say {value!r}")


def stored_string_max_len(scene: Scene, _outcome: Outcome, value: int) -> None:
    for fact in scene.memory().every:
        must(len(str(fact["object"].get("name", ""))) <= value, "an endless string was stored")


def values_are_plain(scene: Scene, _outcome: Outcome, _value: bool) -> None:
    for fact in scene.memory().every:
        must(isinstance(fact["object"].get("name"), str), f"a value without a text: {fact['object']}")


def null_in_list(scene: Scene, _outcome: Outcome, value: bool) -> None:
    lists = [fact["object"].get("value") for fact in scene.memory().every]
    must(any(isinstance(item, list) and None in item for item in lists) is value, "a list with nothing in it")


def dangling_edges(scene: Scene, _outcome: Outcome, value: int) -> None:
    memory = scene.memory()
    known = {entity["id"] for entity in memory.entities}
    ends = [fact[side].get("id") for fact in memory.every for side in ("subject", "object")]
    must(sum(end is not None and end not in known for end in ends) == value, "an edge to nothing")


def facts_with_empty_predicate(scene: Scene, _outcome: Outcome, value: int) -> None:
    found = sum(not fact["predicate"].strip() for fact in scene.memory().every)
    must(found == value, f"{found} facts without a predicate")


def eval_used(_scene: Scene, _outcome: Outcome, value: bool) -> None:
    sources = [path.read_text(encoding="utf-8") for name in ("doso", "ingest") for path in (ROOT / name).rglob("*.py")]
    must(any(_EVALUATES.search(source) for source in sources) is value, "text of a model is evaluated")


def facts_now_count_new(scene: Scene, _outcome: Outcome, value: int) -> None:
    must(len(scene.memory().facts) == value, f"{len(scene.memory().facts)} facts")


def value_contains(scene: Scene, _outcome: Outcome, value: str) -> None:
    must(any(value in str(fact["object"]["name"]) for fact in scene.memory().facts), f"no value holds {value!r}")


def answer_has_no(scene: Scene, outcome: Outcome, value: list[str]) -> None:
    """Neither the evidence nor what a model that obeys every text makes of it."""
    secrets = [text.replace("{{provider_api_key}}", PROVIDER_KEY) for text in value]
    question = scene.case.input["steps"][-1]["body"]["question"]
    reply = reply_of(ask(scene.world, scene.user, question, stream=True))
    told = "\n".join([reply.text, reply.reasoning, *(words(part) for part in outcome.leaves())])
    must(not any(secret in told for secret in secrets), "an answer shows what it must not")


def other_user_queries(scene: Scene, _outcome: Outcome, value: int) -> None:
    """No draft of this user is made from what another one said."""
    steps = [step for step in scene.case.input["steps"] if step.get("user") != scene.user]
    said = [turn for step in steps for turn in step.get("turns", ())]
    drafts = [seen.prompt for seen in scripted(scene.world).stub.chats if not is_for_facts(seen)]
    must(sum(turn in prompt for turn in said for prompt in drafts) == value, "a draft was made from another's words")


def prompt_sent(scene: Scene, outcome: Outcome, value: dict[str, Any]) -> None:
    """The text of a document stands in one message of ours as data: it opens no role and closes no fence."""
    answer_has_no(scene, outcome, [])
    for seen in scripted(scene.world).stub.chats:
        roles = [message["role"] for message in seen.body["messages"]]
        foreign = [role for role in roles if role not in ("system", "user", "assistant")]
        must(len(foreign) == value["roles_from_document"], f"roles {roles}")
        if value["document_text_is_escaped_or_encoded"]:
            for token in ("<|im_start|>", "<|im_end|>", "</evidence>", "</document>"):
                must(token not in seen.prompt, f"{token} reached the model as it stands")


def memories_deleted(scene: Scene, _outcome: Outcome, value: int) -> None:
    documents = scene.world.all(scene.user, "/v1/documents")
    writes = {"upload", "chat"}
    written = sum(step["do"] in writes and step["user"] == scene.user for step in scene.case.input["steps"])
    must(written - len(documents) == value, f"{len(documents)} of {written} documents are left")


def answer_not_claims(scene: Scene, outcome: Outcome, value: list[str]) -> None:
    for part in outcome.leaves():
        for item in (part.body or {}).get("items", []) if isinstance(part.body, dict) else []:
            if item["kind"] == "fact":
                must(not any(claim in item["text"] for claim in value), f"claimed: {item['text']}")
    for fact in scene.memory().facts:
        must(not any(claim in str(fact["object"]["name"]) for claim in value), f"a fact: {fact['object']['name']}")


def citation(_scene: Scene, outcome: Outcome, value: str) -> None:
    sources = [source for item in outcome.body["items"] for source in item["sources"]]
    names = [str(text) for one in sources for text in (one["title"], one.get("uri"), *one.get("external_ids", ()))]
    must(any(value in name for name in names), f"cited are {names}")


CHECKS: dict[str, Check] = {
    "answer_has_no": answer_has_no,
    "answer_not_claims": answer_not_claims,
    "chat_reply_status": chat_reply_status,
    "citation": citation,
    "client_status": client_status,
    "client_status_in": client_status_in,
    "dangling_edges": dangling_edges,
    "eval_used": eval_used,
    "facts_now_count_new": facts_now_count_new,
    "facts_with_empty_predicate": facts_with_empty_predicate,
    "for_value": for_value,
    "frames_end_with": needs("conversations"),
    "gap_between_calls_s": gap_between_calls_s,
    "log_has": needs("conversations"),
    "log_has_no": needs("conversations"),
    "log_reason": log_reason,
    "memories_deleted": memories_deleted,
    "memory_status": memory_status,
    "null_in_list": null_in_list,
    "prompt_sent_to_model": prompt_sent,
    "stored_string_max_len": stored_string_max_len,
    "tool_or_store_queries_with_other_user": other_user_queries,
    "value_contains": value_contains,
    "values_are_primitive_or_json_text": values_are_plain,
}
