"""The application on a socket for every test of the wire."""

from tests.support.wire import wire

__all__ = ["wire"]
