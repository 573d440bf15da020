"""Readers of foreign archives, one file each."""
