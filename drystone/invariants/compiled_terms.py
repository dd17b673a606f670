"""Terms as a list of instructions, to be evaluated many times: `logic.evaluation` without its walk over the terms.

An array that stores have changed is a chain of stores on the array it was, until `flatten` makes a dictionary of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from drystone.logic.evaluation import ArrayValue, Value
from drystone.logic.semantics import function
from drystone.logic.sorts import Array
from drystone.logic.terms import SYMBOLS, Term, width
from drystone.logic.walks import reachable_beyond

Instruction = tuple[int, Callable[..., Any], int, int, int]  # where to, what, and the slots of up to three arguments
_NONE = -1


class CompiledTerms:
    """`first` is evaluated always, after it at most one of the `branches`."""

    def __init__(self, first: Sequence[Term], branches: Sequence[Sequence[Term]] = ()) -> None:
        self._start: list[Any] = []
        self.symbols: list[list[tuple[int, Term]]] = []  # of `first` and of each branch, with their slots
        self._code: list[list[Instruction]] = []
        self._results: list[list[int]] = []
        shared: dict[Term, int] = {}
        self._compile(first, {}, shared)
        for branch in branches:
            self._compile(branch, shared, {})

    def _compile(self, roots: Sequence[Term], shared: dict[Term, int], slots: dict[Term, int]) -> None:
        """Gives slots to the subterms that have none in `shared`."""
        code: list[Instruction] = []
        symbols: list[tuple[int, Term]] = []

        def place(term: Term) -> int:
            found = slots.get(term)
            return found if found is not None else shared[term]

        for term in reachable_beyond(shared, roots):
            slot = slots[term] = len(self._start)
            self._start.append(_constant(term) if term.operator == "const" else None)
            if term.operator in SYMBOLS:
                symbols.append((slot, term))
            elif term.operator != "const":
                places = [place(argument) for argument in term.arguments] + [_NONE] * (3 - len(term.arguments))
                code.append((slot, _function(term), places[0], places[1], places[2]))
        self.symbols.append(symbols)
        self._code.append(code)
        self._results.append([place(root) for root in roots])

    def size(self) -> int:
        return len(self._start)

    def length(self, phase: int) -> int:
        return len(self._code[phase])

    def start(self) -> list[Any]:
        """The slots before anything is evaluated; symbols are to be filled in."""
        return self._start.copy()

    def run(self, phase: int, slots: list[Any]) -> list[Any]:
        """The values of phase 0 (`first`) or, after it, of a branch. The symbols of the phase have been filled in."""
        for where, apply, a, b, c in self._code[phase]:
            if c >= 0:
                slots[where] = apply(slots[a], slots[b], slots[c])
            elif b >= 0:
                slots[where] = apply(slots[a], slots[b])
            else:
                slots[where] = apply(slots[a])
        return [slots[result] for result in self._results[phase]]

    def values(self, state: Mapping[Term, Value]) -> list[Any]:
        """The values of the terms of `first`; a symbol that the state lacks is 0."""
        slots = self.start()
        for slot, symbol in self.symbols[0]:
            found = state.get(symbol)
            slots[slot] = found if found is not None else nothing(symbol)
        return self.run(0, slots)


def nothing(symbol: Term) -> Value:
    return ArrayValue(0, {}) if type(symbol.sort) is Array else 0


class _Stored:
    """An array after one more store."""

    __slots__ = ("array", "index", "value")

    def __init__(self, array: _Stored | ArrayValue, index: int, value: int) -> None:
        self.array, self.index, self.value = array, index, value


def flatten(value: Any) -> Value:
    """A value as it may be kept: chains of stores become one dictionary."""
    if type(value) is not _Stored:
        kept: Value = value
        return kept
    stores: list[tuple[int, int]] = []
    step: Any = value
    while type(step) is _Stored:
        stores.append((step.index, step.value))
        step = step.array
    entries = dict(step.entries)
    entries.update(reversed(stores))
    return ArrayValue(step.default, entries)


def _select(array: Any, index: int) -> int:
    while type(array) is _Stored:
        if array.index == index:
            return array.value
        array = array.array
    found: int = array.entries.get(index, array.default)
    return found


def _same(a: Any, b: Any) -> int:
    x, y = flatten(a), flatten(b)
    assert isinstance(x, ArrayValue) and isinstance(y, ArrayValue)
    return int(x.default == y.default and all(x.at(i) == y.at(i) for i in x.entries.keys() | y.entries.keys()))


def _constant(term: Term) -> Value:
    return ArrayValue(term.payload, {}) if type(term.sort) is Array else term.payload


def _if(condition: int, yes: Any, no: Any) -> Any:
    return yes if condition else no


def _equal(a: int, b: int) -> int:
    return int(a == b)


def _function(term: Term) -> Callable[..., Any]:
    arguments = term.arguments
    match term.operator:
        case "select":
            return _select
        case "store":
            return _Stored
        case "ite":
            return _if
        case "=":
            return _same if type(arguments[0].sort) is Array else _equal
        case "concat":
            shift = width(arguments[1])
            return lambda a, b: a << shift | b
        case "extract":
            high, low = term.payload
            mask = (1 << high - low + 1) - 1
            return lambda a: a >> low & mask
    return function(term.operator, term.sort, tuple([argument.sort for argument in arguments]))
