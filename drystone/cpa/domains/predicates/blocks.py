"""Where abstractions are computed: the operator `blk` of adjustable-block encoding (Beyer, Keremoglu, Wendler 2010).

Wherever else, they are computed at loop heads, or path formulas would grow for ever; so a proof has a formula for each.
"""

from __future__ import annotations

import msgspec

from drystone.cpa.encodings import kept_locations
from drystone.ir.automaton import Program

EDGE, LOOPS, FUNCTION, EVERY = "edge", "loops", "function", "every"


class Blocks(msgspec.Struct, frozen=True):
    """`kept`: where steps end. Of these, abstractions are computed `at` some, and where `most` steps lie behind the last one."""

    kept: frozenset[int]
    heads: frozenset[int]
    at: frozenset[int]
    most: int | None = None

    @property
    def always(self) -> bool:
        return self.kept == self.at

    def ends(self, location: int, length: int) -> bool:
        return location in self.at or (self.most is not None and length >= self.most)


def every(blk: str) -> int | None:
    """N of `every:N`; None: it is none of these."""
    kind, _, number = blk.partition(":")
    return int(number) if kind == EVERY and number.isdecimal() and int(number) > 0 else None


def is_blk(blk: str) -> bool:
    return blk in (EDGE, LOOPS, FUNCTION) or every(blk) is not None


def adjusted_blocks(program: Program, blk: str, encoding: str | None) -> Blocks:
    """Of a program of one procedure. Without an encoding, steps are as large as `blk` allows."""
    if encoding is None and blk != LOOPS:
        encoding = "single"
    kept = kept_locations(program, encoding)
    if blk == FUNCTION:
        return Blocks(kept.locations, kept.heads, kept.heads | (_calls(program) & kept.locations))
    if blk == EDGE:
        return Blocks(kept.locations, kept.heads, kept.locations)
    return Blocks(kept.locations, kept.heads, kept.heads, every(blk))


def _calls(program: Program) -> frozenset[int]:
    """Where control passes from one activation to another. A call is an edge of the caller, the return one of the callee."""
    procedure = program.procedures[program.entry]
    frame_of = procedure.frame_of
    if frame_of is None:
        return frozenset()
    return frozenset(edge.target for edge in procedure.edges if frame_of[edge.source] != frame_of[edge.target])
