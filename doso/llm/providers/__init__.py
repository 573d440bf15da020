"""Adapters to the wires of models' servers."""
