"""Blocks that are given back twice."""

from __future__ import annotations

from collections.abc import Iterator

from drystone.checks.facts import Fact, Release, Violation
from drystone.checks.lifetimes import is_block, is_nothing
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL


def violations(fact: Fact) -> Iterator[Violation]:
    if isinstance(fact, Release):
        is_gone = make("and", BOOL, is_nothing(fact.entry), is_block(fact))
        yield Violation(is_gone, "double free")
