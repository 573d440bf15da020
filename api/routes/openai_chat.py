"""Chat completions: the answer of Doso to any client that speaks OpenAI's tongue."""

from typing import Any

from litestar import Request, Response, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec

from api.asking import ask
from api.door.trail import REQUEST_ID
from api.kit import Kit
from api.schemas.answers import Telling
from api.schemas.chat import ChatIn
from api.schemas.chat_ask import to_ask
from api.schemas.common import decoded
from api.schemas.completions import CompletionOut, to_completion
from api.wire.openai import ChatChunks
from api.wire.sending import begin_stream
from api.wire.whole import hear_out
from doso.accounts import Caller
from doso.ids import new_id

_REPLY = "The reply; with `stream` its chunks, as server-sent events."


@post(
    "/v1/chat/completions",
    status_code=200,
    responses={200: ResponseSpec(CompletionOut, generate_examples=False, description=_REPLY)},
)
async def complete_chat(
    request: Request[Any, Any, Any], kit: NamedDependency[Kit], caller: NamedDependency[Caller]
) -> Response[Any]:
    """Answer the last user message from the memory, with citations that were checked."""
    body = decoded(await request.body(), ChatIn)
    runtime = await kit.runtime.read()
    asked = to_ask(body, caller.owner, runtime)
    telling = Telling(base_url_of(request), asked.has_trace, asked.notes)
    id, created = f"chatcmpl-{new_id().replace('-', '')}", int(kit.clock().timestamp())
    events = ask(kit, runtime, asked.question, asked.wish)
    if not body.stream:
        heard = await hear_out(events)
        return Response(to_completion(heard, id=id, created=created, model=body.model, telling=telling))
    options = body.stream_options
    encoder = ChatChunks(
        id=id,
        created=created,
        model=body.model,
        request_id=request_id_of(request),
        telling=telling,
        has_usage=options is not None and bool(options.include_usage),
    )
    return await begin_stream(request, events, encoder)


def base_url_of(request: Request[Any, Any, Any]) -> str:
    """Where the caller reaches this server."""
    return str(request.base_url).rstrip("/")


def request_id_of(request: Request[Any, Any, Any]) -> str:
    """The id by which the log knows this request."""
    request_id: str = request.scope[REQUEST_ID]  # type: ignore[literal-required]
    return request_id
