"""Times as people write them."""

from __future__ import annotations

import re

_UNITS = {"ms": 0.001, "s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0, None: 1.0}


def seconds_of(text: str) -> float:
    """A number without a unit is seconds, too. A `ValueError` for what is no time; its message is for people."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s|min|m|h)?", text)
    seconds = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if seconds <= 0:
        raise ValueError(f"{text!r} is not a time like 60s, 15min or 2h")
    return seconds
