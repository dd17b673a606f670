"""Candidate invariants from cheap analyses, and the largest part of them that is inductive."""

SOURCE_NAMES = ("intervals", "affine", "congruences", "guards", "memory", "valuations", "elements", "implications")
"""The names of `candidates.SOURCES`, for those who only want the names."""
