"""Value analysis: what is tried one by one, and what conditions leave to a variable."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from drystone.base.refusal import Refusal
from drystone.cpa.domains.values import ranges
from drystone.ir.expressions import Apply, Constant, Expression, Variable, apply
from drystone.logic.semantics import function
from drystone.logic.sorts import BOOL, bitvec
from drystone.verification.options import Options, reject_contradictions
from tests.inside import decided

HEAD = """extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
"""
BEHIND_A_BRANCH = """int main(void) { int state = 0; while (1) { int x = __VERIFIER_nondet_int(); if (x < -1 || x > 3) return 0;
  int y = x * 2; if (y == 5) reach_error(); if (state > 6) reach_error(); state = y; } }"""
LISTED = """int main(void) { while (1) { int x = __VERIFIER_nondet_int(); if (x != 7 && x != 12 && x != 90) continue;
  int y = x * x; if (y == 50) reach_error(); } }"""
REMAINDER = """int main(void) { while (1) { int x = __VERIFIER_nondet_int() % 5; int y = x * 2; if (y == 7) reach_error(); } }"""
TWO = """int main(void) { while (1) { int x = __VERIFIER_nondet_int() % 4; unsigned char c = __VERIFIER_nondet_uchar();
  if (c > 2) continue; int y = x * 3 + c * 10; if (y == 18) reach_error(); } }"""
NARROW = (
    """int main(void) { while (1) { unsigned char c = __VERIFIER_nondet_uchar(); int y = c * 2; if (y == 77) reach_error(); } }"""
)
WRONG = """int main(void) { while (1) { int x = __VERIFIER_nondet_int(); if (x < 40 || x > 43) continue;
  int y = x * 3; if (y == 126) reach_error(); } }"""


@pytest.mark.parametrize(
    ("text", "maxenum", "expected"),
    [
        (BEHIND_A_BRANCH, 64, "TRUE"),
        (BEHIND_A_BRANCH, 4, "UNKNOWN"),
        (LISTED, 64, "TRUE"),
        (LISTED, 2, "UNKNOWN"),
        (REMAINDER, 64, "TRUE"),
        (REMAINDER, 8, "UNKNOWN"),
        (TWO, 64, "TRUE"),
        (NARROW, 64, "UNKNOWN"),
        (NARROW, 256, "TRUE"),
        (WRONG, 64, "FALSE"),
        (WRONG, 1, "FALSE"),
    ],
)
def test_as_many_values_are_tried_as_the_user_says(text: str, maxenum: int, expected: str, tmp_path: Path) -> None:
    """A proof is one that was checked; an error was replayed."""
    file = tmp_path / "program.c"
    file.write_text(HEAD + text)
    assert decided(file, engine="value", timeout=20, maxenum=maxenum).verdict == expected


def test_other_engines_try_no_values() -> None:
    with pytest.raises(Refusal, match=r"--maxenum .* use --engine value"):
        reject_contradictions(Options(engine="bmc", maxenum=5))


WIDTH, NARROWER = 5, 3


def test_no_value_that_fulfils_a_condition_is_left_out() -> None:
    """And with a single comparison, no other one is left."""
    choose, exact = Random(1), 0
    for _ in range(600):
        depth, holds = choose.randint(0, 2), choose.random() < 0.5
        condition = _condition(choose, depth)
        for name, left in ranges.allowed(condition, holds).items():
            numbers = set(ranges.numbers(left))
            assert ranges.count(left) == len(numbers)
            fulfilling = {
                (x if name == "x" else y)
                for x in range(1 << WIDTH)
                for y in range(1 << NARROWER)
                if bool(_value(condition, {"x": x, "y": y})) == holds
            }
            assert fulfilling <= numbers <= set(range(1 << (WIDTH if name == "x" else NARROWER))), condition
            if depth == 0:
                exact += 1
                assert fulfilling == numbers, condition
    assert exact > 100


def _condition(choose: Random, depth: int) -> Apply:
    if depth:
        parts = [_condition(choose, depth - 1) for _ in range(2)]
        whole = apply(choose.choice(["and", "or"]), BOOL, *parts)
    else:
        x, y = Variable("x", bitvec(WIDTH)), Variable("y", bitvec(NARROWER))
        wider = [apply(each, bitvec(WIDTH), y) for each in ("zero_extend", "sign_extend")]
        sides: list[Expression] = [x, *wider, Constant(bitvec(WIDTH), choose.randrange(1 << WIDTH))]
        sides = [sides[choose.randrange(3)], sides[3]]
        choose.shuffle(sides)
        whole = apply(choose.choice(["=", "bvult", "bvule", "bvslt", "bvsle"]), BOOL, *sides)
    found = apply("not", BOOL, whole) if choose.random() < 0.3 else whole
    assert isinstance(found, Apply)
    return found


def _value(expression: Expression, values: dict[str, int]) -> int:
    match expression:
        case Constant(_, number):
            return number
        case Variable(name):
            return values[name]
        case Apply(operator, sort, arguments):
            given = [_value(argument, values) for argument in arguments]
            return int(function(operator, sort, tuple(argument.sort for argument in arguments))(*given))
        case _:
            raise AssertionError(expression)
