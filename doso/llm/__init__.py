"""Models: the ports to them and their adapters."""
