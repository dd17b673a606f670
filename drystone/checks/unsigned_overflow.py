"""Sums, differences, products and negatives of unsigned integers that wrap around: C defines them, few programs mean them."""

from __future__ import annotations

from collections.abc import Iterator

from drystone.checks.facts import Arithmetic, Fact, Violation
from drystone.checks.ranges import leaves_range


def violations(fact: Fact) -> Iterator[Violation]:
    if isinstance(fact, Arithmetic) and not fact.is_signed and fact.operator in ("+", "-", "*", "neg"):
        yield Violation(leaves_range(fact), f"wrap-around of {fact.type}")
