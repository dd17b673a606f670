"""What the environment passes to the entry."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce

from drystone.frontend.declarations.types import CType, Pointer, Record, Scalar
from drystone.frontend.functions.body import FunctionBody
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.conversions import resize
from drystone.frontend.lowering.environment import EXTERNAL_MEMORY
from drystone.ir import names
from drystone.ir.expressions import Constant, Determinant, Expression, InputKind, Variable, constant, load
from drystone.ir.operations import Allocate, Assume, Lifetime, Store
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL, BitVec, Sort, bitvec

_MOST_ARGUMENTS = 1 << 24
"""Of main: Linux passes at most 6 MB of them, with their pointers."""
_FEW_ARGUMENTS = 8


class EntryArguments:
    """Chooses the arguments of one call of the entry, in order."""

    def __init__(self, lowering: FunctionBody) -> None:
        self._lowering = lowering
        self._argument_count: Variable | None = None  # of main, where it was the argument before

    @property
    def is_after_count(self) -> bool:
        """Was the argument before this one the number of arguments of main?"""
        return self._argument_count is not None

    def choose(self, variable: Variable, type_: CType, name: str, is_used: bool, is_third: bool) -> None:
        """The environment calls the entry: any value; a pointer is NULL or points to fresh memory (main's: the latter).

        The number of arguments of main is not negative, and they end with NULL (C11, 5.1.2.2.1), where main has the form that the
        standard gives it.
        """
        lowering, builder = self._lowering, self._lowering.builder
        is_main = lowering.symbol.name == "main" and len(lowering.symbol.type.parameters) > 1
        if isinstance(type_, Record):
            size = lowering.pointer_constant(type_.size)
            builder.emit(Allocate(variable, size, False, Lifetime.HEAP, name, determinant=Determinant.ARGUMENT))
        elif is_main and is_used and isinstance(type_, Pointer) and self._argument_count is not None:
            self._strings(variable, self._argument_count, "argv")
        elif is_main and is_used and isinstance(type_, Pointer) and is_third:
            count = builder.variable(names.own("environment"), bitvec(32))
            builder.assign(count, lowering.environment.approximated(count.sort, "environment"))
            self._strings(variable, count, "envp")
        elif isinstance(type_, Pointer):
            is_there = None if lowering.symbol.name == "main" else (f"{name} is not NULL", Determinant.ARGUMENT)
            builder.assign(variable, lowering.environment.fresh_pointer(type_, name, Determinant.ARGUMENT, is_there))
        elif isinstance(type_, Scalar):
            builder.assign(variable, lowering.environment.any_value(type_, InputKind.EXTERNAL, name, Determinant.ARGUMENT))
            if is_main and isinstance(variable.sort, BitVec):
                builder.emit(Assume(make("bvult", BOOL, variable, Constant(variable.sort, _MOST_ARGUMENTS))))
                self._argument_count = variable
                return
        self._argument_count = None

    @contextmanager
    def _unless(self, condition: Expression) -> Iterator[None]:
        """What is lowered there happens where the condition does not hold."""
        builder = self._lowering.builder
        otherwise, join = builder.location(), builder.location()
        builder.branch(condition, join, otherwise)
        builder.current = otherwise
        yield
        builder.place(join)

    def _strings(self, variable: Variable, count: Variable, what: str) -> None:
        """As many pointers to strings, each of them an object of its own, then NULL.

        Only the first few are made; that there are more counts as approximated, since they might be anything here. So does what
        is at the end of such an object: the string may go on there, but it ends somewhere.
        """
        lowering, builder, width = self._lowering, self._lowering.builder, self._lowering.context.pointer_width
        few, word = Constant(count.sort, _FEW_ARGUMENTS), lowering.pointer_constant(width // 8)
        with self._unless(make("bvult", BOOL, count, few)):
            builder.assign(count, lowering.environment.approximated(count.sort, "argc"))
            builder.emit(Assume(make("bvult", BOOL, count, Constant(count.sort, _MOST_ARGUMENTS))))
        size = make("bvadd", word.sort, resize(count, width, False), lowering.pointer_constant(_FEW_ARGUMENTS))
        whole = make("bvmul", word.sort, size, word)
        builder.emit(Allocate(variable, whole, False, Lifetime.HEAP, what, determinant=Determinant.ARGUMENT))
        ends, are_ended = list[Expression](), list[Expression]()
        for index in range(_FEW_ARGUMENTS):
            text, room = builder.temporary(word.sort), lowering.pointer_constant(EXTERNAL_MEMORY)
            string = f"{what}[{index}]"
            builder.emit(Allocate(text, room, False, Lifetime.HEAP, string, align=1, determinant=Determinant.STRING))
            _give(builder, lowering.memory.offset(variable, index * width // 8), text)
            ends.append(lowering.memory.offset(text, EXTERNAL_MEMORY - 1))
            are_ended.append(make("=", BOOL, _given(builder, bitvec(8), ends[-1]), constant(8, 0)))
        with self._unless(reduce(lambda one, other: make("and", BOOL, one, other), are_ended)):
            for end in ends:
                _give(builder, end, lowering.environment.approximated(bitvec(8), "end of a string"))
        distance = make("scale", word.sort, resize(count, width, False), word)
        _give(builder, make("bvadd", word.sort, variable, distance), lowering.pointer_constant(0))


def _given(builder: Builder, sort: Sort, address: Expression) -> Expression:
    """What the environment has put at an address. It lies in an object that it has made, which no check need look at."""
    value = load(sort, address)
    builder.checked[id(value)] = value
    if builder.shadows is not None:
        builder.shadows.reads[id(value)] = value
    return value


def _give(builder: Builder, address: Expression, value: Expression) -> None:
    """The environment puts a value there, likewise."""
    access = Store(address, value)
    builder.checked[id(access)] = access
    builder.emit(access)
