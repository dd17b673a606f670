"""How files are called in what people read."""

from __future__ import annotations

import os

STANDARD_INPUT = "<stdin>"
"""The name of the scratch file that a text from the standard input is kept in, and what it is called."""


def is_standard_input(path: str) -> bool:
    return os.path.basename(path) == STANDARD_INPUT


def shown_file(path: str) -> str:
    """Where a copy of the standard input lies says nothing to anybody."""
    return STANDARD_INPUT if is_standard_input(path) else path
