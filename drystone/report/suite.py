"""A suite for people: a line for each program that is done, on a terminal what is at work below them, the sum at the end."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, TextIO

from drystone.base.plurals import counted
from drystone.report.console import WIDTH
from drystone.suite.outcome import BAD_INPUT, CRASHED, Outcome, totals
from drystone.suite.running import Observer
from drystone.verification.messages import Told

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

_STYLES = {
    "TRUE": "bold green",
    "FALSE": "bold red",
    "UNKNOWN": "bold yellow",
    BAD_INPUT: "bold magenta",
    CRASHED: "bold white on red",
}
_WIDEST_NAME, _NARROWEST_NAME = 60, 12
_BESIDE = 9 + 8 + 3 * 2  # characters: the verdict, the time, and what is between the columns
_LEAST_SAID = 12


def suite_display(stream: TextIO, count: int, widest: int, *, quiet: bool) -> Rows:
    width = shutil.get_terminal_size((WIDTH, 24)).columns if stream.isatty() else WIDTH
    name = min(widest, max(_NARROWEST_NAME, min(_WIDEST_NAME, (width - _BESIDE) // 2)))
    if quiet or not stream.isatty() or os.environ.get("TERM", "") == "dumb":
        return Rows(stream, count, width, name, quiet=quiet)
    return LiveRows(stream, count, width, name, quiet=quiet)


class Rows(Observer):
    """A line for each program that is done."""

    def __init__(self, stream: TextIO, count: int, width: int, name: int, *, quiet: bool) -> None:
        self._stream, self._width, self._name, self._quiet = stream, width, name, quiet
        self.count = count
        self.done: set[str] = set()  # a program that is tried again is done once

    def ends(self, outcome: Outcome, told: Told | None) -> None:
        self.done.add(outcome.name)
        if not self._quiet:
            self._print(outcome)

    def close(self) -> None:
        pass

    def _print(self, outcome: Outcome) -> None:
        print("  ".join(self._cells(outcome)).rstrip(), file=self._stream, flush=True)

    def _cells(self, outcome: Outcome) -> tuple[str, str, str, str]:
        used = "known" if outcome.is_kept else f"{outcome.result.wall_s:.1f} s" if outcome.result is not None else ""
        name = f"{_cut_left(outcome.name, self._name):<{self._name}}"
        room = max(self._width - self._name - _BESIDE - 1, _LEAST_SAID)
        return f"{outcome.verdict:<9}", f"{used:>8}", name, _cut(outcome.said, room)


class LiveRows(Rows):
    """On a terminal: below the lines, what is at work, with how far the suite is."""

    def __init__(self, stream: TextIO, count: int, width: int, name: int, *, quiet: bool) -> None:
        super().__init__(stream, count, width, name, quiet=quiet)
        self._working: dict[str, tuple[float, str]] = {}
        self._elapsed = 0.0
        self._live: Live | None = None

    def begins(self, name: str, at: float) -> None:
        self._working[name] = at, "starting"

    def does(self, name: str, phase: str) -> None:
        begun, _ = self._working.get(name, (self._elapsed, ""))
        self._working[name] = begun, phase

    def ends(self, outcome: Outcome, told: Told | None) -> None:
        self._working.pop(outcome.name, None)
        super().ends(outcome, told)

    def tick(self, elapsed: float, waiting: int) -> None:
        self._elapsed = elapsed
        if self._live is None:
            from rich.console import Console
            from rich.live import Live

            console = Console(file=self._stream, highlight=False, no_color=bool(os.environ.get("NO_COLOR")))
            self._live = Live(console=console, auto_refresh=False, transient=True)
            self._live.start()
        self._live.update(self._table(waiting), refresh=True)

    def close(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _print(self, outcome: Outcome) -> None:
        from rich.console import Console
        from rich.text import Text

        cells = self._cells(outcome)
        text = Text.assemble(
            (cells[0], _STYLES[outcome.verdict]), "  ", (cells[1], "dim"), "  ", cells[2], "  ", (cells[3], "dim")
        )
        console = self._live.console if self._live is not None else Console(file=self._stream, highlight=False)
        console.print(text, soft_wrap=True)

    def _table(self, waiting: int) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        def line(*parts: str | tuple[str, str]) -> Text:
            return Text.assemble(*parts, no_wrap=True, overflow="ellipsis")

        working = [
            line((f"{self._elapsed - begun:>6.0f} s", "dim"), "  ", _cut_left(name, self._name), "  ", (phase, "dim"))
            for name, (begun, phase) in self._working.items()
        ]
        done = f"{len(self.done)} of {self.count} done, {waiting} waiting, {self._elapsed:.0f} s"
        return Group(*working, line((done, "bold")))


def sum_line(outcomes: list[Outcome], elapsed: float) -> str:
    """How many are what."""
    found = totals(outcomes)
    parts = [(found.true, "TRUE"), (found.false, "FALSE"), (found.unknown, "UNKNOWN")]
    parts += [(found.bad_input, "not usable"), (found.crashed, "crashed")]
    said = ", ".join(f"{count} {word}" for count, word in parts if count) or "nothing"
    kept = sum(each.is_kept for each in outcomes)
    return f"{counted(len(outcomes), 'programs')}: {said}; {elapsed:.1f} s" + (f", {kept} known before" if kept else "")


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _cut_left(text: str, width: int) -> str:
    """The end of a path tells more than its beginning."""
    return text if len(text) <= width else "…" + text[len(text) - width + 1 :]
