"""Where jumps lead: labels, cases, the ends of loops. Gotos are resolved at the end of the function, when every label's scope is
known."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from drystone.frontend.errors import NotSupported
from drystone.frontend.functions.scopes import Point, Scope, Scopes
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.context import Context
from drystone.ir.automaton import MarkKind, Origin
from drystone.ir.expressions import Address, Expression
from drystone.ir.operations import Skip
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL


class Case(msgspec.Struct):
    low: int
    high: int
    location: int
    point: Point


class Switch(msgspec.Struct):
    seen: set[int] = set()  # case and default labels that were lowered
    cases: list[Case] = []
    default: Case | None = None
    is_complete: bool = True  # false: the value of a label is not known


class Jumps:
    """The jumps of one function and their targets."""

    def __init__(self, context: Context, builder: Builder, scopes: Scopes, owner: str) -> None:
        self._context = context
        self._builder = builder
        self._scopes = scopes
        self._owner = owner
        self._labels: dict[int, tuple[int, Point]] = {}  # by the label's statement
        self._gotos: list[tuple[int, int, Point, Origin]] = []
        self._computed: list[tuple[int, Expression, Point, Origin]] = []
        self.breaks: list[tuple[int, Scope]] = []  # where to go, and the scope around the loop
        self.continues: list[tuple[int, Scope]] = []
        self.switches: list[Switch] = []

    def place_label(self, key: int) -> int:
        """The location of a label that stands here."""
        location = self._builder.location()
        self._builder.place(location)
        if self._context.keeps_loops_apart:  # it may be the head of a loop, made by `goto`
            self._builder.emit(Skip("label"))
        self._labels[key] = (location, self._scopes.point())
        return location

    def leave(self, targets: list[tuple[int, Scope]], what: str) -> None:
        """`break` or `continue`."""
        if not targets:
            raise NotSupported(f"{what} outside a loop")
        location, scope = targets[-1]
        self._scopes.leave_for(scope)
        self._builder.goto(location)

    def goto(self, key: int) -> None:
        self._gotos.append((self._departure(), key, self._scopes.point(), self._builder.origin))

    def goto_address(self, pointer: Expression) -> None:
        """To the label whose address this is."""
        self._computed.append((self._departure(), pointer, self._scopes.point(), self._builder.origin))

    def _departure(self) -> int:
        departure = self._builder.location()
        self._builder.goto(departure)
        return departure

    def resolve(self, refuse: Callable[[str], None]) -> None:
        """All gotos. `refuse` ends the path of those that lead to no label that was lowered."""
        builder = self._builder
        for departure, pointer, point, origin in self._computed:
            builder.current, builder.origin = departure, origin
            for key, (name, owner) in self._context.symbols.labels.items():
                if owner != self._owner:
                    continue
                chosen, other = builder.location(), builder.location()
                builder.branch(make("=", BOOL, pointer, Address(name, self._context.pointer)), chosen, other)
                self._gotos.append((chosen, key, point, origin))
                builder.current = other
            builder.end(MarkKind.UNKNOWN, "goto to an address that is no label of this function")
        for departure, key, point, origin in self._gotos:
            builder.current, builder.origin = departure, origin
            label = self._labels.get(key)
            if label is None:
                refuse("goto to a label inside an unsupported statement")
                continue
            self._scopes.clean_up(point, label[1])
            self._scopes.enter(point, label[1])
            builder.goto(label[0])
