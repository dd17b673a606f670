"""Rules for arithmetic, bitwise operations and shifts of bit-vectors.

Normal form: constants to the right and outwards, so that an address is a base plus one constant; `x - k` is
`x + (-k)`; `a + (-b)` is `a - b`.
"""

from __future__ import annotations

from collections.abc import Callable

from drystone.logic.algebra import LAWS
from drystone.logic.slots import slots
from drystone.logic.sorts import Sort
from drystone.logic.terms import RULES, Term, constant, extract, intern, make, width


def _ordered(operator: str, sort: Sort, a: Term, b: Term) -> Term | None:
    return intern(operator, sort, (b, a)) if b.hash < a.hash else None


def _constant_arms(a: Term) -> bool:
    return a.operator == "ite" and a.arguments[1].operator == "const" == a.arguments[2].operator


def _into_arms(operator: str, sort: Sort, a: Term, *others: Term) -> Term:
    """`(c ? k1 : k2) op k` is `c ? k1 op k : k2 op k`."""
    c, x, y = a.arguments
    return make("ite", sort, c, make(operator, sort, x, *others), make(operator, sort, y, *others))


def _add(sort: Sort, a: Term, b: Term) -> Term | None:
    if a.operator == "const":
        return make("bvadd", sort, b, a)
    if b.operator == "const":
        if b.payload == 0:
            return a
        if a.operator == "bvadd":
            x, k = a.arguments
            if k.operator == "const":
                return make("bvadd", sort, x, constant(sort, k.payload + b.payload))
        elif a.operator == "bvsub":
            x, y = a.arguments
            if x.operator == "const":
                return make("bvsub", sort, constant(sort, x.payload + b.payload), y)
        elif a.operator == "bvneg":
            return make("bvsub", sort, b, a.arguments[0])
        elif _constant_arms(a):
            return _into_arms("bvadd", sort, a, b)
        return None
    if a.operator == "bvadd" and a.arguments[1].operator == "const":
        return make("bvadd", sort, make("bvadd", sort, a.arguments[0], b), a.arguments[1])
    if b.operator == "bvadd" and b.arguments[1].operator == "const":
        return make("bvadd", sort, make("bvadd", sort, a, b.arguments[0]), b.arguments[1])
    if b.operator == "bvneg":
        return make("bvsub", sort, a, b.arguments[0])
    if a.operator == "bvneg":
        return make("bvsub", sort, b, a.arguments[0])
    if b.operator == "bvsub" and b.arguments[1] is a:
        return b.arguments[0]
    if a.operator == "bvsub" and a.arguments[1] is b:
        return a.arguments[0]
    return _ordered("bvadd", sort, a, b)


def _sub(sort: Sort, a: Term, b: Term) -> Term | None:
    if a is b:
        return constant(sort, 0)
    if b.operator == "const":
        return make("bvadd", sort, a, constant(sort, -b.payload))
    if b.operator == "bvneg":
        return make("bvadd", sort, a, b.arguments[0])
    if a.operator == "const":
        if a.payload == 0:
            return make("bvneg", sort, b)
        if b.operator == "bvadd" and b.arguments[1].operator == "const":
            return make("bvsub", sort, constant(sort, a.payload - b.arguments[1].payload), b.arguments[0])
        if b.operator == "bvsub" and b.arguments[0].operator == "const":
            return make("bvadd", sort, b.arguments[1], constant(sort, a.payload - b.arguments[0].payload))
        return None
    if a.operator == "bvadd":
        x, y = a.arguments
        if x is b:
            return y
        if y is b:
            return x
        if y.operator == "const":
            return make("bvadd", sort, make("bvsub", sort, x, b), y)
    if b.operator == "bvadd":
        x, y = b.arguments
        if x is a:
            return make("bvneg", sort, y)
        if y is a:
            return make("bvneg", sort, x)
        if y.operator == "const":
            return make("bvadd", sort, make("bvsub", sort, a, x), constant(sort, -y.payload))
    return None


def _neg(sort: Sort, a: Term) -> Term | None:
    operator = a.operator
    if operator == "bvneg":
        return a.arguments[0]
    if operator == "bvsub":
        return make("bvsub", sort, a.arguments[1], a.arguments[0])
    if operator == "bvnot":
        return make("bvadd", sort, a.arguments[0], constant(sort, 1))
    if operator == "bvadd" and a.arguments[1].operator == "const":
        return make("bvsub", sort, constant(sort, -a.arguments[1].payload), a.arguments[0])
    return _into_arms("bvneg", sort, a) if _constant_arms(a) else None


