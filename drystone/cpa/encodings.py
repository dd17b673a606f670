"""What one step of an analysis is: an edge of the automaton, or a large block (Mertens 2014, chapters 3 and 4).

An encoding keeps some locations; a step goes from one of them to the next ones, along all ways between them at once. By `single`
all are kept, so that a step is one edge; by `large` those that the rules of large-block encoding leave; by `large+` also the
advanced one is applied. Without an encoding only loop heads are kept: these are the largest blocks.
"""

from __future__ import annotations

import msgspec

from drystone.ir.automaton import Program
from drystone.ir.loops import cycle_heads, loop_heads

ENCODINGS = ("single", "large", "large+")


class Kept(msgspec.Struct, frozen=True):
    """`heads`: some of the kept locations, which every cycle contains."""

    locations: frozenset[int]
    heads: frozenset[int]


def kept_locations(program: Program, encoding: str | None) -> Kept:
    """Of a program of one procedure."""
    procedure = program.procedures[program.entry]
    heads = loop_heads(procedure)
    if encoding is None:
        return Kept(heads, heads)
    if encoding == "single":
        return Kept(frozenset(range(procedure.locations)) - procedure.marks.keys(), heads)
    from drystone.large_blocks.encoding import encode

    encoded = encode(program, advanced=encoding == "large+")
    left = frozenset(encoded.locations) - procedure.marks.keys()
    if not heads <= left:  # the advanced rule may leave other locations of a cycle, and what is not reached goes
        successors: list[list[int]] = [[] for _ in range(procedure.locations)]
        for edge in encoded.edges:
            successors[edge.source].append(edge.target)
        heads = cycle_heads(encoded.entry, successors)
    return Kept(left, heads)
