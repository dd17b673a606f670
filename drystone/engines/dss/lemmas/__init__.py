"""Summaries as lemmas: property-directed, one obligation at a time."""
