"""Strategies: which engines take turns at a program, with which options, and how much of the time each of them gets.

As text, a turn is a line: the engine, its options in the words of the command line, `share N` and `after TIME`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

Value = str | int | tuple[str, ...] | None


class Turn(msgspec.Struct, frozen=True):
    """What one process does."""

    engine: str  # of `registry.ENGINES`, or `registry.FORGETFUL`
    settings: Mapping[str, Value] = {}  # of `question.Settings`, where they are not those of the run
    share: float = 1.0  # of the time, compared with others
    after: float = 0.0  # it begins when the others have had so many seconds, or leave a worker idle

    @property
    def name(self) -> str:
        return " ".join([self.engine, *(f"--{name.replace('_', '-')} {_word(value)}" for name, value in self.settings.items())])


def as_text(turns: Iterable[Turn]) -> str:
    """As a file has it."""
    return "".join(f"{_line(turn)}\n" for turn in turns)


def _line(turn: Turn) -> str:
    shared = f" share {turn.share:g}" if turn.share != 1.0 else ""
    return turn.name + shared + (f" after {turn.after:g}s" if turn.after else "")


def _word(value: Value) -> str:
    if isinstance(value, tuple):
        return ",".join(value) or "none"
    return "all" if value is None else str(value)
