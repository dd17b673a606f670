"""Which cells names mean: objects, variables, and the variables that get allocations."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from drystone.ir.automaton import Edge, Procedure
from drystone.ir.expressions import Determinant, Variable
from drystone.ir.operations import Allocate, Lifetime, Reallocate
from drystone.memory.pointers.classes import Cell, Classes
from drystone.memory.pointers.forms import is_positive


class Places:
    """`procedure`: whose locals are meant now; None: no one's."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes
        self.procedure: Procedure | None = None
        self.allocated: dict[str, int] = {}  # by the variable that gets it
        self.perhaps_empty: set[str] = set()  # members that may have no bytes, and the address of another one
        self.moved: set[str] = set()  # members that begin where another one ended, or anywhere
        self.strings: set[str] = set()  # members that main is given
        self._objects: dict[tuple[str, str], int] = {}  # (procedure or "", object) -> node
        self._variables: dict[tuple[str, str], Cell] = {}
        self._merged: dict[tuple[str, str], tuple[str, str]] = {}  # variables -> others that always hold the same pointers
        self._watchers: dict[tuple[str, str], set[int]] = {}  # of variables that are not known to hold a pointer
        self._sites: dict[tuple[str, int], int] = {}  # allocation edges
        self._not_zeroed: list[int] = []  # nodes of allocations

    def variable(self, variable: Variable) -> Cell | None:
        """What it points to; None: it is not known to hold a pointer."""
        key = self._key(variable)
        found = self._variables.get(key)
        if found is None and self.classes.watcher >= 0:
            self._watchers.setdefault(key, set()).add(self.classes.watcher)
        return found

    def bind(self, variable: Variable, cell: Cell) -> None:
        """It holds this pointer, the first one that is known."""
        key = self._key(variable)
        self._variables[key] = cell
        self.classes.wake(self._watchers.pop(key, set()))

    def merge(self, one: Variable, other: Variable) -> None:
        """Each of them may hold whatever the other one holds; said before anything is known about them."""
        key, kept = self._key(one), self._key(other)
        if key != kept:
            self._merged[key] = kept

    def _key(self, variable: Variable) -> tuple[str, str]:
        procedure = self.procedure
        key = (procedure.name if procedure is not None and variable.name in procedure.variables else "", variable.name)
        kept = self._merged.get(key)
        if kept is None:
            return key
        path = [key]
        while (further := self._merged.get(kept)) is not None:
            path.append(kept)
            kept = further
        for step in path:
            self._merged[step] = kept
        return kept

    def object(self, name: str) -> Cell:
        procedure = self.procedure
        owner = procedure.name if procedure is not None and name in procedure.objects else ""
        number = self._objects.get((owner, name))
        if number is None:
            number = self._objects[owner, name] = self.classes.new()
            self.classes.nodes[number].members.append((name, 0))
        return number, 0

    def allocation(self, edge: Edge, index: int) -> Cell:
        assert self.procedure is not None
        key = (self.procedure.name, index)
        number = self._sites.get(key)
        if number is None:
            number = self._sites[key] = self.classes.new()
            operation = edge.operation
            assert isinstance(operation, (Allocate, Reallocate))
            what = operation.name if isinstance(operation, Allocate) else "realloc"
            name = f"{self.procedure.name}: {operation.target.name}"
            member = f"{what}@{edge.origin.line}:{edge.origin.column}"
            self.classes.nodes[number].members.append((member, 0))
            self.classes.unify((number, 0), (self.allocated.setdefault(name, number), 0))
            if isinstance(operation, Allocate) and operation.lifetime is Lifetime.FRAME and not is_positive(operation.size):
                self.perhaps_empty.add(member)
            if isinstance(operation, Allocate) and operation.determinant is Determinant.STRING:
                self.strings.add(member)
            if isinstance(operation, Reallocate):
                self.moved.add(member)
            if isinstance(operation, Reallocate) or not operation.zeroed:
                self._not_zeroed.append(number)
        return number, 0

    def not_set(self, external: Container[str]) -> Iterator[int]:
        """The nodes of memory that begins with anything: locals, external objects, which have these names, allocations."""
        yield from self._not_zeroed
        for (owner, name), number in self._objects.items():
            if owner or name in external:
                yield number

    def named(self, cells: Iterable[Cell]) -> Iterator[str]:
        nodes = {self.classes.find(cell)[0] for cell in cells}
        return (name for name, number in self.all() if self.classes.find((number, 0))[0] in nodes)

    def all(self) -> Iterator[tuple[str, int]]:
        """Objects and allocations by name, and their nodes."""
        for (_, name), number in self._objects.items():
            yield name, number
        yield from self.allocated.items()
