"""Which kinds of violations there are, the checks that find them, and a pair for each seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from drystone.checks.registry import CHECKS
from tests.checks.planted import arithmetic, bounds, conversions, lifetimes, strings, uninitialised
from tests.checks.planted.compose import Core, Pair, composed, draft_of
from tests.checks.planted.drafts import Draft


@dataclass(frozen=True)
class Kind:
    templates: Sequence[Callable[[Draft], Core]]
    checks: str  # for --check
    kinds: frozenset[str]  # of the errors that these may call it
    reported: str = ""  # what sanitizers say, a regular expression; empty: the program itself has to ask
    by_valgrind: bool = False  # it says so


_UNDEFINED = "division,shift,overflow"

KINDS = {
    "division": Kind(arithmetic.DIVISION, _UNDEFINED, frozenset({"division"}), "division by zero"),
    "shift": Kind(arithmetic.SHIFT, _UNDEFINED, frozenset({"shift"}), "shift exponent|left shift of negative"),
    "overflow": Kind(
        arithmetic.OVERFLOW, _UNDEFINED, frozenset({"overflow"}), "cannot be represented in type|overflow|left shift of"
    ),
    "unsigned-overflow": Kind(arithmetic.UNSIGNED_OVERFLOW, "unsigned-overflow", frozenset({"unsigned-overflow"})),
    "conversion": Kind(conversions.INTEGERS, "conversion", frozenset({"conversion"})),
    "float-conversion": Kind(
        conversions.FLOATING, "conversion", frozenset({"conversion"}), "is outside the range of representable values"
    ),
    "bounds": Kind(
        bounds.BOUNDS, "memory", frozenset({"bounds"}), "-buffer-overflow|-buffer-underflow|out of bounds|insufficient space|SEGV"
    ),
    "string": Kind(
        strings.STRINGS, "memory", frozenset({"string", "bounds"}), "-buffer-overflow|-buffer-underflow|out of bounds"
    ),
    "null": Kind(lifetimes.NULL, "memory", frozenset({"null"}), "null pointer|address 0x00000000"),
    "use-after-free": Kind(lifetimes.USE_AFTER_FREE, "memory", frozenset({"use-after-free"}), "heap-use-after-free"),
    "double-free": Kind(lifetimes.DOUBLE_FREE, "memory", frozenset({"double-free"}), "attempting double-free"),
    "invalid-free": Kind(lifetimes.INVALID_FREE, "memory", frozenset({"invalid-free"}), "attempting free on address|SEGV"),
    "leak": Kind(lifetimes.LEAK, "memory", frozenset({"leak"}), "detected memory leaks|blocks are left"),
    "stack-use-after-return": Kind(
        lifetimes.STACK, "memory", frozenset({"stack-use-after-return"}), "stack-use-after-(return|scope)"
    ),
    "uninitialised": Kind(
        uninitialised.UNINITIALISED, "uninitialised", frozenset({"uninitialised"}), "depends on uninitialised", by_valgrind=True
    ),
}


def is_checked(kind: str) -> bool:
    """Are there the checks yet that find such violations?"""
    known = {*CHECKS, *(("memory",) if "bounds" in CHECKS else ())}
    return known.issuperset(KINDS[kind].checks.split(","))


def pair(kind: str, seed: int) -> Pair:
    draft = draft_of(kind, seed)
    template = KINDS[kind].templates[seed % len(KINDS[kind].templates)]
    return composed(kind, seed, draft, template(draft), is_watched=not KINDS[kind].reported)
