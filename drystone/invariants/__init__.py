"""Candidate invariants from cheap analyses, and the largest part of them that is inductive."""
