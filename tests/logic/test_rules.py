"""Every rewrite rule is an equivalence, proved on small widths by a solver: `make(...)` against the node as it is.

The arguments are random terms over few symbols, so that rules find what they look for; the test makes sure that every
`return` of every rule was reached.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import pytest

import drystone.logic.rules as rules
from drystone.logic import semantics
from drystone.logic.evaluation import evaluate_one
from drystone.logic.sorts import BOOL, Array, Float, Sort, bitvec
from drystone.logic.terms import RULES, Term, constant, extract, make, size, state
from drystone.solvers import Answer, Solver, make_solver
from tests.logic.random_terms import FULL, Generator, plain, plain_extract

FOLDER = Path(rules.__file__).parent
TINY = Float(3, 4)
ARRAY = Array(bitvec(2), bitvec(3))
AMOUNT = 10 if FULL else 1


class Lines:
    """Records which lines of the rules run."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, int]] = set()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        name = frame.f_code.co_filename
        if not name.startswith(str(FOLDER)):
            return None
        if event == "line":
            self.seen.add((Path(name).name, frame.f_lineno))
        return self


def proved(rewritten: Term, node: Term, solver: Solver) -> None:
    if rewritten.operator == node.operator and rewritten.arguments == node.arguments and rewritten.payload == node.payload:
        return
    assert rewritten.sort == node.sort
    solver.push()
    solver.add(plain("not", BOOL, plain("=", BOOL, rewritten, node)))
    assert solver.check((), 60) is Answer.UNSAT, (rewritten, node, solver.reason)
    solver.pop()


class Pool(Generator):
    """Draws arguments from terms made before, over few symbols, so that they have parts in common."""

    def __init__(self, random: Random, **what: Any) -> None:
        super().__init__(random, **what)
        self.make, self.extract = self.recorded, self.recorded_extract
        self.made: list[tuple[Term, Term]] = []
        self.pool: dict[Any, list[Term]] = {}

    def recorded(self, operator: str, sort: Any, *arguments: Term) -> Term:
        self.made.append((make(operator, sort, *arguments), plain(operator, sort, *arguments)))
        return self.made[-1][0]

    def recorded_extract(self, a: Term, high: int, low: int) -> Term:
        self.made.append((extract(a, high, low), plain_extract(a, high, low)))
        return self.made[-1][0]

    def leaf(self, sort: Any) -> Term:
        pool = self.pool.setdefault(sort, [])
        return self.random.choice(pool) if pool and self.random.random() < 0.7 else super().leaf(sort)

    def step(self) -> tuple[Term, Term]:
        """The node and what `make` gives for it, for one operator."""
        self.made.clear()
        sorts: list[Sort] = [BOOL, *map(bitvec, self.widths), *self.formats, *self.arrays]
        sort = self.random.choice(sorts)
        while not self.made:
            term = self.term(sort, 1)
        pool = self.pool.setdefault(term.sort, [])
        if term.arguments and size(term) <= 9 and term not in pool:
            pool.append(term)
            if len(pool) > 8:
                pool.pop(self.random.randrange(len(pool)))
        return self.made[-1]


KINDS: dict[str, tuple[dict[str, Any], int]] = {
    "bits": ({"widths": (1, 2, 3, 4)}, 12000),
    "pairs": ({"widths": (2, 4)}, 12000),
    "one width": ({"widths": (3,)}, 20000),
    "words": ({"widths": (4, 8, 12)}, 3000),
    "arrays": ({"widths": (2, 3), "arrays": (ARRAY,)}, 4000),
    "floats": ({"widths": (3, 7), "formats": (TINY, Float(2, 4))}, 1500),
}


