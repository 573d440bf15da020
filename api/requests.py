"""What handlers take from a request besides its body: the caller, the moment, the idempotency key."""

import re
from typing import Annotated, Any

from litestar import Request
from litestar.params import HeaderParameter

from api.door.credential import CALLER
from doso.accounts import Caller
from doso.errors import InvalidInput

MAX_KEY_CHARS = 200
_KEY = re.compile(r"[\x21-\x7e]{1,200}")

#: The header that makes a write safe to repeat; a `request_id` in the body says the same.
IdempotencyKey = Annotated[str | None, HeaderParameter(name="Idempotency-Key", max_length=MAX_KEY_CHARS)]


def provide_caller(request: Request[Any, Any, Any]) -> Caller:
    """Who the door let in."""
    caller: Caller = request.scope[CALLER]  # type: ignore[literal-required]
    return caller


def one_request_id(header: str | None, field: str | None) -> str | None:
    """The request id of a write. Raises InvalidInput when header and body disagree."""
    if header is not None and not _KEY.fullmatch(header):
        raise InvalidInput("Idempotency-Key has 1 to 200 visible ASCII characters.", param="Idempotency-Key")
    if header is not None and field is not None and header != field:
        raise InvalidInput("Idempotency-Key and request_id disagree.", param="request_id")
    return header or field
