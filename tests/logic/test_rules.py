"""Every rewrite rule is an equivalence, proved on small widths by a solver: `make(...)` against the node as it is.

The arguments are random terms over few symbols, so that rules find what they look for; the last test makes sure that
every line of every rule was reached by a proof.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import pytest
from logic.random_terms import FULL, Generator, plain, plain_extract

import drystone.logic.rules as rules
from drystone.logic.sorts import BOOL, Array, Float, bitvec
from drystone.logic.terms import RULES, Term, constant, extract, make, reachable, state
from drystone.solvers import Answer, Solver, make_solver

FOLDER = Path(rules.__file__).parent
TINY = Float(3, 4)
ARRAY = Array(bitvec(2), bitvec(3))
AMOUNT = 6 if FULL else 1


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


def node_and_rewritten(random: Random, generate: Generator) -> tuple[Term, Term]:
    """One random operator on arguments made by `make`."""
    made: list[tuple[Term, Term]] = []

    def recording(operator: str, sort: Any, *arguments: Term) -> Term:
        made.append((make(operator, sort, *arguments), plain(operator, sort, *arguments)))
        return made[-1][0]

    def recording_extract(a: Term, high: int, low: int) -> Term:
        made.append((extract(a, high, low), plain_extract(a, high, low)))
        return made[-1][0]

    generate.make, generate.extract = recording, recording_extract
    sort = random.choice([BOOL, bitvec(random.choice(generate.widths)), *generate.formats, *generate.arrays])
    while not made:
        generate.term(sort, random.choice([1, 2, 2, 3, 3]))
    return made[-1]


def prove_many(kind: str, amount: int) -> None:
    random = Random(kind)
    solver = make_solver("z3" if kind in ("floats", "arrays") else "bitwuzla")
    match kind:
        case "floats":
            generate = Generator(random, (3, 7), (TINY, Float(2, 3)))
        case "arrays":
            generate = Generator(random, (2, 3), (), (ARRAY,))
        case "words":
            generate = Generator(random, (4, 8, 12))
        case _:
            generate = Generator(random, (1, 2, 3, 4))
    for _ in range(amount):
        rewritten, node = node_and_rewritten(random, generate)
        proved(rewritten, node, solver)


AMOUNTS = {"bits": 4000, "words": 1500, "arrays": 1200, "floats": 250}


@pytest.mark.parametrize("kind", AMOUNTS)
def test_rules_are_equivalences(kind: str) -> None:
    prove_many(kind, AMOUNTS[kind] * AMOUNT)


def test_every_line_of_the_rules_is_reached() -> None:
    """The same terms as in the proofs, and a few that chance finds rarely."""
    lines = Lines()
    before = sys.gettrace()
    random = Random(7)
    solver = make_solver("bitwuzla")
    generators = [
        Generator(random, (1, 2, 3, 4)),
        Generator(random, (2, 3), (), (ARRAY,)),
        Generator(random, (3, 7), (TINY, Float(2, 3))),
    ]
    sys.settrace(lines)
    try:
        for _ in range(12000):
            node_and_rewritten(random, random.choice(generators))
        for rewritten, node in rare_terms():
            proved(rewritten, node, solver)
    finally:
        sys.settrace(before)
    missing = []
    for path in sorted(FOLDER.glob("*.py")):
        for found in ast.walk(ast.parse(path.read_text())):
            if isinstance(found, ast.Return) and path.name != "__init__.py" and (path.name, found.lineno) not in lines.seen:
                if not EXEMPT & {part.id for part in ast.walk(found) if isinstance(part, ast.Name)}:
                    missing.append(f"{path.name}:{found.lineno}: {ast.unparse(found)}")
    assert not [line for line in missing if not line.startswith("floats.py") or "nan" not in line], missing


EXEMPT = {"whole", "simpler", "passed"}


def rare_terms() -> list[tuple[Term, Term]]:
    """Terms on which a rule fires that random terms hardly meet."""
    sort = bitvec(4)
    a, b = state("a", sort), state("b", sort)
    found = []

    def case(operator: str, *arguments: Term) -> None:
        found.append((make(operator, sort, *arguments), plain(operator, sort, *arguments)))

    case("bvsub", make("bvadd", sort, a, b), b)
    case("bvsub", make("bvadd", sort, a, b), a)
    case("bvsub", b, make("bvadd", sort, a, b))
    case("bvsub", a, make("bvadd", sort, a, b))
    case("bvadd", make("bvsub", sort, a, b), b)
    case("bvadd", b, make("bvsub", sort, a, b))
    case("bvand", make("zero_extend", sort, state("c", bitvec(3))), constant(sort, 3))
    case("bvand", make("zero_extend", sort, state("c", bitvec(2))), constant(sort, 3))
    case("bvxor", make("bvxor", sort, a, b), b)
    case("bvxor", make("bvxor", sort, a, b), a)
    case("bvxor", a, make("bvxor", sort, a, b))
    case("bvxor", b, make("bvxor", sort, a, b))
    return found


def test_rules_leave_no_operator_out() -> None:
    """An operator without a rule is one of these."""
    from drystone.program.expressions import OPERATORS

    free = {"fp.add", "fp.sub", "fp.mul", "fp.div", "fp.fmod", "fp.sqrt", "fp.floor", "fp.ceil", "fp.trunc", "fp.round", "fp.rint"}
    free |= {"fp.from_sbv", "fp.from_ubv", "fp.to_sbv", "fp.to_ubv"}
    assert set(OPERATORS) - set(RULES) == free


def test_results_do_not_depend_on_order() -> None:
    a, b = state("a", bitvec(8)), state("b", bitvec(8))
    for operator in ("bvadd", "bvmul", "bvand", "bvor", "bvxor", "="):
        sort = BOOL if operator == "=" else bitvec(8)
        assert make(operator, sort, a, b) is make(operator, sort, b, a)
    assert reachable([a])[0] is a
