"""Templates of threads: one automaton for each role, of which there may be any number of instances.

A role is a way to get to a creation. The first thread has one, and each place of a creation; where the creation is in a loop, or
in a thread of which there are several, there may be any number of threads of the role, at the same time. All templates lie beside
each other in one procedure without operations on threads:

* A location stands for a place of a thread and the number of atomic sections that it is in.
* A creation begins a step of its own. It gives the parameters of the new thread their values, and an identifier that no other
  thread has: a number for a role with one thread, any other one for threads of other roles (`Role.identifier`).
* Who waits for the only thread of a role waits until it has ended. Who waits for one of many is at an unknown location.
* A thread that fails an assumption, ends the process or ends itself is at a location without edges (`ended`), and others go on;
  in an atomic section it is the end of the execution.
"""

from __future__ import annotations

import msgspec

from drystone.ir import names
from drystone.ir.automaton import NOWHERE, Edge, Frame, Mark, MarkKind, MemoryObject, Origin, Procedure, Program, Unmodelled
from drystone.ir.expressions import FALSE, TRUE, Constant, Expression, Input, InputKind, Variable, apply, constant
from drystone.ir.operations import Assign, Assume, Operation, Skip, ThreadAction, ThreadOperation
from drystone.ir.simplify import negate
from drystone.logic.sorts import BOOL
from drystone.threads.instances import MAIN, Instance, Instances, on_cycles
from drystone.threads.sharing import begun, leaving, returned

_DEEPEST = 8  # atomic sections in each other


class Role(msgspec.Struct, frozen=True):
    number: int
    name: str  # of the procedure that its threads run
    prefix: str  # of the names of what belongs to it; of the first thread, none
    is_unique: bool  # there is at most one thread of it
    entry: int
    identifier: Expression  # of a thread: a number; a variable of its own where there may be several


class Templates(msgspec.Struct, frozen=True):
    """`program` has one procedure, whose entry is that of the first thread."""

    program: Program
    roles: list[Role]
    role_of: list[int]  # per location
    interior: frozenset[int]  # locations in atomic sections: nobody else runs
    ended: frozenset[int]  # threads that are there never go on
    creates: dict[int, int]  # per location at which a step begins with a creation: the role of the new thread


def templates(program: Program, max_edges: int) -> Templates:
    """Of a program with threads. Raises `TooLarge`."""
    return _Builder(Instances(program, 1, max_edges)).build()


