"""Measurements: ratios against baselines and bare parts, taken within one run."""
