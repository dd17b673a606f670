"""Points-to analysis: which pieces of memory one pointer expression may mean.

Unification (Steensgaard 1996) with offsets. A *node* stands for all objects that some pointer cannot tell
apart; it has an origin, and a pointer into it is a *cell* (node, offset). Constant offsets, also negative
ones as in `container_of`, move within the node. A pointer that meets its own node at another offset, or is
moved by a multiple of k, gives the node a *stride*: offsets count modulo the greatest common divisor of all
such distances, so the fields of an array of structs stay apart, and arithmetic in single bytes (stride 1)
collapses the node. Two nodes that are unified keep the offset between their origins.

A pointer is followed through variables, memory, sums with a distance, choices, and the few low bits in which programs keep
flags. Whatever else is done with it makes a *number* of it, and numbers are not followed: neither by data nor by the branches
that depend on them. Instead what the pointer points to is *exposed* from then on, and a number that is used as an address, an
input or a constant as much as one that was computed, may point anywhere into any exposed object, and nowhere else
(docs/decisions/017-exposed-objects.md). Numbers are told from pointers only when all pointers have been followed: then
exposed objects and what such addresses mean become one class, if there are both, and the pointers are followed once more.

Where an access overlaps a stored pointer without being one of that pointer, it moves a piece of it, or two of them at once:
all pointers that this happens to are one class, and each of them may be any other. Pieces that are not only moved are numbers.

An address of unknown origin that is compared with a pointer may be that pointer.

Assumed: a pointer stays within the object it was made for (docs/soundness.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from drystone.ir import names
from drystone.ir.automaton import MemoryObject, Procedure, Program
from drystone.ir.expressions import Expression, Variable
from drystone.ir.operations import CallPointer
from drystone.memory.pointers.classes import Cell, Node
from drystone.memory.pointers.distinctions import Distinctions
from drystone.memory.pointers.solving import Solution


class PointsTo:
    """What the pointers of one program mean. Ask with `cell`, `target`; `nodes` are for the region analysis."""

    def __init__(self, program: Program) -> None:
        self.program = program
        objects = {object_.name: object_ for object_ in _all_objects(program)}
        self._solution = Solution(program, objects)
        self._values = self._solution.values
        self._classes = self._values.classes
        self._places = self._values.places
        self._numbers = self._values.numbers
        self._distinctions = Distinctions(self._values, objects)

    def in_procedure(self, procedure: Procedure) -> PointsTo:
        """Sets whose locals the next questions mean."""
        self._places.procedure = procedure
        return self

    def with_variables(self, procedure: Procedure, cells: dict[tuple[str, int], Variable]) -> PointsTo:
        """In this procedure, variables hold what cells of objects have held: (object, offset) -> variable."""
        self._places.procedure = procedure
        for (name, offset), variable in cells.items():
            number, base = self._places.object(name)
            place, offset = self._classes.find((number, base + offset))
            target = self._classes.nodes[place].fields.get(offset)
            if target is not None:
                self._places.bind(variable, target)
        return self

    def cell(self, expression: Expression) -> Cell | None:
        """What a pointer expression points to; None if it is not known to hold a pointer."""
        return self._values.cell(expression)

    def target(self, address: Expression) -> Cell:
        """The cell that an address means; an address of unknown origin gets one."""
        return self._values.target(address)

    def object_cell(self, name: str) -> Cell:
        """The start of an object."""
        return self._places.object(name)

    def find(self, cell: Cell) -> Cell:
        """The representative node and the offset in it."""
        return self._classes.find(cell)

    @property
    def nodes(self) -> list[Node]:
        return self._classes.nodes

    def roots(self) -> Iterator[tuple[int, Node]]:
        return self._classes.roots()

    def may_point(self, procedure: Procedure, variable: Variable) -> bool:
        """May a variable that the procedure uses hold an address that something is accessed by?"""
        return self.in_procedure(procedure).cell(variable) is not None

    def functions_called(self, procedure: Procedure, operation: CallPointer) -> list[str]:
        """The functions that a call in this procedure may mean; `Program.functions` says which procedure each one is."""
        self._places.procedure = procedure
        return self._solution.constraints.functions(operation.pointer)

    def may_call_from_outside(self, procedure: Procedure, operation: CallPointer) -> bool:
        """May the pointer of this call come from outside, and are functions one class with the memory there, byte by byte?"""
        self._places.procedure = procedure
        node = self.nodes[self.target(operation.pointer)[0]]
        return node.is_foreign and node.stride == 1

    @property
    def numbers_may_point(self) -> bool:
        """Are there numbers that are no pointers, from which one gets a pointer: bits, pieces, or distances of objects?"""
        return (
            self._solution.pieces.are_there or any(node.has_distances for _, node in self.roots()) or self._numbers.are_pointers
        )

    @property
    def exposed(self) -> frozenset[str]:
        """All that is exposed, by the names of objects and of the variables that get allocations. Without the statements that
        expose it, it still is."""
        return self.program.exposed.union(self._places.named(self._numbers.exposed))

    @property
    def shown(self) -> frozenset[str]:
        """Those whose addresses decide something here: this program exposes them, nothing that was sliced away, or compares
        pointers to different ones of them."""
        found = self._places.named([*self._solution.exposure.shown, *self._distinctions.cells()])
        return frozenset(name for name in found if not names.is_argument_list(name))  # those lie where drystone wants them

    @property
    def allocations(self) -> Set[str]:
        """The names of the variables that get allocations."""
        return self._places.allocated.keys()


def _all_objects(program: Program) -> Iterator[MemoryObject]:
    yield from program.objects.values()
    for procedure in program.procedures.values():
        yield from procedure.objects.values()
