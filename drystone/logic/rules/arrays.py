"""Rules for `select` and `store`."""

from __future__ import annotations

from drystone.logic.sorts import Sort
from drystone.logic.terms import RULES, Term, constant, intern, make

MAX_STORES = 512
"""How many stores a select looks through; with more of them at other addresses, it stays where it is."""


def _split(index: Term) -> tuple[Term | None, int]:
    """The index as a base and a constant."""
    if index.operator == "const":
        return None, index.payload
    if index.operator == "bvadd" and index.arguments[1].operator == "const":
        return index.arguments[0], index.arguments[1].payload
    return index, 0


def provably_distinct(a: Term, b: Term) -> bool:
    """Do the two indices differ for every value of the symbols, by their form?"""
    base_a, offset_a = _split(a)
    base_b, offset_b = _split(b)
    return base_a is base_b and offset_a != offset_b


def _select(sort: Sort, array: Term, index: Term) -> Term | None:
    base, offset = _split(index)
    given = array
    for _ in range(MAX_STORES):
        if array.operator == "store":
            inner, at, value = array.arguments
            if at is index:
                return value
            other_base, other_offset = _split(at)
            if base is not other_base or offset == other_offset:
                break
            array = inner
        elif array.operator == "const":
            return constant(sort, array.payload)
        else:
            chosen = _select_choice(sort, array, index) if array.operator == "ite" else None
            if chosen is not None:
                return chosen
            break
    else:
        return None
    return intern("select", sort, (array, index)) if array is not given else None


def _select_choice(sort: Sort, array: Term, index: Term) -> Term | None:
    """Moves into the arms where both give a value at once, which is no select (one level, so it stays linear)."""
    c, x, y = array.arguments
    first, second = _stored(x, index), _stored(y, index)
    return None if first is None or second is None else make("ite", sort, c, first, second)


def _stored(array: Term, index: Term) -> Term | None:
    """What the latest store put at `index`, if the form tells."""
    for _ in range(MAX_STORES):
        if array.operator == "store":
            inner, at, value = array.arguments
            if at is index:
                return value
            if not provably_distinct(at, index):
                return None
            array = inner
        elif array.operator == "const":
            return constant(array.sort.element, array.payload)  # type: ignore[union-attr]
        else:
            return None
    return None


def _store(sort: Sort, array: Term, index: Term, value: Term) -> Term | None:
    if value.operator == "select" and value.arguments[1] is index and value.arguments[0] is array:
        return array
    if array.operator == "store" and array.arguments[1] is index:
        return make("store", sort, array.arguments[0], index, value)
    if array.operator == "const" and value.operator == "const" and array.payload == value.payload:
        return array
    return None


RULES["select"] = _select
RULES["store"] = _store
