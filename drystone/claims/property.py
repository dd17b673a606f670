"""What is to be shown: no execution from the entry function reaches an error; and which locations of a program are errors."""

from __future__ import annotations

import re

import msgspec

from drystone.ir.automaton import Mark, MarkKind, Program
from drystone.ir.conventions import ASSERTING, ERROR_FUNCTIONS


class Property(msgspec.Struct, frozen=True):
    """`G ! call(error_function())` for executions that start in `entry`; `error_function` is None for the default."""

    entry: str
    error_function: str | None
    is_all: bool = False  # the default means all assertions

    @property
    def text(self) -> str:
        """As in a property file; the default stands for more, docs/soundness.md, "The error"."""
        if self.is_all and self.error_function is None:
            return f"all assertions that {self.entry} reaches"
        return f"CHECK( init({self.entry}()), LTL(G ! call({self.error_function or ERROR_FUNCTIONS[0]}())) )"

    @property
    def errors(self) -> list[str]:
        """What an error is, in words."""
        if self.error_function:
            return [f"call of {self.error_function}"]
        asserting = ", ".join(sorted(ASSERTING, key=lambda name: (name.strip("_") != name, name)))
        return [f"call of {' or '.join(ERROR_FUNCTIONS)}", f"failed assertion ({asserting})", "label ERROR"]


def parse_property(text: str) -> Property | None:
    """None for every property but `CHECK( init(ENTRY()), LTL(G ! call(FUNCTION())) )`."""
    found = re.fullmatch(
        r"\s*CHECK\s*\(\s*init\s*\(\s*(\w+)\s*\(\s*\)\s*\)\s*,\s*LTL\s*\(\s*G\s*!\s*call\s*\(\s*(\w+)\s*\(\s*\)\s*\)\s*\)\s*\)\s*",
        text,
    )
    if found is None:
        return None
    entry, function = found.groups()
    return Property(entry, None if function in ERROR_FUNCTIONS else function)


def error_marks(program: Program) -> tuple[Mark, ...]:
    """The error locations of a program, each once."""
    return _marks(program, MarkKind.ERROR)


def unknown_marks(program: Program) -> tuple[Mark, ...]:
    """The locations where a program goes on in a way that is not modelled, each once."""
    return _marks(program, MarkKind.UNKNOWN)


def _marks(program: Program, kind: MarkKind) -> tuple[Mark, ...]:
    found = {mark for procedure in program.procedures.values() for mark in procedure.marks.values() if mark.kind is kind}
    return tuple(sorted(found, key=lambda mark: (mark.origin.file, mark.origin.line, mark.origin.column, mark.what)))
