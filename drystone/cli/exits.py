"""How commands end: exit codes, and the error that means the user can mend it."""

from __future__ import annotations

from enum import IntEnum

from drystone.base.refusal import Refusal


class Exit(IntEnum):
    OK = 0  # done, or the verdict TRUE
    FALSE = 1  # the error can be reached, or was
    UNKNOWN = 2
    BAD_INPUT = 3  # wrong usage, or a file that cannot be used
    INTERNAL = 4  # a bug in drystone
    INTERRUPTED = 130
    BROKEN_PIPE = 141


class BadInput(Refusal):
    """Words of the command line that cannot be used. `main` prints what a refusal says, and exits with 3."""
