"""Accesses through NULL, also to what would lie far behind it."""

from __future__ import annotations

from collections.abc import Iterator

from drystone.checks.facts import Access, Fact, PointerCall, Violation
from drystone.ir.expressions import Constant
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL


def violations(fact: Fact) -> Iterator[Violation]:
    if isinstance(fact, PointerCall):
        yield Violation(make("=", BOOL, fact.pointer, Constant(fact.pointer.sort, 0)), "call of a function at NULL")
    elif isinstance(fact, Access):
        is_null = make("=", BOOL, fact.slot, Constant(fact.slot.sort, 0))
        yield Violation(is_null, f"null dereference: {fact.how}")
