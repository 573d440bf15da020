"""The reader that asks a model: what rules can't tell for certain comes in as candidates."""
