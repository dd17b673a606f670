"""Inlining keeps the meaning: on random programs the interpreter sees no difference between a program and its inlined form."""

from __future__ import annotations

from pathlib import Path

from hypothesis import event, given, settings
from hypothesis import strategies as st

from drystone.concrete.interpreter import Outcome, SeededInputs, interpret
from drystone.frontend.load import FrontendOptions
from drystone.frontend.load import load as load_c
from drystone.ir.automaton import Program
from drystone.ir.expressions import Address, Expression, Variable, load
from drystone.ir.operations import Assign, Call, CallPointer, Declare, Skip, Store
from drystone.passes.inline import TooLarge, inline
from tests.building import POINTER, Builder, nondet, num, op, program, var
from tests.structure import structural_faults

GLOBALS = {"g": 3, "h": -1, "fuel": 6}
NAMES = ("main", "f0", "f1", "f2", "f3")


class Writer:
    """A random procedure; `draw` is hypothesis's."""

    def __init__(self, draw: st.DrawFn, name: str) -> None:
        self.draw = draw
        arity = 0 if name == "main" else draw(st.integers(0, 2))
        self.builder = Builder(name, tuple(var(f"p{index}") for index in range(arity)), var("result"))
        self.builder.local("x")  # the same name in all procedures
        if name == "main" or draw(st.booleans()):
            self.builder.local("h")  # hides the global
        self.builder.local("pointer", POINTER)
        self.builder.object("cell", 4)
        self.variables = [var("x"), var("h"), var("g"), *self.builder.parameters]
        self.cell = Address("cell", POINTER)

    def expression(self, depth: int = 2) -> Expression:
        kind = self.draw(st.integers(0, 6)) if depth else self.draw(st.integers(0, 2))
        if kind <= 1:
            return self.variable()
        if kind == 2:
            return num(self.draw(st.integers(-2, 5)))
        if kind == 3:
            return load(var("x").sort, self.cell)
        operator = self.draw(st.sampled_from(["bvadd", "bvsub", "bvmul", "bvxor"]))
        return op(operator, self.expression(depth - 1), self.expression(depth - 1))

    def variable(self) -> Variable:
        return self.draw(st.sampled_from(self.variables))

    def arguments(self) -> tuple[Expression, ...]:
        return tuple(self.expression() for _ in range(self.draw(st.integers(0, 2))))

    def statement(self, at: int, depth: int) -> int:
        builder = self.builder
        result = self.draw(st.sampled_from([None, var("x"), var("g")]))
        match self.draw(st.integers(0, 7 if depth else 5)):
            case 0:
                return builder.edge(at, Assign(self.variable(), self.expression()))
            case 1:
                return builder.edge(at, Assign(self.variable(), nondet()))
            case 2:
                return builder.edge(at, Store(self.cell, self.expression()))
            case 3 | 4:
                return builder.edge(at, Call(self.draw(st.sampled_from(NAMES[1:])), self.arguments(), result), line=7)
            case 5:
                target = Address(self.draw(st.sampled_from([*NAMES[1:], "external"])), POINTER)
                after = builder.edge(at, Assign(var("pointer", POINTER), target))
                return builder.edge(after, CallPointer(var("pointer", POINTER), self.arguments(), result), line=8)
            case _:
                yes, no = builder.branch(at, op("bvslt", self.expression(1), self.expression(1)))
                yes, no = self.statements(yes, depth - 1), self.statements(no, depth - 1)
                join = builder.new()
                builder.edge(yes, Skip(), join)
                builder.edge(no, Skip(), join)
                return join

    def statements(self, at: int, depth: int) -> int:
        for _ in range(self.draw(st.integers(0, 3))):
            at = self.statement(at, depth)
        return at

    def write(self) -> Builder:
        """The body runs only while there is fuel, so that every program ends."""
        builder = self.builder
        at = builder.chain(0, Declare("cell"), Assign(var("x"), num(0)), Assign(var("h"), num(0)), Assign(var("result"), num(0)))
        empty, more = builder.branch(at, op("bvsle", var("fuel"), num(0)))
        builder.edge(empty, Skip(), 1)
        more = builder.edge(more, Assign(var("fuel"), op("bvsub", var("fuel"), num(1))))
        at = self.statements(more, 1)
        bad, good = builder.branch(at, op("=", self.variable(), num(self.draw(st.integers(-1, 2)))))
        builder.mark(bad, what=f"error in {builder.name}")
        builder.edge(good, Assign(var("result"), self.expression()), 1)
        return builder


@st.composite
def programs(draw: st.DrawFn) -> Program:
    functions: dict[str, str | None] = {name: name for name in NAMES[1:]}
    return program(*(Writer(draw, name).write() for name in NAMES), variables=GLOBALS, functions={**functions, "external": None})


def seen(outcome: Outcome) -> tuple[object, ...]:
    chosen = [(entry.kind, entry.value) for entry in outcome.inputs]
    return outcome.kind, outcome.what, outcome.origin, outcome.result, dict(outcome.globals), chosen


@given(programs(), st.integers(0, 1_000))
@settings(max_examples=150, deadline=None)
def test_a_program_and_its_inlined_form_behave_alike(original: Program, seed: int) -> None:
    try:
        inlined = inline(original, recursion_bound=3, max_edges=20_000)
    except TooLarge:
        event("too large")
        return
    assert not structural_faults(inlined.procedures["main"])
    after = interpret(inlined, SeededInputs(seed), max_steps=5_000)
    if after.what.startswith("recursion of"):
        event("recursion beyond the bound")
        return
    before = interpret(original, SeededInputs(seed), max_steps=5_000)
    event(f"compared: {before.kind}")
    assert seen(after) == seen(before)


C_PROGRAM = """
extern int __VERIFIER_nondet_int(void);
extern int unknown(int);
extern void reach_error(void);
struct pair { int first, second; };
static int calls;
static int add(int a, int b) { calls++; return a + b; }
static int sub(int a, int b) { calls++; return a - b; }
static int only(int a) { return a; }
static int (*table[])(int, int) = {add, sub};
static struct pair swap(struct pair p) { struct pair q = {p.second, p.first}; return q; }
static int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
static int last(int *items, int count) { int copy[4]; for (int i = 0; i < count; i++) copy[i] = items[i]; return copy[count - 1]; }
static void set(int *target, int value) { *target = value; }
int main(void) {
  int x = __VERIFIER_nondet_int(), y;
  int items[4] = {x, x + 1, x + 2, x + 3};
  struct pair p = {x, 7};
  p = swap(swap(swap(p)));
  set(&y, table[(unsigned)__VERIFIER_nondet_int() % 2](p.first, p.second));
  int (*f)(int) = __VERIFIER_nondet_int() > 3 ? only : unknown;
  y += f(x) + last(items, 1 + (unsigned)y % 4) + factorial((unsigned)x % 6);
  if (y % 5 == 0)
    reach_error();
  return y + calls;
}
"""


def test_a_c_program_and_its_inlined_form_behave_alike(tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(C_PROGRAM)
    original = load_c([str(tmp_path / "program.c")], FrontendOptions()).program
    inlined = inline(original)
    kinds = set()
    for seed in range(60):
        before = interpret(original, SeededInputs(seed))
        assert seen(interpret(inlined, SeededInputs(seed))) == seen(before)
        kinds.add(before.kind)
    assert kinds == {"error", "returned"}
