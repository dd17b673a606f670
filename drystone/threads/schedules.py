"""The schedule of an execution of the product: which thread takes which step, as the program itself numbers its threads.

The product numbers threads by where they are created, the interpreter by when.
"""

from __future__ import annotations

from collections.abc import Iterable

from drystone.ir.automaton import Edge
from drystone.ir.operations import Skip

_STEP, _CREATED = "thread %", "new thread %"


def step_note(thread: int) -> str:
    """Before an edge of a thread that the schedule has to choose."""
    return f"{_STEP}{thread}"


def created_note(thread: int) -> str:
    return f"{_CREATED}{thread}"


def schedule_of(path: Iterable[Edge]) -> list[int]:
    """The choices, from the first thread that is created on."""
    numbers = {0: 0}
    schedule: list[int] = []
    for edge in path:
        if not isinstance(edge.operation, Skip):
            continue
        note = edge.operation.note
        if note.startswith(_STEP):
            schedule.append(numbers[int(note.removeprefix(_STEP))])
        elif note.startswith(_CREATED):
            numbers[int(note.removeprefix(_CREATED))] = len(numbers)
    return schedule
