"""Verdicts that can be trusted: from files and options to a result, under limits; nothing here knows a command line."""
