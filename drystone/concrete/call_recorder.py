"""Runs a program and keeps what its calls of some procedures got and gave."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import msgspec

from drystone.concrete.code_generation import CallSite, Exit, ProgramCode
from drystone.concrete.inputs import InputSource
from drystone.concrete.machine import Machine


class RecordedCall(msgspec.Struct, frozen=True):
    """One call. All values are bit patterns; those of the program's variables are in the order of `Program.variables`."""

    procedure: str
    arguments: tuple[int, ...]
    before: tuple[int, ...]  # the program's variables
    after: tuple[int, ...] | None = None  # None: it has not returned
    result: int = 0


class RecordingMachine(Machine):
    """Keeps the first `most` calls, and those that they are nested in."""

    def __init__(self, program_code: ProgramCode, source: InputSource, procedures: AbstractSet[str], most: int) -> None:
        super().__init__(program_code, source)
        self.procedures, self.most = procedures, most
        self.returned: list[RecordedCall] = []
        self.open: list[RecordedCall | None] = []

    def call(self, site: CallSite, arguments: tuple[int, ...]) -> Exit:
        if site.callee.procedure.name in self.procedures:
            is_wanted = len(self.returned) + len(self.open) < self.most
            name = site.callee.procedure.name
            self.open.append(RecordedCall(name, arguments, tuple(self.globals)) if is_wanted else None)
        return super().call(site, arguments)

    def leave(self) -> Exit:
        if self.open and self.code.procedure.name in self.procedures:
            began = self.open.pop()
            if began is not None:
                result = self.locals[self.code.frame.result_slot]
                self.returned.append(msgspec.structs.replace(began, after=tuple(self.globals), result=int(result)))
        return super().leave()

    def calls(self) -> list[RecordedCall]:
        """Those that have returned and those that have not."""
        return [*self.returned, *(each for each in self.open if each is not None)]
