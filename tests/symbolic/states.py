"""Entry states: those of real runs, the same with values changed, and random ones whose pointers point where they may."""

from __future__ import annotations

import random
from collections.abc import Iterator

from drystone.concrete.generated_text import START
from drystone.concrete.inputs import InputSource, SeededInputs
from drystone.ir.expressions import Input, InputKind, Variable
from tests.symbolic.concrete import Concrete, ConcreteProgram, OutsideAssumptions


def reached_states(
    program: ConcreteProgram, cut_points: frozenset[int], inputs: InputSource, limit: int
) -> list[tuple[int, Concrete]]:
    """The first states of a run at cut points, with their locations."""
    found: list[tuple[int, Concrete]] = []
    try:
        for end in program.run(program.procedure.entry, None, cut_points, inputs, max_segments=20 * limit):
            if end.kind == "cut":
                found.append((end.location, end.state))
            if len(found) >= limit:
                break
    except OutsideAssumptions:
        pass
    return found


class RandomStates:
    def __init__(self, program: ConcreteProgram, source: random.Random) -> None:
        self.program = program
        self.source = source
        self.values = SeededInputs(source.getrandbits(32))
        self.addresses = program.addresses()
        self.sizes = {object_.name: object_.size for object_ in _objects(program)}
        self.variables: dict[str, Variable] = {**program.program.variables, **program.procedure.variables}
        self.pointers = program.regions.pointers

    def perturbed(self, state: Concrete) -> Concrete:
        """Some variables changed; pointers only to NULL."""
        new = state.copy()
        share = self.source.choice((0.1, 0.4))
        for name, variable in self.variables.items():
            if self.source.random() < share:
                if self.pointers.cell(variable) is None:
                    new.variables[name] = self._value(variable)
                elif self.source.random() < 0.1:
                    new.variables[name] = 0
        return new

    def random(self) -> Concrete:
        return Concrete(
            {name: self._variable(variable) for name, variable in self.variables.items()},
            {name: self._content(name) for name in self.program.program.objects},
            {name: self._content(name) for name in self.program.procedure.objects},
        )

    def _value(self, variable: Variable) -> int:
        width = getattr(variable.sort, "width", 1)
        if self.source.random() < 0.3 and width > 1:
            return self.source.choice((0, 1, 2, (1 << width) - 1, 1 << width - 1, (1 << width - 1) - 1, 3, 4))
        return self.values.value(Input(0, variable.sort, InputKind.NONDET, ""), START) & (1 << width) - 1

    def _variable(self, variable: Variable) -> int:
        cell = self.pointers.cell(variable)
        return self._value(variable) if cell is None else self._pointer(cell)

    def _pointer(self, cell: tuple[int, int]) -> int:
        """An address that the cell may mean, or NULL."""
        if self.source.random() < 0.07:
            return 0
        number, offset = self.pointers.find(cell)
        node = self.pointers.nodes[number]
        places = [(name, offset - base) for name, base in node.members if name in self.sizes]
        self.source.shuffle(places)
        for name, place in places:
            size = self.sizes[name]
            if node.stride:
                place %= node.stride
                if place < size:
                    return self.addresses[name] + self.source.randrange(place, size, node.stride)
            elif 0 <= place < size:
                return self.addresses[name] + place
        return 0

    def _content(self, name: str) -> bytes:
        size = self.sizes[name]
        kind = self.source.random()
        if size > 4096 or kind < 0.3:
            return bytes(size)
        content = bytearray(
            self.source.randbytes(size) if kind < 0.7 else self.source.choices((0, 0, 1, 2, 127, 128, 255), k=size)
        )
        number, begin = self.pointers.find(self.pointers.object_cell(name))
        node = self.pointers.nodes[number]
        width = self.program.program.pointer_width // 8
        for field, cell in node.fields.items():
            first = (field - begin) % node.stride if node.stride else field - begin
            for place in range(first, size - width + 1, node.stride or size + 1):
                if place >= 0:
                    content[place : place + width] = self._pointer(cell).to_bytes(width, "little")
        return bytes(content)


def _objects(program: ConcreteProgram) -> Iterator:  # type: ignore[type-arg]
    yield from program.program.objects.values()
    yield from program.procedure.objects.values()
