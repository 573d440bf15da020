"""The extractor that asks a model: what rules can't tell for certain comes in as candidates."""

from __future__ import annotations

from ingest.extract.model.extractor import ModelExtractor, ModelsOf, build

__all__ = ["ModelExtractor", "ModelsOf", "build"]
