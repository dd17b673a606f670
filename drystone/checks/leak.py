"""Blocks that are lost: they were not given back, and nothing leads to them when the program ends."""

from __future__ import annotations

from collections.abc import Iterator

from drystone.checks.facts import Ending, Fact, Violation
from drystone.checks.lifetimes import is_left
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL


def violations(fact: Fact) -> Iterator[Violation]:
    if isinstance(fact, Ending) and fact.lost is not None:
        yield Violation(make("and", BOOL, is_left(fact), fact.lost), "memory leak, blocks that no pointer leads to")
