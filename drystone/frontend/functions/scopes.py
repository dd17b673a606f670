"""Blocks and their locals: which of them a jump enters or leaves.

A local is an input each time its declaration is reached, and also where a jump enters its scope past the declaration.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from drystone.frontend.declarations.types import CType, Scalar
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.memory import Memory
from drystone.frontend.lowering.places import InMemory, Place
from drystone.ir.expressions import Address, Determinant, Expression, InputKind
from drystone.ir.operations import Call


class Local(NamedTuple):
    """A declared variable, and the call that its attribute `cleanup` asks for where its scope is left."""

    place: Place
    type: CType
    name: str
    cleanup: Call | None = None


class Scope(msgspec.Struct, eq=False):
    """A block; `declared` are its locals so far, in order."""

    parent: Scope | None
    declared: list[Local] = []
    path: tuple[int, ...] = ()  # numbers of the blocks around it and its own
    inner: int = 0  # blocks in it so far
    ending: list[Expression] = []  # addresses of what ends with it and has no declaration that a jump could skip

    def opened(self) -> Scope:
        """A block in this one."""
        self.inner += 1
        return Scope(self, path=(*self.path, self.inner))


class Point(msgspec.Struct, frozen=True):
    """A place in the text: the innermost scope and how many of its locals were declared there, outwards."""

    scope: Scope
    counts: dict[int, int]  # id(scope) -> number of declared locals, for all enclosing scopes


class Scopes:
    """The blocks of one function that are open."""

    def __init__(self, builder: Builder, memory: Memory) -> None:
        self._builder = builder
        self._memory = memory
        self.current = Scope(None)

    def open(self) -> None:
        self.current = self.current.opened()

    def leave(self) -> None:
        """To the block around this one."""
        parent = self.current.parent
        assert parent is not None
        self.leave_for(parent)
        self.current = parent

    def leave_for(self, scope: Scope) -> None:
        """Runs what `cleanup` asks for on the way from here to a block around."""
        point = self.point()
        self.clean_up(point, Point(scope, point.counts))

    def point(self) -> Point:
        counts = {}
        scope: Scope | None = self.current
        while scope is not None:
            counts[id(scope)] = len(scope.declared)
            scope = scope.parent
        return Point(self.current, counts)

    def enter(self, source: Point, target: Point) -> None:
        """The locals whose declarations a jump from `source` to `target` skips are uninitialised there."""
        scope: Scope | None = target.scope
        while scope is not None:
            before = source.counts.get(id(scope), 0)
            for where, type_, name, _ in scope.declared[before : target.counts[id(scope)]]:
                self.begin(where, type_)
                self._memory.havoc(where, type_, InputKind.UNINITIALISED, name, Determinant.LOCAL)
                if not isinstance(type_, Scalar):  # the first time that an object is declared, engines take it as untouched
                    self._memory.havoc(where, type_, InputKind.UNINITIALISED, name, Determinant.LOCAL)
            scope = scope.parent

    def clean_up(self, source: Point, target: Point | None) -> None:
        """Runs what `cleanup` asks for on the way from `source` to `target` (None: out of the function), innermost first."""
        staying: dict[int, int] = {}  # variables that stay, in the scopes that are not left
        around = target.scope if target is not None else None
        while target is not None and around is not None:
            staying[id(around)] = target.counts[id(around)]
            around = around.parent
        scope: Scope | None = source.scope
        while scope is not None:
            left = scope.declared[staying.get(id(scope), 0) : source.counts[id(scope)]]
            for local in reversed(left):
                if local.cleanup is not None:
                    self._builder.emit(local.cleanup)
                if isinstance(local.place, InMemory):
                    self.end(local.place.address)
            for address in scope.ending if id(scope) not in staying else ():
                self.end(address)
            scope = scope.parent

    def begin(self, where: Place, type_: CType) -> None:
        """The life of a variable begins, where memory is checked."""
        if self._builder.extents is not None and isinstance(where, InMemory) and isinstance(where.address, Address):
            self._builder.emit(self._builder.extents.born(where.address.target, max(type_.size, 0)))

    def end(self, address: Expression) -> None:
        """What lies there ends, likewise."""
        if self._builder.extents is not None:
            self._builder.emit(self._builder.extents.ended(address))
