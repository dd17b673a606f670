"""Conversions between C types, and arithmetic with C's undefined cases made explicit.

Where C leaves the result of an operation undefined, the value is an input of kind UNDEFINED:
`ite(the operation is undefined, input, operation)`. Signed overflow is not among these cases: it wraps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from drystone.frontend.builder import Builder
from drystone.frontend.errors import NotSupported
from drystone.frontend.types import CType, Int, Pointer, Real, Scalar
from drystone.logic.floats import arithmetic as arithmetic_of
from drystone.logic.sorts import BOOL, BitVec, Float, bitvec
from drystone.program.expressions import Constant, Expression, InputKind, constant, depth
from drystone.program.simplify import as_bits, make, negate, truth

if TYPE_CHECKING:
    from fractions import Fraction


def is_signed(type_: CType) -> bool:
    return isinstance(type_, Int) and type_.signed


def convert(builder: Builder, value: Expression, source: CType, target: CType) -> Expression:
    """`value` of type `source` as a value of type `target` (both scalar)."""
    if source is target:
        return value
    if not isinstance(source, Scalar) or not isinstance(target, Scalar):
        raise NotSupported(f"conversion from {source} to {target}")
    if isinstance(target, Int) and target.is_bool:
        return value if isinstance(source, Int) and source.is_bool else as_bits(truth(value), target.width)
    if isinstance(target, (Int, Pointer)):
        if isinstance(source, Real):
            return _from_float(builder, value, source.sort, target)
        # gcc: a pointer converted to a wider integer is sign-extended
        return resize(value, target.sort.width, is_signed(source) or isinstance(source, Pointer))
    assert isinstance(target, Real)
    if isinstance(source, Real):
        return make("fp.to_fp", target.sort, value) if source.sort != target.sort else value
    return make("fp.from_sbv" if is_signed(source) else "fp.from_ubv", target.sort, value)


def resize(value: Expression, width: int, signed: bool) -> Expression:
    """A bit-vector at another width, as C converts integers."""
    given = value.sort
    assert isinstance(given, BitVec)
    if given.width == width:
        return value
    if given.width > width:
        return make("truncate", bitvec(width), value)
    return make("sign_extend" if signed else "zero_extend", bitvec(width), value)


def _from_float(builder: Builder, value: Expression, sort: Float, target: Int | Pointer) -> Expression:
    """Float to integer: undefined (an input) unless the truncated value fits."""
    width, signed = target.sort.width, is_signed(target)
    value = _shared(builder, value)
    low = -(1 << (width - 1)) if signed else 0
    high = 1 << (width - 1) if signed else 1 << width
    above_low = _above(value, sort, low)
    below_high = make("fp.lt", BOOL, value, _constant(sort, high))
    fits = make("and", BOOL, above_low, below_high)
    if isinstance(fits, Constant) and not fits.value:
        return builder.input(bitvec(width), InputKind.UNDEFINED, f"conversion of a float to {target}")
    result = make("fp.to_sbv" if signed else "fp.to_ubv", bitvec(width), value)
    if isinstance(fits, Constant):
        return result
    wild = builder.input(bitvec(width), InputKind.UNDEFINED, f"conversion of a float to {target}")
    return make("ite", bitvec(width), fits, result, wild)


def _above(value: Expression, sort: Float, low: int) -> Expression:
    """Does `value` truncate to at least `low`, that is: is it above low - 1?"""
    if _is_exact(sort, low - 1):
        return make("fp.lt", BOOL, _constant(sort, low - 1), value)
    return make("fp.leq", BOOL, _constant(sort, low), value)  # no float lies strictly between low - 1 and low


def _is_exact(sort: Float, number: int) -> bool:
    magnitude = abs(number)
    return magnitude == 0 or (magnitude.bit_length() - ((magnitude & -magnitude).bit_length() - 1)) <= sort.significand


def _constant(sort: Float, number: int) -> Constant:
    return Constant(sort, arithmetic_of(sort).from_integer(number))


def _shared(builder: Builder, value: Expression) -> Expression:
    """An operand that is used more than once goes into a temporary, unless it is small."""
    return builder.keep(value) if depth(value) > 3 else value


def divide(builder: Builder, operator: str, a: Expression, b: Expression, type_: CType, text: str) -> Expression:
    """`/` or `%` on integers of one type."""
    assert isinstance(type_, Int)
    sort, signed = type_.sort, type_.signed
    name = {("/", True): "bvsdiv", ("/", False): "bvudiv", ("%", True): "bvsrem", ("%", False): "bvurem"}[operator, signed]
    minus_one = (1 << sort.width) - 1
    if isinstance(b, Constant) and b.value != 0 and not (signed and b.value == minus_one):
        return make(name, sort, a, b)
    a, b = _shared(builder, a), _shared(builder, b)
    undefined = make("=", BOOL, b, constant(sort.width, 0))
    if signed:
        least = make("=", BOOL, a, constant(sort.width, 1 << (sort.width - 1)))
        overflow = make("and", BOOL, make("=", BOOL, b, constant(sort.width, minus_one)), least)
        undefined = make("or", BOOL, undefined, overflow)
    wild = builder.input(sort, InputKind.UNDEFINED, text)
    return make("ite", sort, undefined, wild, make(name, sort, a, b))


def shift(
    builder: Builder, operator: str, a: Expression, b: Expression, type_: CType, amount_type: CType, text: str
) -> Expression:
    """`<<` or `>>`: undefined unless 0 <= amount < width.

    Zero, and -1 shifted right, stay what they are however far an implementation shifts; programs rely on it
    (docs/decisions/003-shifts.md).
    """
    assert isinstance(type_, Int)
    sort = type_.sort
    name = "bvshl" if operator == "<<" else "bvashr" if type_.signed else "bvlshr"
    amount_sort = b.sort
    assert isinstance(amount_sort, BitVec)
    if not isinstance(b, Constant):
        a, b = _shared(builder, a), _shared(builder, b)
    fits = (
        make("bvult", BOOL, b, constant(amount_sort.width, sort.width))
        if sort.width < 1 << amount_sort.width
        else Constant(BOOL, 1)
    )
    distance = b
    if amount_sort.width > sort.width and not isinstance(fits, Constant):  # a far shift must stay far when its high bits go
        distance = make("ite", amount_sort, fits, b, constant(amount_sort.width, sort.width))
    result = make(name, sort, a, resize(distance, sort.width, is_signed(amount_type)))
    if isinstance(fits, Constant) and fits.value:
        return result
    harmless = make("=", BOOL, a, constant(sort.width, 0))
    if name == "bvashr":
        harmless = make("or", BOOL, harmless, make("=", BOOL, a, constant(sort.width, -1)))
    wild = builder.input(sort, InputKind.UNDEFINED, text)
    return make("ite", sort, make("or", BOOL, fits, harmless), result, wild)


_ARITHMETIC = {"+": "bvadd", "-": "bvsub", "*": "bvmul", "&": "bvand", "|": "bvor", "^": "bvxor"}
_FLOAT_ARITHMETIC = {"+": "fp.add", "-": "fp.sub", "*": "fp.mul", "/": "fp.div"}


def arithmetic(builder: Builder, operator: str, a: Expression, b: Expression, type_: CType, text: str) -> Expression:
    """A binary operator on two operands of the (converted) type."""
    if isinstance(type_, Real):
        name = _FLOAT_ARITHMETIC.get(operator)
        if name is None:
            raise NotSupported(f"operator {operator} on {type_}")
        return make(name, type_.sort, a, b)
    if operator in ("/", "%"):
        return divide(builder, operator, a, b, type_, text)
    if not isinstance(type_, Scalar):
        raise NotSupported(f"operator {operator} on {type_}")
    return make(_ARITHMETIC[operator], type_.sort, a, b)


def compare(operator: str, a: Expression, b: Expression, type_: CType) -> Expression:
    """A comparison of two operands of one type, as a Bool."""
    if isinstance(type_, Real):
        equal, less, at_most = "fp.eq", "fp.lt", "fp.leq"
    else:
        equal = "="
        less, at_most = ("bvslt", "bvsle") if is_signed(type_) else ("bvult", "bvule")
    match operator:
        case "==":
            return make(equal, BOOL, a, b)
        case "!=":
            return negate(make(equal, BOOL, a, b))
        case "<":
            return make(less, BOOL, a, b)
        case "<=":
            return make(at_most, BOOL, a, b)
        case ">":
            return make(less, BOOL, b, a)
        case _:
            return make(at_most, BOOL, b, a)


def float_pattern(sort: Float, number: Fraction) -> int:
    """The nearest float to an exact number (literals)."""
    extra = max(0, sort.significand + 2 + number.denominator.bit_length() - abs(number.numerator).bit_length())
    mantissa, rest = divmod(abs(number.numerator) << extra, number.denominator)
    return arithmetic_of(sort).pack(1 if number < 0 else 0, mantissa, -extra, rest != 0)
