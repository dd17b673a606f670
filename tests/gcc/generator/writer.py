"""The state of a program being written: names, types, scopes, cost, and the text so far.

Every choice goes through one `random.Random`, so that a seed names a program and hypothesis can shrink
one (`st.randoms(use_true_random=False)`): the first alternative of a choice is always the simplest.

Rules that keep the programs free of undefined and unspecified behaviour:

* expressions are pure; side effects happen at statement level, or where C sequences them;
* every divisor, shift count, index and float-to-integer conversion is guarded in the text;
* a place enters the scope only after it has been initialised;
* loop counters are read-only for the loop's body, and `cost` bounds the number of steps.

Signed overflow is allowed: with `-fwrapv` it wraps, in gcc as in drystone.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Arithmetic:
    """An integer or float type; `rank` orders them as the usual arithmetic conversions do (roughly: for masks only)."""

    name: str
    rank: int
    signed: bool
    bits: int  # the smaller of the two data models'
    is_float: bool = False

    @property
    def promoted(self) -> Arithmetic:
        return INT if self.rank < INT.rank else self

    def __str__(self) -> str:
        return self.name


BOOL = Arithmetic("_Bool", 0, False, 1)
CHAR = Arithmetic("char", 1, True, 8)
SCHAR = Arithmetic("signed char", 1, True, 8)
UCHAR = Arithmetic("unsigned char", 1, False, 8)
SHORT = Arithmetic("short", 2, True, 16)
USHORT = Arithmetic("unsigned short", 2, False, 16)
INT = Arithmetic("int", 3, True, 32)
UINT = Arithmetic("unsigned int", 4, False, 32)
LONG = Arithmetic("long", 5, True, 32)
ULONG = Arithmetic("unsigned long", 6, False, 32)
LLONG = Arithmetic("long long", 7, True, 64)
ULLONG = Arithmetic("unsigned long long", 8, False, 64)
FLOAT = Arithmetic("float", 9, True, 32, True)
DOUBLE = Arithmetic("double", 10, True, 64, True)
LDOUBLE = Arithmetic("long double", 11, True, 80, True)

INTEGERS = (INT, UINT, CHAR, UCHAR, SCHAR, SHORT, USHORT, LONG, ULONG, LLONG, ULLONG, BOOL)


def common(left: Arithmetic, right: Arithmetic) -> Arithmetic:
    return max(left.promoted, right.promoted, key=lambda each: (each.rank, -each.bits))


@dataclass(frozen=True)
class Place:
    """An initialised lvalue that may be read now. `direct`: a named variable that nothing else aliases."""

    text: str
    type: Arithmetic
    writable: bool = True
    direct: bool = False
    width: int = 0  # of a bit-field

    @property
    def is_bit_field(self) -> bool:
        return self.width > 0


@dataclass(frozen=True)
class Function:
    name: str
    parameters: tuple[Arithmetic, ...]
    result: Arithmetic
    is_pure: bool
    cost: int


STEP_BUDGET = 2500  # in statements; one is 3-6 steps of the automaton


@dataclass
class Writer:
    random: random.Random
    features: frozenset[str]
    size: int = 8
    declarations: list[str] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    globals: list[Place] = field(default_factory=list)
    scope: list[Place] = field(default_factory=list)  # of the function being written, innermost last
    functions: list[Function] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    indent: int = 1
    weight: int = 1  # how often the code being written runs, at most
    cost: int = 0
    names: dict[str, int] = field(default_factory=dict)
    at_file_scope: bool = False
    inside_pure: bool = False
    emitted_helpers: set[str] = field(default_factory=set)

    # -- choices ---------------------------------------------------------------------------------------------

    def pick(self, options: Sequence[T]) -> T:
        return options[self.random.randrange(len(options))]

    def below(self, bound: int) -> int:
        return self.random.randrange(bound)

    def between(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def chance(self, percent: int) -> bool:
        """True with this probability; shrinks to False."""
        return self.random.randrange(100) >= 100 - percent

    def has(self, feature: str) -> bool:
        return feature in self.features

    # -- text ------------------------------------------------------------------------------------------------

    def name(self, stem: str) -> str:
        self.names[stem] = self.names.get(stem, 0) + 1
        return f"{stem}{self.names[stem]}"

    def header(self, name: str) -> None:
        if name not in self.headers:
            self.headers.append(name)

    def declare(self, text: str) -> None:
        """Adds text at file scope, before everything that is written later."""
        self.declarations.append(text)

    def helper(self, key: str, text: str) -> None:
        """A fixed piece of file scope, once."""
        if key not in self.emitted_helpers:
            self.emitted_helpers.add(key)
            self.declare(text)

    def line(self, text: str, cost: int = 1) -> None:
        self.lines.append("    " * self.indent + text)
        self.cost += cost * self.weight

    @contextmanager
    def block(self, opening: str = "{", closing: str = "}", times: int = 1) -> Iterator[None]:
        """A brace-enclosed scope that runs at most `times` times each time it is reached."""
        visible = len(self.scope)
        self.line(opening)
        self.indent += 1
        self.weight *= times
        yield
        self.weight //= times
        self.indent -= 1
        del self.scope[visible:]
        self.line(closing, cost=0)

    @contextmanager
    def function(self, head: str, pure: bool, parameters: Sequence[Place] = ()) -> Iterator[list[int]]:
        """A function definition at file scope; afterwards the yielded list holds its cost per call."""
        saved = (self.lines, self.indent, self.weight, self.cost, self.scope, self.inside_pure)
        self.lines, self.indent, self.weight, self.cost = [], 1, 1, 2
        self.scope = list(parameters)
        self.inside_pure = pure
        cost: list[int] = []
        yield cost
        cost.append(self.cost)
        text = "\n".join([f"{head} {{", *self.lines, "}"])
        self.lines, self.indent, self.weight, self.cost, self.scope, self.inside_pure = saved
        self.declare(text)

    # -- scope -----------------------------------------------------------------------------------------------

    def add(self, place: Place) -> Place:
        self.scope.append(place)
        return place

    def add_global(self, place: Place) -> Place:
        """A place that later functions may use too, except the pure ones."""
        self.globals.append(place)
        return place

    def places(self, *, floats: bool | None = None, writable: bool = False, direct: bool = False) -> list[Place]:
        found = []
        for place in self.scope if self.inside_pure else self.globals + self.scope:
            if floats is not None and place.type.is_float != floats:
                continue
            if (writable and not place.writable) or (direct and not place.direct):
                continue
            found.append(place)
        return found

    def affordable(self, cost: int) -> bool:
        return self.cost + cost * self.weight <= STEP_BUDGET

    # -- types -----------------------------------------------------------------------------------------------

    def integer_type(self) -> Arithmetic:
        return self.pick(INTEGERS)

    def float_types(self) -> tuple[Arithmetic, ...]:
        if not self.has("floats"):
            return ()
        return (DOUBLE, FLOAT, LDOUBLE) if self.has("long_double") else (DOUBLE, FLOAT)

    def scalar_type(self) -> Arithmetic:
        return self.pick(INTEGERS + self.float_types())
