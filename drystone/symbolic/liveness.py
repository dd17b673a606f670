"""Which variables and regions matter at a location, since they may be read before they are assigned."""

from __future__ import annotations

from drystone.ir.automaton import Procedure
from drystone.ir.operations import Allocate, Assign, Reallocate
from drystone.memory.dataflow import reads_and_writes
from drystone.memory.regions import Regions
from drystone.symbolic.heap_objects import SIZES
from drystone.symbolic.region_memory import HEAP

_LARGEST = 1_500_000_000  # bits


class Liveness:
    """`names` are those whose values may matter; `bits` has a number per location, which is empty if the program is too large."""

    def __init__(self, names: list[str], bits: list[int]) -> None:
        self._names = names
        self._bits = bits
        self._found: dict[int, list[str]] = {}

    def at(self, location: int) -> list[str] | None:
        """None: not computed."""
        if not self._bits:
            return None
        names = self._found.get(location)
        if names is None:
            names = self._found[location] = []
            bits = bin(self._bits[location])[:1:-1]
            place = bits.find("1")
            while place >= 0:
                names.append(self._names[place])
                place = bits.find("1", place + 1)
        return names


def liveness(procedure: Procedure, regions: Regions, names: list[str]) -> list[int]:
    """Per location the variables and regions that may be read before they are assigned, as bits; empty if too large."""
    locations = procedure.locations
    if len(names) * locations > _LARGEST:
        return []
    bit = {name: 1 << index for index, name in enumerate(names)}
    uses: list[int] = []
    kills: list[int] = []
    for edge in procedure.edges:
        reads, writes = reads_and_writes(edge.operation, regions)
        use = 0
        for name in reads:
            use |= bit.get(name, 0)
        kill = 0
        if isinstance(edge.operation, (Allocate, Reallocate)):
            use |= bit.get(HEAP, 0)
        if isinstance(edge.operation, Reallocate):
            use |= bit.get(SIZES, 0)
        if isinstance(edge.operation, (Assign, Allocate, Reallocate)):
            kill = bit.get(edge.operation.target.name, 0)
        else:
            for name in writes:
                use |= bit.get(name, 0)  # a region is changed in part: its old value matters
        uses.append(use)
        kills.append(~kill)
    return _fixpoint(procedure, uses, kills)


def _fixpoint(procedure: Procedure, uses: list[int], kills: list[int]) -> list[int]:
    """Backwards along the edges: what each uses, and what is live behind it and not killed."""
    locations = procedure.locations
    live = [0] * locations
    incoming: list[list[int]] = [[] for _ in range(locations)]
    for index, edge in enumerate(procedure.edges):
        incoming[edge.target].append(index)
    work = list(range(locations))
    queued = [True] * locations
    while work:
        location = work.pop()
        queued[location] = False
        for index in incoming[location]:
            source = procedure.edges[index].source
            new = live[source] | uses[index] | (live[location] & kills[index])
            if new != live[source]:
                live[source] = new
                if not queued[source]:
                    queued[source] = True
                    work.append(source)
    return live
