"""Facts about pointers into the heap and the counter that allocations take their addresses from.

From any state, a pointer might equal the address of the next allocation; that it does not is what proofs about
programs with malloc need first: objects lie below the counter, are aligned, and differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from drystone.concrete.flat_memory import AddressSpace
from drystone.invariants.context import Candidates, Context
from drystone.invariants.sources.table_entries import entry_facts
from drystone.logic import terms
from drystone.logic.sorts import BOOL
from drystone.logic.terms import Term, equal, make, negate
from drystone.symbolic.region_memory import HEAP
from drystone.symbolic.transformers import TransitionSystem

ALIGNMENT = 16
_MOST_POINTERS = 40
_MOST_PAIRED = 12


class Memory:
    def propose(self, system: TransitionSystem, context: Context) -> Candidates:
        found: Candidates = {}
        for cut in system.cut_points:
            facts = entry_facts if system.symbolic.program.has_slots else self._at
            found[cut] = context.consistent(cut, facts(system, context, cut))[: context.limit]
        return found

    def _at(self, system: TransitionSystem, context: Context, cut: int) -> Iterator[Term]:
        pointer = system.symbolic.pointer
        space = AddressSpace(pointer.width)

        def number(value: int) -> Term:
            return terms.constant(pointer, value)

        heap = terms.state(HEAP, pointer) if HEAP in system.live(cut) else None
        if heap is not None:
            yield make("bvule", BOOL, number(space.heap), heap)
            yield make("bvule", BOOL, heap, number(space.heap_end))
            yield equal(make("bvand", pointer, heap, number(ALIGNMENT - 1)), number(0))
        pointers = []
        observed = [each for each in context.observables(cut, 8 * _MOST_POINTERS) if each.sort == pointer and each is not heap]
        states = context.values(cut, observed)
        for position, each in enumerate(observed):
            values = {state[position] for state in states}
            if values and max(values) >= space.static and all(value == 0 or value >= space.functions for value in values):
                pointers.append(each)
        pointers = pointers[:_MOST_POINTERS]
        for each in pointers:
            null = equal(each, number(0))
            yield negate(null)
            for fact in _place(each, heap, space.heap, pointer.width):
                yield fact
                yield terms.disjunction([null, fact])
            yield equal(make("bvand", pointer, each, number(ALIGNMENT - 1)), number(0))
            yield equal(make("bvand", pointer, each, number(3)), number(0))
        for a, b in combinations(pointers[:_MOST_PAIRED], 2):
            yield negate(equal(a, b))
            yield terms.disjunction([equal(a, number(0)), negate(equal(a, b))])


def _place(pointer: Term, heap: Term | None, start: int, width: int) -> Iterator[Term]:
    """A pointer lies in the heap, below the counter; and with it the object of which it is the base."""
    sort = pointer.sort
    yield make("bvule", BOOL, terms.constant(sort, start), pointer)
    if heap is not None:
        yield make("bvult", BOOL, pointer, heap)
        yield make("bvule", BOOL, make("bvadd", sort, pointer, terms.constant(sort, ALIGNMENT)), heap)
