"""Names and cells of memory in the words of the source."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.frontend.load import FrontendOptions, load
from drystone.logic import terms
from drystone.logic.sorts import BOOL, bitvec
from drystone.logic.terms import Term, constant, make, select, state
from drystone.pipeline import PreparedProgram
from drystone.symbolic.source_names import Wording, signedness
from drystone.symbolic.transformers import TransitionSystem

TEXT = """
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
typedef struct node *List;
struct node { int value; List next; };
int a[10];
int n;
int sum(int *p, int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += p[i] + a[i];
  return s;
}
int main(void) {
  n = __VERIFIER_nondet_int();
  int k = __VERIFIER_nondet_int();
  int b[10];
  for (int i = 0; i < 10; i++)
    b[i] = a[i] = __VERIFIER_nondet_int();
  if (sum(b, k) == n + k) reach_error();
  return 0;
}
"""


@pytest.fixture
def system(tmp_path: Path) -> TransitionSystem:
    file = tmp_path / "p.c"
    file.write_text(TEXT)
    program = load([str(file)], FrontendOptions()).program
    return PreparedProgram(program).transition_system(recursion_bound=2, max_edges=10_000, sliced=False)


def in_sum(system: TransitionSystem) -> int:
    return next(cut for cut in system.cut_points if system.symbolic.procedure.call_path(cut) == ["main", "sum"])


def worded(system: TransitionSystem, formula: Term) -> str:
    return Wording(system.symbolic).at(in_sum(system), [formula])[0]


def variable(system: TransitionSystem, end: str) -> Term:
    (name,) = [name for name in system.symbolic.sorts if name.endswith(end) and not name.startswith("region")]
    return state(name, system.symbolic.sorts[name])


def region(system: TransitionSystem, of: str) -> Term:
    name = next(name for name in system.symbolic.sorts if name.startswith(f"region {of}+"))
    return state(name, system.symbolic.sorts[name])


def number(value: int, width: int = 32) -> Term:
    return constant(bitvec(width), value)


def less(a: Term, b: Term) -> Term:
    return make("bvslt", BOOL, a, b)


def test_the_call_path_is_left_out(system: TransitionSystem) -> None:
    assert worded(system, less(variable(system, ".s"), number(3))) == "s < 3"


def test_what_is_hidden_is_qualified(system: TransitionSystem) -> None:
    inner, outer = variable(system, ".n#2"), state("n", bitvec(32))
    assert worded(system, less(inner, outer)) == "n < ::n"
    assert worded(system, less(outer, number(3))) == "n < 3"


def test_cells_of_memory(system: TransitionSystem) -> None:
    pointer, index = variable(system, ".p"), variable(system, ".i")
    array, local = region(system, "a"), region(system, "b")
    base = constant(bitvec(64), system.symbolic.memory.addresses["a"])
    wide = terms.resize(index, 64, signed=True)

    def plus(start: Term, *more: Term) -> Term:
        for each in more:
            start = make("bvadd", bitvec(64), start, each)
        return start

    def scaled(factor: int) -> Term:
        return make("bvmul", bitvec(64), wide, number(factor, 64))

    for memory, address, text in (
        (local, pointer, "*p"),
        (local, plus(pointer, number(8, 64)), "p[2]"),
        (local, plus(pointer, scaled(4)), "p[i]"),
        (local, plus(pointer, scaled(4), number(-4, 64)), "p[(long)i - 1]"),
        (array, base, "a[0]"),
        (array, plus(base, number(12, 64)), "a[3]"),
        (array, plus(base, scaled(4)), "a[i]"),
    ):
        assert worded(system, less(select(memory, address), number(3))) == f"{text} < 3"
    odd = worded(system, less(select(local, plus(pointer, number(2, 64))), number(3)))
    assert odd == "*(int *)((unsigned long)p + 2) < 3"


def test_pointers(system: TransitionSystem) -> None:
    pointer = variable(system, ".p")
    base = constant(bitvec(64), system.symbolic.memory.addresses["a"])
    assert worded(system, terms.equal(pointer, number(0, 64))) == "p == 0"
    assert worded(system, terms.negate(terms.equal(pointer, base))) == "p != a"


def test_what_drystone_has_added_is_left_out(system: TransitionSystem) -> None:
    own = terms.equal(state("%heap", bitvec(64)), number(16, 64))
    both = make("or", BOOL, own, less(variable(system, ".s"), number(3)))
    assert Wording(system.symbolic).at(in_sum(system), [own, both]) == []


def test_signs_of_types() -> None:
    for ctype, expected in {
        "int": True,
        "const unsigned char": False,
        "volatile long long": True,
        "unsigned": False,
        "size_t": False,
        "int64_t": True,
        "_Bool": False,
        "u32": None,
        "enum colour": None,
        "unsigned *": None,
        "": None,
    }.items():
        assert signedness(ctype) is expected, ctype