def _not(sort: Sort, a: Term) -> Term | None:
    if a.operator == "bvnot":
        return a.arguments[0]
    if a.operator == "bvneg":
        return make("bvadd", sort, a.arguments[0], constant(sort, -1))
    return _into_arms("bvnot", sort, a) if _constant_arms(a) else None


def _mul(sort: Sort, a: Term, b: Term) -> Term | None:
    if a.operator == "const":
        return make("bvmul", sort, b, a)
    if b.operator == "const":
        value = b.payload
        if value <= 1:
            return a if value else b
        if value == (1 << width(b)) - 1:
            return make("bvneg", sort, a)
        if a.operator == "bvmul" and a.arguments[1].operator == "const":
            return make("bvmul", sort, a.arguments[0], constant(sort, a.arguments[1].payload * value))
        if a.operator == "bvadd" and a.arguments[1].operator == "const":  # keeps addresses a base plus a constant
            x, k = a.arguments
            return make("bvadd", sort, make("bvmul", sort, x, b), constant(sort, k.payload * value))
        return _into_arms("bvmul", sort, a, b) if _constant_arms(a) else None
    return _ordered("bvmul", sort, a, b)


def _scale(sort: Sort, a: Term, b: Term) -> Term:
    return make("bvmul", sort, a, b)


def _unsigned_quotient(sort: Sort, a: Term, b: Term) -> Term | None:
    if b.operator == "const" and b.payload.bit_count() == 1:
        return make("bvlshr", sort, a, constant(sort, b.payload.bit_length() - 1))
    return None


def _unsigned_remainder(sort: Sort, a: Term, b: Term) -> Term | None:
    if b.operator == "const":
        if b.payload == 0:
            return a
        if b.payload.bit_count() == 1:
            return make("bvand", sort, a, constant(sort, b.payload - 1))
    elif a is b or (a.operator == "const" and a.payload == 0):
        return constant(sort, 0)
    return None


def _signed_quotient(sort: Sort, a: Term, b: Term) -> Term | None:
    if b.operator == "const":
        if b.payload == (1 << width(b)) - 1:  # before 1, which at width 1 is -1
            return make("bvneg", sort, a)
        if b.payload == 1:
            return a
    return None


def _signed_remainder(sort: Sort, a: Term, b: Term) -> Term | None:
    if b.operator == "const":
        if b.payload == 0:
            return a
        if b.payload == 1 or b.payload == (1 << width(b)) - 1:
            return constant(sort, 0)
    elif a is b or (a.operator == "const" and a.payload == 0):
        return constant(sort, 0)
    return None


def _bitwise(operator: str, dual: str) -> Callable[[Sort, Term, Term], Term | None]:
    """bvand, and with the roles of 0 and all ones exchanged bvor."""
    neutral, absorbing = LAWS[operator].neutral, LAWS[dual].neutral

    def rule(sort: Sort, a: Term, b: Term) -> Term | None:
        if a is b:
            return a
        if a.operator == "const":
            return make(operator, sort, b, a)
        if b.operator == "const":
            ones = (1 << width(b)) - 1
            value = b.payload
            if value == neutral & ones:
                return a
            if value == absorbing & ones:
                return b
            if a.operator == operator and a.arguments[1].operator == "const":
                k = a.arguments[1].payload
                return make(operator, sort, a.arguments[0], constant(sort, k & value if operator == "bvand" else k | value))
            if _constant_arms(a):
                return _into_arms(operator, sort, a, b)
            if operator == "bvand" and value & (value + 1) == 0:  # a mask of the low bits
                return _masked(sort, a, b, value.bit_length())
            return None
        if (a.operator == "bvnot" and a.arguments[0] is b) or (b.operator == "bvnot" and b.arguments[0] is a):
            return constant(sort, absorbing)
        if a.operator == dual and (a.arguments[0] is b or a.arguments[1] is b):
            return b
        if b.operator == dual and (b.arguments[0] is a or b.arguments[1] is a):
            return a
        if a.operator == operator and (a.arguments[0] is b or a.arguments[1] is b):
            return a
        if b.operator == operator and (b.arguments[0] is a or b.arguments[1] is a):
            return b
        return _ordered(operator, sort, a, b)

    return rule


