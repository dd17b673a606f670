"""Summaries as postconditions and violation conditions, whatever domain the postconditions are of."""
