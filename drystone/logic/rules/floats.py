"""Rules for floats, exact on bits: a NaN keeps its sign and payload, so `x + y` is not `y + x` and `x == x` not true.

`fp.to_bits` moves inwards as far as it can: the solvers know floats without the bits of a NaN, and what remains
under an `fp.to_bits` is what they have to be told more about.
"""

from __future__ import annotations

from drystone.logic.sorts import BOOL, Float, Sort, bitvec
from drystone.logic.terms import FALSE, RULES, Term, constant, intern, make, negate, width


def _neg(sort: Sort, a: Term) -> Term | None:
    return a.arguments[0] if a.operator == "fp.neg" else None


def _abs(sort: Sort, a: Term) -> Term | None:
    return make("fp.abs", sort, a.arguments[0]) if a.operator == "fp.neg" or a.operator == "fp.abs" else None


def _eq(sort: Sort, a: Term, b: Term) -> Term | None:
    if a is b:
        return negate(make("fp.isNaN", BOOL, a))
    return intern("fp.eq", BOOL, (b, a)) if b.hash < a.hash else None


def _lt(sort: Sort, a: Term, b: Term) -> Term | None:
    return FALSE if a is b else None


def _leq(sort: Sort, a: Term, b: Term) -> Term | None:
    return negate(make("fp.isNaN", BOOL, a)) if a is b else None


def _is_nan(sort: Sort, a: Term) -> Term | None:
    given = a
    while a.operator in _KEEP_NAN:
        a = a.arguments[0]
    if a.operator == "fp.from_sbv" or a.operator == "fp.from_ubv":
        return FALSE
    return None if a is given else make("fp.isNaN", BOOL, a)


def _is_infinite(sort: Sort, a: Term) -> Term | None:
    given = a
    while a.operator in _KEEP_INFINITE:
        a = a.arguments[0]
    return None if a is given else make("fp.isInfinite", BOOL, a)


_KEEP_NAN = frozenset(("fp.neg", "fp.abs", "fp.to_fp", "fp.floor", "fp.ceil", "fp.trunc", "fp.round", "fp.rint"))
_KEEP_INFINITE = frozenset(("fp.neg", "fp.abs"))  # the largest numbers of a tiny format round up to infinity


def _to_bits(sort: Sort, a: Term) -> Term | None:
    operator = a.operator
    if operator == "fp.from_bits":
        return a.arguments[0]
    if operator == "fp.neg":
        return make("bvxor", sort, make("fp.to_bits", sort, a.arguments[0]), constant(sort, 1 << width(a) - 1))
    if operator == "fp.abs":
        return make("bvand", sort, make("fp.to_bits", sort, a.arguments[0]), constant(sort, (1 << width(a) - 1) - 1))
    if operator == "ite":
        c, x, y = a.arguments
        if x.operator in _HAVE_BITS and y.operator in _HAVE_BITS:
            return make("ite", sort, c, make("fp.to_bits", sort, x), make("fp.to_bits", sort, y))
    return None


_HAVE_BITS = frozenset(("fp.from_bits", "const"))


def _from_bits(sort: Sort, a: Term) -> Term | None:
    if a.operator == "fp.to_bits" and a.arguments[0].sort == sort:
        return a.arguments[0]
    return None


def _to_format(sort: Sort, a: Term) -> Term | None:
    return a if a.sort == sort else None


def lowered(term: Term) -> Term | None:
    """For an `fp.to_bits` or an equality of floats: a term that says the same with the bits of simpler floats, if any."""
    if term.operator == "=":
        bits = bitvec(width(term.arguments[0]))
        return make("=", BOOL, *[make("fp.to_bits", bits, argument) for argument in term.arguments])
    a = term.arguments[0]
    if a.operator == "ite":
        c, x, y = a.arguments
        return make("ite", term.sort, c, make("fp.to_bits", term.sort, x), make("fp.to_bits", term.sort, y))
    return constant(term.sort, a.payload) if a.operator == "const" else _to_bits(term.sort, a)


def nan_bits(term: Term) -> Term | None:
    """For a float operation: the bits of its result where that is a NaN, as `logic.floats` says; None: it gives no NaN."""
    sort = term.sort
    assert type(sort) is Float
    bits = bitvec(sort.width)
    quiet = constant(bits, 1 << sort.significand - 2)
    infinity = ((1 << sort.exponent) - 1) << sort.significand - 1
    if term.operator in ("fp.from_sbv", "fp.from_ubv"):
        return None
    if term.operator == "fp.to_fp" and term.arguments[0].sort != sort:
        return _converted_nan(term.arguments[0], sort, infinity | quiet.payload)
    if term.operator == "fp.to_fp":  # nothing changes within one format
        return make("fp.to_bits", bits, term.arguments[0])
    result = constant(bits, 1 << sort.width - 1 | infinity | quiet.payload)
    for operand in reversed(term.arguments):  # the first NaN first
        passed = make("bvor", bits, make("fp.to_bits", bits, operand), quiet)
        result = make("ite", bits, make("fp.isNaN", BOOL, operand), passed, result)
    return result


def _converted_nan(a: Term, sort: Float, quiet_nan: int) -> Term:
    """The sign kept, the payload's high bits kept."""
    given = a.sort
    assert type(given) is Float
    pattern = make("fp.to_bits", bitvec(given.width), a)
    wider = bitvec(max(sort.width, given.width) + 1)
    result = bitvec(sort.width)
    wide = make("zero_extend", wider, pattern)
    payload = make("bvand", wider, wide, constant(wider, (1 << given.significand - 1) - 1))
    sign = make("bvlshr", wider, wide, constant(wider, given.width - 1))
    shift = sort.significand - given.significand
    moved = make("bvshl" if shift >= 0 else "bvlshr", wider, payload, constant(wider, abs(shift)))
    sign = make("bvshl", wider, sign, constant(wider, sort.width - 1))
    whole = make("bvor", wider, make("bvor", wider, sign, moved), constant(wider, quiet_nan))
    return make("truncate", result, whole)


RULES["fp.neg"] = _neg
RULES["fp.abs"] = _abs
RULES["fp.eq"] = _eq
RULES["fp.lt"] = _lt
RULES["fp.leq"] = _leq
RULES["fp.isNaN"] = _is_nan
RULES["fp.isInfinite"] = _is_infinite
RULES["fp.to_bits"] = _to_bits
RULES["fp.from_bits"] = _from_bits
RULES["fp.to_fp"] = _to_format
