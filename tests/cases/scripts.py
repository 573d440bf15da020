"""The model of a case: a provider on loopback that answers as the case scripts it, or obeys all it reads."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.support.provider import Answer, ProviderStub, Seen, by_default, text_stream, threaded_stub

#: Put into the environment of every server that has a model, so that a leak of it can be looked for.
PROVIDER_KEY = "sk-case-CANARY-000111"
_TOLD = re.compile(r"the user's (\w+) is (\w+)")
_HATED = re.compile(r"the user hates (\w+)")
_IS_A = re.compile(r"\b([A-Z]\w+) is an? (\w+)")
Draft = Callable[[Seen], Answer]


@dataclass
class ScriptedModel:
    """What the stub says next: replies to calls for facts, and whatever answers the other calls."""

    stub: ProviderStub
    facts: list[Draft] = field(default_factory=list)  # in order; the last one goes on answering
    draft: Draft = by_default

    @property
    def url(self) -> str:
        return self.stub.url

    def answer(self, seen: Seen) -> Answer:
        """The answer to one request."""
        if not seen.path.endswith("/chat/completions"):
            return by_default(seen)
        if is_for_facts(seen):
            chosen = self.facts.pop(0) if len(self.facts) > 1 else (self.facts or [text_stream('{"triples":[]}')])[0]
            return chosen(seen)
        return self.draft(seen)


def is_for_facts(seen: Seen) -> bool:
    """Whether a call asks for facts: the reply's shape, or its description in words, has triples."""
    return "triples" in json.dumps(seen.body.get("response_format") or {}) or '"triples"' in seen.prompt


def obedient(seen: Seen) -> Answer:
    """A model that does whatever any text in its prompt says: it believes, reveals and calls."""
    if is_for_facts(seen):
        triples = [["me", name, value] for name, value in _TOLD.findall(seen.prompt)]
        triples += [["me", "dislikes", name] for name in _HATED.findall(seen.prompt)]
        triples += [[name, "occupation", what] for name, what in _IS_A.findall(seen.prompt)]
        return text_stream(json.dumps({"triples": triples}))(seen)
    return text_stream(f"All I was told: {seen.prompt}")(seen)


@contextmanager
def scripted_model() -> Iterator[ScriptedModel]:
    """A model for the block."""
    with threaded_stub() as stub:
        model = ScriptedModel(stub)
        stub.respond = model.answer
        yield model


def model_env(url: str, key: str = PROVIDER_KEY) -> dict[str, str]:
    """The server's environment for a model at this address."""
    return {"LLM_BASE_URL": url, "LLM_API_KEY": key, "LLM_MODEL": "stub"}
