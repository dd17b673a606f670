"""Simplified expressions mean what the plain ones mean."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drystone.ir.expressions import FALSE, OPERATORS, TRUE, Apply, Constant, Expression, Variable, apply, constant
from drystone.ir.simplify import as_bits, coerce, make, negate, truth
from drystone.logic import semantics
from drystone.logic.sorts import BOOL, FLOAT32, FLOAT64, BitVec, Bool, Float, Sort, bitvec

ARITHMETIC = [
    "bvadd",
    "bvsub",
    "bvmul",
    "bvudiv",
    "bvurem",
    "bvsdiv",
    "bvsrem",
    "bvand",
    "bvor",
    "bvxor",
    "bvshl",
    "bvlshr",
    "bvashr",
]
COMPARISONS = ["bvult", "bvule", "bvslt", "bvsle", "="]
WIDTHS = [1, 4, 8, 12]
TINY = Float(3, 3)


def evaluate(expression: Expression, state: dict[str, int]) -> int:
    """The value by the table of operators, node by node."""
    match expression:
        case Constant(_, value):
            return value
        case Variable(name, _, _):
            return state[name]
        case Apply(operator, sort, arguments, _):
            function = semantics.function(operator, sort, tuple(argument.sort for argument in arguments))
            return function(*[evaluate(argument, state) for argument in arguments])
    raise AssertionError(expression)


def simplified(expression: Expression) -> Expression:
    """The same expression built by `make` throughout."""
    if isinstance(expression, Apply):
        return make(expression.operator, expression.sort, *[simplified(argument) for argument in expression.arguments])
    return expression


def expressions(sort: Sort, depth: int) -> st.SearchStrategy[Expression]:
    match sort:
        case Bool():
            leaves: st.SearchStrategy[Expression] = st.sampled_from([TRUE, FALSE, Variable("p", BOOL), Variable("q", BOOL)])
        case BitVec(width):
            edge = st.sampled_from([0, 1, (1 << width) - 1, 1 << width - 1, (1 << width - 1) - 1]) | st.integers(
                0, (1 << width) - 1
            )
            leaves = edge.map(lambda v: Constant(bitvec(width), v)) | st.sampled_from(
                [Variable(f"{n}{width}", sort) for n in "xy"]
            )
        case _:
            leaves = st.integers(0, (1 << TINY.width) - 1).map(lambda v: Constant(TINY, v)) | st.just(Variable("f", TINY))
    return leaves if depth == 0 else leaves | _nodes(sort, depth - 1)


@st.composite
def _nodes(draw: st.DrawFn, sort: Sort, depth: int) -> Expression:
    def sub(of: Sort) -> Expression:
        return draw(expressions(of, depth))

    if draw(st.integers(0, 4)) == 0:
        condition, one, other = sub(BOOL), sub(sort), sub(sort)
        return apply("ite", sort, condition, one, other)
    match sort:
        case Bool():
            operator = draw(st.sampled_from(["not", "and", "or", "fp.eq", *COMPARISONS]))
            if operator == "not":
                return apply("not", BOOL, sub(BOOL))
            if operator in ("and", "or"):
                return apply(operator, BOOL, sub(BOOL), sub(BOOL))
            if operator == "fp.eq":
                return apply(operator, BOOL, sub(TINY), sub(TINY))
            bits: list[Sort] = [bitvec(w) for w in WIDTHS]
            of = draw(st.sampled_from([*bits, BOOL, TINY] if operator == "=" else bits))
            left = sub(of)
            return apply(operator, BOOL, left, left if draw(st.integers(0, 5)) == 0 else sub(of))
        case BitVec(width):
            wider, narrower = [w for w in WIDTHS if w > width], [w for w in WIDTHS if w < width]
            kinds = (
                ["binary", "unary"] + ["truncate"] * bool(wider) + ["extend"] * bool(narrower) + ["bits"] * (width == TINY.width)
            )
            kind = draw(st.sampled_from(kinds))
            if kind == "binary":
                left = sub(sort)
                return apply(draw(st.sampled_from(ARITHMETIC)), sort, left, left if draw(st.integers(0, 5)) == 0 else sub(sort))
            if kind == "unary":
                return apply(draw(st.sampled_from(["bvneg", "bvnot"])), sort, sub(sort))
            if kind == "truncate":
                return apply("truncate", sort, sub(bitvec(draw(st.sampled_from(wider)))))
            if kind == "extend":
                return apply(
                    draw(st.sampled_from(["zero_extend", "sign_extend"])), sort, sub(bitvec(draw(st.sampled_from(narrower))))
                )
            return apply("fp.to_bits", sort, sub(TINY))
        case _:
            operator = draw(st.sampled_from(["fp.neg", "fp.abs", "fp.add", "fp.from_sbv", "fp.to_fp"]))
            if operator == "fp.add":
                return apply(operator, TINY, sub(TINY), sub(TINY))
            return apply(operator, TINY, sub(bitvec(8) if operator == "fp.from_sbv" else TINY))


states = st.fixed_dictionaries(
    {f"{n}{w}": st.integers(0, (1 << w) - 1) for n in "xy" for w in WIDTHS}
    | {"p": st.integers(0, 1), "q": st.integers(0, 1), "f": st.integers(0, (1 << TINY.width) - 1)}
)


@given(expressions(BOOL, 4) | expressions(bitvec(8), 4) | expressions(TINY, 3), states)
def test_make_keeps_value_and_sort(plain: Expression, state: dict[str, int]) -> None:
    short = simplified(plain)
    assert short.sort == plain.sort
    assert evaluate(short, state) == evaluate(plain, state)


def shallow(random: Random, sort: Sort, depth: int) -> Expression:
    """A random expression in which every other operand is a constant, so that all the rules come up."""
    if depth == 0 or random.random() < 0.15:
        if isinstance(sort, Bool):
            conditions: list[Expression] = [TRUE, FALSE, Variable("p", BOOL), Variable("p", BOOL), Variable("q", BOOL)]
            return random.choice(conditions)
        assert isinstance(sort, BitVec)
        if random.random() < 0.5:
            return constant(sort.width, random.getrandbits(sort.width))
        return Variable("xy"[sort.width % 2] + str(sort.width), sort)
    if random.random() < 0.25:
        return apply("ite", sort, *[shallow(random, of, depth - 1) for of in (BOOL, sort, sort)])
    if isinstance(sort, Bool):
        operator = random.choice(["not", "and", "or", *COMPARISONS, *COMPARISONS])
        of: Sort = BOOL if operator in ("not", "and", "or") else bitvec(random.choice(SMALL))
        left, right = shallow(random, of, depth - 1), shallow(random, of, depth - 1)
        return apply(operator, BOOL, left) if operator == "not" else apply(operator, BOOL, left, right)
    operator = random.choice([*ARITHMETIC, "bvneg", "bvnot", "truncate", "zero_extend", "sign_extend"])
    assert isinstance(sort, BitVec)
    if operator in ARITHMETIC:
        return apply(operator, sort, shallow(random, sort, depth - 1), shallow(random, sort, depth - 1))
    if operator == "truncate" and sort.width < SMALL[-1]:
        return apply(operator, sort, shallow(random, bitvec(sort.width + 1), depth - 1))
    if operator.endswith("extend") and sort.width > SMALL[0]:
        return apply(operator, sort, shallow(random, bitvec(sort.width - 1), depth - 1))
    return apply("bvneg" if operator == "bvneg" else "bvnot", sort, shallow(random, sort, depth - 1))


SMALL = [1, 2, 3]


def test_every_rewrite_holds_in_every_state() -> None:
    random = Random(0)
    variables = [("y1", 2), ("x2", 4), ("y3", 8), ("p", 2), ("q", 2)]
    for _ in range(6000):
        sort = BOOL if random.random() < 0.25 else bitvec(random.choice(SMALL))
        plain = shallow(random, sort, random.choice([1, 2, 2, 3]))
        short = simplified(plain)
        if short != plain:
            names = [(name, values) for name, values in variables if f"'{name}'" in repr(plain)]
            for choice in product(*[range(values) for _, values in names]):
                state = {name: value for (name, _), value in zip(names, choice, strict=True)}
                assert evaluate(short, state) == evaluate(plain, state), (plain, short, state)


@given(expressions(BOOL, 3) | expressions(bitvec(8), 3) | expressions(TINY, 3), states)
def test_truth_negate_and_as_bits(plain: Expression, state: dict[str, int]) -> None:
    e = simplified(plain)
    is_true = evaluate(truth(e), state)
    value = evaluate(e, state)
    assert is_true == (value & 31 != 0 if isinstance(e.sort, Float) else value != 0)
    assert evaluate(negate(truth(e)), state) == 1 - is_true
    assert evaluate(as_bits(truth(e), 12), state) == is_true


def test_every_operator_has_a_meaning() -> None:
    assert set(semantics.TEMPLATES) == set(OPERATORS)


@pytest.mark.parametrize(
    ("operator", "a", "b", "expected"),
    [
        ("bvudiv", 7, 0, 255),
        ("bvurem", 7, 0, 7),
        ("bvsdiv", 7, 0, 255),
        ("bvsdiv", 0xF9, 0, 1),
        ("bvsdiv", 0x80, 0xFF, 0x80),
        ("bvsdiv", 0xF9, 2, 0xFD),
        ("bvsrem", 0xF9, 2, 0xFF),
        ("bvsrem", 0xF9, 0, 0xF9),
        ("bvshl", 1, 8, 0),
        ("bvlshr", 0xFF, 8, 0),
        ("bvashr", 0x80, 200, 0xFF),
    ],
)
def test_corners_of_bit_vector_operators(operator: str, a: int, b: int, expected: int) -> None:
    assert make(operator, bitvec(8), constant(8, a), constant(8, b)) == constant(8, expected)


def test_c_idioms_become_small() -> None:
    x, y, c = Variable("x", bitvec(32)), Variable("y", bitvec(32)), Variable("c", bitvec(8))
    less = make("bvslt", BOOL, x, y)
    number = as_bits(less, 32)
    assert truth(number) == less  # if (x < y)
    assert make("=", BOOL, number, constant(32, 0)) == negate(less)  # !(x < y)
    assert make("=", BOOL, number, constant(32, 2)) == FALSE
    assert truth(make("zero_extend", bitvec(64), number)) == less  # (long)(x < y)
    wide = make("sign_extend", bitvec(32), c)
    assert make("=", BOOL, wide, constant(32, 97)) == make("=", BOOL, c, constant(8, 97))  # c == 'a'
    assert make("truncate", bitvec(8), make("bvadd", bitvec(32), wide, constant(32, 1))) == make(
        "bvadd", bitvec(8), c, constant(8, 1)
    )  # c++
    assert make("bvsub", bitvec(32), make("bvadd", bitvec(32), x, constant(32, 5)), constant(32, 5)) == x


def test_coerce_between_mismatching_sorts() -> None:
    x, f = Variable("x", bitvec(32)), Variable("f", FLOAT32)
    assert coerce(x, bitvec(32)) is x
    assert coerce(x, bitvec(8)) == apply("truncate", bitvec(8), x)
    assert coerce(x, bitvec(64)) == apply("zero_extend", bitvec(64), x)
    assert coerce(x, FLOAT32) == apply("fp.from_bits", FLOAT32, x)
    assert coerce(f, bitvec(32)) == apply("fp.to_bits", bitvec(32), f)
    assert coerce(f, bitvec(64)) is None and coerce(f, FLOAT64) is None and coerce(x, FLOAT64) is None
