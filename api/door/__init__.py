"""What stands before the routes: plain ASGI layers that see raw bytes, before anything is parsed."""
