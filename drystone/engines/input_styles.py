"""Inputs that are likely to matter: the constants that a program compares with, their neighbours, and simple patterns.

A run keeps one *style*, because many errors need all inputs to be alike: all small, all equal, all from the
constants of the program. Memory and variables without a value are zero in most runs, as in a program compiled with
`-ftrivial-auto-var-init=zero`, so that a run which reaches the error can be repeated natively.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from drystone.concrete.inputs import SeededInputs, bit_width
from drystone.ir.automaton import Edge, Origin, Program
from drystone.ir.expressions import Apply, Constant, Expression, Input, InputKind, Load
from drystone.ir.features import expressions_of
from drystone.ir.operations import Allocate, Declare
from drystone.logic.floats import arithmetic
from drystone.logic.semantics import signed
from drystone.logic.sorts import BitVec, Float

_COMPARISONS = frozenset(("=", "bvult", "bvule", "bvslt", "bvsle", "fp.eq", "fp.lt", "fp.leq"))
_TRANSPARENT = frozenset(("zero_extend", "sign_extend", "truncate", "bvadd", "bvsub", "bvneg", "bvand", "bvurem", "bvsrem"))
_MOST_CONSTANTS = 4_000  # of one kind; more would make each of them unlikely

FIRST = ("zero", "constants", "one", "ones", "small", "mixed")
"""The styles of the first runs."""
STYLES = (
    "constants", "constants", "near", "near", "small", "small", "digits", "mixed", "mixed", "repeated", "powers", "sites",
    "random", "ends",
)  # fmt: skip


class Constants:
    """The numbers that a program compares with, as signed integers and as floats."""

    def __init__(self, program: Program) -> None:
        integers: dict[int, None] = {}
        floats: dict[float, None] = {}
        for procedure in program.procedures.values():
            for edge in procedure.edges:
                for constant in _compared(expressions_of(edge.operation)):
                    if isinstance(constant.sort, Float):
                        floats[arithmetic(constant.sort).to_python(constant.value)] = None
                    elif isinstance(constant.sort, BitVec):
                        width = constant.sort.width
                        integers[signed(constant.value, width) if width > 1 else constant.value] = None
        self.integers = sorted(integers)[:_MOST_CONSTANTS] or [0]
        self.floats = [value for value in floats if value == value][:_MOST_CONSTANTS] or [0.0]


def _compared(expressions: Iterable[Expression]) -> Iterable[Constant]:
    """Constants on a side of a comparison, or a step away from it in a sum or remainder."""
    stack = [(expression, False) for expression in expressions]
    while stack:
        node, inside = stack.pop()
        if isinstance(node, Constant):
            if inside:
                yield node
        elif isinstance(node, Apply):
            below = node.operator in _COMPARISONS or (inside and node.operator in _TRANSPARENT)
            stack.extend((argument, below) for argument in node.arguments)
        elif isinstance(node, Load):
            stack.append((node.address, False))


class Schedule:
    """Which thread goes on: the one of the highest priority that can, as in PCT (Burckhardt et al. 2010). Priorities are random,
    and now and then the one that runs loses its own; how often, is random for each run."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.change = self.random.choice((0.0, 0.01, 0.03, 0.1, 0.3, 0.7))
        self.priorities: dict[int, float] = {}

    def next(self, able: int) -> int:
        """`able`: a bit for each thread that can go on."""
        threads = [number for number in range(able.bit_length()) if able >> number & 1]
        for number in threads:
            if number not in self.priorities:
                self.priorities[number] = self.random.random()
        chosen = max(threads, key=self.priorities.__getitem__)
        if self.random.random() < self.change:
            self.priorities[chosen] = -self.random.random()
            if self.change >= 0.1:
                self.priorities[self.random.choice(threads)] = self.random.random()
        return chosen


