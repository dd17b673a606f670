"""Conversions between C types, and arithmetic with C's undefined cases made explicit.

Where C leaves the result of an operation undefined, there are two readings (docs/decisions/016-two-readings.md). For proofs, the
value is an input of kind UNDEFINED, `ite(the operation is undefined, input, operation)`. For executions, where the builder knows
the machine's `word`, it is what gcc's unoptimised code gives: the instruction's result (shift counts are masked, a float that
does not fit becomes the "integer indefinite", a division traps, which ends the execution), or what gcc folds constants to. An
input of kind MACHINE, which is zero, marks the place there, so that a run can say that it met it. What depends on more than the
operation (the processor, other rules by which gcc folds) is approximated there, too.
Signed overflow is not among these cases: it wraps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from drystone.frontend.declarations.types import CType, Int, Pointer, Real, Scalar
from drystone.frontend.errors import NotSupported
from drystone.frontend.lowering.builder import Builder
from drystone.ir.automaton import MarkKind
from drystone.ir.expressions import Constant, Expression, InputKind, constant, depth
from drystone.ir.simplify import as_bits, make, negate, truth
from drystone.logic.floats import arithmetic as arithmetic_of
from drystone.logic.sorts import BOOL, EXTENDED, BitVec, Float, bitvec

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
        if isinstance(target, Pointer) and isinstance(source, Int) and not isinstance(value, Constant):
            builder.makes_pointers = True
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
    """Float to integer: undefined unless the truncated value fits."""
    width, signed = target.sort.width, is_signed(target)
    value = _shared(builder, value)
    fits = _fits(value, sort, width, signed)
    result = make("fp.to_sbv" if signed else "fp.to_ubv", bitvec(width), value)
    if isinstance(fits, Constant) and fits.value:
        return result
    what = f"conversion of a float to {target}"
    if builder.word is None:
        wild: Expression = builder.input(bitvec(width), InputKind.UNDEFINED, what)
    elif isinstance(value, Constant) and _is_finite(value):
        wild = _noted(builder, constant(width, _saturated(sort, value, width, signed)), what)
    elif width in (8, 16, 32, 64) and not isinstance(value, Constant):  # gcc folds __builtin_inf(), but not 1.0 / 0.0
        wild = _noted(builder, _instruction(value, sort, width, signed, builder.word), what)
    else:
        wild = builder.input(bitvec(width), InputKind.APPROXIMATED, what)
    return wild if isinstance(fits, Constant) else make("ite", bitvec(width), fits, result, wild)


def _fits(value: Expression, sort: Float, width: int, signed: bool) -> Expression:
    low = -(1 << (width - 1)) if signed else 0
    high = 1 << (width - 1) if signed else 1 << width
    return make("and", BOOL, _above(value, sort, low), make("fp.lt", BOOL, value, _constant(sort, high)))


def _instruction(value: Expression, sort: Float, width: int, signed: bool, word: int) -> Expression:
    """What gcc's instructions give for a float that does not fit: those of SSE for float and double, of x87 for long double."""
    through = 64 if width == 64 else 32
    if sort == EXTENDED:
        through = 16 if width == 8 or (width == 16 and signed) else 64 if width == 32 and not signed else through
    elif width == 32 and not signed and word == 64:
        through = 64
    if signed or through > width or width < 32:
        return resize(_signed_instruction(value, sort, through), width, True)
    half = _constant(sort, 1 << (width - 1))  # an unsigned number of the register's width: the upper half is moved down and back
    lower = make("bvxor", bitvec(width), _signed_instruction(make("fp.sub", sort, value, half), sort, width), _sign(width))
    return make("ite", bitvec(width), make("fp.leq", BOOL, half, value), lower, _signed_instruction(value, sort, width))


def _signed_instruction(value: Expression, sort: Float, width: int) -> Expression:
    """cvttsd2si and its kin: what does not fit gives the "integer indefinite"."""
    result = make("fp.to_sbv", bitvec(width), value)
    return make("ite", bitvec(width), _fits(value, sort, width, True), result, _sign(width))


def _sign(width: int) -> Constant:
    return constant(width, 1 << (width - 1))


def _saturated(sort: Float, value: Constant, width: int, signed: bool) -> int:
    """gcc folds the conversion of a constant that does not fit to the nearest number that does."""
    if _holds(make("fp.lt", BOOL, value, _constant(sort, 0))):
        return -(1 << (width - 1)) if signed else 0
    return (1 << (width - 1)) - 1 if signed else (1 << width) - 1


