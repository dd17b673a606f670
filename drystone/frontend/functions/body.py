"""What the parts of the lowering of a function ask of each other: the state of its body.

Each part is a module of functions on a `FunctionBody`; `functions.statements` says which of them lowers which kind of node.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from drystone.frontend.clang.nodes import Node
from drystone.frontend.declarations.confined import aggregate_of, confined
from drystone.frontend.declarations.symbols import FunctionSymbol, VariableSymbol
from drystone.frontend.errors import NotSupported
from drystone.frontend.functions.calls import CallLowering
from drystone.frontend.functions.for_headers import ForHeaders
from drystone.frontend.functions.jumps import Jumps
from drystone.frontend.functions.scopes import Scopes
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.context import Context
from drystone.ir.automaton import Approximation, MarkKind, Unmodelled
from drystone.ir.expressions import Variable


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
        self.builder.goto(self.builder.exit)
