"""Rules for `=` and the orders of bit-vectors.

Normal form: `bvule`, `bvsle` become negated `bvult`, `bvslt` with exchanged sides, and a constant stands on the
right, so that a condition and its negation are `c` and `not c` however they were written.
"""

from __future__ import annotations

from collections.abc import Callable

from drystone.logic import semantics
from drystone.logic.algebra import EXTENSIONS
from drystone.logic.sorts import BOOL, BitVec, Bool, Float, Sort, bitvec
from drystone.logic.terms import FALSE, RULES, TRUE, Term, constant, intern, make, negate, width

MAX_CHOICES = 16
"""How many nested `ite`s an equality with a constant is moved through; into more of them not at all."""


def _equal(sort: Sort, a: Term, b: Term) -> Term | None:
    if a is b:
        return TRUE
    given = a.sort
    if type(given) is BitVec:
        return _equal_bits(a, b)
    if type(given) is Bool:
        return _equivalent(a, b)
    if type(given) is Float:  # equality of the bits; the only other operator that sees them is fp.to_bits
        bits = bitvec(given.width)
        return make("=", BOOL, make("fp.to_bits", bits, a), make("fp.to_bits", bits, b))
    if a.operator == "const" == b.operator:  # two constant arrays with different values
        return FALSE
    return _ordered(a, b)


def _ordered(a: Term, b: Term) -> Term | None:
    return intern("=", BOOL, (b, a)) if b.hash < a.hash else None


def _equivalent(a: Term, b: Term) -> Term | None:
    if a.operator == "const":
        return b if a.payload else negate(b)
    if b.operator == "const":
        return a if b.payload else negate(a)
    if a.operator == "not":
        inner = a.arguments[0]
        if b.operator == "not":
            return make("=", BOOL, inner, b.arguments[0])
        return FALSE if inner is b else negate(make("=", BOOL, inner, b))
    if b.operator == "not":
        inner = b.arguments[0]
        return FALSE if inner is a else negate(make("=", BOOL, inner, a))
    return _ordered(a, b)


def _equal_bits(a: Term, b: Term) -> Term | None:
    first, second = a, b
    while True:  # what remains to compare never becomes one term, since equal terms are one object
        if a.operator == "const":
            return _equal_constant(b, a)
        if b.operator == "const":
            return _equal_constant(a, b)
        if a.operator == "bvadd" or b.operator == "bvadd":
            rest = _cancelled(a, b)
            if rest is not None:
                a, b = rest
                continue
        if a.operator == b.operator and a.operator in _INJECTIVE and a.arguments[0].sort == b.arguments[0].sort:
            a, b = a.arguments[0], b.arguments[0]
            continue
        if b.hash < a.hash:
            a, b = b, a
        return None if a is first and b is second else intern("=", BOOL, (a, b))


_INJECTIVE = EXTENSIONS | {"bvneg", "bvnot"}


def _cancelled(a: Term, b: Term) -> tuple[Term, Term] | None:
    """What remains to compare of x + y = x + z, x + y = x."""
    if a.operator != "bvadd":
        a, b = b, a
    x, y = a.arguments
    if b.operator == "bvadd":
        u, v = b.arguments
        if y is v:
            return x, u
        if x is u:
            return y, v
        if x is v:
            return y, u
        if y is u:
            return x, v
    if x is b:
        return y, constant(a.sort, 0)
    return (x, constant(a.sort, 0)) if y is b else None


def _equal_constant(a: Term, b: Term) -> Term:
    """a = b for a constant b: undoes what is invertible in a, and splits choices of which one arm is a constant."""
    value: int = b.payload
    whole = a, value
    choices: list[tuple[Term, Term, bool]] = []  # condition, truth of its constant arm, is that the first arm?
    while True:
        operator = a.operator
        value &= (1 << width(a)) - 1
        if operator == "const":
            result = TRUE if a.payload == value else FALSE
            break
        if operator == "ite":
            c, x, y = a.arguments
            if not choices:
                whole = a, value
            elif len(choices) == MAX_CHOICES and "const" in (x.operator, y.operator):
                return intern("=", BOOL, (whole[0], constant(whole[0].sort, whole[1])))
            if x.operator == "const":
                choices.append((c, TRUE if x.payload == value else FALSE, True))
                a = y
                continue
            if y.operator == "const":
                choices.append((c, TRUE if y.payload == value else FALSE, False))
                a = x
                continue
        undone = _undone(a, value)
        if undone is None:
            result = intern("=", BOOL, (a, constant(a.sort, value)))
            break
        if isinstance(undone, Term):
            result = undone
            break
        a, value = undone
    for c, decided, first in reversed(choices):
        result = make("ite", BOOL, c, decided, result) if first else make("ite", BOOL, c, result, decided)
    return result


