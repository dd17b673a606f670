"""Where a run takes the values from that the program does not determine, and the record of what it took.

An `InputSource` chooses; the `Environment` of one run asks it, and notes every value and every
undefined operation, so that a run can be repeated (`RecordedInputs`) and explained.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import msgspec

from drystone.ir.automaton import Edge, OpenCall, Origin
from drystone.ir.expressions import Determinant, Input, InputKind, input_name, is_approximated
from drystone.ir.operations import Allocate, Declare
from drystone.logic.floats import arithmetic
from drystone.logic.sorts import BitVec, Bool, Float, Sort

CHOSEN_BY_USER = frozenset((InputKind.NONDET, InputKind.EXTERNAL, InputKind.CHOICE))


class InputSource(Protocol):
    """Chooses the inputs of a run. Before the first edge, `edge` is one from location -1."""

    def value(self, input: Input, edge: Edge) -> int:
        """Any integer; its low bits are the value."""

    def block(self, size: int, what: str, edge: Edge) -> bytes:
        """The contents of `size` bytes of memory that nothing has determined."""


class Consumed(msgspec.Struct, frozen=True, gc=False):
    """An input that a run has read. `index` is that of the `Input`, -1 for bytes of memory."""

    index: int
    kind: InputKind
    what: str
    origin: Origin
    value: int | bytes
    sort: Sort | None = None  # None for bytes of memory
    determined: bool = False  # by what the interpreter has computed: nobody could have chosen another value
    determinant: Determinant = Determinant.NOTHING
    ctype: str = ""  # of the value in C, for people; empty where C has none

    @property
    def name(self) -> str:
        return input_name(self.what, self.determinant)


class Event(msgspec.Struct, frozen=True, gc=False):
    """Something a run relied on: an undefined operation, a call of unknown code."""

    what: str
    origin: Origin
    calls: tuple[OpenCall, ...] = ()  # that were open when it happened first, outermost first
    is_certain: bool = True  # no value was approximated before


class Environment:
    """The inputs of one run: asks the source and keeps the record."""

    def __init__(self, source: InputSource) -> None:
        self.source = source
        self.consumed: list[Consumed] = []
        self.undefined: dict[tuple[str, Origin], Event] = {}
        self.external: dict[Event, None] = {}
        self.open_calls: Callable[[], tuple[OpenCall, ...]] = tuple  # at the moment
        self.determined: dict[str, list[int]] = {}  # by what the implementation gives: the next values, last one first

    def value(self, input: Input, edge: Edge) -> int:
        if input.kind is InputKind.MACHINE:  # nobody is asked: the machine decides
            self.note_undefined(input.name, edge)
            return 0
        known = self.known(input) if self.determined else None
        if determined := bool(known):
            assert known is not None
            if not isinstance(self.source, ListedInputs):  # what was recorded stays in step; what a user lists is chosen
                self.source.value(input, edge)
            value = known.pop()
        else:
            value = self.source.value(input, edge)
        value &= (1 << bit_width(input.sort)) - 1
        self.consumed.append(
            Consumed(
                input.index,
                input.kind,
                input.what,
                edge.origin,
                value,
                input.sort,
                determined,
                input.determinant,
                input.ctype,
            )
        )
        if input.kind is InputKind.UNDEFINED:
            self.note_undefined(input.name, edge)
        return value

    def known(self, input: Input) -> list[int] | None:
        """The values that the input is going to have, last one first, if they have been computed."""
        return self.determined.get(input.what) if input.determinant is Determinant.IMPLEMENTATION else None

    def block(self, size: int, kind: InputKind, what: str, edge: Edge, determinant: Determinant = Determinant.NOTHING) -> bytes:
        value = self.source.block(size, input_name(what, determinant), edge)
        if len(value) != size:
            value = value[:size].ljust(size, b"\0")
        self.consumed.append(Consumed(-1, kind, what, edge.origin, value, determinant=determinant))
        return value

    def note_undefined(self, what: str, edge: Edge) -> None:
        if (what, edge.origin) not in self.undefined:
            is_certain = not any(map(_is_made_up, self.consumed))
            self.undefined[what, edge.origin] = Event(what, edge.origin, self.open_calls(), is_certain)

    def note_external(self, what: str, edge: Edge) -> None:
        self.external[Event(what, edge.origin)] = None


def _is_made_up(entry: Consumed) -> bool:
    """May it be a value that the program never has? Which order and padding a compiler chooses is another matter."""
    return is_approximated(entry) and not entry.determined and entry.determinant not in (Determinant.ORDER, Determinant.PADDING)


def bit_width(sort: Sort) -> int:
    if type(sort) is BitVec or type(sort) is Float:
        return sort.width
    if type(sort) is Bool:
        return 1
    raise TypeError(f"no value of sort {sort} is an input")


class ZeroInputs:
    """Every input is zero."""

    def value(self, input: Input, edge: Edge) -> int:
        return 0

    def block(self, size: int, what: str, edge: Edge) -> bytes:
        return bytes(size)


class SeededInputs:
    """Random inputs, repeatable by their seed, with a preference for small numbers and the ends of the range.

    `zero_uninitialised` makes memory and variables zero at the start of their life, as gcc's
    `-ftrivial-auto-var-init=zero` does.
    """

    def __init__(self, seed: int, *, zero_uninitialised: bool = False) -> None:
        self.random = random.Random(seed)
        self.zero_uninitialised = zero_uninitialised

    def value(self, input: Input, edge: Edge) -> int:
        if self.zero_uninitialised and input.kind is InputKind.UNINITIALISED:
            return 0
        match input.sort:
            case Float():
                return self._float(input.sort)
            case sort:
                return self._bits(bit_width(sort))

    def block(self, size: int, what: str, edge: Edge) -> bytes:
        if self.zero_uninitialised and isinstance(edge.operation, (Declare, Allocate)):
            return bytes(size)
        return self.random.randbytes(size)

    def _bits(self, width: int) -> int:
        choice = self.random.random()
        if choice < 0.4:
            return self.random.randint(-3, 10)
        if choice < 0.5:
            return (1 << (width - 1)) + self.random.randint(-2, 1)
        if choice < 0.75:
            return self.random.getrandbits(self.random.randint(1, width))
        return self.random.getrandbits(width)

    def _float(self, sort: Float) -> int:
        format = arithmetic(sort)
        choice = self.random.random()
        if choice < 0.3:
            return format.from_integer(self.random.randint(-3, 10))
        if choice < 0.6:
            return format.from_python(self.random.uniform(-1000, 1000))
        if choice < 0.75:
            greatest, infinity = format.infinity - 1, format.infinity
            return self.random.choice([0, format.sign_bit, 1, greatest, infinity, format.neg(infinity), format.default_nan])
        return self.random.getrandbits(sort.width)


class ListedInputs:
    """The given values for nondeterministic calls, externals and choices, in the order in which the run asks; `rest` for others.

    Where the program reads a float, a number is its value, rounded to the format; `bytes` are a bit pattern. Elsewhere `bytes`
    answer the next request for the contents of external memory.
    """

    def __init__(self, values: Sequence[int | float | bytes], rest: InputSource | None = None) -> None:
        self.values = list(reversed(values))
        self.rest = rest or ZeroInputs()

    def value(self, input: Input, edge: Edge) -> int:
        if input.kind not in CHOSEN_BY_USER or not self.values:
            return self.rest.value(input, edge)
        value = self.values[-1]
        if isinstance(input.sort, Float):
            self.values.pop()
            match value:
                case bytes():
                    return int.from_bytes(value, "little")
                case float():
                    return arithmetic(input.sort).from_python(value)
                case _:
                    return arithmetic(input.sort).from_integer(value)
        if isinstance(value, bytes):
            return self.rest.value(input, edge)
        self.values.pop()
        return int(value) if math.isfinite(value) else 0

    def block(self, size: int, what: str, edge: Edge) -> bytes:
        if self.values and not isinstance(edge.operation, (Declare, Allocate)):
            value = self.values[-1]
            if isinstance(value, bytes):
                self.values.pop()
                return value
        return self.rest.block(size, what, edge)


class RecordedInputs:
    """Repeats a run: every input of every kind, in the order of `Outcome.inputs`; `rest` afterwards."""

    def __init__(self, consumed: Iterable[Consumed], rest: InputSource | None = None) -> None:
        self.values = [entry.value for entry in consumed][::-1]
        self.rest = rest or ZeroInputs()

    def value(self, input: Input, edge: Edge) -> int:
        if self.values and isinstance(self.values[-1], int):
            return int(self.values.pop())
        return self.rest.value(input, edge)

    def block(self, size: int, what: str, edge: Edge) -> bytes:
        if self.values:
            value = self.values[-1]
            if isinstance(value, bytes):
                self.values.pop()
                return value
        return self.rest.block(size, what, edge)


InputKey = tuple[int, int, str]
"""Source location of the edge (-1 before the first one), index (-1 for bytes of memory), name."""


class KeyedInputs:
    """Values by place: per input of an edge, what it is at the first, second, ... time it is read; `rest` for what is not given.

    For a program of one procedure, in which a source location names the edge (edges that share their source are assumptions
    and read no input).
    """

    def __init__(self, values: Mapping[InputKey, Sequence[int | bytes]], rest: InputSource | None = None) -> None:
        self.values = {key: list(reversed(occurrences)) for key, occurrences in values.items()}
        self.rest = rest or ZeroInputs()

    def value(self, input: Input, edge: Edge) -> int:
        occurrences = self.values.get((edge.source, input.index, input.name))
        if occurrences:
            value = occurrences.pop()
            return value if isinstance(value, int) else int.from_bytes(value, "little")
        return self.rest.value(input, edge)

    def block(self, size: int, what: str, edge: Edge) -> bytes:
        occurrences = self.values.get((edge.source, -1, what))
        if occurrences:
            value = occurrences.pop()
            return value if isinstance(value, bytes) else (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        return self.rest.block(size, what, edge)
