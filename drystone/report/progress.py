"""What goes on during a verification: a line that moves on a terminal, otherwise one line per phase."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol, TextIO

if TYPE_CHECKING:
    from rich.status import Status


_HEARTBEAT = 15.0  # seconds


class Display(Protocol):
    def phase(self, name: str, counters: dict[str, int]) -> None:
        """The work is at this."""

    def tick(self, elapsed: float) -> None:
        """Time has passed."""

    def close(self) -> None:
        """Nothing comes any more; the terminal is as it was."""


def display(stream: TextIO, *, quiet: bool) -> Display:
    if quiet:
        return Silent()
    if stream.isatty() and os.environ.get("TERM", "") != "dumb":
        return Moving(stream)
    return Plain(stream)


class Silent:
    def phase(self, name: str, counters: dict[str, int]) -> None:
        pass

    def tick(self, elapsed: float) -> None:
        pass

    def close(self) -> None:
        pass


class Both:
    """Two displays of one run."""

    def __init__(self, first: Display, second: Display) -> None:
        self.displays = first, second

    def phase(self, name: str, counters: dict[str, int]) -> None:
        for each in self.displays:
            each.phase(name, counters)

    def tick(self, elapsed: float) -> None:
        for each in self.displays:
            each.tick(elapsed)

    def close(self) -> None:
        for each in self.displays:
            each.close()


class Plain(Silent):
    """One line when a phase begins for the first time, and now and then while the phases go on."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.seen: set[str] = set()
        self.elapsed = self.told = 0.0

    def phase(self, name: str, counters: dict[str, int]) -> None:
        if name not in self.seen or self.elapsed - self.told >= _HEARTBEAT:
            self.seen.add(name)
            self.told = self.elapsed
            print(f"drystone: {self.elapsed:6.1f} s  {_phase_text(name, counters)}", file=self.stream, flush=True)

    def tick(self, elapsed: float) -> None:
        self.elapsed = elapsed


class Moving(Silent):
    """A line that is rewritten. rich comes with a thread, so this is started after the work has its process."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.text = "starting"
        self.status: Status | None = None

    def phase(self, name: str, counters: dict[str, int]) -> None:
        self.text = _phase_text(name, counters)

    def tick(self, elapsed: float) -> None:
        if self.status is None:
            if elapsed < 0.3:
                return  # most answers come sooner than a reader
            from rich.console import Console

            self.status = Console(file=self.stream, highlight=False).status("")
            self.status.start()
        self.status.update(f"{self.text}  {elapsed:.0f} s")

    def close(self) -> None:
        if self.status is not None:
            self.status.stop()
            self.status = None


def _phase_text(name: str, counters: dict[str, int]) -> str:
    return "  ".join([name, *(f"{key} {value:,}" for key, value in counters.items())])
