"""Explicit values: a state is a location and what is known of each variable there, a value or nothing."""
