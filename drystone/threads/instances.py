"""The threads that a program may have: one for each way to get to a creation, and for one in a loop, several up to a bound."""

from __future__ import annotations

import msgspec

from drystone.base.graphs import strongly_connected_components
from drystone.ir import names
from drystone.ir.automaton import Edge, Procedure, Program
from drystone.ir.expressions import Address
from drystone.ir.operations import Assign, ThreadAction, ThreadOperation
from drystone.passes.inline import TooLarge, inline

MAIN = 0
_MOST_THREADS = 40


class Instance(msgspec.Struct, eq=False):
    """A thread: `number` in the order of discovery, the automaton of all that it does, and those that it creates."""

    number: int
    automaton: Procedure
    outgoing: list[list[Edge]]
    ancestors: tuple[str, ...]  # what runs in those that have led to it, and in itself
    own: tuple[Assign, ...] = ()  # gives its thread-local variables their initial values
    creates: dict[int, list[int]] = {}  # per location of a creation: the threads that it may be, in this order


class Instances:
    """Of one program. Raises `TooLarge`."""

    def __init__(self, program: Program, recursion_bound: int, max_edges: int) -> None:
        self.program, self.bound, self.max_edges = program, recursion_bound, max_edges
        self.flat = inline(program, recursion_bound=recursion_bound, max_edges=max_edges, thread="")
        self.approximations = list(self.flat.approximations)
        self.threads: list[Instance] = []
        self._edges = 0
        self._add(self.flat, program.entry, ())
        waiting = [self.threads[MAIN]]
        while waiting:
            parent = waiting.pop(0)
            for location in range(parent.automaton.locations):
                for edge in parent.outgoing[location]:
                    if _is_creation(edge):
                        waiting += self._created(parent, edge)

    def _created(self, parent: Instance, edge: Edge) -> list[Instance]:
        """As many as the bound allows if control may come back; none if that many of its kind have led to it."""
        procedure = self._procedure(edge)
        if procedure is None or parent.ancestors.count(procedure) > self.bound:
            parent.creates[edge.source] = []
            return []
        count = self.bound if edge.source in on_cycles(parent) else 1
        made = []
        for _ in range(count):
            prefix = names.of_thread(procedure, len(self.threads) + 1)
            entered = msgspec.structs.replace(self.program, entry=procedure)
            flat = inline(entered, recursion_bound=self.bound, max_edges=self.max_edges, thread=prefix)
            made.append(self._add(flat, procedure, parent.ancestors, self._initial(flat, prefix)))
        parent.creates[edge.source] = [each.number for each in made]
        return made

    def _initial(self, flat: Program, thread: str) -> tuple[Assign, ...]:
        variables = flat.procedures[flat.entry].variables
        named = {name: variables.get(names.thread_local(thread, name)) for name in sorted(self.program.thread_locals)}
        return tuple(Assign(own, self.program.initial[name]) for name, own in named.items() if own is not None)

    def _procedure(self, edge: Edge) -> str | None:
        assert isinstance(edge.operation, ThreadOperation)
        function = edge.operation.arguments[0]
        assert isinstance(function, Address)
        name = self.program.functions.get(function.target)
        return name if name in self.program.procedures else None

    def _add(self, flat: Program, procedure: str, ancestors: tuple[str, ...], own: tuple[Assign, ...] = ()) -> Instance:
        automaton = flat.procedures[flat.entry]
        self._edges += len(automaton.edges)
        if self._edges > self.max_edges or len(self.threads) >= _MOST_THREADS:
            raise TooLarge(procedure, self.max_edges)
        instance = Instance(len(self.threads), automaton, automaton.outgoing(), (*ancestors, procedure), own, {})
        self.threads.append(instance)
        known = set(self.approximations)
        self.approximations += [each for each in flat.approximations if each not in known]
        return instance


def _is_creation(edge: Edge) -> bool:
    return isinstance(edge.operation, ThreadOperation) and edge.operation.action is ThreadAction.CREATE


def on_cycles(instance: Instance) -> set[int]:
    """Places that control may come back to."""
    successors = {at: [edge.target for edge in edges] for at, edges in enumerate(instance.outgoing)}
    found: set[int] = set()
    for component in strongly_connected_components(successors):
        if len(component) > 1 or component[0] in successors[component[0]]:
            found.update(component)
    return found
