"""Terms printed as C mean what they mean: the front end reads the text, the interpreter computes it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from drystone.concrete.inputs import RecordedInputs
from drystone.concrete.interpreter import interpret
from drystone.frontend.load import FrontendOptions, load
from drystone.logic.cprinting import CPrinter
from drystone.logic.ctext.phrases import NotC, Phrase, Printer
from drystone.logic.evaluation import evaluate
from drystone.logic.sorts import BOOL, FLOAT64, bitvec
from drystone.logic.terms import Term, constant, extract, ite, make, negate, resize, state

FULL = os.environ.get("DRYSTONE_FULL") == "1"

# name: type in C, width, sign as the printer knows it
VARIABLES: dict[str, tuple[str, int, bool | None]] = {
    "c": ("signed char", 8, True),
    "b": ("unsigned char", 8, False),
    "s": ("short", 16, True),
    "t": ("unsigned short", 16, False),
    "i": ("int", 32, True),
    "j": ("int", 32, True),
    "u": ("unsigned int", 32, False),
    "v": ("unsigned int", 32, None),  # as if its type had a name that the printer does not know
    "w": ("int", 32, None),
    "x": ("signed char", 8, None),
    "y": ("unsigned char", 8, None),
    "l": ("long", 64, True),
    "m": ("unsigned long", 64, False),
    "n": ("long", 64, None),
}


class Fixed:
    pointer_width = 64

    def variable(self, symbol: Term) -> Phrase:
        return Phrase(symbol.payload, signed=VARIABLES[symbol.payload][2])

    def cell(self, array: str, address: Term, ctype: str | None, printer: Printer) -> Phrase:
        raise NotC

    def address(self, value: int, pointee: str) -> str | None:
        return None


def symbol(name: str) -> Term:
    return state(name, bitvec(VARIABLES[name][1]))


def printed(term: Term) -> str:
    return CPrinter(Fixed()).formula(term)


class Formulas:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def number(self, width: int) -> int:
        special = [0, 1, 2, 3, 7, (1 << width) - 1, (1 << width) - 2, 1 << width - 1, (1 << width - 1) - 1, (1 << width - 1) + 1]
        return self.random.choice([*special, self.random.getrandbits(width), self.random.getrandbits(4)])

    def bits(self, width: int, depth: int) -> Term:
        random, sort = self.random, bitvec(width)
        known = [name for name, (_, bits, _) in VARIABLES.items() if bits == width]
        if depth <= 0 or random.random() < 0.15:
            return symbol(random.choice(known)) if known and random.random() < 0.8 else constant(sort, self.number(width))
        kind = random.randrange(9)
        if kind < 4:
            operator = random.choice("bvadd bvadd bvsub bvmul bvand bvor bvxor".split())
            return make(operator, sort, self.bits(width, depth - 1), self.bits(width, depth - 1))
        if kind == 4:
            operator = random.choice(["bvneg", "bvnot"])
            return make(operator, sort, self.bits(width, depth - 1))
        if kind == 5:
            operator = random.choice("bvudiv bvurem bvsdiv bvsrem".split())
            return make(operator, sort, self.bits(width, depth - 1), constant(sort, random.choice([1, 2, 3, 10, 100])))
        if kind == 6:
            operator = random.choice("bvshl bvlshr bvashr".split())
            return make(operator, sort, self.bits(width, depth - 1), constant(sort, random.randrange(width)))
        if kind == 7:
            return ite(self.formula(depth - 1), self.bits(width, depth - 1), self.bits(width, depth - 1))
        other = random.choice([8, 16, 32, 64])
        inner = self.bits(other, depth - 1)
        if other > width and random.random() < 0.4:
            low = random.randrange(other - width + 1)
            return extract(inner, low + width - 1, low)
        if other == width and random.random() < 0.3:
            narrow = random.choice([1, 3, 5])
            return resize(resize(inner, narrow), width)
        return resize(inner, width, signed=random.random() < 0.5)

    def formula(self, depth: int) -> Term:
        random = self.random
        if depth > 1 and random.random() < 0.3:
            a, b = self.formula(depth - 1), self.formula(depth - 1)
            return negate(a) if random.random() < 0.3 else make(random.choice(["and", "or", "="]), BOOL, a, b)
        width = random.choice([8, 16, 32, 32, 32, 64])
        operator = random.choice("= = bvult bvule bvslt bvsle".split())
        found = make(operator, BOOL, self.bits(width, depth - 1), self.bits(width, depth - 1))
        return negate(found) if random.random() < 0.4 else found

    def values(self) -> dict[str, int]:
        return {name: self.number(width) for name, (_, width, _) in VARIABLES.items()}


def checks(formulas: Iterator[Term], values: dict[str, int]) -> str:
    """A program that calls reach_error if a text does not have the value of its formula."""
    assignment = {symbol(name): value for name, value in values.items()}
    lines = []
    for formula in formulas:
        expected = int(bool(evaluate((formula,), assignment)[0]))
        lines.append(f"  if (!!({printed(formula)}) != {expected}) reach_error();")
    declared = [f"{ctype} {name} = ({ctype}){values[name]}u;" for name, (ctype, _, _) in VARIABLES.items()]
    return (
        "\n".join(["#include <limits.h>", "void reach_error(void) {}", *declared, "int main(void) {", *lines, "  return 0;", "}"])
        + "\n"
    )


@pytest.mark.parametrize("seed", range(60 if FULL else 6))
def test_the_text_means_what_the_term_means(seed: int, tmp_path: Path) -> None:
    source = Formulas(seed)
    path = tmp_path / "text.c"
    shown = [
        formula for formula in (source.formula(source.random.randint(1, 4)) for _ in range(300)) if formula.operator != "const"
    ]
    assert len(shown) > 100
    readable = [formula for formula in shown if is_printed(formula)]
    assert len(readable) > 0.8 * len(shown)
    for _ in range(3):
        path.write_text(checks(iter(readable), source.values()))
        outcome = interpret(load([str(path)], FrontendOptions()).program, RecordedInputs(()), max_steps=10_000_000)
        assert outcome.kind == "returned", path.read_text().splitlines()[outcome.origin.line - 1]


def is_printed(formula: Term) -> bool:
    try:
        printed(formula)
        return True
    except NotC:
        return False


INT, OTHER, UNSIGNED, LONG, CHAR = (symbol(name) for name in "ijulc")


def k(value: int, width: int = 32) -> Term:
    return constant(bitvec(width), value)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (make("bvult", BOOL, INT, k(5)), "(unsigned)i < 5u"),
        (make("bvult", BOOL, UNSIGNED, k(5)), "u < 5"),
        (make("bvslt", BOOL, UNSIGNED, k(5)), "(int)u < 5"),
        (negate(make("bvslt", BOOL, INT, k(-3))), "i >= -3"),
        (make("bvsle", BOOL, k(7), INT), "i >= 7"),
        (make("=", BOOL, INT, k(-1)), "i == -1"),
        (make("=", BOOL, make("bvadd", bitvec(32), INT, make("bvmul", bitvec(32), OTHER, k(-1))), k(0)), "i == j"),
        (make("=", BOOL, make("bvadd", bitvec(32), INT, make("bvmul", bitvec(32), OTHER, k(-2))), k(3)), "i == 2 * j + 3"),
        (make("=", BOOL, make("bvmul", bitvec(32), INT, k(0x80000000)), k(0)), "i % 2 == 0"),
        (make("bvslt", BOOL, make("bvadd", bitvec(32), INT, k(-1)), OTHER), "i - 1 < j"),
        (make("bvslt", BOOL, resize(INT, 64, signed=True), LONG), "(long)i < l"),
        (make("bvslt", BOOL, resize(CHAR, 32, signed=True), INT), "c < i"),
        (make("fp.lt", BOOL, state("d", FLOAT64), constant(FLOAT64, 0x3FF8000000000000)), "d < 1.5"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_people_read(term: Term, text: str) -> None:
    VARIABLES["d"] = ("double", 64, None)
    try:
        assert printed(term) == text
    finally:
        del VARIABLES["d"]
