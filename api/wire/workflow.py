"""Workflow events as server-sent events: numbered, so that a client which was cut off goes on where it was."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from datetime import datetime
from enum import Enum, auto

import msgspec

from api.wire.sse import frame, json_line
from doso.errors import DosoError
from doso.ids import OwnerId
from doso.workflow import Field, NumberedEvent
from doso.workflow_events import WorkflowEvents


class Note(Enum):
    """What the stream itself has to say."""

    OPENED = auto()
    MISSED = auto()


class WorkflowEventOut(msgspec.Struct, frozen=True):
    """One event."""

    name: str
    at: datetime
    work_id: str
    conversation_id: str | None
    fields: Mapping[str, Field]


async def workflow_stream(
    events: WorkflowEvents, owner: OwnerId, *, after: int | None, conversation_id: str | None
) -> AsyncGenerator[NumberedEvent | Note, None]:
    """The owner's events, opened at once; where some that a client asks for are gone already, it is told so."""
    yield Note.OPENED
    if after is not None and after + 1 < await events.oldest():
        yield Note.MISSED
    async with aclosing(events.follow(owner, after=after, conversation_id=conversation_id)) as following:
        async for numbered in following:
            yield numbered


class WorkflowFrames:
    """Implements api.wire.sse.Encoder."""

    def feed(self, event: NumberedEvent | Note) -> bytes:
        """The frame of an event."""
        match event:
            case Note.OPENED:
                return b": open\n\n"
            case Note.MISSED:
                return frame(b"{}", "events.missed")
            case NumberedEvent(number, told):
                out = WorkflowEventOut(told.name, told.at, told.work_id, told.conversation_id, told.fields)
                return b"id: %d\n" % number + frame(json_line(out), told.name)

    def end(self) -> bytes:
        """It has no end of its own."""
        return b""

    def failed(self, error: Exception) -> bytes:
        """Why it stops; a client may come again with the last number it saw."""
        code = error.code if isinstance(error, DosoError) else "internal"
        return frame(json_line({"code": code}), "events.failed")
