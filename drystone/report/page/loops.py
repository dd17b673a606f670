"""The loops of an execution, found in its steps: where control goes back to a line that it has been at, in the same call.

What a loop is, only the steps say: gotos that go back make one, too. It is for people who fold what repeats itself, no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

import msgspec

from drystone.counterexamples.told import Step

_MOST_CALLS = 3  # in one line, one after the other


class FoldedLoop(msgspec.Struct, frozen=True):
    """Steps `start` up to but not including `end`; iterations begin at `iterations`, the first at `start`."""

    start: int
    end: int
    line: int
    iterations: list[int]


def loops_of(steps: Sequence[Step], first: int = 0) -> list[FoldedLoop]:
    """Outer loops before those in them. `first`: the number of the first of the steps.

    Steps of several threads are told in turns, in which no loops are looked for.
    """
    if len({step.thread for step in steps}) > 1:
        return []
    found = [loop for frame in _frames(steps) for loop in _loops(steps, frame)]
    found = [
        FoldedLoop(loop.start + first, loop.end + first, loop.line, [each + first for each in loop.iterations]) for loop in found
    ]
    return sorted(found, key=lambda loop: (loop.start, -loop.end))


def _frames(steps: Sequence[Step]) -> Iterator[list[int]]:
    """The numbers of the steps of each call of a function."""
    opened: list[list[int]] = []
    for number, step in enumerate(steps):
        while opened and _is_over(steps[opened[-1][-1]], step):
            yield opened.pop()
        if not opened or steps[opened[-1][-1]].depth < step.depth:
            opened.append([])
        opened[-1].append(number)
    yield from reversed(opened)


def _is_over(last: Step, step: Step) -> bool:
    """Is the call that `last` belongs to over where `step` is?"""
    return last.depth > step.depth or (last.depth == step.depth and (last.function, last.file) != (step.function, step.file))


def _loops(steps: Sequence[Step], frame: list[int]) -> Iterator[FoldedLoop]:
    """Of one call. Of several lines that control goes back to, the first one is that of the outermost loop."""
    waiting = [_without_returns(steps, frame)]
    while waiting:
        numbers = waiting.pop()
        lines = [steps[number].line or 0 for number in numbers]
        heads = {line for at, line in enumerate(lines) if at and line <= lines[at - 1] and line in lines[:at]}
        if not heads:
            continue
        head = min(heads)
        visits = [at for at, line in enumerate(lines) if line == head]
        end = _end(lines, visits)
        if end == visits[-1] + 1 and len(visits) > 2:  # it only finds that the loop is over
            end = visits.pop()
        bounds = [*visits, end]
        behind = numbers[end] if end < len(numbers) else numbers[-1] + 1
        if len(visits) > 1:
            yield FoldedLoop(numbers[visits[0]], behind, head, [numbers[at] for at in visits])
        waiting += [numbers[: visits[0]], numbers[end:]]
        waiting += [numbers[begin + 1 : after] for begin, after in pairwise(bounds)]


def _without_returns(steps: Sequence[Step], frame: list[int]) -> list[int]:
    """Without steps that only take up what a call in their line gave, which is no loop. Many in a row are one in one line."""
    kept: list[int] = []
    for _, group in groupby(frame, lambda number: steps[number].line):
        visits = list(group)
        are_returns = len(visits) <= _MOST_CALLS + 1 and all(before + 1 < after for before, after in pairwise(visits))
        kept += visits[:1] if are_returns else visits
    return kept


def _end(lines: list[int], visits: list[int]) -> int:
    """Behind the last iteration: where a line comes that is behind all that were in the loop."""
    furthest = max(lines[visits[0] : visits[-1] + 1])
    return next((at for at in range(visits[-1] + 1, len(lines)) if lines[at] > furthest), len(lines))
