"""Graph stores, one package each."""
