"""Configurable program analysis: one algorithm, and domains that say what it computes with."""
