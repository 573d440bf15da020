"""Alembic's folder: how the tables came to be, one file a step."""