def _undone(a: Term, value: int) -> tuple[Term, int] | Term | None:
    """For `a = value`: an argument of `a` and the value that it must have, or the answer, or None."""
    operator = a.operator
    if operator == "bvadd" or operator == "bvxor":
        x, k = a.arguments
        if k.operator == "const":
            return x, value - k.payload if operator == "bvadd" else value ^ k.payload
    elif operator == "bvneg":
        return a.arguments[0], -value
    elif operator == "bvnot":
        return a.arguments[0], ~value
    elif operator == "bvsub":
        x, y = a.arguments
        if x.operator == "const":
            return y, x.payload - value
        if value == 0:
            return make("=", BOOL, x, y)
    elif operator in EXTENSIONS:
        inner = a.arguments[0]
        narrow = value & (1 << width(inner)) - 1
        back = narrow
        if operator == "sign_extend" and narrow >> width(inner) - 1:
            back |= (1 << width(a)) - (1 << width(inner))
        return (inner, narrow) if back == value else FALSE
    elif operator == "concat":
        x, y = a.arguments
        high, low = value >> width(y), value & (1 << width(y)) - 1
        if x.operator == "const":
            return (y, low) if x.payload == high else FALSE
        if y.operator == "const":
            return (x, high) if y.payload == low else FALSE
    return None


def _less(operator: str) -> Callable[[Sort, Term, Term], Term | None]:
    signed = operator == "bvslt"

    def rule(sort: Sort, a: Term, b: Term) -> Term | None:
        if a is b:
            return FALSE
        if b.operator == "const":
            return against(a, b)
        if a.operator == "const":
            bits = width(a)
            if a.payload == ((1 << bits - 1) - 1 if signed else (1 << bits) - 1):
                return FALSE
            return negate(make(operator, BOOL, b, constant(a.sort, a.payload + 1)))
        if a.operator == b.operator and a.operator in EXTENSIONS:
            x, y = a.arguments[0], b.arguments[0]
            if x.sort == y.sort:  # both extensions keep the unsigned order; zero-extended values have no other
                return make(operator if a.operator == "sign_extend" else "bvult", BOOL, x, y)
        return None

    def against(a: Term, b: Term) -> Term | None:
        """a < b for a constant b."""
        bits, value = width(a), b.payload
        least = 1 << bits - 1 if signed else 0
        mask = (1 << bits) - 1
        if value == least:
            return FALSE
        if value == least + 1 & mask:
            return make("=", BOOL, a, constant(a.sort, least))
        if value == least - 1 & mask:
            return negate(make("=", BOOL, a, b))
        if a.operator == "ite" and a.arguments[1].operator == "const" == a.arguments[2].operator:
            c, x, y = a.arguments
            return make("ite", BOOL, c, make(operator, BOOL, x, b), make(operator, BOOL, y, b))
        if a.operator == "zero_extend" or (a.operator == "sign_extend" and signed):
            return narrowed(a, value)
        return None

    def narrowed(a: Term, value: int) -> Term:
        """An extended value against a constant: compared in the smaller width, or decided."""
        inner = a.arguments[0]
        small, large = width(inner), width(a)
        bound = semantics.signed(value, large) if signed else value
        if a.operator == "zero_extend":
            if bound >= 1 << small:
                return TRUE
            return FALSE if bound <= 0 else make("bvult", BOOL, inner, constant(inner.sort, bound))
        limit = 1 << small - 1
        if bound >= limit:
            return TRUE
        return FALSE if bound <= -limit else make("bvslt", BOOL, inner, constant(inner.sort, bound))

    return rule


def _at_most(less: str) -> Callable[[Sort, Term, Term], Term | None]:
    def rule(sort: Sort, a: Term, b: Term) -> Term | None:
        return negate(make(less, BOOL, b, a))

    return rule


RULES["="] = _equal
RULES["bvult"] = _less("bvult")
RULES["bvslt"] = _less("bvslt")
RULES["bvule"] = _at_most("bvult")
RULES["bvsle"] = _at_most("bvslt")
