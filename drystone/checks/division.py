"""Division and remainder by zero. (The one quotient that does not fit, `INT_MIN / -1`, is an overflow.)"""

from __future__ import annotations

from collections.abc import Iterator

from drystone.checks.facts import Arithmetic, Fact, Violation
from drystone.ir.expressions import constant
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL


def violations(fact: Fact) -> Iterator[Violation]:
    if isinstance(fact, Arithmetic) and fact.operator in ("/", "%"):
        yield Violation(make("=", BOOL, fact.b, constant(fact.width, 0)), "division by zero")
