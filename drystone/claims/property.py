"""What is to be shown: no execution from the entry function reaches an error; and which locations of a program are errors."""

from __future__ import annotations

import re

import msgspec

from drystone.ir import names
from drystone.ir.automaton import Mark, MarkKind, Program
from drystone.ir.conventions import ASSERTING, ERROR_FUNCTIONS

STATED = {
    "G ! overflow": ("overflow",),
    "G valid-free": ("double-free", "invalid-free"),
    "G valid-deref": ("null", "use-after-free", "stack-use-after-return", "bounds", "string"),
    "G valid-memtrack": ("leak",),
    "G valid-memcleanup": ("cleanup",),
}
"""The checks that a property file asks for by these formulas."""


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
        stated = [formula for formula, checks in STATED.items() if set(checks) <= set(self.checks)]
        if not self.has_conventions and {name for formula in stated for name in STATED[formula]} == set(self.checks) != set():
            return " ".join(f"CHECK( init({self.entry}()), LTL({formula}) )" for formula in stated)
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
    """None for every property but `CHECK( init(ENTRY()), LTL(G ! call(FUNCTION())) )`, that with `data-race` for the call, and
    one or several with formulas of `STATED`."""
    position, entries, formulas = 0, set[str](), set[str]()
    called: str | None = None
    while found := re.compile(_CHECK).match(text, position):
        entry, called, named = found[1], found[2], found[3] or found[4]
        entries.add(entry)
        formulas.add("call" if named is None else f"G {'! ' if named[0] == '!' else ''}{named.lstrip('! ')}")
        position = found.end()
    if position < len(text) or len(entries) != 1:
        return None
    (entry,) = entries
    if formulas <= STATED.keys():
        checks = tuple(name for formula, names in STATED.items() if formula in formulas for name in names)
        return Property(entry, None, checks=checks, has_conventions=False)
    if formulas not in ({"call"}, {"G ! data-race"}):
        return None
    return Property(entry, None if called in ERROR_FUNCTIONS else called, is_data_race=called is None)


_CHECK = (
    r"\s*CHECK\s*\(\s*init\s*\(\s*(\w+)\s*\(\s*\)\s*\)\s*,\s*LTL\s*\(\s*G(?:\s*!\s*call\s*\(\s*(\w+)\s*\(\s*\)\s*\)"
    r"|\s*(!\s*data-race|!\s*overflow)|\s+(valid-\w+))\s*\)\s*\)\s*"
)


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
    """What happens in a function of the library for one call, happens where that is."""
    return {
        mark: names.caller(name) or name for name, procedure in program.procedures.items() for mark in procedure.marks.values()
    }
