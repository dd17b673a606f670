"""Explicit-state search: all states of a program with threads, one by one, in every order in which its threads may go on."""
