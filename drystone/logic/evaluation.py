"""The value of terms under an assignment of their symbols.

A value is an integer (a Boolean 0 or 1, a float its bits) or, for an array, an `ArrayValue`. The operators
mean what `logic.semantics` says.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any, NamedTuple, cast

from drystone.logic.semantics import function
from drystone.logic.sorts import Array, Sort
from drystone.logic.terms import SYMBOLS, Term
from drystone.logic.walks import reachable_beyond


class ArrayValue(NamedTuple):
    """An array that is `default` wherever `entries` says nothing else."""

    default: int
    entries: dict[int, int]

    def at(self, index: int) -> int:
        return self.entries.get(index, self.default)

    def normal(self) -> ArrayValue:
        """Without entries that equal the default."""
        return ArrayValue(self.default, {i: v for i, v in sorted(self.entries.items()) if v != self.default})


Value = int | ArrayValue


def evaluate(terms: Sequence[Term], environment: Mapping[Term, Value], default: int | None = None) -> list[Value]:
    """The values of the terms. A symbol missing in the environment is `default` (an array: everywhere), or a KeyError."""
    return Evaluation().values(terms, lambda symbol: _looked_up(symbol, environment, default))


def evaluate_one(term: Term, environment: Mapping[Term, Value], default: int | None = None) -> int:
    """The value of one term that is no array."""
    return cast(int, evaluate((term,), environment, default)[0])


class Evaluation:
    """The values of terms under one assignment of their symbols; remembers what it has computed."""

    __slots__ = ("_values",)

    def __init__(self) -> None:
        self._values: dict[Term, Any] = {}

    def values(self, terms: Sequence[Term], symbol: Callable[[Term], Value]) -> list[Value]:
        """`symbol` is the assignment, the same one each time; it is not kept, for it may own this."""
        values = self._values
        order = reachable_beyond(values, terms)
        uses = _array_uses(order, terms, values)
        functions = _functions
        for term in order:
            operator = term.operator
            arguments = term.arguments
            if operator == "const":
                values[term] = ArrayValue(term.payload, {}) if type(term.sort) is Array else term.payload
            elif operator in SYMBOLS:
                values[term] = _own(symbol(term))
            elif operator in _SPECIAL or type(term.sort) is Array:
                values[term] = _special(term, values, uses)
            else:
                key = (operator, term.sort, arguments[0].sort)
                apply = functions.get(key)
                if apply is None:
                    apply = functions[key] = function(operator, term.sort, tuple([argument.sort for argument in arguments]))
                if len(arguments) == 2:
                    values[term] = apply(values[arguments[0]], values[arguments[1]])
                else:
                    values[term] = apply(*[values[argument] for argument in arguments])
        return [values[term] for term in terms]


_functions: dict[tuple[str, Sort, Sort], Callable[..., int]] = {}
_SPECIAL = frozenset(("select", "store", "concat", "extract", "ite", "="))


def _looked_up(symbol: Term, environment: Mapping[Term, Value], default: int | None) -> Value:
    value = environment.get(symbol)
    if value is not None:
        return value
    if default is None:
        raise KeyError(f"no value for {symbol.operator} {symbol.payload!r}")
    return ArrayValue(default, {}) if type(symbol.sort) is Array else default


def _own(value: Value) -> Value:
    """A Boolean as a number; of an array a copy: stores change it in place."""
    return ArrayValue(value.default, dict(value.entries)) if isinstance(value, ArrayValue) else int(value)


def _array_uses(order: Sequence[Term], roots: Sequence[Term], known: Container[Term]) -> dict[Term, int]:
    """How often each array is still needed: the last store may change the dictionary instead of copying it. What was known
    before is needed once more, by whoever asks next."""
    uses: dict[Term, int] = {}
    for term in order:
        for argument in term.arguments:
            if type(argument.sort) is Array:
                uses[argument] = uses.get(argument, argument in known) + 1
    for root in roots:
        if type(root.sort) is Array:
            uses[root] = uses.get(root, 0) + 1
    return uses


def _special(term: Term, values: dict[Term, Any], uses: dict[Term, int]) -> Any:
    operator = term.operator
    arguments = term.arguments
    match operator:
        case "concat":
            a, b = arguments
            return values[a] << b.sort.width | values[b]  # type: ignore[union-attr]
        case "extract":
            high, low = term.payload
            return values[arguments[0]] >> low & (1 << high - low + 1) - 1
        case "select":
            whole, entries = values[arguments[0]]
            uses[arguments[0]] -= 1
            return entries.get(values[arguments[1]], whole)
        case "store":
            whole, entries = _taken(arguments[0], values, uses)
            entries[values[arguments[1]]] = values[arguments[2]]
            return ArrayValue(whole, entries)
        case "ite":
            condition, yes, no = arguments
            if type(term.sort) is not Array:
                return values[yes] if values[condition] else values[no]
            chosen, other = (yes, no) if values[condition] else (no, yes)
            uses[other] -= 1
            return _taken(chosen, values, uses)
        case "=":
            a, b = arguments
            if type(a.sort) is not Array:
                return int(values[a] == values[b])
            uses[a] -= 1
            uses[b] -= 1
            return int(_same_array(a.sort, values[a], values[b]))
    raise ValueError(f"{operator} on arrays")


def _taken(array: Term, values: dict[Term, Any], uses: dict[Term, int]) -> ArrayValue:
    """The array's value, to be changed: itself after its last use, else a copy."""
    uses[array] -= 1
    value: ArrayValue = values[array]
    if uses[array] == 0:
        del values[array]
        return value
    return ArrayValue(value.default, dict(value.entries))


def _same_array(sort: Array, a: ArrayValue, b: ArrayValue) -> bool:
    indices = a.entries.keys() | b.entries.keys()
    if any(a.at(index) != b.at(index) for index in indices):
        return False
    return a.default == b.default or len(indices) >= 1 << sort.index.width
