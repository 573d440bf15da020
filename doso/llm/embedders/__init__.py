"""Embedders, one file each; doso.llm.registry names them."""
