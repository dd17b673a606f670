"""What can be said about a program, or about one of its error locations."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    TRUE = "TRUE"  # no execution reaches the error
    FALSE = "FALSE"  # an execution reaches it
    UNKNOWN = "UNKNOWN"  # neither was shown
