"""Reads whose variables and bytes certainly have a value: their checks go before any engine sees them (Java calls it definite
assignment).

Which flags are set and which bytes of local objects have a value, on all paths to a location, is followed along the edges. A call
may take values away by a copy, but only from objects whose addresses it may have.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

import msgspec

from drystone.frontend.functions.checked_memory import escaping
from drystone.frontend.lowering.shadows import base_of
from drystone.ir import names
from drystone.ir.automaton import Edge, Procedure
from drystone.ir.expressions import TRUE, Address, Apply, Constant, Expression, Load, Variable, byte_size
from drystone.ir.features import expressions_of
from drystone.ir.nodes import subexpressions
from drystone.ir.operations import Assign, Assume, Call, CallPointer, Copy, Fill, Operation, Skip, Store
from drystone.logic.sorts import BitVec

_LARGEST = 4096  # bytes of an object that are told apart


class _Known(msgspec.Struct, frozen=True):
    """Flags that are set, and the bytes of objects that have a value, as bits of a number."""

    flags: frozenset[str]
    bytes: Mapping[str, int]

    def meet(self, other: _Known) -> _Known:
        both = {name: known & other.bytes[name] for name, known in self.bytes.items() if name in other.bytes}
        return _Known(self.flags & other.flags, {name: known for name, known in both.items() if known})


def without_certain_reads(procedure: Procedure) -> Procedure:
    """The procedure without checks that cannot fail, and without flags that nobody looks at then."""
    return _Definite(procedure).run()


class _Definite:
    def __init__(self, procedure: Procedure) -> None:
        self._procedure = procedure
        self._sizes = {name: object_.size for name, object_ in procedure.objects.items()}
        self._escaping: Set[str] = escaping(procedure)

    def run(self) -> Procedure:
        procedure = self._procedure
        known = self._followed()
        edges: list[Edge] = []
        for edge in procedure.edges:
            there = known[edge.source]
            if there is None:
                continue
            decided = self._decided(edge.operation.condition, there) if isinstance(edge.operation, Assume) else None
            if decided is None:
                edges.append(edge)
            elif decided:
                edges.append(Edge(edge.source, edge.target, Skip(""), edge.origin))
        marks = {location: mark for location, mark in procedure.marks.items() if known[location] is not None}
        edges = _without_unread_flags(edges)
        return msgspec.structs.replace(procedure, edges=edges, marks=marks)

    def _followed(self) -> list[_Known | None]:
        """What holds at each location; None where no path leads."""
        outgoing = self._procedure.outgoing()
        known: list[_Known | None] = [None] * self._procedure.locations
        known[self._procedure.entry] = _Known(frozenset(), {})
        waiting = [self._procedure.entry]
        while waiting:
            location = waiting.pop()
            before = known[location]
            assert before is not None
            for edge in outgoing[location]:
                if isinstance(edge.operation, Assume) and self._decided(edge.operation.condition, before) is False:
                    continue
                after, there = self._after(edge.operation, before), known[edge.target]
                after = after if there is None else there.meet(after)
                if after != there:
                    known[edge.target] = after
                    waiting.append(edge.target)
        return known

    # what operations change

    def _after(self, operation: Operation, known: _Known) -> _Known:
        match operation:
            case Assume(condition):
                return self._learned(condition, known)
            case Assign(target, value) if names.is_shadow(target.name):
                rest = known.flags - {target.name}
                return _Known(rest | {target.name} if self._holds(value, known) else rest, known.bytes)
            case Store(Apply("shadow", _, (address,)), value):
                return self._written(address, byte_size(value.sort), self._is_all(value, known), known)
            case Fill(Apply("shadow", _, (address,)), byte, size):
                return self._written(address, size, byte == _ones(byte), known)
            case Copy(Apply("shadow", _, (address,)), Apply("shadow", _, (source,)), size):
                return self._written(address, size, self._are_known(source, size, known), known)
            case Call() | CallPointer():
                return _Known(known.flags, {name: held for name, held in known.bytes.items() if name not in self._escaping})
            case _:
                return known

    def _written(self, address: Expression, size: int, is_value: bool, known: _Known) -> _Known:
        root = base_of(address)
        if not isinstance(root, Address):
            kept = known.bytes if is_value else {name: held for name, held in known.bytes.items() if name not in self._escaping}
            return _Known(known.flags, kept)
        bits = self._bits(address, size)
        held = known.bytes.get(root.target, 0)
        if is_value:
            new = held | (bits or 0)
        else:
            new = held & ~bits if bits is not None else 0
        rest = {name: other for name, other in known.bytes.items() if name != root.target}
        return _Known(known.flags, {**rest, root.target: new} if new else rest)

    def _bits(self, address: Expression, size: int) -> int | None:
        """Of bytes in a local object, as far as they are told apart; None: any of them."""
        root = base_of(address)
        assert isinstance(root, Address)
        whole, start = self._sizes.get(root.target, 0), _distance(address)
        if start is None or not 0 <= start <= whole - size:
            return None
        if whole > _LARGEST:
            return 1 if size == whole else None
        return ((1 << size) - 1) << start

    def _learned(self, condition: Expression, known: _Known) -> _Known:
        match condition:
            case Variable(name) if names.is_shadow(name):
                return _Known(known.flags | {name}, known.bytes)
            case Apply("and", _, (first, second)):
                return self._learned(second, self._learned(first, known))
            case Apply("=", _, (Load(sort, Apply("shadow", _, (address,))), Constant() as value)) if value == _ones(value):
                if isinstance(base_of(address), Address) and self._bits(address, byte_size(sort)) is not None:
                    return self._written(address, byte_size(sort), True, known)
                return known
            case _:
                return known

    # what is known

    def _decided(self, condition: Expression, known: _Known) -> bool | None:
        if isinstance(condition, Apply) and condition.operator == "not":
            return False if self._holds(condition.arguments[0], known) else None
        return True if self._holds(condition, known) and _is_of_shadows(condition) else None

    def _holds(self, condition: Expression, known: _Known) -> bool:
        match condition:
            case Constant():
                return condition == TRUE
            case Variable(name):
                return name in known.flags
            case Apply("or", _, (first, second)):
                return self._holds(first, known) or self._holds(second, known)
            case Apply("and", _, (first, second)):
                return self._holds(first, known) and self._holds(second, known)
            case Apply("=", _, (bits, Constant() as value)) if value == _ones(value):
                return self._is_all(bits, known)
            case _:
                return False

    def _is_all(self, bits: Expression, known: _Known) -> bool:
        """Are they all ones?"""
        match bits:
            case Constant():
                return bits == _ones(bits)
            case Load(sort, Apply("shadow", _, (address,))):
                return self._are_known(address, byte_size(sort), known)
            case Apply("bvor", _, (first, second)):
                return self._is_all(first, known) or self._is_all(second, known)
            case Apply("ite", _, (condition, first, second)):
                return self._is_all(first, known) and (self._holds(condition, known) or self._is_all(second, known))
            case _:
                return False

    def _are_known(self, address: Expression, size: int, known: _Known) -> bool:
        root = base_of(address)
        if not isinstance(root, Address):
            return False
        held, whole = known.bytes.get(root.target, 0), self._sizes.get(root.target, 0)
        if held == (1 if whole > _LARGEST else (1 << whole) - 1):
            return held != 0
        bits = self._bits(address, size)
        return bits is not None and held & bits == bits


def _distance(address: Expression) -> int | None:
    """From the begin of the object that it names."""
    if isinstance(address, Address):
        return 0
    if isinstance(address, Apply) and address.operator == "bvadd" and isinstance(address.arguments[1], Constant):
        before = _distance(address.arguments[0])
        return None if before is None else before + address.arguments[1].value
    return None


def _ones(value: Expression) -> Constant:
    assert isinstance(value.sort, BitVec)
    return Constant(value.sort, (1 << value.sort.width) - 1)


def _is_of_shadows(condition: Expression) -> bool:
    return any(
        (isinstance(part, Variable) and names.is_shadow(part.name)) or (isinstance(part, Apply) and part.operator == "shadow")
        for part in subexpressions(condition)
    )


def _without_unread_flags(edges: list[Edge]) -> list[Edge]:
    read = {
        part.name
        for edge in edges
        for expression in expressions_of(edge.operation)
        for part in subexpressions(expression)
        if isinstance(part, Variable)
    }

    def is_needless(operation: Operation) -> bool:
        return isinstance(operation, Assign) and names.is_shadow(operation.target.name) and operation.target.name not in read

    return [Edge(edge.source, edge.target, Skip(""), edge.origin) if is_needless(edge.operation) else edge for edge in edges]
