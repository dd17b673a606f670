"""What is to be shown: no execution from the entry function reaches an error; and which locations of a program are errors."""

from __future__ import annotations

import re

import msgspec

from drystone.ir.automaton import Mark, MarkKind, Program
from drystone.ir.conventions import ASSERTING, ERROR_FUNCTIONS

_OVERFLOW = ("overflow",)


class Property(msgspec.Struct, frozen=True):
    """`G ! call(error_function())` for executions that start in `entry`; `error_function` is None for the default.
    Or `G ! data-race`; or only what `checks` find."""

    entry: str
    error_function: str | None
    is_all: bool = False  # the default means all assertions
    is_data_race: bool = False
    checks: tuple[str, ...] = ()  # what else is an error
    has_conventions: bool = True  # calls, assertions and labels are errors

    @property
    def text(self) -> str:
        """As in a property file; the default stands for more, docs/soundness.md, "The error"."""
        if self.is_data_race:
            return f"CHECK( init({self.entry}()), LTL(G ! data-race) )"
        if not self.has_conventions and self.checks == _OVERFLOW:
            return f"CHECK( init({self.entry}()), LTL(G ! overflow) )"
        checked = f"checks {', '.join(self.checks)}" if self.checks else ""
        return checked if not self.has_conventions else self._conventions + (f", and {checked}" if checked else "")

    @property
    def _conventions(self) -> str:
        if self.is_all and self.error_function is None:
            return f"all assertions that {self.entry} reaches"
        return f"CHECK( init({self.entry}()), LTL(G ! call({self.error_function or ERROR_FUNCTIONS[0]}())) )"

    @property
    def errors(self) -> list[str]:
        """What an error is, in words."""
        if self.is_data_race:
            return ["creation of a thread, without which there are no data races"]
        return [*(self._conventional if self.has_conventions else ()), *(f"failed check ({name})" for name in self.checks)]

    @property
    def _conventional(self) -> list[str]:
        if self.error_function:
            return [f"call of {self.error_function}"]
        asserting = ", ".join(sorted(ASSERTING, key=lambda name: (name.strip("_") != name, name)))
        return [f"call of {' or '.join(ERROR_FUNCTIONS)}", f"failed assertion ({asserting})", "label ERROR"]


def parse_property(text: str) -> Property | None:
    """None for every property but `CHECK( init(ENTRY()), LTL(G ! call(FUNCTION())) )`, and that with `data-race` or `overflow`
    for the call."""
    found = re.fullmatch(
        r"\s*CHECK\s*\(\s*init\s*\(\s*(\w+)\s*\(\s*\)\s*\)\s*,\s*LTL\s*\(\s*G\s*!\s*(?:call\s*\(\s*(\w+)\s*\(\s*\)\s*\)|(data-race)|(overflow))\s*\)\s*\)\s*",
        text,
    )
    if found is None:
        return None
    entry, function, race, overflow = found.groups()
    if overflow:
        return Property(entry, None, checks=_OVERFLOW, has_conventions=False)
    return Property(entry, None if function in ERROR_FUNCTIONS else function, is_data_race=race is not None)


def error_marks(program: Program) -> tuple[Mark, ...]:
    """The errors of a program, each once: its error locations, or a data race."""
    return _marks(program, MarkKind.ERROR) if program.data_race is None else (program.data_race,)


def unknown_marks(program: Program) -> tuple[Mark, ...]:
    """The locations where a program goes on in a way that is not modelled, each once."""
    return _marks(program, MarkKind.UNKNOWN)


def _marks(program: Program, kind: MarkKind) -> tuple[Mark, ...]:
    found = {mark for procedure in program.procedures.values() for mark in procedure.marks.values() if mark.kind is kind}
    return tuple(sorted(found, key=lambda mark: (mark.origin.file, mark.origin.line, mark.origin.column, mark.what)))


def functions_of_marks(program: Program) -> dict[Mark, str]:
    return {mark: name for name, procedure in program.procedures.items() for mark in procedure.marks.values()}
