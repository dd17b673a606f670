"""Random terms over all operators, random values for their symbols."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from drystone.logic.evaluation import ArrayValue, Value
from drystone.logic.floats import arithmetic
from drystone.logic.sorts import BOOL, Array, BitVec, Bool, Float, Sort, bitvec
from drystone.logic.terms import Term, _next_id, constant, extract, input_symbol, make, state

FULL = os.environ.get("DRYSTONE_FULL") == "1"

ARITHMETIC = "bvadd bvsub bvmul scale bvudiv bvurem bvsdiv bvsrem bvand bvor bvxor bvshl bvlshr bvashr".split()
FLOAT_BINARY = "fp.add fp.sub fp.mul fp.div".split()
FLOAT_UNARY = "fp.sqrt fp.neg fp.abs fp.floor fp.ceil fp.trunc fp.round fp.rint".split()

Make = Callable[..., Term]


def plain(operator: str, sort: Sort, *arguments: Term, payload: Any = None) -> Term:
    """The node as it is, outside the table of terms, so that it does not influence what `make` gives."""
    return Term(_next_id(), operator, sort, arguments, payload, hash((operator, *arguments)))


def plain_extract(a: Term, high: int, low: int) -> Term:
    return plain("extract", bitvec(high - low + 1), a, payload=(high, low))


class Generator:
    """Draws terms over few symbols and interesting constants, so that rules find what they look for."""

    def __init__(
        self,
        random: Random,
        widths: Sequence[int] = (1, 2, 3, 4),
        formats: Sequence[Float] = (),
        arrays: Sequence[Array] = (),
        make: Make = make,
        extract: Callable[[Term, int, int], Term] = extract,
        remainder: bool = True,
    ) -> None:
        self.random = random
        self.widths = widths
        self.formats = formats
        self.arrays = arrays
        self.make = make
        self.extract = extract
        self.remainder = remainder

    def sort(self) -> Sort:
        kinds: list[Sort] = [BOOL, BOOL, *map(bitvec, self.widths), *self.formats]
        return self.random.choice(kinds)

    def leaf(self, sort: Sort) -> Term:
        random = self.random
        if random.random() < 0.6:
            make_symbol = input_symbol if random.random() < 0.2 else state
            return make_symbol(random.choice("ab"), sort)
        if isinstance(sort, Bool):
            return constant(sort, random.getrandbits(1))
        if isinstance(sort, Array):
            return constant(sort, random.getrandbits(sort.element.width))
        return constant(sort, random_value(random, sort))

    def term(self, sort: Sort, depth: int) -> Term:
        """A term of this sort, of at most this depth."""
        if depth == 0 or self.random.random() < 0.08:
            return self.leaf(sort)
        if self.random.random() < 0.12:
            return self.make("ite", sort, self.term(BOOL, depth - 1), self.term(sort, depth - 1), self.term(sort, depth - 1))
        match sort:
            case Bool():
                return self.boolean(depth - 1)
            case BitVec():
                return self.bits(sort, depth - 1)
            case Float():
                return self.float(sort, depth - 1)
            case Array():
                array = self.term(sort, depth - 1)
                return self.make("store", sort, array, self.term(sort.index, depth - 1), self.term(sort.element, depth - 1))

    def boolean(self, depth: int) -> Term:
        random = self.random
        operator = random.choice(
            ["not", "and", "or", "and", "or", "=", "=", "bvult", "bvule", "bvslt", "bvsle"]
            + (["fp.eq", "fp.lt", "fp.leq", "fp.isNaN", "fp.isInfinite"] if self.formats else [])
        )
        if operator == "not":
            return self.make("not", BOOL, self.term(BOOL, depth))
        if operator in ("and", "or"):
            return self.make(operator, BOOL, self.term(BOOL, depth), self.term(BOOL, depth))
        if operator.startswith("fp."):
            format_ = random.choice(self.formats)
            count = 1 if operator.startswith("fp.is") else 2
            return self.make(operator, BOOL, *[self.term(format_, depth) for _ in range(count)])
        sort: Sort = bitvec(random.choice(self.widths))
        if operator == "=":
            sorts: list[Sort] = [sort, sort, BOOL, *self.formats, *self.arrays]
            sort = random.choice(sorts)
        return self.make(operator, BOOL, self.term(sort, depth), self.term(sort, depth))

    def bits(self, sort: BitVec, depth: int) -> Term:
        random = self.random
        width = sort.width
        choices = ["binary"] * 5 + ["unary"]
        if width > min(self.widths):
            choices += ["extension", "concat"]
        if width < max(self.widths):
            choices += ["truncate", "extract"]
        if any(array.element == sort for array in self.arrays):
            choices += ["select"] * 3
        if self.formats:
            choices += ["to_integer"]
            if any(f.width == width for f in self.formats):
                choices += ["to_bits"] * 3
        match random.choice(choices):
            case "binary":
                return self.make(random.choice(ARITHMETIC), sort, self.term(sort, depth), self.term(sort, depth))
            case "unary":
                return self.make(random.choice(["bvneg", "bvnot"]), sort, self.term(sort, depth))
            case "extension":
                small = random.choice([w for w in self.widths if w < width])
                return self.make(random.choice(["zero_extend", "sign_extend"]), sort, self.term(bitvec(small), depth))
            case "concat":
                low = random.randrange(1, width)
                return self.make("concat", sort, self.term(bitvec(width - low), depth), self.term(bitvec(low), depth))
            case "truncate":
                large = random.choice([w for w in self.widths if w > width])
                return self.make("truncate", sort, self.term(bitvec(large), depth))
            case "extract":
                large = random.choice([w for w in self.widths if w > width])
                low = random.randrange(1, large - width + 1)
                return self.extract(self.term(bitvec(large), depth), low + width - 1, low)
            case "select":
                array = random.choice([array for array in self.arrays if array.element == sort])
                return self.make("select", sort, self.term(array, depth), self.term(array.index, depth))
            case "to_bits":
                fmt = random.choice([f for f in self.formats if f.width == width])
                return self.make("fp.to_bits", sort, self.term(fmt, depth))
        fmt = random.choice(self.formats)
        return self.to_integer(sort, self.term(fmt, depth))

    def to_integer(self, sort: BitVec, x: Term) -> Term:
        """A guarded conversion, as the front end makes it."""
        signed = bool(self.random.getrandbits(1))
        fmt = x.sort
        assert isinstance(fmt, Float)
        number = arithmetic(fmt).from_integer
        limit = 1 << (sort.width - 1 if signed else sort.width)
        above = self.make("fp.leq" if signed else "fp.lt", BOOL, constant(fmt, number(-limit if signed else -1)), x)
        below = self.make("fp.lt", BOOL, x, constant(fmt, number(limit)))
        finite = self.make("not", BOOL, self.make("fp.isInfinite", BOOL, x))
        fits = self.make("and", BOOL, finite, self.make("and", BOOL, above, below))
        converted = self.make("fp.to_sbv" if signed else "fp.to_ubv", sort, x)
        return self.make("ite", sort, fits, converted, constant(sort, 1))

    def float(self, sort: Float, depth: int) -> Term:
        random = self.random
        match random.choice(["binary", "binary", "unary", "unary", "integer", "bits", "bits", "format"]):
            case "binary":
                operators = FLOAT_BINARY + (["fp.fmod"] if self.remainder and sort.exponent <= 5 else [])
                return self.make(random.choice(operators), sort, self.term(sort, depth), self.term(sort, depth))
            case "unary":
                return self.make(random.choice(FLOAT_UNARY), sort, self.term(sort, depth))
            case "integer":
                width = random.choice(self.widths)
                return self.make(random.choice(["fp.from_sbv", "fp.from_ubv"]), sort, self.term(bitvec(width), depth))
            case "bits":
                return self.make("fp.from_bits", sort, self.term(bitvec(sort.width), depth))
        return self.make("fp.to_fp", sort, self.term(random.choice(self.formats), depth))


def random_value(random: Random, sort: Sort) -> int:
    if isinstance(sort, Bool):
        return random.getrandbits(1)
    assert not isinstance(sort, Array)
    width = sort.width
    if isinstance(sort, Float) and random.random() < 0.5:
        fmt = arithmetic(sort)
        special = [
            0,
            fmt.sign_bit,
            fmt.infinity,
            fmt.sign_bit | fmt.infinity,
            fmt.default_nan,
            fmt.infinity | 1,
            1,
            fmt.infinity - 1,
        ]
        return random.choice(
            [*special, fmt.from_integer(random.randrange(-9, 10)), fmt.from_integer(1), fmt.infinity | fmt.quiet_bit]
        )
    if random.random() < 0.6:
        return random.choice([0, 1, 2, width, -1, -2, 1 << width - 1, (1 << width - 1) - 1]) & (1 << width) - 1
    return random.getrandbits(width)


def random_environment(random: Random, symbols: Sequence[Term]) -> dict[Term, Value]:
    environment: dict[Term, Value] = {}
    for symbol in symbols:
        sort = symbol.sort
        if isinstance(sort, Array):
            entries = {random.getrandbits(sort.index.width): random.getrandbits(sort.element.width) for _ in range(3)}
            environment[symbol] = ArrayValue(random.getrandbits(sort.element.width), entries)
        else:
            environment[symbol] = random_value(random, sort)
    return environment