def test_rules_are_equivalences_and_every_one_was_proved() -> None:
    lines = Lines()
    before = sys.gettrace()
    for kind, (what, amount) in KINDS.items():
        random = Random(kind)
        solver = make_solver("z3" if kind == "floats" else "auto")
        pool = Pool(random, **what)
        for _ in range(amount * AMOUNT):
            sys.settrace(lines)
            try:
                rewritten, node = pool.step()
            finally:
                sys.settrace(before)
            proved(rewritten, node, solver)
    sys.settrace(lines)
    try:
        rare = rare_terms()
    finally:
        sys.settrace(before)
    for rewritten, node in rare:
        proved(rewritten, node, make_solver("z3"))
    missing = []
    for path in sorted(FOLDER.glob("*.py")):
        for function in ast.parse(path.read_text()).body:
            if isinstance(function, ast.FunctionDef) and function.name not in NO_RULES:
                for found in ast.walk(function):
                    if isinstance(found, ast.Return) and not is_inner(found) and (path.name, found.lineno) not in lines.seen:
                        missing.append(f"{path.name}:{found.lineno}: {ast.unparse(found)}")
    assert not missing, "\n".join(missing)


NO_RULES = {"lowered", "nan_bits", "_converted_nan"}  # for the solvers; tests/solvers tests them
NO_RULES |= {"_itself", "_slot", "_slot_base"}  # no solver is told of these operators


@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("operator", ["slot", "slot_base"])
def test_slots_are_what_the_interpreter_computes(operator: str, width: int) -> None:
    sort, random = bitvec(width), Random(width)
    address = state(f"address {width}", sort)
    term, computed = make(operator, sort, address), semantics.function(operator, sort, (sort,))
    for value in (0, 1, (1 << width) - 1, *(random.getrandbits(width) for _ in range(200))):
        assert evaluate_one(term, {address: value}) == computed(value)


