"""Where everything lies when a program runs: addresses of functions and objects, slots of variables."""

from __future__ import annotations

from collections.abc import Iterator

from drystone.concrete.flat_memory import AddressSpace
from drystone.concrete.slotted_memory import space_of
from drystone.ir.automaton import ObjectKind, Procedure, Program
from drystone.ir.expressions import Address, Apply, Constant, Expression, byte_size
from drystone.logic import semantics
from drystone.logic.sorts import Bool


class Layout:
    """Of a program: its functions, static objects with the bytes they have at the start, and global variables."""

    def __init__(self, program: Program, tight: bool = False, merges: bool = True) -> None:
        """`tight`, `merges`: see `AddressSpace`."""
        self.program = program
        self.space = space_of(program, tight, merges)
        self.global_slot = {name: slot for slot, name in enumerate(program.variables)}
        self.function_address: dict[str, int] = {}
        for position, name in enumerate(self._functions()):
            self.function_address[name] = self.space.functions + 16 * position
        self.function_at = {address: name for name, address in self.function_address.items()}
        self.space.code_end = self.space.functions + 16 * len(self.function_address)
        base = max(self.space.static, self.space.code_end + 16)
        addresses, _ = self.space.place(program.objects.values(), base)
        self.static_bases = [0, *addresses.values()]
        self.static_index = {name: index for index, name in enumerate(addresses, 1)}
        self.images = [b"", *(self._image(name) for name in addresses)]

    def address(self, target: str) -> int:
        """Of a static object or of a function."""
        index = self.static_index.get(target)
        return self.static_bases[index] if index is not None else self.function_address[target]

    def external_objects(self) -> Iterator[tuple[int, str, int]]:
        """Position, name and size of the objects whose contents are arbitrary at the start."""
        for name, memory_object in self.program.objects.items():
            if memory_object.kind is ObjectKind.EXTERNAL:
                yield self.static_index[name], name, memory_object.size

    def _functions(self) -> Iterator[str]:
        """Everything that has a function's address: what is called by pointer, and every procedure."""
        yield from self.program.functions
        yield from (name for name in self.program.procedures if name not in self.program.functions)

    def _image(self, name: str) -> bytes:
        """The bytes of an object at the start."""
        memory_object = self.program.objects[name]
        if not memory_object.content and not memory_object.relocations:
            return bytes(memory_object.size)  # pages that nobody looks at take no time
        image = bytearray(memory_object.content.ljust(memory_object.size, b"\0"))
        for offset, expression in memory_object.relocations:
            size = byte_size(expression.sort)
            image[offset : offset + size] = self._static_value(expression).to_bytes(size, "little")
        return bytes(image)

    def _static_value(self, expression: Expression) -> int:
        """The value of an expression over constants and static addresses."""
        match expression:
            case Constant(_, value):
                return value
            case Address(target, _):
                return self.address(target)
            case Apply(operator, sort, arguments, _):
                operands = [self._static_value(argument) for argument in arguments]
                return semantics.function(operator, sort, tuple(argument.sort for argument in arguments))(*operands)
            case _:
                raise ValueError(f"{expression} is no address that is known before the program runs")


class FrameLayout:
    """Of an activation of a procedure: the slots of its variables (slot 0 is the base of its objects), the offsets of these."""

    def __init__(self, procedure: Procedure, space: AddressSpace) -> None:
        self.slot = {variable.name: position for position, variable in enumerate(procedure.parameters, 1)}
        for name in procedure.variables:
            self.slot.setdefault(name, len(self.slot) + 1)
        self.blank: list[int] = [0] * (len(self.slot) + 1)
        for name, variable in procedure.variables.items():
            if isinstance(variable.sort, Bool):
                self.blank[self.slot[name]] = False
        self.result_slot = self.slot[procedure.result.name] if procedure.result is not None else 0
        self.offset, self.size = space.place(procedure.objects.values(), 0)
        self.offsets = list(self.offset.values())
        self.sizes = [procedure.objects[name].size for name in self.offset]
