"""Fault localization: which statements could be changed so that an execution does not fail."""
