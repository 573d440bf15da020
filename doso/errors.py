"""Every error that Doso raises on purpose, each with a stable code and the remedy.

DosoError
├── InvalidInput            validation           400  the caller can mend the request
│   ├── TooLarge            too_large            413  a bound of the door was passed
│   ├── UnknownFormat       import.unknown_format 422 no importer reads these bytes
│   ├── NoText              import.no_text       422  nothing readable in the file
│   └── AddressRefused      fetch.refused        400  an address that is not opened: private, or badly written
├── AuthRequired            auth.required        401  no valid key
├── Forbidden               auth.forbidden       403  the key lacks a permission
├── NotFound                not_found            404  unknown or foreign id, alike
│   └── ModelNotFound       model_not_found      404  no model of this name
├── Conflict                conflict             409  the state forbids it now
│   ├── AmbiguousTarget     correction.ambiguous 409  several things fit the name
│   └── RequestReused       request.reused       409  the same request id with another body
├── Busy                    busy                 503  too much at once; try again
└── Unavailable             store.unavailable    503  a part behind Doso does not answer
    ├── EmbedderUnavailable embedder.unavailable 503  the embedder does not answer
    ├── IndexMismatch       index.mismatch       503  vectors of another model; re-embed
    ├── FetchFailed         fetch.failed         502  a page of the web could not be read
    │   └── FetchTimeout    fetch.timeout        504  a page took too long
    └── ProviderUnavailable provider.unavailable 503  no model of the profile can be reached
        ├── ProviderRefused provider.refused     502  the model's server turned the key, the credit or the request down
        ├── ProviderTimeout provider.timeout     504  it took too long to begin
        ├── ProviderLimited provider.rate_limited 429 it is asked too often
        ├── PromptTooLong   provider.context_length 400 the prompt is longer than the model takes
        ├── ReplyUnreadable provider.reply       502  the reply is not what was asked for
        └── ProviderStreamFailed provider.stream_failed 502 the reply broke off after its first word
"""

from __future__ import annotations


class DosoError(Exception):
    """Base of all; `code` is stable and part of the contract, the message may change."""

    code = "internal"
    status = 500

    def __init__(self, message: str, *, param: str | None = None, retry_after_s: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.param = param
        self.retry_after_s = retry_after_s


class InvalidInput(DosoError):
    """The request itself is wrong; `param` names the field."""

    code = "validation"
    status = 400


class TooLarge(InvalidInput):
    """A named bound on size, count or depth was passed."""

    code = "too_large"
    status = 413


class UnknownFormat(InvalidInput):
    """No importer recognises the bytes."""

    code = "import.unknown_format"
    status = 422


class NoText(InvalidInput):
    """A file was read and holds no text."""

    code = "import.no_text"
    status = 422


class AddressRefused(InvalidInput):
    """The address is not one of the public web, or not well formed; nothing was sent there."""

    code = "fetch.refused"


class AuthRequired(DosoError):
    """No key, or one that is unknown or revoked."""

    code = "auth.required"
    status = 401


class Forbidden(DosoError):
    """The key is good but lacks the permission."""

    code = "auth.forbidden"
    status = 403


class NotFound(DosoError):
    """An id that is unknown to this owner."""

    code = "not_found"
    status = 404


class ModelNotFound(NotFound):
    """A request names a model that this server does not answer as."""

    code = "model_not_found"


class Conflict(DosoError):
    """What was asked contradicts the present state."""

    code = "conflict"
    status = 409


class AmbiguousTarget(Conflict):
    """A name fits several entities; nothing was changed."""

    code = "correction.ambiguous"


class RequestReused(Conflict):
    """A request id came again with another body."""

    code = "request.reused"


class Busy(DosoError):
    """A bound on concurrent work was reached."""

    code = "busy"
    status = 503


class Unavailable(DosoError):
    """A store or provider does not answer; the write may be repeated with the same request id."""

    code = "store.unavailable"
    status = 503


class EmbedderUnavailable(Unavailable):
    """The embedder does not answer; lexical search goes on."""

    code = "embedder.unavailable"


class IndexMismatch(Unavailable):
    """The stored vectors belong to another model or size than the configured embedder."""

    code = "index.mismatch"


class FetchFailed(Unavailable):
    """A page of the web does not answer, or not with a page."""

    code = "fetch.failed"
    status = 502


class FetchTimeout(FetchFailed):
    """A page took too long to come."""

    code = "fetch.timeout"
    status = 504


class ProviderUnavailable(Unavailable):
    """No candidate of a profile could be reached, or answered with anything usable."""

    code = "provider.unavailable"


class ProviderRefused(ProviderUnavailable):
    """A model's server refused the key, has no credit left, or would not take the request."""

    code = "provider.refused"
    status = 502


class ProviderTimeout(ProviderUnavailable):
    """A model took too long to connect, to begin or to go on."""

    code = "provider.timeout"
    status = 504


class ProviderLimited(ProviderUnavailable):
    """A model's server is asked too often; `retry_after_s` is what it asked for."""

    code = "provider.rate_limited"
    status = 429


class PromptTooLong(ProviderUnavailable):
    """The prompt does not fit into what the model takes."""

    code = "provider.context_length"
    status = 400


class ReplyUnreadable(ProviderUnavailable):
    """What came back is not the structure that was asked for."""

    code = "provider.reply"
    status = 502


class ProviderStreamFailed(ProviderUnavailable):
    """A reply broke off after something of it was shown; the answer so far is partial."""

    code = "provider.stream_failed"
    status = 502
