"""Processes and those they have started, as Linux tells of them; elsewhere none are known, and no memory."""

from __future__ import annotations

import ctypes
import os
import re
import resource
import signal
from contextlib import suppress
from pathlib import Path

from drystone.base.regex import regex

_SET_PARENT_DEATH_SIGNAL = 1


def prctl(option: int, value: int) -> None:
    """Asks something of Linux; elsewhere nothing is asked."""
    try:
        call = ctypes.CDLL(None, use_errno=True).prctl
    except AttributeError:
        return
    if call(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def end_with(parent: int) -> bool:
    """From now on this process does not outlive its parent. False if that is over already."""
    with suppress(OSError):
        prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    return os.getppid() == parent


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


def own_memory() -> int:
    """The largest resident set that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


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


_PROPORTIONAL = regex(rb"^Pss:\s+(\d+) kB", re.MULTILINE)
