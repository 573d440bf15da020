"""Builders and far ends used by tests."""
