"""Translation of terms into another language (a solver's terms, SMT-LIB text), by a loop.

Floats are exact on bits, which the languages of solvers are not: they know only one NaN. A float symbol becomes a
bit-vector symbol, and its float is read from it; so the bits of symbols, of `fp.from_bits` and of choices between
them need nothing new. Only where the bits of an arithmetic result are asked for, the translation says which NaN
it is (`logic.rules.floats.nan_bits`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from drystone.logic.polynomials import is_product
from drystone.logic.rules.floats import lowered, nan_bits
from drystone.logic.sorts import Float
from drystone.logic.terms import SYMBOLS, Term


class Unsupported(Exception):
    """An operation or format that the language does not know."""


class Translation(ABC):
    """Remembers what it has translated. `Any` is a term of the other language."""

    def __init__(self) -> None:
        self._cache: dict[Term, Any] = {}
        self._bits: dict[Term, Any] = {}  # of float symbols, and of results whose bits were asked for
        self._has_products = False  # of two unknowns, in what has been translated

    def translate(self, term: Term) -> Any:
        """The term in the other language; raises Unsupported."""
        cache = self._cache
        found = cache.get(term)
        if found is not None:
            return found
        stack = [term]
        while stack:
            node = stack[-1]
            if node in cache:
                stack.pop()
                continue
            needed = node.arguments
            if node.operator in _SPECIAL:
                needed = self._needed(node)
            waiting = False
            for part in needed:
                if part not in cache:
                    stack.append(part)
                    waiting = True
            if waiting:
                continue
            stack.pop()
            cache[node] = self._build(node, [cache[part] for part in needed])
            if node.operator == "bvmul" and is_product(node):
                self._has_products = True
        return cache[term]

    def _needed(self, node: Term) -> tuple[Term, ...]:
        """What has to be translated before an `=` or an `fp.to_bits`."""
        if node.operator == "=" and type(node.arguments[0].sort) is not Float:
            return node.arguments
        simpler = lowered(node)
        if simpler is not None:
            return (simpler,)
        operation = node.arguments[0]
        if operation.operator in SYMBOLS:
            return ()
        nan = nan_bits(operation)
        return (operation,) if nan is None else (operation, nan)

    def _build(self, node: Term, parts: list[Any]) -> Any:
        operator = node.operator
        if operator in SYMBOLS:
            if type(node.sort) is Float:
                return self._read(self._symbol_bits(node), node.sort)
            return self._symbol(node)
        if operator == "const":
            return self._constant(node)
        if operator == "fp.to_bits":
            return self._to_bits(node, parts)
        if operator == "=" and type(node.arguments[0].sort) is Float:
            return parts[0]
        return self._apply(node, parts)

    def _to_bits(self, node: Term, parts: list[Any]) -> Any:
        operation = node.arguments[0]
        if not parts:
            return self._symbol_bits(operation)
        if lowered(node) is not None:
            return parts[0]
        bits = self._bits.get(operation)
        if bits is None:
            bits = self._bits[operation] = self._bits_of(operation, parts[0], parts[1] if len(parts) == 2 else None)
        return bits

    def _symbol_bits(self, symbol: Term) -> Any:
        bits = self._bits.get(symbol)
        if bits is None:
            bits = self._bits[symbol] = self._symbol(symbol)
        return bits

    @abstractmethod
    def _symbol(self, symbol: Term) -> Any:
        """A symbol of the other language; for a float, a bit-vector."""

    @abstractmethod
    def _read(self, bits: Any, sort: Float) -> Any:
        """The float with these bits."""

    @abstractmethod
    def _constant(self, constant: Term) -> Any: ...

    @abstractmethod
    def _apply(self, node: Term, parts: list[Any]) -> Any:
        """The node's operator on translated arguments."""

    @abstractmethod
    def _bits_of(self, operation: Term, translated: Any, nan: Any | None) -> Any:
        """The bits of a float, which are those of `nan` if it is a NaN."""


_SPECIAL = frozenset(("=", "fp.to_bits"))


def name_of(symbol: Term) -> str:
    """A name that tells state variables and inputs of one name, and sorts, apart."""
    return f"{symbol.operator} {symbol.payload} {symbol.sort}"
