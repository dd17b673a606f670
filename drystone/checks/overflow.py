"""Results of operations on signed integers that their types cannot represent (C11 6.5, paragraph 5).

`a % -1` is undefined where `a / -1` is (6.5.5). Operands narrower than int are promoted, so that their sum fits.
"""

from __future__ import annotations

from collections.abc import Iterator

from drystone.checks.facts import Arithmetic, Fact, Violation
from drystone.checks.ranges import leaves_range, shifts_out
from drystone.ir.expressions import Expression, constant
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL


def violations(fact: Fact) -> Iterator[Violation]:
    if not isinstance(fact, Arithmetic) or not fact.is_signed:
        return
    condition: Expression | None = None
    if fact.operator in ("+", "-", "*", "neg"):
        condition = leaves_range(fact)
    elif fact.operator in ("/", "%"):
        is_minus_one = make("=", BOOL, fact.b, constant(fact.width, -1))
        condition = make("and", BOOL, is_minus_one, make("=", BOOL, fact.a, fact.least))
    elif fact.operator == "<<":
        condition = shifts_out(fact)
    if condition is not None:
        yield Violation(condition, f"overflow of {fact.type}")
