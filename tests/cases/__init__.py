"""Runs the cases file over the real doors: it knows the verbs, never the answers."""
