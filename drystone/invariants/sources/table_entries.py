"""Facts about what lives where, in programs whose memory is checked: blocks that pointers lead to, and how large they are.

From any state, the entry of the table for a pointer is any number. That it is the size with which the block was allocated, and
that the pointer is the address that the allocation gave, is what proofs about accesses to blocks need first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drystone.invariants.context import Context
from drystone.ir import names
from drystone.logic import terms
from drystone.logic.slots import slots
from drystone.logic.sorts import BOOL, BitVec, bitvec
from drystone.logic.terms import Term, equal, make, negate
from drystone.symbolic.transformers import TransitionSystem

_MOST_ENTRIES, _MOST_SIZES, _LARGEST_ELEMENT = 16, 16, 4096


def entry_facts(system: TransitionSystem, context: Context, cut: int) -> Iterator[Term]:
    live = set(system.live(cut))
    entries = [term for term in context.all_terms if _is_entry(term, live)][:_MOST_ENTRIES]
    sizes = [each for each in context.variables(cut, _MOST_SIZES) if terms.width(each) >= 8]
    states = context.values(cut, [*entries, *sizes])
    for position, entry in enumerate(entries):
        pointers = [part for part in _states(entry.arguments[1]) if part.sort == entry.sort]
        facts = [negate(equal(entry, _number(entry, 0)))]
        facts.append(
            make("bvule", BOOL, entry, _number(entry, slots(terms.width(entry)).room))
        )  # pointers in it stay in its slot
        facts += _equations(entry, [state[position] for state in states], sizes, [state[len(entries) :] for state in states])
        for pointer in pointers:
            facts += _places(pointer, system.symbolic.pointer)
        yield from facts
        for pointer in pointers:
            is_null = equal(pointer, _number(pointer, 0))
            yield negate(is_null)
            yield from (terms.disjunction([is_null, fact]) for fact in facts)
    yield from _string_facts(context, entries, live)


def _string_facts(context: Context, entries: Sequence[Term], live: set[str]) -> Iterator[Term]:
    """The last character of a block is zero, and what is read there now is no later one: a string that ends with its block."""
    reads = [term for term in context.all_terms if _is_character(term, live)][:_MOST_ENTRIES]
    for entry in entries:
        for pointer in _states(entry.arguments[1]):
            if pointer.sort != entry.sort:
                continue
            base = make("slot_base", pointer.sort, pointer)
            last = make("bvadd", base.sort, base, make("bvsub", entry.sort, entry, _number(entry, 2)))
            for read in reads:
                memory, address = read.arguments
                if pointer in _states(address):
                    end = make("select", read.sort, memory, last)
                    yield equal(end, _number(end, 0))
                    distance = make("bvsub", address.sort, address, base)
                    yield make("bvult", BOOL, distance, make("bvsub", entry.sort, entry, _number(entry, 1)))


def _is_character(term: Term, live: set[str]) -> bool:
    if term.operator != "select" or term.sort != bitvec(8) or term.arguments[0].operator != "state":
        return False
    return all(part.payload in live for part in _states(term))


def _is_entry(term: Term, live: set[str]) -> bool:
    if term.operator != "select" or term.arguments[0].operator != "state":
        return False
    parts = [term.arguments[0], *_states(term.arguments[1])]
    return names.EXTENTS in str(parts[0].payload) and len(parts) > 1 and all(part.payload in live for part in parts)


def _states(term: Term) -> list[Term]:
    found: dict[Term, None] = {}
    stack = [term]
    while stack:
        part = stack.pop()
        if part.operator == "state":
            found[part] = None
        stack.extend(part.arguments)
    return list(found)


def _places(pointer: Term, sort: BitVec) -> Iterator[Term]:
    """The pointer is where an object begins; it leads into the heap, or to what the environment gives."""
    known = slots(sort.width)
    yield equal(make("slot_base", sort, pointer), pointer)
    for first, end in ((known.heap, known.external), (known.external, known.stack)):
        is_behind = make("bvule", BOOL, _number(pointer, first << known.bits), pointer)
        yield make("and", BOOL, is_behind, make("bvult", BOOL, pointer, _number(pointer, end << known.bits)))


def _equations(entry: Term, values: Sequence[int], sizes: Sequence[Term], states: Sequence[Sequence[int]]) -> Iterator[Term]:
    """The size is a number, or so many times a variable."""
    if not values:
        return
    if len(set(values)) == 1:
        yield equal(entry, _number(entry, values[0]))
    for position, size in enumerate(sizes):
        ratios = {(value - 1) // state[position] for value, state in zip(values, states, strict=True) if state[position]}
        if len(ratios) != 1 or not 1 <= (ratio := ratios.pop()) <= _LARGEST_ELEMENT:
            continue
        for extend in ("zero_extend", "sign_extend") if terms.width(size) < terms.width(entry) else ("",):
            wide = make(extend, entry.sort, size) if extend else size
            if wide.sort == entry.sort:
                whole = make("bvmul", entry.sort, wide, _number(entry, ratio))
                yield equal(entry, make("bvadd", entry.sort, whole, _number(entry, 1)))


def _number(like: Term, value: int) -> Term:
    return terms.constant(like.sort, value)
