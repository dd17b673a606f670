"""Summaries as postconditions over predicates, which refutations and interpolants give."""
