"""What is computed from addresses, wherever the objects lie: see `concrete.determinism`."""

from __future__ import annotations

from collections.abc import Container, Mapping

from drystone.concrete.flat_memory import FlatMemory
from drystone.concrete.origins import CHOSEN, SETTLED, Value
from drystone.ir.automaton import MemoryObject
from drystone.memory.sharing import may_be_equal


class LivingObjects:
    """The objects by their first addresses: static ones, those of activations, and functions, which are none."""

    def __init__(self, memory: FlatMemory, static: Mapping[int, MemoryObject], functions: Container[int]) -> None:
        self.memory = memory
        self.static = static
        self.functions = functions
        self.frames: dict[int, tuple[int, MemoryObject]] = {}  # living local objects by address, and their activation's
        self.given_back: set[int] = set()  # objects that end with a block or a function, though they still seem to be there

    def origin(self, operator: str, operands: list[Value]) -> int:
        """Of what is computed from an address, at least one."""
        if operator in ("position", "pointer", "slot_base"):
            return operands[0][1]
        if len(operands) != 2:
            return CHOSEN
        (a, left), (b, right) = operands
        match operator:
            case "bvadd" if left == SETTLED or right == SETTLED:
                return right if left == SETTLED else left
            case "bvsub" if right == SETTLED:
                return left
            case "bvsub" | "=" if left == right:
                return SETTLED  # offsets in one object
            case "bvult" | "bvule" if left == right:  # elsewhere, a number beyond the object might wrap around
                return SETTLED if self._is_in(a, left) and self._is_in(b, right) else CHOSEN
            case "=" if left == SETTLED:  # only NULL is no address of anything
                return SETTLED if a == 0 and self._is_in(b, right) else CHOSEN
            case "=" if right == SETTLED:
                return SETTLED if b == 0 and self._is_in(a, left) else CHOSEN
            case "=":
                are_within = self._is_within(a, left) and self._is_within(b, right)
                are_apart = self._live_together(left, right) and not self._may_be_shared(*operands)
                return SETTLED if are_within and are_apart else CHOSEN
            case _:
                return CHOSEN

    def _live_together(self, first: int, second: int) -> bool:
        """Not two locals of one activation in blocks that are apart, or of variable length: one may lie where the other lay."""
        if first in self.given_back and second in self.given_back:
            return False
        one, other = self.frames.get(first), self.frames.get(second)
        return one is None or other is None or one[0] != other[0] or one[1].may_live_with(other[1])

    def _is_in(self, address: int, base: int) -> bool:
        """In that object, or just behind it?"""
        if base in self.functions:
            return address == base
        found = self.memory.object_at(base)
        return found is not None and base <= address <= found[1]

    def _may_be_shared(self, one: Value, other: Value) -> bool:
        """Are they places in literals that may be one?"""
        (a, first), (b, second) = one, other
        objects = [self.frames[base][1] if base in self.frames else self.static.get(base) for base in (first, second)]
        if objects[0] is None or objects[1] is None:
            return False
        return may_be_equal(objects[0], a - first, objects[1], b - second)

    def _is_within(self, address: int, base: int) -> bool:
        """Not behind its end, where another object may begin. Functions are never compared with what is behind them."""
        if base in self.functions:
            return address == base
        found = self.memory.object_at(address)
        return found is not None and found[0] == base
