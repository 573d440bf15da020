"""The grammar of statements."""
