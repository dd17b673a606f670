"""Processes and those they have started, as Linux tells of them; elsewhere none are known, and no memory."""

from __future__ import annotations

import os
import re
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


_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident(processes: list[int]) -> int:
    """The sum of their resident sets, in bytes."""
    total = 0
    for process in processes:
        with suppress(OSError, IndexError, ValueError):
            total += int(Path(f"/proc/{process}/statm").read_bytes().split()[1]) * _PAGE
    return total


def proportional(processes: list[int]) -> int:
    """The sum of their resident sets, each shared page divided among those who share it, in bytes."""
    total = 0
    for process in processes:
        try:
            found = _PROPORTIONAL.search(Path(f"/proc/{process}/smaps_rollup").read_bytes())
        except OSError:
            found = None
        total += int(found[1]) << 10 if found is not None else resident([process])
    return total


_PROPORTIONAL = re.compile(rb"^Pss:\s+(\d+) kB", re.MULTILINE)