class StyledInputs:
    """The inputs of one run, repeatable by program, seed and style."""

    def __init__(self, constants: Constants, seed: int, style: str, *, zero_memory: bool) -> None:
        self.random = random.Random(seed)
        self.constants, self.style, self.zero_memory = constants, style, zero_memory
        if style == "repeated":
            self.favourite = self._integer("near")
            self.few = [self._integer("near") for _ in range(3)]
        self.by_site: dict[tuple[int, str], int] = {}

    @cached_property
    def plain(self) -> SeededInputs:
        return SeededInputs(self.random.getrandbits(32))

    @cached_property
    def schedule(self) -> Schedule:
        return Schedule(self.random.getrandbits(32))

    def value(self, input: Input, edge: Edge) -> int:
        if input.kind is InputKind.SCHEDULE:
            return self.schedule.next(input.index)
        if input.kind is InputKind.UNINITIALISED or input.kind is InputKind.UNDEFINED:
            return 0 if self.zero_memory else self.plain.value(input, edge)
        if isinstance(input.sort, Float):
            return self._float(input, input.sort, edge)
        if bit_width(input.sort) == 1 and self.style not in ("zero", "one", "ones"):
            return self.random.getrandbits(1)
        if self.style == "mixed" or self.style == "random":
            return self.plain.value(input, edge) if self.style == "mixed" else self.random.getrandbits(bit_width(input.sort))
        if self.style == "ends":
            width = bit_width(input.sort)
            return (1 << self.random.choice((width - 1, width - 1, width))) + self.random.randint(-2, 2)
        if self.style == "sites":
            key = (edge.origin.line, input.name)
            if key not in self.by_site:
                self.by_site[key] = self._integer("near")
            return self.by_site[key]
        return self._integer(self.style)

    def block(self, size: int, what: str, edge: Edge) -> bytes:
        if self.zero_memory or (isinstance(edge.operation, (Declare, Allocate)) and self.style in ("zero", "one", "constants")):
            return bytes(size)
        return self.random.randbytes(size)

    def _integer(self, style: str) -> int:
        choose = self.random
        match style:
            case "zero":
                return 0
            case "one":
                return 1
            case "ones":
                return -1
            case "constants":
                return choose.choice(self.constants.integers)
            case "near":
                return choose.choice(self.constants.integers) + choose.choice((-1, 0, 0, 1, 1))
            case "small":
                return choose.randint(-2, 8)
            case "digits":
                return choose.choice((0, 1, 1, 2, 10, 100, 1000, 10_000, 100_000, 1_000_000)) + choose.randint(-1, 1)
            case "powers":
                return choose.choice((1, -1)) * (1 << choose.randint(0, 63)) + choose.randint(-1, 1)
            case _:  # repeated
                return self.favourite if choose.random() < 0.8 else choose.choice(self.few)

    def _float(self, input: Input, sort: Float, edge: Edge) -> int:
        format = arithmetic(sort)
        if self.style in ("zero", "one", "ones"):
            return format.from_integer(self._integer(self.style))
        if self.style in ("constants", "near", "repeated", "sites"):
            value = self.random.choice(self.constants.floats)
            return format.from_python(
                value * self.random.choice((1.0, 1.0, 0.5, 1.001, -1.0)) + self.random.choice((0.0, 0.0, 1e-3, -1.0))
            )
        return self.plain.value(input, edge)


class SuggestedInputs:
    """What a run of the compiled program chose: results by function, first bytes of locals by declaration; zero for the rest.
    It may have been compiled for another data model, where some are larger or smaller."""

    def __init__(self, chosen: Mapping[str | Origin, Sequence[bytes]]) -> None:
        self.chosen = {key: list(reversed(contents)) for key, contents in chosen.items()}

    def value(self, input: Input, edge: Edge) -> int:
        contents = self.chosen.get(edge.origin if input.kind is InputKind.UNINITIALISED else input.name)
        return int.from_bytes(contents.pop(), "little") & ((1 << bit_width(input.sort)) - 1) if contents else 0

    def block(self, size: int, what: str, edge: Edge) -> bytes:
        if not isinstance(edge.operation, (Declare, Allocate)):
            return bytes(size)
        contents = self.chosen.get("malloc" if what == "malloc" else edge.origin)
        return contents.pop()[:size].ljust(size, b"\0") if contents else bytes(size)