def rare_terms() -> list[tuple[Term, Term]]:
    """Where rules fire that random terms hardly meet, with what the rule is about."""
    four = bitvec(4)
    a, b, c, d = (state(f"rare {name}", four) for name in "abcd")
    p, q = (state(f"rare {name}", BOOL) for name in "pq")
    m = state("rare m", Array(four, four))
    f, g = (state(f"rare {name}", TINY) for name in "fg")
    found: list[tuple[Term, Term]] = []

    def case(operator: str, sort: Any, *arguments: Term) -> None:
        found.append((make(operator, sort, *arguments), plain(operator, sort, *arguments)))

    def k(value: int) -> Term:
        return constant(four, value)

    def add(x: Term, y: Term) -> Term:
        return make("bvadd", four, x, y)

    case("zero_extend", four, a)
    case("sign_extend", four, a)
    case("truncate", four, a)
    for x, y, u, v in ((a, b, a, c), (a, b, c, a), (b, a, a, c), (b, a, c, a), (c, b, a, b), (c, d, d, a)):
        case("=", BOOL, add(x, y), add(u, v))
        case("or", BOOL, make("and", BOOL, p, q), make("and", BOOL, p, make("not", BOOL, q)))
    for i in range(12):
        x, y, z = (state(f"rare {name} {i}", BOOL) for name in "xyz")
        not_z = make("not", BOOL, z)
        case("or", BOOL, make("and", BOOL, x, z), make("and", BOOL, x, not_z))
        case("and", BOOL, make("or", BOOL, not_z, y), make("or", BOOL, y, z))
        t, u, v = (state(f"rare {name} {i}", four) for name in "tuv")
        case("=", BOOL, add(t, u), add(t, v))
        case("=", BOOL, add(u, t), add(v, u))
        case("=", BOOL, add(add(t, u), v), add(u, add(v, t)))
        case("bvxor", four, make("bvxor", four, t, u), t)
        case("bvxor", four, u, make("bvxor", four, t, u))
    case("=", BOOL, add(a, k(1)), add(add(b, k(3)), k(14)))
    case("bvxor", four, make("bvxor", four, a, k(3)), k(5))
    case("bvadd", four, make("bvsub", four, k(3), a), k(5))
    case("bvand", four, make("zero_extend", four, state("rare e", bitvec(3))), k(3))
    for operator in ("bvshl", "bvlshr"):
        case(operator, four, make(operator, four, a, k(1)), k(2))
        case(operator, four, make(operator, four, a, k(1)), k(3))
        case(operator, four, make("ite", four, p, k(3), k(8)), k(1))
    case("bvult", BOOL, make("ite", four, p, k(3), k(8)), k(5))
    found.append((extract(make("bvlshr", four, a, k(1)), 2, 1), plain_extract(make("bvlshr", four, a, k(1)), 2, 1)))
    found.append((extract(make("bvshl", four, a, k(3)), 2, 1), plain_extract(make("bvshl", four, a, k(3)), 2, 1)))
    case("concat", bitvec(8), extract(a, 3, 2), make("concat", bitvec(6), extract(a, 1, 0), b))
    first = make("store", m.sort, make("store", m.sort, m, a, b), add(a, k(1)), c)
    second = make("store", m.sort, make("store", m.sort, m, a, c), add(a, k(2)), d)
    for index in (a, add(a, k(1)), d):
        case("select", four, make("ite", m.sort, p, first, second), index)
        case("select", four, make("ite", m.sort, p, first, constant(m.sort, 3)), index)
    case("bvlshr", bitvec(8), make("zero_extend", bitvec(8), a), constant(bitvec(8), 2))
    choice = make("ite", four, p, k(3), k(13))
    case("zero_extend", bitvec(8), choice)
    case("sign_extend", bitvec(8), choice)
    case("bvashr", four, choice, k(1))
    found.append((extract(choice, 2, 1), plain_extract(choice, 2, 1)))
    case("concat", four, extract(a, 3, 2), extract(a, 1, 0))
    case("fp.eq", BOOL, f, f)
    case("fp.leq", BOOL, f, f)
    case("fp.lt", BOOL, f, f)
    choice = make("ite", TINY, p, make("fp.from_bits", TINY, state("rare s", bitvec(7))), constant(TINY, 3))
    case("fp.to_bits", bitvec(7), choice)
    case("fp.abs", TINY, make("fp.neg", TINY, g))
    case("fp.isNaN", BOOL, make("fp.from_sbv", TINY, a))
    deep = m
    for i in range(520):
        deep = make(
            "store", m.sort, deep, make("bvadd", four, make("bvmul", four, a, k(3)), k(1 + i % 15)), state(f"rare {i}", four)
        )
    chain = make("select", four, deep, make("bvmul", four, a, k(3)))
    found.append((chain, plain("select", four, deep, make("bvmul", four, a, k(3)))))
    case("select", four, make("ite", m.sort, p, deep, first), make("bvmul", four, a, k(3)))
    counter = a
    for i in range(20):
        counter = make("ite", four, state(f"rare choice {i}", BOOL), k(0), add(counter, k(1)))
    case("=", BOOL, counter, k(7))
    case("=", BOOL, constant(Array(four, four), 1), constant(Array(four, four), 2))
    return found


def is_inner(found: ast.Return) -> bool:
    """The return of a function that makes rules, which ran at import."""
    return isinstance(found.value, ast.Name) and found.value.id == "rule"


def test_rules_leave_no_operator_out() -> None:
    """An operator without a rule is one of these."""
    from drystone.ir.expressions import OPERATORS

    free = {
        "fp.add",
        "fp.sub",
        "fp.mul",
        "fp.div",
        "fp.fmod",
        "fp.sqrt",
        "fp.floor",
        "fp.ceil",
        "fp.trunc",
        "fp.round",
        "fp.rint",
    }
    free |= {"fp.from_sbv", "fp.from_ubv", "fp.to_sbv", "fp.to_ubv"}
    assert set(OPERATORS) - set(RULES) == free


def test_results_do_not_depend_on_order() -> None:
    a, b = state("a", bitvec(8)), state("b", bitvec(8))
    for operator in ("bvadd", "bvmul", "bvand", "bvor", "bvxor", "="):
        sort = BOOL if operator == "=" else bitvec(8)
        assert make(operator, sort, a, b) is make(operator, sort, b, a)
