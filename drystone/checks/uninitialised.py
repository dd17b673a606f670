"""Reads of what was never written: of local variables, and of memory that nothing has filled (C17 6.3.2.1, paragraph 2; J.2)."""

from __future__ import annotations

from collections.abc import Iterator

from drystone.checks.facts import Fact, Read, Violation
from drystone.ir.simplify import negate


def violations(fact: Fact) -> Iterator[Violation]:
    if isinstance(fact, Read):
        yield Violation(negate(fact.has_value), "read of", which="has no value yet")
