"""What is given back and was never allocated: variables, functions, places inside of blocks."""

from __future__ import annotations

from collections.abc import Iterator

from drystone.checks.facts import Fact, Release, Violation
from drystone.checks.lifetimes import is_block
from drystone.ir.expressions import Constant
from drystone.ir.simplify import make, negate
from drystone.logic.sorts import BOOL


def violations(fact: Fact) -> Iterator[Violation]:
    if isinstance(fact, Release):
        is_null = make("=", BOOL, fact.pointer, Constant(fact.pointer.sort, 0))
        yield Violation(negate(make("or", BOOL, is_null, is_block(fact))), "free of what no allocation returned")
