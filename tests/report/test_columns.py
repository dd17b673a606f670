"""Executions of several threads stand in columns where there is room."""

from __future__ import annotations

from drystone.counterexamples.told import Step
from drystone.report.columns import column_lines, column_width, schedule_line


def step(thread: int | None, line: int, source: str, **changes: str) -> Step:
    function = "main" if not thread else "f"
    return Step("a.c", line, function, 0, source, [], changes, [], thread)


STEPS = [
    step(0, 9, "pthread_create(&t, 0, f, 0);", t="2"),
    step(1, 4, "x = 1;", x="1"),
    step(1, 5, "y = 1;"),
    step(0, 10, "if (x)"),
]


def test_each_thread_has_a_column() -> None:
    lines = [text for text, _ in column_lines(STEPS, 120)]
    assert lines[0].split("  ")[1] == "thread 0 (main)" and "thread 1 (f)" in lines[0]
    place = lines[0].index("thread 1")
    assert lines[2].index("4 x = 1;") > place and lines[1].index("9 pthread") < place and lines[2].endswith("x = 1")
    assert {style for _, style in column_lines(STEPS, 120)} > {"", "cyan"}


def test_no_line_is_longer_than_the_terminal() -> None:
    long = [step(0, 1, "a" * 100, x="b" * 100), step(1, 2, "c" * 100, x="d" * 100)]
    for width in (80, 100, 132, 200):
        assert all(len(text) <= width for text, _ in column_lines(long, width))


def test_a_narrow_terminal_has_no_columns() -> None:
    assert column_width(STEPS, 120) and not column_width(STEPS, 60)
    assert not column_width([step(None, 1, "x = 1;")], 120)


def test_the_schedule_is_the_turns_of_threads() -> None:
    assert schedule_line(STEPS) == "0, 1 x2, 0"
    assert schedule_line(STEPS * 30).startswith("… ")
