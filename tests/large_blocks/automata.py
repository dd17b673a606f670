"""Random automata over a few small variables: branches, loops also with several entries, any number of ends of every kind."""

from __future__ import annotations

from hypothesis import strategies as st

from drystone.ir.automaton import MarkKind, Program
from drystone.ir.expressions import Constant, Expression, Input, InputKind, Variable
from drystone.ir.operations import Assign, Assume, Operation, Skip
from drystone.logic.sorts import bitvec
from tests.building import Builder, op, program

WIDTH = 2
SORT = bitvec(WIDTH)
VARIABLES = tuple(Variable(name, SORT) for name in "xyz")
KINDS = (MarkKind.ERROR, MarkKind.ERROR, MarkKind.UNKNOWN, MarkKind.HALT)


def number(value: int) -> Constant:
    return Constant(SORT, value & 3)


def atoms() -> st.SearchStrategy[Expression]:
    return st.sampled_from([*VARIABLES, number(0), number(1), number(2), number(3)])


@st.composite
def conditions(draw: st.DrawFn) -> Expression:
    condition = op(draw(st.sampled_from(["=", "bvult", "bvsle"])), draw(st.sampled_from(VARIABLES)), draw(atoms()))
    if draw(st.integers(0, 3)) == 0:
        other = op("=", draw(st.sampled_from(VARIABLES)), draw(atoms()))
        condition = op(draw(st.sampled_from(["and", "or"])), condition, other)
    return condition


@st.composite
def statements(draw: st.DrawFn) -> Operation:
    kind = draw(st.integers(0, 9))
    target = draw(st.sampled_from(VARIABLES))
    if kind == 0:
        return Skip()
    if kind <= 2:
        return Assign(target, Input(draw(st.integers(0, 2)), SORT, InputKind.NONDET, "nondet"))
    if kind == 3:
        return Assign(target, op("bvadd", draw(atoms()), Input(0, SORT, InputKind.NONDET, "nondet")))
    if kind <= 5:
        return Assign(target, draw(atoms()))
    return Assign(target, op(draw(st.sampled_from(["bvadd", "bvsub", "bvxor", "bvmul"])), draw(atoms()), draw(atoms())))


@st.composite
def automata(draw: st.DrawFn, most_locations: int = 14) -> Program:
    """Location 0 is the entry, 1 the exit. Targets are mostly ahead and near, so that diamonds and joins are frequent."""
    builder = Builder("main")
    for variable in VARIABLES:
        builder.local(variable.name, SORT)
    count = draw(st.integers(3, most_locations))
    builder.locations = count

    def target(source: int) -> int:
        if draw(st.integers(0, 4)):
            ahead = source + 1 + draw(st.integers(0, 2)) if source != 1 else 2
            ahead = 2 if ahead == 1 else ahead
            return ahead if ahead < count else 1
        return draw(st.integers(0, count - 1))

    for location in range(count):
        kind = draw(st.integers(0, 9))
        if location == 1:
            continue
        if kind == 0 and location > 2:
            builder.mark(location, draw(st.sampled_from(KINDS)))
        elif kind <= 4:
            builder.edge(location, draw(statements()), target(location))
        else:
            condition = draw(conditions())
            yes, no = target(location), target(location)
            builder.edge(location, Assume(condition), yes)
            builder.edge(location, Assume(op("not", condition)), no)
    return program(builder)
