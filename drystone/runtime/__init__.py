"""Processes: what runs where, under which limits."""
