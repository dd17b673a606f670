"""Values that the program does not determine: the environment or the implementation chooses them."""

from __future__ import annotations

from drystone.frontend.declarations.types import Int, Pointer, Scalar
from drystone.frontend.lowering.builder import Builder, reads_input
from drystone.frontend.lowering.context import Context
from drystone.ir.automaton import ObjectKind
from drystone.ir.expressions import Address, Constant, Determinant, Expression, InputKind, constant
from drystone.ir.operations import Allocate, Lifetime
from drystone.ir.simplify import as_bits, make
from drystone.logic.sorts import BOOL, Sort, bitvec

EXTERNAL_MEMORY = 4096
"""Bytes behind a pointer that comes from outside the program, at least."""


class Environment:
    """Chooses values in one procedure."""

    def __init__(self, context: Context, builder: Builder) -> None:
        self._context = context
        self._builder = builder

    def approximated(self, sort: Sort, what: str, determinant: Determinant = Determinant.IMPLEMENTATION) -> Expression:
        """A value that the implementation chooses: a proof holds for any, a counterexample must not depend on it."""
        return self._builder.input(sort, InputKind.EXTERNAL, what, determinant)

    def any_value(self, type_: Scalar, kind: InputKind, what: str, determinant: Determinant = Determinant.NOTHING) -> Expression:
        if isinstance(type_, Int) and type_.is_bool:
            return as_bits(self._builder.input(BOOL, kind, what, determinant), type_.width)
        return self._builder.input(type_.sort, kind, what, determinant, str(type_))

    def fresh_pointer(
        self, type_: Pointer, what: str, determinant: Determinant, is_there: tuple[str, Determinant] | None
    ) -> Expression:
        """A pointer from outside: the base of fresh memory with arbitrary contents, or NULL where this input says so."""
        builder = self._builder
        size = max(type_.target.size, EXTERNAL_MEMORY)
        result = builder.temporary(self._context.pointer)
        fresh, null, join = builder.location(), builder.location(), builder.location()
        if is_there is not None:
            builder.branch(builder.choice(*is_there), fresh, null)
            builder.current = null
            builder.assign(result, self._number(0))
            builder.goto(join)
            builder.current = fresh
        builder.emit(Allocate(result, self._number(size), False, Lifetime.HEAP, what, determinant=determinant))
        builder.place(join)
        return result

    def give_away(self, value: Expression) -> None:
        """Who gets an address may bring it back as a number: a piece of it that nobody uses tells the points-to analysis."""
        known = self._context.objects.get(value.target) if isinstance(value, Address) else None
        is_literal = isinstance(value, Constant) or (known is not None and known.kind is ObjectKind.LITERAL)
        if value.sort == self._context.pointer and not is_literal and not reads_input(value):
            self._builder.assign(self._builder.temporary(bitvec(8)), make("truncate", bitvec(8), value))

    def _number(self, value: int) -> Constant:
        return constant(self._context.pointer_width, value)
