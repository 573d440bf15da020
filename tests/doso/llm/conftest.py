"""Fixtures of the embedders' tests."""

from tests.support.fake_embeddings import far_end
from tests.support.models import e5_dir

__all__ = ["e5_dir", "far_end"]
