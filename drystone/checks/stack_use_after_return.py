"""Accesses to variables whose block has ended, or the activation of their function."""

from __future__ import annotations

from collections.abc import Iterator

from drystone.checks.facts import Access, Fact, Violation
from drystone.checks.lifetimes import is_in_frames, is_nothing
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL


def violations(fact: Fact) -> Iterator[Violation]:
    if isinstance(fact, Access):
        is_gone = make("and", BOOL, is_nothing(fact.entry), is_in_frames(fact.slot, fact.slots))
        yield Violation(is_gone, f"use of a variable that has ended: {fact.how}")
