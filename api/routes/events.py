"""What the server is doing for its caller, as it happens."""

from typing import Annotated, Any

from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import HeaderParameter, QueryParameter

from api.kit import Kit
from api.wire.sending import begin_stream
from api.wire.workflow import WorkflowEventOut, WorkflowFrames, workflow_stream
from doso.accounts import Caller
from doso.errors import InvalidInput

MAX_ID_CHARS = 200
MAX_DIGITS = 18


@get(
    "/v1/events",
    responses={200: ResponseSpec(WorkflowEventOut, generate_examples=False, description="Server-sent events.")},
)
async def follow_events(
    request: Request[Any, Any, Any],
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    conversation_id: Annotated[str | None, QueryParameter(max_length=MAX_ID_CHARS)] = None,
    last_event_id: Annotated[str | None, HeaderParameter(name="Last-Event-ID", max_length=MAX_ID_CHARS)] = None,
) -> Response[Any]:
    """Workflow events of the caller from now on, or after `Last-Event-ID`: stages, ids and counts, never content."""
    kit.events.check_room(caller.owner)
    events = workflow_stream(kit.events, caller.owner, after=_number(last_event_id), conversation_id=conversation_id)
    return await begin_stream(request, events, WorkflowFrames())


def _number(last_event_id: str | None) -> int | None:
    if not last_event_id:
        return None
    if not (last_event_id.isascii() and last_event_id.isdigit()) or len(last_event_id) > MAX_DIGITS:
        raise InvalidInput("Last-Event-ID is the id of an event of this stream.", param="Last-Event-ID")
    return int(last_event_id)
