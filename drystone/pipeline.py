"""The preparation of a program: which passes make which variant of it, for engines and checks to look at."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from enum import Enum
from typing import NamedTuple, TypeVar

import msgspec

from drystone.ir.automaton import Program
from drystone.memory.rebirths import refuse_rebirths
from drystone.memory.regions import Regions
from drystone.passes.inline import inline
from drystone.passes.memory_havoc import forget_memory
from drystone.passes.one_element import remember_elements
from drystone.passes.reused_places import compare_reused_places, gives_back
from drystone.passes.scalarise import scalarise, scalarise_with_regions
from drystone.passes.slicing import slice_program
from drystone.passes.tailcalls import without_tail_calls
from drystone.symbolic.execution import Shared, SymbolicProgram
from drystone.symbolic.transformers import TransitionSystem

_KEPT = 4  # flat variants
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


class Abstraction(Enum):
    """What a slice leaves out besides what cannot matter to the answer."""

    EXACT = "exact"  # nothing
    WITHOUT_MEMORY = "without memory"
    """What is in memory, but for one element of each array: a proof carries over, a counterexample does not
    (passes/memory_havoc.py)."""


class PreparedProgram:
    """A program, calls and all, and what the passes make of it, for everybody who looks at it.

    Who asks a question about a program makes this once and passes it on; copies of the process have what was made before. The
    latest variants are kept: engines that take turns, and the confirmation of what they find, look at the same ones.
    """

    def __init__(self, program: Program, abstraction: Abstraction = Abstraction.EXACT) -> None:
        self.program, self.abstraction = program, abstraction
        self._variants = _Variants(program)

    def under(self, abstraction: Abstraction) -> PreparedProgram:
        """The same program with slices that leave this out; what is kept, is kept for both."""
        other = copy(self)
        other.abstraction = abstraction
        return other

    @property
    def is_without_memory(self) -> bool:
        return self.abstraction is Abstraction.WITHOUT_MEMORY

    def flat(self, *, recursion_bound: int, max_edges: int, sliced: bool) -> Flat:
        """Tail calls as loops, other calls inlined, static memory as variables, what does not matter to the answer sliced away.

        Raises `TooLarge`. The abstraction is one of the slice; unsliced, the program is as it is.
        """
        slice_ = self.abstraction if sliced else None
        return self._variants.flat(_Bounds(recursion_bound, max_edges), slice_)

    def transition_system(
        self,
        *,
        recursion_bound: int,
        max_edges: int,
        sliced: bool = True,
        cut_points: Iterable[int] = (),
        anywhere: bool = False,
    ) -> TransitionSystem:
        """The transition system of the program; `cut_points` are locations of the unsliced program.

        `anywhere`: addresses that the program computes with are any, as the memory's constraints allow.
        """
        flat = self.flat(recursion_bound=recursion_bound, max_edges=max_edges, sliced=sliced)
        if flat.original is not None:
            wanted = set(cut_points)
            cut_points = [location for location, before in flat.original.items() if before in wanted]
        else:
            known = range(flat.program.procedures[flat.program.entry].locations)
            cut_points = [location for location in cut_points if location in known]
        return TransitionSystem(flat.symbolic(inductive=True, anywhere=anywhere), flat.original, cut_points)

    def release(self) -> None:
        """Lets go of what is kept, for who goes on with another program; it is made again if it is asked for."""
        self._variants.clear()

    def edges_without_calls(self, *, recursion_bound: int, max_edges: int) -> int:
        """How large the program is before it is sliced."""
        flat, _ = self._variants.without_calls(_Bounds(recursion_bound, max_edges))
        return len(flat.procedures[flat.entry].edges)


class _Bounds(NamedTuple):
    recursion: int
    edges: int


class _Variants:
    """Of one program: the latest one without calls, and the latest few flat ones."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._without_calls: dict[_Bounds, tuple[Program, Regions]] = {}
        self._flat: dict[tuple[_Bounds, Abstraction | None], Flat] = {}

    def flat(self, bounds: _Bounds, slice_: Abstraction | None) -> Flat:
        """`slice_`: what it leaves out; None: not sliced."""
        known = self._flat.get((bounds, slice_))
        if known is None:
            known = _flattened(*self.without_calls(bounds), slice_)
            _keep(self._flat, (bounds, slice_), known, _KEPT)
        return known

    def clear(self) -> None:
        self._without_calls.clear()
        self._flat.clear()

    def without_calls(self, bounds: _Bounds) -> tuple[Program, Regions]:
        """With regions that are right, but not the finest (`scalarise_with_regions`)."""
        known = self._without_calls.get(bounds)
        if known is None:
            known = _inlined(self._program, bounds)
            _keep(self._without_calls, bounds, known, 1)
        return known


def _inlined(program: Program, bounds: _Bounds) -> tuple[Program, Regions]:
    loops = without_tail_calls(program)
    if program.has_threads:
        from drystone.threads.product import product

        flat = product(loops, recursion_bound=bounds.recursion, max_edges=bounds.edges)
    else:
        flat = inline(loops, recursion_bound=bounds.recursion, max_edges=bounds.edges)
    regions = Regions(flat)
    if flat.has_slots:
        refuse_rebirths(flat.procedures[flat.entry], regions.pointers, frozenset())
    else:
        flat = compare_reused_places(flat, regions.pointers)
    flat = msgspec.structs.replace(flat, exposed=regions.pointers.exposed, frees=gives_back(flat))  # also where a slice hides it
    return scalarise_with_regions(flat, regions)


def _flattened(flat: Program, regions: Regions, slice_: Abstraction | None) -> Flat:
    """`regions`: for slicing, which only asks what may be read where it was written."""
    if slice_ is None:
        return Flat(flat, Regions(flat), None)
    if slice_ is Abstraction.WITHOUT_MEMORY:  # there is none that could be read: any regions do
        slice_of = slice_program(forget_memory(remember_elements(flat)), regions)
        flat = slice_of.program
    else:
        slice_of = slice_program(flat, regions)
        regions = Regions(slice_of.program)
        flat = scalarise(slice_of.program, regions)  # with fewer accesses, more of them are at known addresses
        if flat is slice_of.program:
            return Flat(flat, regions, dict(enumerate(slice_of.locations)))
    return Flat(flat, Regions(flat), dict(enumerate(slice_of.locations)))


def _keep(table: dict[_K, _V], key: _K, value: _V, most: int) -> None:
    """The oldest give way."""
    while len(table) >= most:
        del table[next(iter(table))]
    table[key] = value
