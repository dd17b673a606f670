"""When a result does not fit its type, said by comparisons of the operands: nothing is computed that wraps around."""

from __future__ import annotations

from drystone.checks.facts import Arithmetic
from drystone.ir.expressions import FALSE, Constant, Expression, constant
from drystone.ir.simplify import make, negate
from drystone.logic.sorts import BOOL, bitvec


def leaves_range(fact: Arithmetic) -> Expression:
    """Of `+`, `-`, `*`, "neg"."""
    match fact.operator:
        case "+":
            return _sum_leaves(fact, fact.a, fact.b)
        case "-" if fact.is_signed:
            return _difference_leaves(fact)
        case "-":
            return make("bvult", BOOL, fact.a, fact.b)
        case "*":
            return _product_leaves(fact)
        case "neg" if fact.is_signed:
            return make("=", BOOL, fact.a, fact.least)
        case _:
            return negate(make("=", BOOL, fact.a, constant(fact.width, 0)))


def _sum_leaves(fact: Arithmetic, a: Expression, b: Expression) -> Expression:
    if isinstance(a, Constant):
        a, b = b, a
    if not fact.is_signed:
        return make("bvult", BOOL, _difference(fact.greatest, b), a)
    above = make("bvslt", BOOL, _difference(fact.greatest, b), a)
    below = make("bvslt", BOOL, a, _difference(fact.least, b))
    return make("ite", BOOL, _is_negative(b), below, above)


def _difference_leaves(fact: Arithmetic) -> Expression:
    if isinstance(fact.a, Constant):  # c - b: b < c - MAX where c < 0, b > c - MIN otherwise
        return (
            make("bvslt", BOOL, _difference(fact.a, fact.least), fact.b)
            if _signed(fact.a) < 0
            else make("bvslt", BOOL, fact.b, _difference(fact.a, fact.greatest))
        )
    below = make("bvslt", BOOL, fact.a, make("bvadd", fact.a.sort, fact.least, fact.b))
    above = make("bvslt", BOOL, make("bvadd", fact.a.sort, fact.greatest, fact.b), fact.a)
    return make("ite", BOOL, _is_negative(fact.b), above, below)


def _product_leaves(fact: Arithmetic) -> Expression:
    a, b = (fact.b, fact.a) if isinstance(fact.a, Constant) else (fact.a, fact.b)
    if isinstance(b, Constant):
        return _multiple_leaves(fact, a, b)
    double = bitvec(2 * fact.width)
    extend = "sign_extend" if fact.is_signed else "zero_extend"
    wide = make("bvmul", double, make(extend, double, a), make(extend, double, b))
    return negate(make("=", BOOL, wide, make(extend, double, make("bvmul", a.sort, a, b))))


def _multiple_leaves(fact: Arithmetic, a: Expression, factor: Constant) -> Expression:
    """A product with a constant: the other factor is compared with bounds that are computed here."""
    number = _signed(factor) if fact.is_signed else factor.value
    if number == 0:
        return FALSE
    least, greatest = (_signed(fact.least), _signed(fact.greatest)) if fact.is_signed else (0, fact.greatest.value)
    low, high = (least, greatest) if number > 0 else (greatest, least)
    first, last = -(-low // number), high // number  # rounded up, and down
    less = "bvslt" if fact.is_signed else "bvult"
    found: Expression = FALSE
    if first > least:
        found = make("or", BOOL, found, make(less, BOOL, a, constant(fact.width, first)))
    if last < greatest:
        found = make("or", BOOL, found, make(less, BOOL, constant(fact.width, last), a))
    return found


def shifts_out(fact: Arithmetic) -> Expression:
    """Of `<<` on a signed type: is the value times two to the power of the amount none of the type? A negative amount says no."""
    amount = _amount(fact)
    above = make("bvslt", BOOL, make("bvashr", fact.a.sort, fact.greatest, amount), fact.a)
    below = make("bvslt", BOOL, fact.a, make("bvashr", fact.a.sort, fact.least, amount))
    is_far = make("bvule", BOOL, constant(fact.width, fact.width), amount)
    is_lost = make("and", BOOL, is_far, negate(make("=", BOOL, fact.a, constant(fact.width, 0))))
    leaves = make("or", BOOL, make("or", BOOL, above, below), is_lost)
    return make("and", BOOL, negate(_is_negative(fact.b)), leaves) if fact.is_amount_signed else leaves


def _amount(fact: Arithmetic) -> Expression:
    """At the width of the value; what is too far stays so."""
    given = fact.b.sort
    width = given.width if hasattr(given, "width") else fact.width
    if width == fact.width:
        return fact.b
    if width < fact.width:
        return make("zero_extend", bitvec(fact.width), fact.b)
    fits = make("bvult", BOOL, fact.b, constant(width, fact.width))
    near = make("truncate", bitvec(fact.width), fact.b)
    return make("ite", bitvec(fact.width), fits, near, constant(fact.width, fact.width))


def _is_negative(value: Expression) -> Expression:
    return make("bvslt", BOOL, value, Constant(value.sort, 0))


def _difference(a: Expression, b: Expression) -> Expression:
    return make("bvsub", a.sort, a, b)


def _signed(value: Constant) -> int:
    width = getattr(value.sort, "width", 0)
    return value.value - (1 << width) if value.value >> (width - 1) else value.value
