"""What engines and checks do to a program before they look at it. They look at the same ones, so the latest are kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from drystone.ir.automaton import Program
from drystone.ir.expressions import Determinant
from drystone.ir.operations import Allocate, Free, Lifetime, Operation, Reallocate
from drystone.memory.regions import Regions
from drystone.passes.inline import inline
from drystone.passes.memory_havoc import forget_memory
from drystone.passes.one_element import remember_elements
from drystone.passes.scalarise import scalarise
from drystone.passes.slicing import slice_program
from drystone.passes.tailcalls import without_tail_calls
from drystone.symbolic.execution import Shared, SymbolicProgram
from drystone.symbolic.transformers import TransitionSystem

_KEPT = 4
_K = TypeVar("_K")
_V = TypeVar("_V")


class Flat(msgspec.Struct, frozen=True):
    """A program of one procedure. `original`: where its locations were before slicing; None if it was not sliced."""

    program: Program
    regions: Regions
    original: dict[int, int] | None
    shared: Shared = msgspec.field(default_factory=Shared)

    def symbolic(self, *, null_ends: bool = False, inductive: bool = False, anywhere: bool = False) -> SymbolicProgram:
        anywhere = anywhere and bool(self.regions.pointers.shown)
        shared = Shared(liveness=self.shared.liveness) if anywhere else self.shared  # compiled code has addresses
        return SymbolicProgram(self.program, self.regions, null_ends, inductive, shared, anywhere)


_Key = tuple[int, int, int]
_inlined: dict[_Key, tuple[object, Program]] = {}
_latest: dict[tuple[_Key, bool, bool], tuple[Program, Flat]] = {}


def flatten(program: Program, *, recursion_bound: int, max_edges: int, sliced: bool) -> Flat:
    """Tail calls as loops, other calls inlined, static memory as variables, what does not matter to the answer sliced away.

    The slice of a forgetful program knows one element of an array, nothing else in memory; unsliced, it is like any other.
    """
    key = (id(program.procedures), recursion_bound, max_edges)
    forgets = sliced and program.is_forgetful
    known = _latest.get((key, sliced, forgets))
    if known is not None and known[0].procedures is program.procedures:
        return known[1]
    flat = _without_calls(program, key)
    original = None
    if sliced:
        slice_ = slice_program(forget_memory(remember_elements(flat)) if forgets else flat)
        original = dict(enumerate(slice_.locations))
        flat = slice_.program
        if not forgets:  # with fewer accesses, more of them are at known addresses
            flat = scalarise(flat, Regions(flat))
    result = Flat(flat, Regions(flat), original)
    _keep(_latest, (key, sliced, forgets), (program, result), _KEPT)
    return result


def transition_system(
    program: Program,
    *,
    recursion_bound: int,
    max_edges: int,
    sliced: bool = True,
    cut_points: Iterable[int] = (),
    anywhere: bool = False,
) -> TransitionSystem:
    """The transition system of a program with calls; `cut_points` are locations of the unsliced program.

    `anywhere`: addresses that the program computes with are any, as the memory's constraints allow.
    """
    flat = flatten(program, recursion_bound=recursion_bound, max_edges=max_edges, sliced=sliced)
    if flat.original is not None:
        wanted = set(cut_points)
        cut_points = [location for location, before in flat.original.items() if before in wanted]
    else:
        known = range(flat.program.procedures[flat.program.entry].locations)
        cut_points = [location for location in cut_points if location in known]
    return TransitionSystem(flat.symbolic(inductive=True, anywhere=anywhere), flat.original, cut_points)


def edges_without_calls(program: Program, *, recursion_bound: int, max_edges: int) -> int:
    """How large the program is before it is sliced."""
    flat = _without_calls(program, (id(program.procedures), recursion_bound, max_edges))
    return len(flat.procedures[flat.entry].edges)


def _without_calls(program: Program, key: _Key) -> Program:
    known = _inlined.get(key)
    if known is None or known[0] is not program.procedures:
        flat = inline(without_tail_calls(program), recursion_bound=key[1], max_edges=key[2])
        regions = Regions(flat)
        frees = any(_frees(edge.operation) for edge in flat.procedures[flat.entry].edges)
        flat = msgspec.structs.replace(flat, exposed=regions.pointers.exposed, frees=frees)  # also where a slice does not show it
        known = (program.procedures, scalarise(flat, regions))
        _keep(_inlined, key, known, 1)
    return known[1]


def _frees(operation: Operation) -> bool:
    """Or allocates something that is given back where a block or a function ends; or a string of main's, which may be shorter
    than its object, so that others lie there."""
    if isinstance(operation, Allocate):
        return operation.lifetime is Lifetime.FRAME or operation.determinant is Determinant.STRING
    return isinstance(operation, (Free, Reallocate))


def _keep(table: dict[_K, _V], key: _K, value: _V, most: int) -> None:
    table.pop(key, None)
    while len(table) >= most:
        del table[next(iter(table))]
    table[key] = value
