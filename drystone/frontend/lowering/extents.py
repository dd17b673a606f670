"""What lives where, for programs whose memory is checked: a table of the program says it, and the program keeps it.

Objects lie in slots (`logic.slots`). The table has an entry per slot: 0 where nothing lives, else the size of the object, and one
more. So what is asked about an access or a `free` is an expression like others, and no pass knows of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from drystone.ir import names
from drystone.ir.automaton import MemoryObject, ObjectKind
from drystone.ir.expressions import FALSE, Address, Constant, Determinant, Expression, Variable, constant, load
from drystone.ir.operations import Allocate, Assign, Assume, Free, Lifetime, Operation, Reallocate, Store
from drystone.ir.simplify import make, negate
from drystone.logic.slots import Slots, slots
from drystone.logic.sorts import BOOL, BitVec

_SMALL = 1 << 16  # allocations of no more are never NULL


class Extents:
    """The operations that keep the table. `blocks` counts those that were allocated and not given back. `is_left_clean`: none
    may be left at any end of the program; `failures_end`: calls of error functions and failed assertions are ends, not errors."""

    def __init__(self, pointer: BitVec, blocks: Variable | None, is_left_clean: bool = False, failures_end: bool = False) -> None:
        self.pointer = pointer
        self.blocks = blocks
        self.is_left_clean = is_left_clean
        self.failures_end = failures_end
        self.slots: Slots = slots(pointer.width)

    def table(self) -> MemoryObject:
        return MemoryObject(names.EXTENTS, self.slots.count * self._word, self._word, ObjectKind.GLOBAL, "table")

    def of(self, pointer: Expression) -> Expression:
        """The entry of the object that the pointer was derived from."""
        return load(self.pointer, self._place(pointer))

    def born(self, name: str, size: int) -> Operation:
        """The life of an object of the program begins."""
        return Store(self._place(Address(name, self.pointer)), self._number(size + 1))

    def ended(self, pointer: Expression) -> Operation:
        return Store(self._place(pointer), self._number(0))

    def around(self, operation: Operation) -> Iterator[Operation]:
        """The operation, with what keeps the table before and behind it."""
        yield from self._before(operation)
        yield operation
        yield from self._after(operation)

    def _before(self, operation: Operation) -> Iterator[Operation]:
        match operation:
            case Free(address):
                if self.blocks is not None:
                    yield self._counted("bvsub", self._is_there(address))
                yield self.ended(address)
            case Reallocate(_, address) if self.blocks is not None:
                yield self._counted("bvsub", self._is_there(address))

    def _after(self, operation: Operation) -> Iterator[Operation]:
        match operation:
            case Allocate(target, size, _, lifetime, _, _, determinant):
                yield from self._allocated(target, size)
                is_own = determinant is Determinant.NOTHING
                if self.blocks is not None and lifetime is Lifetime.HEAP and is_own:
                    yield self._counted("bvadd", negate(self._is_zero(target)))
            case Reallocate(target, address, size):
                is_none = self._is_zero(target)
                kept = make("ite", self.pointer, is_none, self.of(address), self._number(0))
                yield Store(self._place(address), kept)
                yield from self._allocated(target, size)
                if self.blocks is not None:
                    there = make("or", BOOL, negate(is_none), self._is_there(address))
                    yield self._counted("bvadd", there)

    def _is_there(self, address: Expression) -> Expression:
        """Is there a block to give back?"""
        return make("and", BOOL, negate(self._is_zero(address)), negate(self._is_zero(self.of(address))))

    def _allocated(self, target: Variable, size: Expression) -> Iterator[Operation]:
        """Nothing else lies in the slot that the object gets: engines choose any one, from states that may be any."""
        yield Assume(self._is_zero(self.of(target)))
        entry = make("bvadd", self.pointer, size, self._number(1))
        if not isinstance(size, Constant) or size.value > _SMALL:
            entry = make("ite", self.pointer, self._is_zero(target), self._number(0), entry)
        yield Store(self._place(target), entry)

    def _counted(self, operator: str, condition: Expression) -> Operation:
        assert self.blocks is not None
        one = make("ite", self.pointer, condition, self._number(1), self._number(0))
        return Assign(self.blocks, make(operator, self.pointer, self.blocks, one))

    def _place(self, pointer: Expression) -> Expression:
        distance = make("scale", self.pointer, make("slot", self.pointer, pointer), self._number(self._word))
        return make("bvadd", self.pointer, Address(names.EXTENTS, self.pointer), distance)

    def _is_zero(self, value: Expression) -> Expression:
        return FALSE if isinstance(value, Address) else make("=", BOOL, value, self._number(0))

    def _number(self, value: int) -> Constant:
        return constant(self.pointer.width, value)

    @property
    def _word(self) -> int:
        return self.pointer.width // 8
