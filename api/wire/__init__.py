"""Encoders of the wire dialects."""
