"""Handlers, one file per resource."""