def _is_finite(value: Constant) -> bool:
    return not _holds(make("fp.isNaN", BOOL, value)) and not _holds(make("fp.isInfinite", BOOL, value))


def _holds(condition: Expression) -> bool:
    return isinstance(condition, Constant) and bool(condition.value)


def _noted(builder: Builder, value: Expression, what: str) -> Expression:
    """The same value; a run that computes it says so. Where gcc may compute otherwise, it is only the most likely one."""
    if builder.is_folded:
        return _guessed(builder, value, what)
    return make("bvxor", value.sort, value, builder.input(value.sort, InputKind.MACHINE, what))


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
    by_zero = undefined = make("=", BOOL, b, constant(sort.width, 0))
    if signed:
        least = make("=", BOOL, a, constant(sort.width, 1 << (sort.width - 1)))
        overflow = make("and", BOOL, make("=", BOOL, b, constant(sort.width, minus_one)), least)
        undefined = make("or", BOOL, by_zero, overflow)
    result = make(name, sort, a, b)
    if builder.word is None:
        return make("ite", sort, undefined, builder.input(sort, InputKind.UNDEFINED, text), result)
    is_negated = isinstance(b, Constant) and b.value == minus_one  # by gcc
    is_simple = a == b or (isinstance(a, Constant) and a.value in (0, 1))
    if is_simple or (builder.is_folded and not is_negated):  # gcc may make no division: x / x, 0 / x, 0 * (x / y)
        folded = constant(sort.width, 1 if a == b and operator == "/" else 0)
        return make("ite", sort, undefined, _guessed(builder, folded, text), result)
    wraps = signed and (is_negated or sort.width > builder.word)  # then a function divides: only zero traps
    _trap(builder, by_zero if wraps else undefined, text)
    return make("ite", sort, undefined, _noted(builder, result, text), result) if wraps else result


def _guessed(builder: Builder, value: Expression, what: str) -> Expression:
    """Any value, for what gcc computes by rules that are not followed here; zero stands for the most likely one."""
    return make("bvxor", value.sort, value, builder.input(value.sort, InputKind.APPROXIMATED, what))


def _trap(builder: Builder, condition: Expression, text: str) -> None:
    """The execution ends here if the condition holds."""
    ends, goes_on = builder.location(), builder.location()
    builder.branch(condition, ends, goes_on)
    builder.current = ends
    builder.assign(builder.temporary(BOOL), builder.input(BOOL, InputKind.MACHINE, text))
    builder.end(MarkKind.HALT, f"{text} traps")
    builder.current = goes_on


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
    return make("ite", sort, make("or", BOOL, fits, harmless), result, _far_shift(builder, name, a, b, amount_type, text, result))


def _far_shift(
    builder: Builder, name: str, a: Expression, b: Expression, amount_type: CType, text: str, result: Expression
) -> Expression:
    """What a shift gives that is undefined and not harmless; `result` has all bits shifted out."""
    sort, amount_sort = a.sort, b.sort
    assert isinstance(sort, BitVec) and isinstance(amount_sort, BitVec)
    if builder.word is None:
        return builder.input(sort, InputKind.UNDEFINED, text)
    if isinstance(a, Constant) and isinstance(b, Constant) and not (is_signed(amount_type) and b.value >> amount_sort.width - 1):
        return _noted(builder, result, text)  # gcc folds it
    if sort.width not in (32, 64) or (isinstance(a, Constant) and isinstance(b, Constant)):
        return builder.input(sort, InputKind.APPROXIMATED, text)
    masked = make("bvand", sort, resize(b, sort.width, is_signed(amount_type)), constant(sort.width, sort.width - 1))
    shifted = make(name, sort, a, masked)
    if isinstance(a, Constant):  # (1 << n) & 1 is n == 0 to gcc
        return _guessed(builder, shifted, text)
    return _noted(builder, shifted, text)


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


def makes_nan(sort: Float, a: Constant, b: Constant, value: Expression) -> bool:
    """Is the value a NaN although no operand is one?"""
    is_nan = arithmetic_of(sort).is_nan
    return isinstance(value, Constant) and is_nan(value.value) and not is_nan(a.value) and not is_nan(b.value)


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
