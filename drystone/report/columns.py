"""An execution of several threads in columns: one for each thread, and one for what the steps change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from drystone.counterexamples.told import Step

Line = tuple[str, str]
"""Text and its style on a terminal."""

_STYLES = ("", "cyan", "magenta", "green", "blue", "yellow")
_LEAST = 22  # characters of a column; threads that have less are told one below the other
_MOST, _MOST_CHANGES = 46, 40
_SHOWN_TURNS = 24


def style_of(thread: int) -> str:
    return _STYLES[thread % len(_STYLES)]


def column_width(steps: Sequence[Step], width: int) -> int:
    """Of a thread, where a line has `width` characters; 0: columns would be too narrow, or there is one thread only."""
    threads = len({step.thread for step in steps if step.thread is not None})
    if threads < 2:
        return 0
    room = (width - 4 - _LEAST) // threads - 2
    return min(room, _MOST, max(map(len, map(_text, steps)))) if room >= _LEAST else 0


def column_lines(steps: Sequence[Step], width: int) -> Iterator[Line]:
    """Columns of `column_width`; what remains of `width` is for the changes."""
    wide = column_width(steps, width)
    threads = sorted({step.thread or 0 for step in steps})
    heads = [_cut(f"thread {thread} ({_function(steps, thread)})", wide) for thread in threads]
    yield "  " + "  ".join(f"{head:<{wide}}" for head in heads).rstrip(), "bold"
    changes = min(_MOST_CHANGES, width - 4 - len(threads) * (wide + 2))
    for step in steps:
        cells = [_cut(_text(step), wide) if thread == (step.thread or 0) else "" for thread in threads]
        columns = "  ".join(f"{cell:<{wide}}" for cell in cells)
        yield f"  {columns}  {_cut(effects(step), changes)}".rstrip(), style_of(step.thread or 0)


def schedule_line(steps: Sequence[Step]) -> str:
    """Which thread took how many steps, one after the other."""
    turns = [f"{thread}" + (f" x{count}" if count > 1 else "") for thread, count in _turns(steps)]
    shown = turns[-_SHOWN_TURNS:]
    return ("… " if len(shown) < len(turns) else "") + ", ".join(shown)


def _turns(steps: Sequence[Step]) -> Iterator[tuple[int, int]]:
    for thread, group in groupby(step.thread or 0 for step in steps):
        yield thread, len(list(group))


def _function(steps: Sequence[Step], thread: int) -> str:
    """Where it was when it was seen first: mostly the function that it runs."""
    own = [step for step in steps if (step.thread or 0) == thread]
    return min(own, key=lambda step: step.depth).function


def _text(step: Step) -> str:
    return f"{step.line or '':>4} {'  ' * min(step.depth, 10)}{step.source or '; '.join(step.operations)}"


def effects(step: Step) -> str:
    return ", ".join(f"{name} = {value}" for name, value in step.changes.items())


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"
