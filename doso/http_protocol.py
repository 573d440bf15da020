"""HTTP as the server reads it: uvicorn's protocol over httptools, with a bound on the head of a request."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

#: Request line and headers together. What is larger is refused before it is whole.
MAX_HEAD_BYTES = 64 * 1024


class BoundedProtocol(HttpToolsProtocol):
    """Answers 400 to a head over the bound and closes. A head that came in one read is measured when it is whole, a
    longer one while it comes."""

    _in_head = False
    _head_bytes = 0

    def data_received(self, data: bytes) -> None:
        """Parse; count what came of a head that was begun before and is not whole yet."""
        was_in_head = self._in_head
        super().data_received(data)
        if was_in_head and self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > MAX_HEAD_BYTES and not self.transport.is_closing():
                self.send_400_response("The head of the request is too large.")

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._in_head, self._head_bytes = True, 0

    def on_headers_complete(self) -> None:
        """Its head is whole. Raises ValueError, which the parser turns into a 400, for one that is too large."""
        self._in_head = False
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if size > MAX_HEAD_BYTES:
            raise ValueError("too large")
        super().on_headers_complete()
