"""Lenses that doubt an answer's citations, each on its own, and the panel that counts their votes."""
