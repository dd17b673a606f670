"""Files that grow while the work goes on: recordings and traces."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

from drystone.base.refusal import Refusal


class Unwritable(Refusal):
    """The complete message for people."""


class WrittenFile:
    """A file that is made with the first bytes that are written, and has all of them at any time."""

    def __init__(self, name: str, begun: Callable[[], None] = lambda: None) -> None:
        self.name, self.begun = name, begun
        self._file: BinaryIO | None = None

    def write(self, data: bytes) -> None:
        try:
            if self._file is None:
                self._file = open(self.name, "wb", buffering=0)  # noqa: SIM115
                self.begun()
            self._file.write(data)
        except OSError as problem:
            raise Unwritable(f"{self.name}: cannot be written: {problem.strerror}") from None

    def __enter__(self) -> WrittenFile:
        return self

    def __exit__(self, *problem: object) -> None:
        if self._file is not None:
            self._file.close()
