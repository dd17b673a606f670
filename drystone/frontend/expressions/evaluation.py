"""What the parts of the lowering of expressions ask of each other.

Each part is a module of functions on an `Evaluation`; `expressions.expressions` says which of them lowers which kind of node.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from drystone.checks.registry import CHECKS, MEMORY, UNINITIALISED
from drystone.frontend.clang.nodes import Node
from drystone.frontend.declarations.linking import Unit
from drystone.frontend.expressions.bitfields import BitFieldTypes
from drystone.frontend.expressions.folding import Folding
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.lowering import Lowering
from drystone.frontend.lowering.places import Place
from drystone.frontend.lowering.shadows import Shadows
from drystone.ir.automaton import ErrorKind, Origin
from drystone.ir.expressions import Constant, Expression


class Evaluation(Lowering, ABC):
    """The state of evaluating the expressions of one function or initialiser."""

    def __init__(self, context: Context, unit: Unit, builder: Builder, owner: str) -> None:
        super().__init__(context, unit, builder, owner)
        self.checks = {name: CHECKS[name].load() for name in context.checks if not unit.is_model and name not in MEMORY}
        self.access_checks = {name: CHECKS[name].load() for name in context.checks if name in MEMORY}
        self.are_accesses_checked = any(name != UNINITIALISED for name in self.access_checks)
        self.checked: set[int] = set()  # the operations that checks were told
        self.folding = Folding(builder, unit, self.type_of, (*self.checks, *self.access_checks))
        if self.access_checks:
            builder.extents = context.extents
        if UNINITIALISED in self.access_checks:
            builder.shadows = Shadows(context.pointer, builder.objects)
        self.bit_fields = BitFieldTypes(unit.types, self.type_of)
        self.orders: dict[int, bool] = {}  # expressions whose order matters, while they are lowered: from the right to the left?
        self.only_signs: set[int] = set()  # calls of whose results only the sign or the truth is looked at
        self.not_accessed: set[int] = set()  # casts to pointers that are only compared, or moved before they are used

    @abstractmethod
    def fail(self, condition: Expression, kind: ErrorKind, what: str, origin: Origin) -> None:
        """Under this condition, what is about to be computed is an error."""

    @abstractmethod
    def rvalue(self, node: Node) -> Expression:
        """The value of an expression. For arrays, functions and records: the address where it lies."""

    @abstractmethod
    def place(self, node: Node) -> Place:
        """Where an lvalue lies (also record rvalues, which lie in a temporary object)."""

    @abstractmethod
    def condition(self, node: Node) -> Expression:
        """A scalar expression as a Bool."""

    @abstractmethod
    def branch(self, node: Node, then: int, otherwise: int) -> None:
        """Continues at `then` or `otherwise` by the truth of the expression."""

    @abstractmethod
    def discard(self, node: Node) -> None:
        """Evaluates an expression for its side effects."""

    @abstractmethod
    def compound_literal(self, node: Node) -> Expression:
        """The address of the object that a compound literal makes."""

    @abstractmethod
    def made_nan(self, operator: str, a: Constant, b: Constant, value: Expression) -> Expression:
        """Constants that give a NaN: its sign depends on who computes it."""

    @abstractmethod
    def zero_difference(self, b: Expression, value: Expression) -> Expression:
        """`0.0 - b` where gcc may make a negation of it (zeros.py): for b = +0 the machine says +0, and gcc -0."""

    @abstractmethod
    def has_open_order(self, node: Node) -> bool:
        """Does it matter in which order its operands are evaluated?"""

    @abstractmethod
    def is_confined(self, node: Node) -> bool:
        """Is it a part of a local whose address nobody has?"""
