"""Every verb of the cases, and what does it."""

from __future__ import annotations

from collections.abc import Mapping

from tests.cases import doors
from tests.cases import verbs_intake as intake
from tests.cases import verbs_live as live
from tests.cases import verbs_many as many
from tests.cases import verbs_model as model
from tests.cases import verbs_requests as requests
from tests.cases import verbs_server as server
from tests.cases.crashes import loop
from tests.cases.model import Outcome
from tests.cases.steps import Step, Verb
from tests.cases.world import World


def later(capability: str) -> Verb:
    """A verb of a later issue."""

    def verb(_world: World, _step: Step) -> Outcome:
        raise doors.no_door(capability)

    return verb


VERBS: Mapping[str, Verb] = {
    "http": requests.http,
    "http_pair": requests.http_pair,
    "http_bytes": requests.http_bytes,
    "raw_http": requests.raw_http,
    "chat": intake.chat,
    "chat_with_scripted_answer": model.chat_with_scripted_answer,
    "chat_with_scripted_llm": model.chat_with_scripted_llm,
    "firecrawl_answers": live.firecrawl_answers,
    "import_archive": intake.import_archive,
    "grep_files": later("usage and budgets"),
    "open_ui": later("pages"),
    "provider_script": model.provider_script,
    "provider_stream": model.provider_stream,
    "scripted_answer_tokens": model.scripted_answer_tokens,
    "stream": later("conversations"),
    "stream_then_close": model.stream_then_close,
    "create_api_key": later("usage and budgets"),
    "import_text": intake.import_text,
    "upload": intake.upload,
    "import_messages": intake.import_messages,
    "import_whatsapp": intake.import_whatsapp,
    "load_py": intake.load_py,
    "create_user": intake.create_user,
    "seq": many.seq,
    "backend_parity": many.seq,
    "for_each": many.for_each,
    "parallel": many.parallel,
    "parallel_distinct": many.parallel_distinct,
    "mixed_load": many.mixed_load,
    "timed": many.timed,
    "loop": loop,
    "restart_server": server.restart_server,
    "server_env": server.server_env,
    "kill9": server.kill9,
    "start": server.start,
    "start_server": server.start_server,
    "wait_ready": server.wait_ready,
    "wait_jobs": server.wait_jobs,
    "wait_job": server.wait_jobs,
    "raw_insert": later("stored rows without an owner"),
}
