"""Processes and those they have started, as Linux tells of them; elsewhere none are known."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def descendants(process: int) -> list[int]:
    """All living processes below this one."""
    found: list[int] = []
    queue = [process]
    while queue:
        below = children(queue.pop())
        found += below
        queue += below
    return found


def children(process: int) -> list[int]:
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{process}/task"):
            with suppress(OSError):
                found += map(int, Path(f"/proc/{process}/task/{thread}/children").read_bytes().split())
    except OSError:
        pass
    return found
