"""Floats on bit patterns: the exact path agrees with the machine's doubles and with rational arithmetic."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st

from drystone.logic.floats import Arithmetic, arithmetic, extended_from_memory, extended_to_memory
from drystone.logic.sorts import EXTENDED, FLOAT32, FLOAT64, Float

HALF = Float(5, 11)
TINY = Float(3, 3)  # few enough patterns to try them all
FORMATS = [HALF, FLOAT32, FLOAT64, EXTENDED, TINY, Float(15, 113)]

doubles = st.floats().map(lambda x: struct.unpack("<Q", struct.pack("<d", x))[0]) | st.integers(0, 2**64 - 1)
singles = st.floats(width=32).map(lambda x: struct.unpack("<I", struct.pack("<f", x))[0]) | st.integers(0, 2**32 - 1)
BINARY = ["add", "sub", "mul", "div", "fmod", "eq", "lt", "leq"]
UNARY = ["sqrt", "neg", "abs", "floor", "ceil", "trunc", "round", "rint", "is_nan", "is_infinite"]


def patterns(sort: Float) -> st.SearchStrategy[int]:
    """Patterns of a format, often near its special values."""
    f = Arithmetic(sort)
    special = [0, 1, f.fraction_mask, f.fraction_mask + 1, f.infinity - 1, f.infinity, f.infinity + 1, f.bias << f.fraction_width]
    near = st.sampled_from(special + [f.sign_bit | s for s in special])
    moderate = st.tuples(st.integers(0, 1), st.integers(-70, 70), st.integers(0, f.fraction_mask)).map(
        lambda t: (t[0] * f.sign_bit) | max(0, min(f.bias + t[1], 2 * f.bias)) << f.fraction_width | t[2]
    )
    return near | moderate | st.integers(0, 2**sort.width - 1)


def exact(sort: Float, a: int) -> Fraction:
    sign, mantissa, exponent = Arithmetic(sort).unpack(a)
    return Fraction(-mantissa if sign else mantissa) * Fraction(2) ** exponent


def finite(sort: Float, a: int) -> bool:
    f = Arithmetic(sort)
    return a & f.magnitude_mask < f.infinity


def is_nearest(sort: Float, result: int, value: Fraction) -> bool:
    """Is `result` the pattern nearest to the non-zero `value`, by comparing it with both of its neighbours?"""
    f = Arithmetic(sort)
    if (result & f.sign_bit != 0) != (value < 0):
        return False
    magnitude, value = result & f.magnitude_mask, abs(value)
    if magnitude > f.infinity:
        return False

    def number(pattern: int) -> Fraction:  # the infinity stands for the number that would follow the greatest
        return exact(sort, pattern) if pattern < f.infinity else Fraction(2) ** (f.bias + 1)

    error = abs(number(magnitude) - value) if magnitude < f.infinity or value < number(f.infinity) else Fraction(0)
    for neighbour in (magnitude - 1, magnitude + 1):
        if 0 <= neighbour <= f.infinity:
            other = abs(number(neighbour) - value)
            if other < error or (other == error and magnitude & 1):
                return False
    return True


@given(doubles, doubles)
@example(0x7FF0000000000001, 0xFFF8000000000123)
@example(0x8000000000000000, 0x8000000000000000)
def test_fast_doubles_agree_with_the_definition(a: int, b: int) -> None:
    for name in BINARY:
        assert getattr(arithmetic(FLOAT64), name)(a, b) == getattr(Arithmetic(FLOAT64), name)(a, b), name
    for name in UNARY:
        assert getattr(arithmetic(FLOAT64), name)(a) == getattr(Arithmetic(FLOAT64), name)(a), name


@given(singles, singles)
@example(0x7F7FFFFF, 0x7F7FFFFF)
@example(0x00000001, 0x40000000)
def test_fast_floats_agree_with_the_definition(a: int, b: int) -> None:
    for name in BINARY:
        assert getattr(arithmetic(FLOAT32), name)(a, b) == getattr(Arithmetic(FLOAT32), name)(a, b), name
    for name in UNARY:
        assert getattr(arithmetic(FLOAT32), name)(a) == getattr(Arithmetic(FLOAT32), name)(a), name


@given(st.data(), st.sampled_from(FORMATS))
def test_results_are_the_nearest_numbers(data: st.DataObject, sort: Float) -> None:
    f = arithmetic(sort)
    a, b = data.draw(patterns(sort)), data.draw(patterns(sort))
    if not (finite(sort, a) and finite(sort, b)):
        return
    x, y = exact(sort, a), exact(sort, b)
    for result, value in [(f.add(a, b), x + y), (f.sub(a, b), x - y), (f.mul(a, b), x * y)]:
        assert is_nearest(sort, result, value) if value else result & f.magnitude_mask == 0
    if x and y:
        assert is_nearest(sort, f.div(a, b), x / y)
    if x > 0:
        root = f.sqrt(a)
        r, ulp = exact(sort, root), exact(sort, root + 1) - exact(sort, root)
        below = ulp if root & f.fraction_mask else ulp / 2
        assert (r - below / 2) ** 2 <= x <= (r + ulp / 2) ** 2
    if y:
        rest = f.fmod(a, b)
        assert exact(sort, rest) == x - y * math.trunc(x / y) and (rest & f.sign_bit) == (a & f.sign_bit)


def test_all_pairs_of_a_tiny_format() -> None:
    f = arithmetic(TINY)
    numbers = [a for a in range(1 << TINY.width) if finite(TINY, a)]
    for a in numbers:
        for b in numbers:
            x, y = exact(TINY, a), exact(TINY, b)
            if x + y:
                assert is_nearest(TINY, f.add(a, b), x + y)
            if x * y:
                assert is_nearest(TINY, f.mul(a, b), x * y)
                assert is_nearest(TINY, f.div(a, b), x / y)
            assert f.lt(a, b) == (x < y) and f.leq(a, b) == (x <= y) and f.eq(a, b) == (x == y)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_integral_values_agree_with_python(x: float) -> None:
    f = Arithmetic(FLOAT64)
    a = f.from_python(x)
    assert f.to_python(f.floor(a)) == math.floor(x)
    assert f.to_python(f.ceil(a)) == math.ceil(x)
    assert f.to_python(f.trunc(a)) == math.trunc(x)
    assert f.to_python(f.rint(a)) == round(x)
    assert f.to_python(f.round(a)) == math.copysign(math.floor(abs(Fraction(x)) + Fraction(1, 2)), x)
    for result in (f.floor(a), f.ceil(a), f.trunc(a), f.rint(a), f.round(a)):
        assert result & f.magnitude_mask != 0 or result == a & f.sign_bit or x >= 0


@given(st.integers() | st.integers(-(2**130), 2**130), st.sampled_from(FORMATS))
def test_integers_are_rounded_to_the_nearest(value: int, sort: Float) -> None:
    result = arithmetic(sort).from_integer(value)
    assert is_nearest(sort, result, Fraction(value)) if value else result == 0


@given(st.data(), st.sampled_from(FORMATS), st.sampled_from(FORMATS))
def test_conversion_between_formats(data: st.DataObject, source: Float, target: Float) -> None:
    a = data.draw(patterns(source))
    f, g = arithmetic(source), arithmetic(target)
    result = g.from_format(f, a)
    if f.is_nan(a):
        assert g.is_nan(result)
    elif f.is_infinite(a):
        assert g.is_infinite(result)
    elif a & f.magnitude_mask:
        assert is_nearest(target, result, exact(source, a))
    assert (a & f.sign_bit != 0) == (result & g.sign_bit != 0)
    assert Arithmetic(target).from_format(Arithmetic(source), a) == result


@given(st.data(), st.sampled_from(FORMATS), st.sampled_from([8, 16, 32, 64]))
def test_conversion_to_integers_truncates(data: st.DataObject, sort: Float, width: int) -> None:
    a = data.draw(patterns(sort))
    f = arithmetic(sort)
    if finite(sort, a):
        whole = math.trunc(exact(sort, a))
        if -(1 << width - 1) <= whole < 1 << width - 1:
            assert f.to_signed(a, width) == whole % (1 << width)
        if 0 <= whole < 1 << width:
            assert f.to_unsigned(a, width) == whole


def test_nans_are_those_of_sse() -> None:
    single, double = arithmetic(FLOAT32), arithmetic(FLOAT64)
    infinity, zero = single.infinity, 0
    assert single.sub(infinity, infinity) == 0xFFC00000
    assert single.div(zero, zero) == 0xFFC00000
    assert double.sqrt(double.from_python(-1.0)) == 0xFFF8000000000000
    assert single.add(0x7F800001, 0xFFC00123) == 0x7FC00001  # the first operand, quieted
    assert single.sub(0x3F800000, 0x7FC00005) == 0x7FC00005  # its sign is not flipped by the subtraction
    assert single.neg(0x7F800001) == 0xFF800001
    assert double.from_format(single, 0x7F800001) == 0x7FF8000020000000
    assert single.from_format(double, 0xFFF0000000000001) == 0xFFC00000


@given(st.integers(0, 2**79 - 1))
def test_extended_patterns_survive_memory(a: int) -> None:
    assert extended_from_memory(extended_to_memory(a)) == a


def test_extended_one_has_its_integer_bit_in_memory() -> None:
    one = arithmetic(EXTENDED).from_integer(1)
    assert extended_to_memory(one) == 0x3FFF8000000000000000
