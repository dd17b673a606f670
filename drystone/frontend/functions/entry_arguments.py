"""What the environment passes to the entry."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce

from drystone.frontend.declarations.types import CType, Pointer, Record, Scalar
from drystone.frontend.functions.body import FunctionBody
from drystone.frontend.lowering.builder import emit_checked, load_checked
from drystone.frontend.lowering.conversions import resize
from drystone.frontend.lowering.environment import EXTERNAL_MEMORY
from drystone.ir import names
from drystone.ir.conventions import STRING_LENGTH, STRING_ROOM
from drystone.ir.expressions import Constant, Determinant, Expression, InputKind, Variable, constant
from drystone.ir.operations import Allocate, Assume, Lifetime, Report, Store
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL, BitVec, bitvec

_MOST_ARGUMENTS = 1 << 24
"""Of main: Linux passes at most 6 MB of them, with their pointers."""
_FEW_ARGUMENTS = 8
_LONGEST = 1 << 24
"""More than the bytes of a string: Linux passes at most 128 KB each."""


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
            if builder.extents is not None:  # an error that few arguments show does not depend on how many there may be
                builder.emit(Assume(make("bvule", BOOL, few, count)))
        size = make("bvadd", word.sort, resize(count, width, False), lowering.pointer_constant(_FEW_ARGUMENTS))
        whole = make("bvmul", word.sort, size, word)
        builder.emit(Allocate(variable, whole, False, Lifetime.HEAP, what, determinant=Determinant.ARGUMENT))
        texts = [f"{what}[{index}]" for index in range(_FEW_ARGUMENTS)]
        for index, text in enumerate(self._loose_strings(texts) if builder.extents is None else map(self._exact_string, texts)):
            emit_checked(self._lowering.builder, Store(lowering.memory.offset(variable, index * width // 8), text))
        distance = make("scale", word.sort, resize(count, width, False), word)
        emit_checked(self._lowering.builder, Store(make("bvadd", word.sort, variable, distance), lowering.pointer_constant(0)))
        if builder.extents is not None:  # what was stored behind the end is not there for the program
            end = make("bvadd", word.sort, distance, word)
            builder.emit(builder.extents.resized(variable, end))

    def _loose_strings(self, names_: list[str]) -> list[Expression]:
        """They end somewhere in objects that may be larger."""
        lowering, builder = self._lowering, self._lowering.builder
        room = lowering.pointer_constant(EXTERNAL_MEMORY)
        texts, ends, are_ended = list[Expression](), list[Expression](), list[Expression]()
        for name in names_:
            texts.append(text := builder.temporary(lowering.context.pointer))
            builder.emit(Allocate(text, room, False, Lifetime.HEAP, name, align=1, determinant=Determinant.STRING))
            ends.append(lowering.memory.offset(text, EXTERNAL_MEMORY - 1))
            are_ended.append(make("=", BOOL, load_checked(builder, bitvec(8), ends[-1]), constant(8, 0)))
        with self._unless(reduce(lambda one, other: make("and", BOOL, one, other), are_ended)):
            for end in ends:
                builder.emit(Store(end, lowering.environment.approximated(bitvec(8), "end of a string")))
        return texts

    def _exact_string(self, name: str) -> Expression:
        """Where memory is checked, the object is as large as the string in it.

        It may be of any size, and its zero anywhere; the interpreter, which has to choose a size before it has a string, says
        what these are in an execution.
        """
        lowering, builder = self._lowering, self._lowering.builder
        assert builder.extents is not None
        room = self._told(STRING_ROOM)
        builder.emit(Assume(make("bvult", BOOL, room, lowering.pointer_constant(_LONGEST))))
        text = builder.temporary(lowering.context.pointer)
        builder.emit(Allocate(text, room, False, Lifetime.HEAP, name, align=1, determinant=Determinant.STRING))
        length = self._told(STRING_LENGTH, text, room)
        builder.emit(Assume(make("bvult", BOOL, length, room)))
        last = load_checked(builder, bitvec(8), make("bvadd", length.sort, text, length))
        builder.emit(Assume(make("=", BOOL, last, constant(8, 0))))
        size = make("bvadd", length.sort, length, lowering.pointer_constant(1))
        builder.emit(builder.extents.resized(text, size))
        return text

    def _told(self, what: str, *arguments: Expression) -> Expression:
        """What the interpreter answers to this report, and any number in proofs: one that is too small to be an address."""
        lowering, builder = self._lowering, self._lowering.builder
        builder.emit(Report(what, arguments))
        answer = builder.keep(lowering.environment.approximated(bitvec(32), what))
        wide = resize(answer, lowering.context.pointer_width, False)
        return make("scale", wide.sort, wide, lowering.pointer_constant(1))
