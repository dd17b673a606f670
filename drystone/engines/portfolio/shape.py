"""What the choice of engines depends on: features of a program that cost next to nothing."""

from __future__ import annotations

import msgspec

from drystone.base.graphs import Loop, loops
from drystone.engines.obstacles import Obstacle
from drystone.engines.portfolio.bounds import ends_by_itself
from drystone.ir.automaton import Edge, Procedure, Unmodelled
from drystone.ir.operations import Assume
from drystone.memory.dataflow import reads_and_writes
from drystone.memory.regions import Regions
from drystone.passes.contracts import vocabularies_beyond_loops
from drystone.passes.inline import MAX_EDGES, TooLarge
from drystone.passes.one_element import is_index
from drystone.pipeline import Abstraction, PreparedProgram

LARGE = 20_000  # edges before slicing
_EDGES_PER_SECOND, _SHARE, _LONG = 6_000, 0.2, 3_600.0  # that are sliced, about; of the time, for that; no more seconds count
_MANY = 1_500  # edges
_MANY_RUNS = 8  # executions
_MANY_READS, _SHARE_OF_MODES = 50, 0.6  # of variables in conditions, and how many of them take few values


class Shape(msgspec.Struct, frozen=True):
    edges: int = LARGE  # that matter
    has_loops: bool = True  # that matter; recursion is unrolled to a bound
    has_memory: bool = True  # that matters, and is not at known addresses
    has_elements: bool = False  # of arrays, which are all that matters of memory (passes/one_element.py)
    has_contracts: bool = False  # some recursion touches no memory (passes/contracts.py)
    has_threads: bool = False
    has_many_threads: bool = False  # some are created in loops
    has_modes: bool = False  # most that its loops decide, they decide by variables that take few values
    is_bounded: bool = False  # executions seem to end soon, whatever the inputs are

    @property
    def is_large(self) -> bool:
        return self.edges > _MANY


def shape_of(prepared: PreparedProgram, seconds: float, executed: Obstacle) -> Shape:
    """Of the program as most engines look at it, which is made here, once, unless that would take too many of the seconds.
    `executed`: what first executions have shown."""
    try:
        large = max(LARGE, int(_EDGES_PER_SECOND * min(seconds, _LONG) * _SHARE))
        if prepared.edges_without_calls(recursion_bound=1, max_edges=MAX_EDGES) > large:
            return Shape(has_threads=prepared.program.has_threads)
        flat = prepared.flat(recursion_bound=1, max_edges=MAX_EDGES, sliced=True)
    except TooLarge:
        return Shape(has_threads=prepared.program.has_threads)
    procedure = flat.program.procedures[flat.program.entry]
    outgoing = _outgoing(procedure)
    found = loops([[edge.target for edge in edges] for edges in outgoing], procedure.entry)
    has_memory = any(not region.is_static for region in flat.regions)
    has_elements = False
    if has_memory:
        without = prepared.under(Abstraction.WITHOUT_MEMORY).flat(recursion_bound=1, max_edges=MAX_EDGES, sliced=True)
        has_elements = any(map(is_index, without.program.variables))
    return Shape(
        len(procedure.edges),
        bool(found),
        has_memory,
        has_elements,
        has_threads=prepared.program.has_threads,
        has_many_threads=any(mark.is_bound and mark.unmodelled is Unmodelled.THREADS for mark in procedure.marks.values()),
        has_contracts=bool(vocabularies_beyond_loops(prepared.program)),
        has_modes=_has_modes(procedure, found, flat.regions),
        is_bounded=_all_ended(executed) and all(ends_by_itself(loop, outgoing, flat.regions) for loop in found),
    )


def _has_modes(procedure: Procedure, found: list[Loop], regions: Regions) -> bool:
    members = {location for loop in found for location in loop.members}
    reads = [
        name
        for edge in procedure.edges
        if edge.source in members and isinstance(edge.operation, Assume)
        for name in reads_and_writes(edge.operation, regions)[0]
    ]
    if len(reads) < _MANY_READS:
        return False
    from drystone.cpa.domains.values.few_valued import few_valued  # small programs do not need it

    few = few_valued(procedure, regions)
    return sum(name in few for name in reads) >= _SHARE_OF_MODES * len(reads)


def _all_ended(executed: Obstacle) -> bool:
    """Did many executions come to an end, and all of them?"""
    return executed.runs >= _MANY_RUNS and executed.longest is not None


def _outgoing(procedure: Procedure) -> list[list[Edge]]:
    """The edges from each location."""
    outgoing: list[list[Edge]] = [[] for _ in range(procedure.locations)]
    for edge in procedure.edges:
        outgoing[edge.source].append(edge)
    return outgoing