def _masked(sort: Sort, a: Term, mask: Term, bits: int) -> Term | None:
    """The low bits of an extension."""
    if a.operator == "zero_extend":
        inner = a.arguments[0]
        if width(inner) <= bits:
            return a
        return make("zero_extend", sort, make("bvand", inner.sort, inner, constant(inner.sort, mask.payload)))
    return None


def _xor(sort: Sort, a: Term, b: Term) -> Term | None:
    if a is b:
        return constant(sort, 0)
    if a.operator == "const":
        return make("bvxor", sort, b, a)
    if b.operator == "const":
        if b.payload == 0:
            return a
        if b.payload == (1 << width(b)) - 1:
            return make("bvnot", sort, a)
        if a.operator == "bvxor" and a.arguments[1].operator == "const":
            return make("bvxor", sort, a.arguments[0], constant(sort, a.arguments[1].payload ^ b.payload))
        if a.operator == "bvnot":
            return make("bvxor", sort, a.arguments[0], constant(sort, ~b.payload))
        return _into_arms("bvxor", sort, a, b) if _constant_arms(a) else None
    if a.operator == "bvxor":
        x, y = a.arguments
        if x is b:
            return y
        if y is b:
            return x
    if b.operator == "bvxor":
        x, y = b.arguments
        if x is a:
            return y
        if y is a:
            return x
    return _ordered("bvxor", sort, a, b)


def _shift(operator: str) -> Callable[[Sort, Term, Term], Term | None]:
    """bvshl and bvlshr."""

    def rule(sort: Sort, a: Term, b: Term) -> Term | None:
        if b.operator == "const":
            distance = b.payload
            if distance == 0:
                return a
            if distance >= width(a):
                return constant(sort, 0)
            if a.operator == operator and a.arguments[1].operator == "const":
                total = distance + a.arguments[1].payload
                return constant(sort, 0) if total >= width(a) else make(operator, sort, a.arguments[0], constant(sort, total))
            if operator == "bvlshr" and a.operator == "zero_extend":
                inner = a.arguments[0]
                if distance >= width(inner):
                    return constant(sort, 0)
                return make("zero_extend", sort, extract(inner, width(inner) - 1, distance))
            if _constant_arms(a):
                return _into_arms(operator, sort, a, b)
        elif a.operator == "const" and a.payload == 0:
            return a
        return None

    return rule


def _arithmetic_shift(sort: Sort, a: Term, b: Term) -> Term | None:
    if b.operator == "const":
        if b.payload == 0:
            return a
        if b.payload >= width(a):
            return make("bvashr", sort, a, constant(sort, width(a) - 1))
        return _into_arms("bvashr", sort, a, b) if _constant_arms(a) else None
    return a if a.operator == "const" and a.payload in (0, (1 << width(a)) - 1) else None


def _itself(sort: Sort, a: Term) -> Term:
    return a


def _slot(sort: Sort, a: Term) -> Term:
    return make("bvlshr", sort, a, constant(sort, slots(width(a)).bits))


def _slot_base(sort: Sort, a: Term) -> Term:
    known = slots(width(a))
    above = make("bvand", sort, a, constant(sort, (1 << width(a)) - (1 << known.bits)))
    return make("bvor", sort, above, constant(sort, known.begin))


RULES["slot"] = _slot
RULES["slot_base"] = _slot_base
RULES["bvadd"] = _add
RULES["bvsub"] = _sub
RULES["bvneg"] = _neg
RULES["bvnot"] = _not
RULES["bvmul"] = _mul
RULES["scale"] = _scale
RULES["bvudiv"] = _unsigned_quotient
RULES["bvurem"] = _unsigned_remainder
RULES["bvsdiv"] = _signed_quotient
RULES["bvsrem"] = _signed_remainder
RULES["bvand"] = _bitwise("bvand", "bvor")
RULES["bvor"] = _bitwise("bvor", "bvand")
RULES["bvxor"] = _xor
RULES["bvshl"] = _shift("bvshl")
RULES["bvlshr"] = _shift("bvlshr")
RULES["bvashr"] = _arithmetic_shift
RULES["position"] = _itself
RULES["shadow"] = _itself  # an address of another array
RULES["pointer"] = _itself
