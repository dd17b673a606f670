"""Loops are found in the steps of an execution as they stand in the program."""

from __future__ import annotations

import pytest

from drystone.counterexamples.told import Step
from drystone.report.page.loops import FoldedLoop, loops_of


def steps(*at: int | tuple[int, str]) -> list[Step]:
    """Lines of main, or of a function that it has called."""
    found = [each if isinstance(each, tuple) else (each, "main") for each in at]
    return [Step("a.c", line, name, int(name != "main"), "", [], {}, []) for line, name in found]


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([1, 2, 3, 4], []),
        # for (line 2) with a body in line 3, twice; the third time at its head, it is over
        ([1, 2, 3, 2, 3, 2, 5], [(1, 5, 2, [1, 3])]),
        # it ends in its body
        ([1, 2, 3, 2, 3], [(1, 5, 2, [1, 3])]),
        # a loop in one line
        ([1, 2, 2, 2, 3], [(1, 3, 2, [1, 2])]),
        # one in another: lines 2 and 3
        ([2, 3, 4, 3, 4, 3, 2, 3, 4, 3, 4, 3, 2, 9], [(0, 12, 2, [0, 6]), (1, 5, 3, [1, 3]), (7, 11, 3, [7, 9])]),
        # one behind the other
        ([2, 3, 2, 3, 2, 5, 6, 5, 6, 5, 9], [(0, 4, 2, [0, 2]), (5, 9, 5, [5, 7])]),
    ],
)
def test_loops_of_a_function(lines: list[int], found: list[tuple[int, int, int, list[int]]]) -> None:
    assert loops_of(steps(*lines)) == [FoldedLoop(*each) for each in found]


def test_a_loop_that_calls_a_function_with_a_loop() -> None:
    called = [(11, "f"), (12, "f"), (11, "f"), (12, "f"), (11, "f"), (14, "f")]
    found = loops_of(steps(2, 3, *called, 2, 3, *called, 2, 5), first=100)
    assert found == [
        FoldedLoop(100, 116, 2, [100, 108]),
        FoldedLoop(102, 106, 11, [102, 104]),
        FoldedLoop(110, 114, 11, [110, 112]),
    ]


def test_going_on_behind_a_call_is_no_loop() -> None:
    called: list[int | tuple[int, str]] = [(11, "f"), (12, "f")]
    assert loops_of(steps(2, *called, 2, 3)) == []
    assert loops_of(steps(2, *called, 2, *called, 2, 3)) == []
    (loop,) = loops_of(steps(*[2, *called] * 9, 2, 3))
    assert loop.line == 2 and len(loop.iterations) == 9
    (loop,) = loops_of(steps(1, *[2, 3, *called, 3] * 4, 2, 5))
    assert (loop.line, loop.iterations) == (2, [1, 6, 11, 16])


def test_recursion_is_no_loop() -> None:
    nested = [Step("a.c", line, "f", depth, "", [], {}, []) for depth in range(9) for line in (3, 4)]
    assert loops_of(nested) == []


def test_turns_of_threads_are_no_loops() -> None:
    turns = [Step("a.c", line, "main", 0, "", [], {}, [], thread) for thread, line in ((0, 2), (1, 2), (0, 3), (1, 2))]
    assert loops_of(turns) == []
