"""Regions: the partition of memory into arrays that no access straddles.

Every load and store of a program belongs to one region. A *word* region has accesses of one size that never
overlap in part, so it is one array of elements indexed by address; where accesses of different sizes
overlap, where an element is cut by a copy, or where arithmetic counts single bytes, the region is an array
of bytes. A *static* region is only accessed at addresses that are known in advance: its cells can become
plain variables (`scalarise`).

Why two accesses in different regions never touch the same byte: they are in different nodes of the
points-to analysis, or at offsets of one node (modulo its stride) whose bytes do not overlap.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

import msgspec

from drystone.ir.automaton import Program
from drystone.ir.expressions import Expression, Variable, byte_size
from drystone.logic.sorts import EXTENDED, Sort, bitvec
from drystone.memory.pointers.classes import Node
from drystone.memory.pointsto import PointsTo

WHOLE = -1


class Region(msgspec.Struct, frozen=True):
    """`offset` and `size` place its elements in the node; a byte region counts all bytes from `offset` on."""

    name: str
    is_word: bool
    size: int  # bytes of an element
    is_static: bool
    sort: Sort  # of the elements
    members: tuple[tuple[str, int], ...]  # objects and the offset of the first element in each
    accesses: int
    why: str  # a reason, if it is not word-level
    offset: int
    extent: int  # bytes from offset that belong to it, within one stride; WHOLE: all of the node


class Regions:
    """The regions of a program that has a single procedure."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.pointers = PointsTo(program).in_procedure(program.procedures[program.entry])
        self._by_node: dict[int, list[Region]] = {}
        taken: dict[str, int] = {}
        for number, node in self.pointers.roots():
            if node.accesses:
                self._by_node[number] = list(_partition(node, taken))

    def of_scalarised(self, program: Program, cells: dict[tuple[str, int], Variable]) -> Regions:
        """The regions of this program, in which cells of static regions are variables: these hold the pointers that were there.

        What is said of other memory stays true, as every access that is left is one of the program before.
        """
        regions = copy(self)
        regions.program = program
        regions.pointers = self.pointers.with_variables(program.procedures[program.entry], cells)
        regions._by_node = {}
        for number, parts in self._by_node.items():  # the code of functions is no object, and stays where it is
            left = [each for each in parts if not each.is_static or any(name in program.functions for name, _ in each.members)]
            if left:
                regions._by_node[number] = left
        return regions

    def __iter__(self) -> Iterator[Region]:
        for regions in self._by_node.values():
            yield from regions

    def of(self, address: Expression, sort: Sort) -> Region:
        """The region that a load or store of this sort touches."""
        number, offset = self.pointers.target(address)
        for region in self._by_node[number]:
            if region.extent == WHOLE or region.offset <= offset <= region.offset + region.extent - byte_size(sort):
                return region
        raise KeyError(f"no region for {address}")

    def of_object(self, name: str) -> list[Region]:
        """All regions with elements in an object."""
        return self._by_node.get(self.pointers.find(self.pointers.object_cell(name))[0], [])

    def of_pointer(self, pointer: Expression) -> list[Region]:
        """All regions of what a pointer may point to."""
        cell = self.pointers.cell(pointer)
        return self._by_node.get(self.pointers.find(cell)[0], []) if cell is not None else []

    def cells(self, address: Expression, size: int) -> Iterator[tuple[int, Region]]:
        """The elements that a copy or fill of `size` bytes at `address` touches: distance from the address, and region."""
        number, start = self.pointers.target(address)
        stride = self.pointers.nodes[number].stride
        for region in self._by_node.get(number, ()):
            if region.extent == WHOLE:
                yield 0, region
                continue
            first = region.offset - start
            if stride:
                first %= stride
                if first + region.extent > stride:  # an element that begins before the address
                    first -= stride
            for distance in range(first, size, stride) if stride else (first,):
                if -region.extent < distance < size:
                    yield distance, region


def _partition(node: Node, taken: dict[str, int]) -> Iterator[Region]:
    """The regions of one node: clusters of accesses that overlap."""
    stride = node.stride
    spans = sorted(node.accesses)
    if stride and any(offset + size > stride for offset, size in spans):
        size = next(size for offset, size in spans if offset + size > stride)
        why = f"accesses of {size} bytes at distances of {stride}" + (f" ({node.why})" if node.why else "")
        yield _region(node, 0, WHOLE, spans, why, taken)
        return
    clusters: list[tuple[int, int, list[tuple[int, int]]]] = []
    for offset, size in spans:
        if clusters and offset < clusters[-1][1]:
            first, last, members = clusters[-1]
            clusters[-1] = (first, max(last, offset + size), [*members, (offset, size)])
        else:
            clusters.append((offset, offset + size, [(offset, size)]))
    for first, last, members in clusters:
        why = ""
        if len(members) > 1:
            sizes = ", ".join(str(size) for size in sorted({size for _, size in members}))
            why = f"overlapping accesses of {sizes} bytes" if "," in sizes else f"accesses of {sizes} bytes that overlap in part"
        elif any(_cuts(start, extent.size, first, last - first, stride) for (start, _), extent in node.ranges.items()):
            why = "a copy or fill ends inside an element"
        yield _region(node, first, last - first, members, why, taken)


def _cuts(start: int, size: int, offset: int, width: int, stride: int) -> bool:
    """Does a bulk operation begin or end inside the element?"""
    for boundary in (start, start + size):
        inside = boundary - offset
        if stride:
            inside %= stride
        if 0 < inside < width:
            return True
    return False


def _touches(start: int, size: int, offset: int, width: int, stride: int) -> bool:
    if width == WHOLE:
        return True
    if stride:
        return (offset - start) % stride < size or (start - offset) % stride < width
    return start < offset + width and offset < start + size


def _region(
    node: Node,
    offset: int,
    extent: int,
    spans: list[tuple[int, int]],
    why: str,
    taken: dict[str, int],
) -> Region:
    accesses = [node.accesses[span] for span in spans]
    ranges = [range_ for (start, size), range_ in node.ranges.items() if _touches(start, size, offset, extent, node.stride)]
    sorts = set().union(*(access.sorts for access in accesses))
    static = not why and all(access.static for access in accesses) and all(range_.static for range_ in ranges)
    static = static and not (EXTENDED in sorts and len(sorts) > 1)
    size = extent if not why else 1
    sort = next(iter(sorts)) if len(sorts) == 1 and not why else bitvec(8 * size)
    members = tuple(sorted(_places(node, offset)))
    return Region(
        name=_name(members, taken),
        is_word=not why,
        size=size,
        is_static=static,
        sort=sort,
        members=members,
        accesses=sum(access.count for access in accesses),
        why=why,
        offset=offset,
        extent=extent,
    )


def _places(node: Node, offset: int) -> Iterator[tuple[str, int]]:
    """Where the (first) element lies in each object."""
    for name, base in node.members:
        yield name, (offset - base) % node.stride if node.stride else offset - base


def _name(members: tuple[tuple[str, int], ...], taken: dict[str, int]) -> str:
    """After the smallest member, so that edits elsewhere do not change it."""
    base = f"{members[0][0]}+{members[0][1]}" if members else "unknown"
    count = taken[base] = taken.get(base, 0) + 1
    return base if count == 1 else f"{base}#{count}"
