"""The trace formula of an execution: what is sure, what each line of the program says, and what should have come of it.

A part (`Part`) is all that one line of the program did, in all its visits: a line is changed as a whole. What library functions
do belongs to the line that calls them. Sure are the inputs and the assertion: the condition that led to the error, the line that
it stands on, and the calls that only handed it down. The execution passes if not all decisions there go as they went (Kettl 2022,
Definition 15: the negated postcondition).
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from drystone.ir.automaton import Origin
from drystone.localization.trace import Statement, Trace, Write
from drystone.logic import terms
from drystone.logic.terms import Term

Place = tuple[int, int]
"""File and line."""


class Part(msgspec.Struct):
    """A line of the program, in the execution."""

    origin: Origin
    function: str
    formulas: list[Term] = []
    writes: list[Write] = []
    conditions: list[Term] = []  # which held, as often as control came there
    is_call: bool = False

    @property
    def place(self) -> Place:
        return self.origin.file, self.origin.line


class TraceFormula(msgspec.Struct, frozen=True):
    sure: list[Term]
    parts: list[Part]
    passes: Term | None  # None: no condition led to the error
    assertion: Origin | None  # as it stands in the program
    decision: Origin | None  # what is decided there, perhaps in a function that the assertion calls
    lines: int  # of the execution, those of the assertion too


def trace_formula(trace: Trace) -> TraceFormula:
    """The lines of the execution, and what they say."""
    begin, assertion, decision = assertion_of(trace.statements)
    parts, sure = parts_of(trace.statements[:begin])
    asserted, passes = negated(trace.statements[begin:])
    places = {_place(each) for each in trace.statements if each.origin.file >= 0 and not each.is_fixed}
    sure = [*trace.inputs, *sure, *asserted]
    return TraceFormula(sure, parts, passes if assertion is not None else None, assertion, decision, len(places))


def parts_of(statements: Iterable[Statement]) -> tuple[list[Part], list[Term]]:
    """Line by line, and what is sure among them."""
    parts: dict[Place, Part] = {}
    sure: list[Term] = []
    for statement in statements:
        if statement.is_fixed:
            sure += said(statement)
            continue
        part = parts.setdefault(_place(statement), Part(statement.origin, statement.function))
        part.formulas += said(statement)
        part.writes += statement.writes
        part.is_call = part.is_call or statement.is_call
        part.conditions += [statement.condition] if statement.condition is not None else []
    return list(parts.values()), sure


def said(statement: Statement) -> list[Term]:
    """What it did, as formulas."""
    return [*_equations(statement), *([statement.condition] if statement.condition is not None else [])]


def negated(statements: Iterable[Statement]) -> tuple[list[Term], Term]:
    """Of the assertion: what is computed for it, and that not all decisions go as they went."""
    statements = list(statements)
    sure = [term for each in statements for term in _equations(each)]
    return sure, terms.negate(terms.conjunction([each.condition for each in statements if each.condition is not None]))


def _equations(statement: Statement) -> list[Term]:
    return [*statement.places, *(terms.equal(write.symbol, write.term) for write in statement.writes)]


def _place(statement: Statement) -> Place:
    return statement.origin.file, statement.origin.line


def assertion_of(statements: list[Statement]) -> tuple[int, Origin | None, Origin | None]:
    """Where the last visit of the assertion begins among the statements, what it says, and what is decided there.

    A function that gets the condition as an argument, as `__VERIFIER_assert` does, belongs to the assertion with the line that
    calls it, but only where it is nothing but a condition: it was just entered.
    """
    last = next((index for index in reversed(range(len(statements))) if _is_decision(statements[index])), None)
    if last is None:
        return len(statements), None, None
    begin, origin = last, statements[last].origin
    while True:
        here = statements[begin]
        while begin > 0 and _is_same_visit(statements[begin - 1], here):
            begin -= 1
        caller = statements[begin - 1] if begin > 0 else None
        if caller is None or not caller.is_call or caller.is_fixed or caller.activation == here.activation:
            return begin, origin, statements[last].origin
        begin, origin = begin - 1, caller.origin


def _is_decision(statement: Statement) -> bool:
    return statement.condition is not None and statement.origin.file >= 0


def _is_same_visit(before: Statement, here: Statement) -> bool:
    """Does it stand on the lines of the same statement, in the same call?"""
    origin, other = before.origin, here.origin
    is_there = origin.file == other.file and other.line <= origin.line <= max(other.end_line, other.line)
    return is_there and before.activation == here.activation and not before.is_return
