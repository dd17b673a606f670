"""Blocks that were not given back when the program ends, even if pointers lead to them."""

from __future__ import annotations

from collections.abc import Iterator

from drystone.checks.facts import Ending, Fact, Violation
from drystone.checks.lifetimes import is_left


def violations(fact: Fact) -> Iterator[Violation]:
    if isinstance(fact, Ending):
        yield Violation(is_left(fact), "memory that is not freed")
