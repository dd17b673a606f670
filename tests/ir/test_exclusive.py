"""Branches are exclusive and total: in every state of every run exactly one of the two conditions holds.

`structural_faults` says so by syntax. Here both conditions are evaluated: the program is rewritten so that before each
branch it compares them and counts, and runs on many inputs.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from drystone.concrete.interpreter import Interpreter, Outcome, SeededInputs
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Edge, Procedure, Program
from drystone.ir.expressions import FALSE, Variable, apply, constant
from drystone.ir.operations import Assign, Assume
from drystone.logic.sorts import BOOL, bitvec
from drystone.passes.inline import inline
from tests.building import INT, Builder, nondet, num, op, program, var
from tests.structure import structural_faults

MIXED = Variable("there was a state in which both or none held", BOOL)
VISITS = Variable("branches visited", bitvec(64))


def watched(original: Program) -> Program:
    """The same program, but before each branch on c and d: mixed := mixed or c = d; visits := visits + 1."""
    procedures = {name: _watched(procedure) for name, procedure in original.procedures.items()}
    return Program(
        entry=original.entry,
        procedures=procedures,
        variables={**original.variables, MIXED.name: MIXED, VISITS.name: VISITS},
        initial={**original.initial, MIXED.name: FALSE, VISITS.name: constant(64, 0)},
        objects=original.objects,
        functions=original.functions,
        pointer_width=original.pointer_width,
        files=original.files,
        approximations=original.approximations,
    )


def _watched(procedure: Procedure) -> Procedure:
    edges: list[Edge] = []
    locations = procedure.locations
    for location, leaving in enumerate(procedure.outgoing()):
        if len(leaving) != 2:
            edges += leaving
            continue
        conditions = [edge.operation.condition for edge in leaving if isinstance(edge.operation, Assume)]
        same = apply("=", BOOL, *conditions)
        edges.append(Edge(location, locations, Assign(MIXED, apply("or", BOOL, MIXED, same)), leaving[0].origin))
        count = Assign(VISITS, apply("bvadd", VISITS.sort, VISITS, constant(64, 1)))
        edges.append(Edge(locations, locations + 1, count, leaving[0].origin))
        edges += [Edge(locations + 1, edge.target, edge.operation, edge.origin) for edge in leaving]
        locations += 2
    return Procedure(
        name=procedure.name,
        parameters=procedure.parameters,
        result=procedure.result,
        variables=procedure.variables,
        objects=procedure.objects,
        entry=procedure.entry,
        exit=procedure.exit,
        edges=edges,
        marks=procedure.marks,
        locations=locations,
        frames=procedure.frames,
    )


def check(original: Program, seeds: range, max_steps: int = 3_000) -> int:
    """No run meets a state in which both or none of the conditions hold. Returns the number of branches evaluated."""
    interpreter = Interpreter(watched(original))
    visits = 0
    for seed in seeds:
        outcome = interpreter.run(SeededInputs(seed), max_steps=max_steps)
        assert not outcome.globals[MIXED.name], f"seed {seed}"
        assert outcome.kind != "blocked"
        visits += outcome.globals[VISITS.name]
    return visits


def taken_once(original: Program, outcome: Outcome) -> None:
    """Along the path of an inlined program: where two edges leave, it is one of these two that was taken."""
    outgoing = original.procedures[original.entry].outgoing()
    for before, after in zip(outcome.path, outcome.path[1:], strict=False):
        assert after.source == before.target
        assert after in outgoing[after.source] and len(outgoing[after.source]) <= 2


# The check itself


@pytest.mark.parametrize("second", [op("bvslt", num(2), var("x")), op("=", var("x"), num(7)), op("bvslt", var("x"), num(5))])
def test_the_check_finds_branches_that_are_not_exclusive(second) -> None:  # type: ignore[no-untyped-def]
    builder = Builder("main", result=var("result"))
    builder.local("x", INT)
    at = builder.edge(0, Assign(var("x"), nondet()))
    builder.edge(at, Assume(op("bvslt", var("x"), num(5))), 1)
    builder.edge(at, Assume(second), 1)
    broken = program(builder)
    assert structural_faults(broken.procedures["main"])
    interpreter = Interpreter(watched(broken))
    assert any(interpreter.run(SeededInputs(seed)).globals[MIXED.name] for seed in range(20))


# Written by hand: the conditions that are easiest to get wrong

PROGRAMS = {
    "comparisons with NaN": """
        double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double(), zero = 0.0;
        x = x > 10 ? zero / zero : x;
        if (x < y) r += 1; if (x <= y) r += 2; if (x > y) r += 4; if (x >= y) r += 8; if (x == y) r += 16; if (x != y) r += 32;
        if (!(x < y)) r += 64; if (!(x == y)) r += 128; if (x) r += 256; if (!x) r += 512; while (x > 1) x = x / 2;""",
    "effects in conditions": """
        int a = __VERIFIER_nondet_int(), b = 3;
        if (a++ > 0 && b++ < 5 || (a = b)) r += a; while (b-- > 0 && __VERIFIER_nondet_int()) r++;
        do { r += b ? a : b; } while (__VERIFIER_nondet_int() > 3 && r < 50);
        if (f(a) == f(b) || f(r)) r = f(b) ? 1 : 2;""",
    "memory in conditions": """
        int t[4] = {0, 1, 2, 3}, *p = t; int i = __VERIFIER_nondet_int();
        if (t[i & 3] > 1) r = 1; if (*(p + (i & 1))) r += 2; while (p != t + 4 && *p != i) p++;
        struct { unsigned u : 3; int s : 4; } bits = {i, i}; if (bits.u > bits.s) r++; if (bits.s < 0) r--;""",
    "undefined operations": """
        int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), unset;
        if (a / b > 3) r = 1; if (a % b) r = 2; if (1 << b) r = 3; if (a + b < a) r = 4; if (unset) r = 5; if (-a < 0) r = 6;
        if ((int)(a * 1e10) > 0) r = 7;""",
    "switches": """
        int a = __VERIFIER_nondet_int();
        for (int i = 0; i < 5; i++) switch (a + i) { case 0: r = 1; case 1 ... 4: r++; break; default: r--; case -5: continue; }
        switch ((unsigned char)a) { case 255: r = 9; } switch (a) { default: r++; }""",
    "functions and pointers to them": """
        int (*g)(int) = __VERIFIER_nondet_int() ? f : 0; if (g) r = g(2); if (g == f) r++; if (f(1) && g && g(3)) r++;""",
}

PREAMBLE = """
extern int __VERIFIER_nondet_int(void); extern double __VERIFIER_nondet_double(void); extern unsigned __VERIFIER_nondet_uint(void);
int f(int x) { return x > 2 ? x - 3 : x & 1; }
"""


def from_c(text: str) -> Program:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.c"
        path.write_text(text)
        return load([str(path)], FrontendOptions()).program


@pytest.mark.parametrize("body", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_exactly_one_condition_holds(body: str) -> None:
    whole = from_c(f"{PREAMBLE}int main(void) {{ int r = 0; {body} return r; }}")
    inlined = inline(whole)
    for form in (whole, inlined):
        assert all(structural_faults(procedure) == [] for procedure in form.procedures.values())
        assert check(form, range(40)) > 40
    taken_once(inlined, Interpreter(inlined).run(SeededInputs(1), record_path=True))


# Generated


class Text:
    """A random C function body; `draw` is hypothesis's."""

    NAMES = ("i", "j", "u", "d", "c", "l", "t[i & 3]", "*p", "s.bits", "s.wide")

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.loops = 0

    def value(self, depth: int = 2) -> str:
        pick = self.draw(st.integers(0, 9 if depth else 3))
        if pick <= 2:
            return self.draw(st.sampled_from(self.NAMES))
        if pick == 3:
            return self.draw(
                st.sampled_from(["0", "1", "-1", "2u", "7", "0.5", "1e308", "255", "2147483647", "__VERIFIER_nondet_int()"])
            )
        left, right = self.value(depth - 1), self.value(depth - 1)
        if pick <= 6:
            return f"({left} {self.draw(st.sampled_from(['+', '-', '*', '/']))} {right})"
        if pick == 7:
            return f"((int)({left}) {self.draw(st.sampled_from(['%', '<<', '>>', '&', '|', '^']))} (int)({right}))"
        if pick == 8:
            return f"f({left})"
        return f"({self.condition(depth - 1)} ? {left} : {right})"

    def condition(self, depth: int = 2) -> str:
        pick = self.draw(st.integers(0, 7 if depth else 4))
        if pick <= 3:
            return f"({self.value(1)} {self.draw(st.sampled_from(['<', '<=', '>', '>=', '==', '!=']))} {self.value(1)})"
        if pick == 4:
            return f"({self.value(1)})"
        if pick == 5:
            return f"(!{self.condition(depth - 1)})"
        return f"({self.condition(depth - 1)} {self.draw(st.sampled_from(['&&', '||']))} {self.condition(depth - 1)})"

    def statement(self, depth: int = 2) -> str:
        pick = self.draw(st.integers(0, 8 if depth else 2))
        if pick <= 1:
            return f"{self.draw(st.sampled_from(self.NAMES))} = {self.value()};"
        if pick == 2:
            return f"{self.draw(st.sampled_from(['i', 'u', 'c', 'd']))} = __VERIFIER_nondet_{self.draw(st.sampled_from(['int', 'double', 'uint']))}();"
        if pick <= 5:
            return f"if ({self.condition()}) {self.block(depth - 1)} else {self.block(depth - 1)}"
        if pick == 6:
            self.loops += 1
            bound = f"n{self.loops}"
            return f"for (int {bound} = 0; {bound} < 4 && {self.condition()}; {bound}++) {self.block(depth - 1)}"
        if pick == 7:
            return f"switch ((int){self.value()}) {{ case 0: {self.statement(depth - 1)} case 1 ... 5: {self.statement(depth - 1)} break; default: {self.statement(depth - 1)} }}"
        return f"do {self.block(depth - 1)} while ({self.condition()} && steps++ < 5);"

    def block(self, depth: int) -> str:
        return "{ " + " ".join(self.statement(depth) for _ in range(self.draw(st.integers(1, 3)))) + " }"


@st.composite
def c_programs(draw: st.DrawFn) -> str:
    text = Text(draw)
    variables = "int i = 0, j = 1; unsigned u = 0; double d = 0; char c = 0; long long l = 0;"
    more = "int steps = 0, t[4] = {3, 1, 4, 1}, *p = t + 2; struct { int bits : 5; long wide; } s = {-3, 9};"
    return f"{PREAMBLE}int main(void) {{ {variables} {more}\n{text.block(3)}\nreturn i; }}\n"


@given(text=c_programs())
@settings(max_examples=60, deadline=None)
def test_exactly_one_condition_holds_in_generated_programs(text: str) -> None:
    whole = from_c(text)
    assert all(structural_faults(procedure) == [] for procedure in whole.procedures.values())
    visits = check(whole, range(5))
    event("branches evaluated: " + ("none" if not visits else "under 50" if visits < 50 else "50 or more"))
