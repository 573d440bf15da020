"""Live sources: the world outside, looked up when a question needs it and stored as documents of the lowest trust."""
