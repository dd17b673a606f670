"""Data races: where two threads are about to access the same bytes, one of them to write, and not both by atomic operations.

Accesses of `_Atomic` objects and by atomic built-in functions are in atomic sections of their own; what models of locks and the
like do to their objects is atomic, too. Why it is enough to look at the steps that two threads would take next:

* Take an execution in which two conflicting accesses are ordered by nothing that synchronises (creation, waiting for an end,
  atomic sections), and none before it. Without all that is not ordered before one of the two, it is an execution still, since
  nothing that is left has read what was dropped; and at its end, both are about to happen. Earlier accesses of the same edges
  can be moved there, too: an edge that synchronises does nothing else. So an edge with several accesses may be one step.
* Edges that nobody notices access nothing that is shared. Each thread goes on to the next one that others may notice before any
  is chosen, so that what it accesses there is seen.
"""

from __future__ import annotations

from typing import NamedTuple

from drystone.ir.accesses import WHOLE, Access, accesses
from drystone.ir.automaton import inputs
from drystone.ir.expressions import FALSE, TRUE, Constant, Expression, constant
from drystone.ir.operations import Allocate, Reallocate
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL, BitVec
from drystone.threads.instances import Instance, Instances
from drystone.threads.sharing import Sharing


class _Touched(NamedTuple):
    access: Access
    names: frozenset[str]  # variables and regions of memory
    is_atomic: bool


class Races:
    """Of the threads of one program."""

    def __init__(self, instances: Instances, sharing: Sharing) -> None:
        self._threads, self._sharing = instances.threads, sharing
        self._synchronising = instances.program.synchronising
        self._largest = _largest_allocation(instances.threads)
        self._known: dict[tuple[int, int], list[_Touched]] = {}

    def condition(self, places: tuple[int, ...], runner: int, in_section: bool) -> Expression:
        """When is there a race between what the runner does next, perhaps in an atomic section, and another thread? Of two that
        both wait to be chosen, the first one is asked."""
        found: Expression = FALSE
        for one in self._at(runner, places[runner]):
            for other, place in enumerate(places):
                if place < 0 or other == runner or (other < runner and not in_section):
                    continue
                for another in self._at(other, place):
                    if _conflict(one, another, in_section):
                        found = make("or", BOOL, found, self._meet(one.access, another.access))
        return found

    def _at(self, thread: int, place: int) -> list[_Touched]:
        """What the edges of a thread at this place access of what is shared."""
        known = self._known.get((thread, place))
        if known is None:
            sharing, instance = self._sharing, self._threads[thread]
            automaton = instance.automaton
            frame = automaton.frames[automaton.frame_of[place] if automaton.frame_of is not None else 0]
            is_atomic = frame.function in self._synchronising
            found = dict.fromkeys(
                _Touched(access, names, is_atomic)
                for edge in instance.outgoing[place]
                for access in accesses(edge.operation, sharing.shared)
                if (names := sharing.touched(access) & sharing.shared)
            )
            known = self._known[thread, place] = list(found)
        return known

    def _meet(self, one: Access, other: Access) -> Expression:
        """Do both happen, and are there bytes that both access?"""
        read = [each for access in (one, other) for each in (access.guard, access.address) if each is not None]
        if any(True for each in read for _ in inputs(each)):
            return TRUE  # conditions have no inputs; a race that is none is not replayed
        both = make("and", BOOL, one.guard, other.guard)
        if one.address is None or other.address is None:
            return both
        first, second = (make("position", each.sort, each) for each in (one.address, other.address))
        overlap = make("or", BOOL, self._reaches(first, one.size, second), self._reaches(second, other.size, first))
        return make("and", BOOL, both, overlap)

    def _reaches(self, base: Expression, size: int, address: Expression) -> Expression:
        """Is the address among the bytes from `base` on? Of an object that ends, the size is not known: it is no larger than the
        largest one."""
        assert isinstance(base.sort, BitVec)
        if size == 1:
            return make("=", BOOL, base, address)
        if size != WHOLE:
            return make("bvult", BOOL, make("bvsub", base.sort, address, base), constant(base.sort.width, size))
        is_object = make("not", BOOL, make("=", BOOL, base, constant(base.sort.width, 0)))
        if self._largest is None:
            return make("and", BOOL, is_object, make("bvule", BOOL, base, address))
        return make("and", BOOL, is_object, self._reaches(base, max(self._largest, 1), address))


def _conflict(one: _Touched, other: _Touched, in_section: bool) -> bool:
    """`in_section`: is the first one in an atomic section?"""
    is_atomic = (one.is_atomic or in_section) and other.is_atomic
    return (one.access.is_write or other.access.is_write) and not is_atomic and bool(one.names & other.names)


def _largest_allocation(threads: list[Instance]) -> int | None:
    """Bytes; None if a size is not known."""
    largest = 0
    for edge in (edge for each in threads for edge in each.automaton.edges):
        if isinstance(edge.operation, (Allocate, Reallocate)):
            if not isinstance(edge.operation.size, Constant):
                return None
            largest = max(largest, edge.operation.size.value)
    return largest
