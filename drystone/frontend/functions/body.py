"""What the parts of the lowering of a function ask of each other: the state of its body.

Each part is a module of functions on a `FunctionBody`; `functions.statements` says which of them lowers which kind of node.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from drystone.frontend.clang.nodes import Node
from drystone.frontend.declarations.confined import aggregate_of, confined
from drystone.frontend.declarations.symbols import FunctionSymbol, VariableSymbol
from drystone.frontend.declarations.types import CType
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.accesses import check_ending, refuse_if
from drystone.frontend.functions.calls import CallLowering
from drystone.frontend.functions.for_headers import ForHeaders
from drystone.frontend.functions.jumps import Jumps
from drystone.frontend.functions.scopes import Scopes
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.places import InMemory
from drystone.ir import names
from drystone.ir.automaton import Approximation, MarkKind, Unmodelled
from drystone.ir.expressions import Address, Constant, Expression, Variable
from drystone.ir.operations import Lifetime
from drystone.ir.simplify import make, negate
from drystone.logic.sorts import BOOL


class FunctionBody(CallLowering, ABC):
    """The state of lowering the body of one function."""

    def __init__(self, context: Context, symbol: FunctionSymbol, name: str | None = None) -> None:
        super().__init__(context, symbol.unit, Builder(name or symbol.name, context.is_global, context.word), symbol.name)
        self.symbol = symbol
        self.scopes = Scopes(self.builder, self.memory)
        self.jumps = Jumps(context, self.builder, self.scopes, self.owner)
        self.for_headers = ForHeaders(self.unit.clang.source, symbol)
        self.result: Variable | None = None
        self.result_area: Variable | None = None  # where a record goes that the function returns
        self.ends_with_frame: list[Expression] = []  # addresses, where memory is checked
        self.frame_variables: list[Variable] = []  # that hold some of them, and start with NULL
        self._frame_end = self.builder.exit if self.builder.extents is None else self.builder.location()
        self._confined: frozenset[int] | None = None  # not looked for yet

    @abstractmethod
    def statement(self, node: Node) -> None:
        """Lowers a statement; one that is not understood becomes an unknown location."""

    def block(self) -> tuple[int, ...]:
        return self.scopes.current.path

    def end_unsupported(self, what: str, unmodelled: Unmodelled = Unmodelled.CONSTRUCT, name: str = "") -> None:
        """Control that gets here goes on in a way that is not modelled."""
        self.context.unsupported.append(Approximation("unsupported", what, self.builder.origin))
        self.builder.end(MarkKind.UNKNOWN, f"{what}", unmodelled, name)

    def end_refused(self, refusal: NotSupported) -> None:
        """Likewise, where something was refused."""
        self.end_unsupported(refusal.what, refusal.unmodelled, refusal.name)

    def is_confined(self, node: Node) -> bool:
        variable = aggregate_of(node, self.types)
        if variable is None or self.symbol.tree is None:
            return False
        declaration = self.lib.clang_getCursorReferenced(variable.cursor)
        if self._confined is None:
            self._confined = confined(self.symbol.tree, self.types)
        symbol = self.context.symbols.resolve(self.unit, declaration, self.owner)
        is_local = isinstance(symbol, VariableSymbol) and not symbol.is_global and symbol.cleanup is None
        return is_local and declaration.d0 in self._confined

    def leave(self) -> None:
        """To the exit of the procedure."""
        if self.symbol.is_noreturn:
            self.builder.end(MarkKind.UNKNOWN, f"return from {self.symbol.name}, which is declared not to")
        self.builder.goto(self._frame_end)

    def begin_literal(self, address: Address, type_: CType) -> None:
        self.scopes.begin(InMemory(address), type_)
        self.scopes.current.ending.append(address)

    def begin_list(self, address: Address, size: int) -> None:
        if self.builder.extents is not None:
            self.builder.emit(self.builder.extents.born(address.target, size))
            self.ends_with_frame.append(address)

    def begin_in_frame(self, lifetime: Lifetime) -> None:
        if lifetime is Lifetime.HEAP or self.builder.extents is None:
            return
        held = self.builder.variable(names.own("in frame"), self.context.pointer)
        self.frame_variables.append(held)
        self.ends_with_frame.append(held)
        is_there = negate(make("=", BOOL, held, Constant(held.sort, 0)))
        refuse_if(self, is_there, "several allocations in one activation by one call of alloca, where memory is checked")

    def end_with_frame(self, lifetime: Lifetime, target: Variable) -> None:
        if lifetime is not Lifetime.HEAP and self.builder.extents is not None:
            self.builder.assign(self.frame_variables[-1], target)

    def end_program(self) -> None:
        """The entry has returned. Another one than main may give what it has allocated to its caller."""
        if self.symbol.name == "main" or self.builder.extents is None or self.builder.extents.blocks is None:
            check_ending(self, f"the end of {self.symbol.name}", frames_live=False)
        else:
            self.builder.end(MarkKind.UNKNOWN, f"what becomes of memory that {self.symbol.name} has allocated")

    def end_frame(self, is_entry: bool) -> None:
        """What lives as long as the activation ends with it, and variables that hold its address have none before."""
        builder = self.builder
        if builder.extents is None:
            return
        builder.current = self._frame_end
        for address in self.ends_with_frame:
            self.scopes.end(address)
        if is_entry:
            self.end_program()
        builder.goto(builder.exit)
        start = builder.current = builder.location()
        for variable in self.frame_variables:
            builder.assign(variable, Constant(variable.sort, 0))
        if self.frame_variables:
            builder.goto(builder.entry)
            builder.entry = start
