"""Tests of taking things in."""
