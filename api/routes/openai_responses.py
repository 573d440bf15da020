"""OpenAI's Responses on the same asks, without keeping any."""

from contextlib import aclosing
from typing import Any

from litestar import Request, Response, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec

from api.asking import ask
from api.kit import Kit
from api.routes.openai_chat import base_url_of, request_id_of
from api.schemas.answers import Telling
from api.schemas.chat_ask import Asked, to_ask
from api.schemas.common import decoded
from api.schemas.responses import ResponseOut, begun
from api.schemas.responses_in import ResponsesIn, left_out, to_chat
from api.wire.responses import ResponseEvents
from api.wire.sending import begin_stream
from doso.accounts import Caller
from doso.errors import InvalidInput
from doso.ids import OwnerId, new_id
from doso.runtime import Runtime

_REPLY = "The response; with `stream` its events, as server-sent events."
#: Fields of a chat completion by their names here.
_SPELLED = {"max_completion_tokens": "max_output_tokens", "reasoning_effort": "reasoning.effort"}


@post(
    "/v1/responses",
    status_code=200,
    responses={200: ResponseSpec(ResponseOut, generate_examples=False, description=_REPLY)},
)
async def respond(
    request: Request[Any, Any, Any], kit: NamedDependency[Kit], caller: NamedDependency[Caller]
) -> Response[Any]:
    """Answer the last user message from the memory, in OpenAI's newer form; nothing is kept."""
    body = decoded(await request.body(), ResponsesIn)
    runtime = await kit.runtime.read()
    asked = _asked(body, caller.owner, runtime)
    encoder = ResponseEvents(
        begun(body, id=f"resp_{new_id().replace('-', '')}", created_at=int(kit.clock().timestamp())),
        request_id=request_id_of(request),
        telling=Telling(base_url_of(request), asked.has_trace, (*asked.notes, *left_out(body))),
    )
    events = ask(kit, runtime, asked.question, asked.wish)
    if body.stream:
        return await begin_stream(request, events, encoder)
    async with aclosing(events):
        async for event in events:
            encoder.feed(event)
    encoder.end()
    return Response(encoder.response)


def _asked(body: ResponsesIn, owner: OwnerId, runtime: Runtime) -> Asked:
    try:
        return to_ask(to_chat(body), owner, runtime)
    except InvalidInput as error:
        name = error.param or ""
        spelled = "input" if name.startswith("messages") else _SPELLED.get(name, error.param)
        raise InvalidInput(error.message, param=spelled) from error
