"""What engines and checks do to a program before they look at it. They look at the same ones, so the latest are kept."""

from __future__ import annotations

import msgspec

from drystone.program.automaton import Program
from drystone.program.inline import inline
from drystone.program.regions import Regions
from drystone.program.scalarise import scalarise
from drystone.program.slicing import slice_program
from drystone.program.symbolic import Shared, SymbolicProgram
from drystone.program.tailcalls import without_tail_calls

_KEPT = 4


class Flat(msgspec.Struct, frozen=True):
    """A program of one procedure. `original`: where its locations were before slicing; None if it was not sliced."""

    program: Program
    regions: Regions
    original: dict[int, int] | None
    shared: Shared = msgspec.field(default_factory=Shared)

    def symbolic(self, *, null_ends: bool = False, inductive: bool = False) -> SymbolicProgram:
        return SymbolicProgram(self.program, self.regions, null_ends, inductive, self.shared)


_latest: dict[tuple[int, int, int, bool], tuple[Program, Flat]] = {}


def flatten(program: Program, *, recursion_bound: int, max_edges: int, sliced: bool) -> Flat:
    """Tail calls as loops, other calls inlined, static memory as variables, what does not matter to the answer sliced away."""
    key = (id(program), recursion_bound, max_edges, sliced)
    known = _latest.get(key)
    if known is not None and known[0] is program:
        return known[1]
    flat = inline(without_tail_calls(program), recursion_bound=recursion_bound, max_edges=max_edges)
    flat = scalarise(flat, Regions(flat))
    original = None
    if sliced:
        slice_ = slice_program(flat)
        original = dict(enumerate(slice_.locations))
        flat = scalarise(slice_.program, Regions(slice_.program))  # with fewer accesses, more of them are at known addresses
    result = Flat(flat, Regions(flat), original)
    while len(_latest) >= _KEPT:
        del _latest[next(iter(_latest))]
    _latest[key] = (program, result)
    return result