class _Builder:
    def __init__(self, instances: Instances) -> None:
        self.instances, self.threads = instances, instances.threads
        self.pointer = instances.flat.pointer
        self.unique = _unique(instances)
        self.edges: list[Edge] = []
        self.marks: dict[int, Mark] = {}
        self.frame_of: list[int] = []
        self.frames: list[Frame] = []
        self.role_of: list[int] = []
        self.depths: list[int] = []
        self.ended: set[int] = set()
        self.creates: dict[int, int] = {}
        self.nodes: dict[tuple[int, int, int], int] = {}  # of a role, a place, a depth
        self.waiting: list[tuple[int, int, int]] = []
        self.joins = any(_is(edge.operation, ThreadAction.JOIN) for each in self.threads for edge in each.automaton.edges)
        self.flags: dict[str, Variable] = {}

    def build(self) -> Templates:
        roles = []
        for thread in self.threads:
            first = len(self.frames)
            for frame in thread.automaton.frames:
                self.frames.append(msgspec.structs.replace(frame, parent=frame.parent + first if frame.parent >= 0 else -1))
            entry = self._node(thread, first, thread.automaton.entry, 0)
            name = thread.ancestors[-1]
            prefix = names.of_thread(name, thread.number + 1) if thread.number != MAIN else ""
            roles.append(Role(thread.number, name, prefix, self.unique[thread.number], entry, self._identifier(thread.number)))
            while self.waiting:
                _, place, depth = self.waiting.pop()
                self._expand(thread, first, place, depth)
        interior = frozenset(location for location, depth in enumerate(self.depths) if depth)
        return Templates(self._program(roles), roles, self.role_of, interior, frozenset(self.ended), self.creates)

    def _program(self, roles: list[Role]) -> Program:
        flat = self.instances.flat
        main = flat.procedures[flat.entry]
        variables: dict[str, Variable] = {}
        objects: dict[str, MemoryObject] = {}
        for thread, role in zip(self.threads, roles, strict=True):
            variables |= thread.automaton.variables
            objects |= thread.automaton.objects
            if isinstance(role.identifier, Variable):
                variables[role.identifier.name] = role.identifier
        together = Procedure(
            name=main.name,
            parameters=main.parameters,
            result=main.result,
            variables=variables,
            objects=objects,
            entry=roles[MAIN].entry,
            exit=self._new(MAIN, 0, 0),
            edges=self.edges,
            marks=self.marks,
            locations=len(self.role_of),
            frames=self.frames,
            frame_of=self.frame_of,
            origin=main.origin,
        )
        created = self.flags.get(_flag("created", MAIN))
        initial: dict[str, Expression] = {name: TRUE if flag is created else FALSE for name, flag in self.flags.items()}
        return msgspec.structs.replace(
            flat,
            procedures={flat.entry: together},
            variables={**flat.variables, **self.flags},
            initial={**flat.initial, **initial},
            approximations=self.instances.approximations,
            has_threads=False,
        )

    # locations and edges

    def _new(self, role: int, frame: int, depth: int) -> int:
        self.role_of.append(role)
        self.frame_of.append(frame)
        self.depths.append(depth)
        return len(self.role_of) - 1

    def _node(self, thread: Instance, first: int, place: int, depth: int) -> int:
        key = (thread.number, place, depth)
        known = self.nodes.get(key)
        if known is None:
            own = thread.automaton.frame_of
            known = self.nodes[key] = self._new(thread.number, first + (own[place] if own is not None else 0), depth)
            self.waiting.append(key)
        return known

    def _like(self, location: int) -> int:
        """Another location of the same thread, in as many sections."""
        return self._new(self.role_of[location], self.frame_of[location], self.depths[location])

    def _then(self, source: int, operation: Operation, origin: Origin) -> int:
        target = self._like(source)
        self.edges.append(Edge(source, target, operation, origin))
        return target

    def _unknown(self, location: int, what: str, origin: Origin, name: str = "") -> None:
        self.marks[location] = Mark(MarkKind.UNKNOWN, what, origin, unmodelled=Unmodelled.THREADS, name=name)

    def _flag(self, what: str, role: int) -> Variable:
        name = _flag(what, role)
        return self.flags.setdefault(name, Variable(name, BOOL))

    def _identifier(self, role: int) -> Expression:
        """Numbers are those of the product (`threads.product`)."""
        if self.unique[role]:
            return Constant(self.pointer, role + 1)
        prefix = names.of_thread(self.threads[role].ancestors[-1], role + 1)
        return Variable(f"{prefix}.{names.own('identifier')}", self.pointer)

    # places

    def _expand(self, thread: Instance, first: int, place: int, depth: int) -> None:
        location = self.nodes[thread.number, place, depth]
        automaton, outgoing = thread.automaton, thread.outgoing[place]
        mark = automaton.marks.get(place)
        if mark is not None and mark.kind is not MarkKind.HALT:
            self.marks[location] = mark
        elif mark is not None or not outgoing:
            self._stop(thread, location, depth, mark is None, place == automaton.exit)
        elif isinstance(outgoing[0].operation, ThreadOperation):
            self._operate(thread, first, location, depth, outgoing[0], outgoing[0].operation)
        else:
            for edge in outgoing:
                self.edges.append(Edge(location, self._node(thread, first, edge.target, depth), edge.operation, edge.origin))
            operation = outgoing[0].operation
            if isinstance(operation, Assume) and len(outgoing) == 1 and not depth:
                self._end(self._then(location, Assume(negate(operation.condition)), outgoing[0].origin))

    def _stop(self, thread: Instance, location: int, depth: int, is_bare: bool, is_exit: bool) -> None:
        """`is_bare`: no mark says that the process ends here."""
        if depth:
            if is_bare:
                self._unknown(location, "a thread ends in an atomic section", NOWHERE)
        elif is_exit:
            self._leave(thread, location)
        else:
            self._end(location)

    def _end(self, location: int) -> None:
        self.ended.add(location)

    def _leave(self, thread: Instance, location: int) -> None:
        """From here on others need not wait for it any more. With the first thread, the process ends."""
        if self.joins and self.unique[thread.number] and thread.number != MAIN:
            location = self._then(location, Assign(self._flag("ended", thread.number), TRUE), NOWHERE)
        self._end(location)

    def _operate(self, thread: Instance, first: int, location: int, depth: int, edge: Edge, operation: ThreadOperation) -> None:
        result = operation.result
        step: Operation = Skip(operation.name)
        following = depth
        match operation.action:
            case ThreadAction.CREATE:
                self._create(thread, first, location, depth, edge, operation)
                return
            case ThreadAction.JOIN:
                self._join(thread, first, location, depth, edge, operation)
                return
            case ThreadAction.EXIT if not depth:
                left = leaving(thread, operation)
                self._leave(thread, self._then(location, left or step, edge.origin))
                return
            case ThreadAction.SELF if result is not None and result.sort == self.pointer:
                step = Assign(result, self._identifier(thread.number))
            case ThreadAction.WAKES if result is not None:
                step = Assign(result, Input(0, BOOL, InputKind.CHOICE, operation.name))
            case ThreadAction.BEGIN if depth < _DEEPEST:
                following = depth + 1
            case ThreadAction.END if depth:
                following = depth - 1
            case _:
                self._unknown(location, f"thread operation {operation.name}", edge.origin, operation.name)
                return
        self.edges.append(Edge(location, self._node(thread, first, edge.target, following), step, edge.origin))

    def _create(self, thread: Instance, first: int, location: int, depth: int, edge: Edge, operation: ThreadOperation) -> None:
        created = thread.creates[edge.source]
        result = operation.result
        if not created or (result is not None and result.sort != self.pointer):
            self._unknown(location, "threads that create threads like themselves", edge.origin, operation.name)
            return
        (number,) = created
        self.creates[location] = number
        identifier = self._identifier(number)
        steps: list[Operation] = []
        if isinstance(identifier, Variable):
            steps.append(Assign(identifier, Input(0, self.pointer, InputKind.UNDEFINED, "identifier")))
        elif self.joins:
            steps.append(Assign(self._flag("created", number), TRUE))
        steps += begun(self.threads[number], operation)
        if result is not None:
            steps.append(Assign(result, identifier))
        for step in steps:
            location = self._then(location, step, edge.origin)
        self.edges.append(Edge(location, self._node(thread, first, edge.target, depth), Skip(operation.name), edge.origin))

    def _join(self, thread: Instance, first: int, location: int, depth: int, edge: Edge, operation: ThreadOperation) -> None:
        (given,) = operation.arguments
        for other in self.threads:
            if other.number in (MAIN, thread.number) or not self.unique[other.number] or given.sort != self.pointer:
                continue
            is_it = apply("=", BOOL, given, constant(self.pointer.width, other.number + 1))
            it = self._then(location, Assume(is_it), edge.origin)
            location = self._then(location, Assume(apply("not", BOOL, is_it)), edge.origin)
            created, ended = self._flag("created", other.number), self._flag("ended", other.number)
            there = self._then(it, Assume(created), edge.origin)
            self._unknown(
                self._then(it, Assume(negate(created)), edge.origin), "waits for a thread that there is not", edge.origin
            )
            done = self._then(there, Assume(ended), edge.origin)
            step = returned(other, operation.result) or Skip(operation.name)
            self.edges.append(Edge(done, self._node(thread, first, edge.target, depth), step, edge.origin))
            waits = self._then(there, Assume(negate(ended)), edge.origin)
            if depth:
                self.marks[waits] = Mark(MarkKind.HALT, "waits for a thread", edge.origin)
            else:
                self._end(waits)  # what it did before has happened; if it comes here later, it need not wait
        self._unknown(location, "waits for a thread that is one of many, or is not there", edge.origin, operation.name)


def _flag(what: str, role: int) -> str:
    return names.own(f"{what}.{role}")


def _is(operation: Operation, action: ThreadAction) -> bool:
    return isinstance(operation, ThreadOperation) and operation.action is action


def _unique(instances: Instances) -> list[bool]:
    """Per thread: not created in a loop, by one of which this is true as well."""
    unique = [number == MAIN for number in range(len(instances.threads))]
    for parent in instances.threads:  # those that create come before those that are created
        repeated = on_cycles(parent)
        for place, created in parent.creates.items():
            for number in created:
                unique[number] = unique[parent.number] and place not in repeated
    return unique
