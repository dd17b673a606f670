"""Heap objects whose size is a term: zeros of calloc, what realloc takes along.

How large an object is, realloc has to know of its old one: where a program calls it, an array from bases to sizes is part of
the state (`SIZES`). An element counts if all of its bytes are within the object. One that does not count, or is beyond the number
of those that are written out, keeps what the array has at fresh addresses, which is anything: that over-approximates.
"""

from __future__ import annotations

from collections.abc import Callable

from drystone.ir import names
from drystone.ir.expressions import Variable
from drystone.ir.operations import Allocate, Reallocate
from drystone.logic import terms
from drystone.logic.sorts import BOOL, Array, BitVec, Sort, bitvec
from drystone.logic.terms import FALSE, TRUE, Term, ite, make, select, store
from drystone.memory.dataflow import array_name
from drystone.memory.regions import Region
from drystone.symbolic import slotted_heap
from drystone.symbolic.environment import Environment
from drystone.symbolic.region_memory import MAX_ELEMENTS, ExecutedProgram, Memory, element_width, plus
from drystone.symbolic.slotted_heap import SlotRange, range_of

SIZES = names.own("heap sizes")
"""The variable that holds the sizes of heap objects by their bases, where there is a realloc."""

_MOST_GUARDED = 128
"""Elements that are written out where the size is a term."""

_ALIGNMENT = 16  # of what realloc returns

_FURTHEST = MAX_ELEMENTS * 16
"""Bytes of an object that are looked at. An address of so many bytes behind NULL is still one where nothing lies."""


def sizes_sort(pointer: BitVec) -> Sort:
    return Array(pointer, pointer)


def allocate(memory: Memory, program: ExecutedProgram, environment: Environment, operation: Allocate, size: Term) -> None:
    base = _base(memory, program, environment, size, operation.align, range_of(operation))
    environment[operation.target.name] = base
    _note_size(environment, base, size)
    if operation.zeroed:

        def zero(region: Region, _: Term, __: int) -> Term:
            return terms.constant(bitvec(element_width(region)), 0)

        _write(
            memory, program, environment, operation.target, base, (size, _largest(size)), zero, f"contents of {operation.what}"
        )


def _base(memory: Memory, program: ExecutedProgram, environment: Environment, size: Term, align: int, range_: SlotRange) -> Term:
    if not memory.program.has_slots:
        return memory.allocate(program, environment, size, align)
    return slotted_heap.allocate(memory, program, size, range_)


def reallocate(
    memory: Memory, program: ExecutedProgram, environment: Environment, operation: Reallocate, address: Term, size: Term
) -> None:
    """The old object's bytes, as many as both objects have. Where there is no room the old one stays as it is."""
    base = _base(memory, program, environment, size, _ALIGNMENT, SlotRange.HEAP)
    environment[operation.target.name] = base
    null = terms.constant(memory.pointer, 0)
    old = ite(terms.equal(address, null), null, select(environment[SIZES], address))
    _note_size(environment, base, size)
    kept = ite(make("bvule", BOOL, old, size), old, size)

    def moved(_: Region, array: Term, offset: int) -> Term:
        return select(array, plus(address, offset))

    bounds = [bound for bound in (_largest(old), _largest(size)) if bound is not None]
    most = min(bounds, default=None)
    _write(memory, program, environment, operation.target, base, (kept, most), moved, "contents of realloc")


def _note_size(environment: Environment, base: Term, size: Term) -> None:
    if SIZES in environment.sorts:
        environment[SIZES] = store(environment[SIZES], base, size)


def _write(
    memory: Memory,
    program: ExecutedProgram,
    environment: Environment,
    pointer: Variable,
    base: Term,
    extent: tuple[Term, int | None],
    value: Callable[[Region, Term, int], Term],
    what: str,
) -> None:
    """Values, of a region's array before and a distance, for the elements within a number of bytes from the base, which is at
    most the second one."""
    length, most = extent
    reach = _FURTHEST if most is None else min(most, _FURTHEST)
    limit = MAX_ELEMENTS if length.operator == "const" else _MOST_GUARDED
    is_whole = most is not None and most <= _FURTHEST
    for region, distances in memory.elements(pointer, reach).items():
        offsets = [offset for offset in distances if 0 <= offset <= reach - region.size]
        is_whole = is_whole and len(offsets) <= limit
        name = array_name(region)
        before = array = environment[name]
        for offset in offsets[:limit]:
            counts = make("bvule", BOOL, terms.constant(memory.pointer, offset + region.size), length)
            if counts is FALSE:
                break
            place, new = plus(base, offset), value(region, before, offset)
            array = store(array, place, new if counts is TRUE else ite(counts, new, select(array, place)))
        environment[name] = array
    if not is_whole:
        program.approximated.add(what)


def _largest(term: Term, depth: int = 8) -> int | None:
    """A number that the term does not exceed, if it is a choice between constants."""
    if term.operator == "const":
        return int(term.payload)
    if term.operator != "ite" or depth == 0:
        return None
    bounds = [_largest(choice, depth - 1) for choice in term.arguments[1:]]
    known = [bound for bound in bounds if bound is not None]
    return max(known) if len(known) == len(bounds) else None
