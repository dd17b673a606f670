"""Classes of objects that some pointer cannot tell apart: unification with offsets and strides (Steensgaard 1996)."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from drystone.ir import names
from drystone.logic.sorts import Sort

Cell = tuple[int, int]
"""A node by its number, and an offset from its origin."""


class Access:
    """Loads and stores of one size at one offset of a node. `static`: all of them at an address known in advance.

    `is_read`: some loaded value is not just stored elsewhere. `is_written`: some stored value was not just loaded and is not 0.
    """

    __slots__ = ("count", "is_read", "is_written", "sorts", "static")

    def __init__(self) -> None:
        self.count = 0
        self.static = True
        self.is_read = False
        self.is_written = False
        self.sorts: set[Sort] = set()

    def absorb(self, other: Access) -> None:
        self.count += other.count
        self.static = self.static and other.static
        self.is_read = self.is_read or other.is_read
        self.is_written = self.is_written or other.is_written
        self.sorts |= other.sorts


class Range:
    """Bytes that a bulk operation (copy, fill) touches: from an offset, `size` bytes.

    `clears`: nothing but 0 is filled in; `fills`: something is.
    """

    __slots__ = ("clears", "fills", "size", "static")

    def __init__(self, size: int, static: bool, fills: bool = False, clears: bool = False) -> None:
        self.size = size
        self.static = static
        self.fills = fills
        self.clears = clears


class Node:
    __slots__ = (
        "parent",
        "shift",
        "stride",
        "fields",
        "accesses",
        "ranges",
        "members",
        "why",
        "has_distances",
        "has_numbers",
        "has_pieces",
        "is_foreign",
        "shadow",
        "watchers",
    )

    def __init__(self) -> None:
        self.parent = -1
        self.shift = 0  # where this node's origin lies in its parent
        self.stride = 0
        self.fields: dict[int, Cell] = {}  # what the pointer at an offset points to
        self.accesses: dict[tuple[int, int], Access] = {}  # by (offset, bytes)
        self.ranges: dict[tuple[int, int], Range] = {}  # by (offset, size)
        self.members: list[tuple[str, int]] = []  # objects and where they begin
        self.why = ""  # the reason of the last reduction of the stride
        self.has_distances = False  # from one of its objects to another
        self.has_numbers = False  # that no pointer is tracked for
        self.has_pieces = False  # of pointers that were moved here
        self.is_foreign = False  # some address of it comes from outside, or from nowhere
        self.shadow: Cell | None = None  # where its origin's shadow lies (`Classes.shadow`)
        self.watchers: set[int] = set()  # who has looked at it


class Classes:
    """All nodes; those that were unified have one representative, a *root*.

    `watcher`: who looks at nodes now, -1 for nobody. Whoever has looked at a node is `woken` when it changes.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.changed = False  # has anything been unified or learned?
        self.watcher = -1
        self.woken: set[int] = set()

    def new(self) -> int:
        self.nodes.append(Node())
        return len(self.nodes) - 1

    def root(self, cell: Cell) -> Node:
        return self.nodes[self.find(cell)[0]]

    def find(self, cell: Cell) -> Cell:
        """The representative node and the offset in it."""
        number, offset = cell
        nodes = self.nodes
        node = nodes[number]
        path = []
        while node.parent >= 0:
            path.append(number)
            offset += node.shift
            number = node.parent
            node = nodes[number]
        if len(path) > 1:  # compress: every node on the path becomes a child of the root
            shift = 0
            for step in reversed(path):
                shift += nodes[step].shift
                nodes[step].parent, nodes[step].shift = number, shift
        if self.watcher >= 0:
            node.watchers.add(self.watcher)
        return number, offset % node.stride if node.stride else offset

    def shadow(self, cell: Cell) -> Cell:
        """Where the flags of the byte lie that is there: in a node of its own, whose objects are not those of any other."""
        number, offset = self.find(cell)
        node = self.nodes[number]
        if node.shadow is None:
            made = self.new()
            self.nodes[made].stride, self.nodes[made].why = node.stride, node.why
            self.nodes[made].members = [(names.shadow(name), base) for name, base in node.members]
            node.shadow = (made, 0)
        place, base = node.shadow
        return self.find((place, base + offset))

    def reduce(self, number: int, distance: int, why: str) -> None:
        """Offsets of this node count modulo `distance` from now on."""
        node = self.nodes[number]
        stride = gcd(node.stride, abs(distance))
        if stride == node.stride:
            return
        node.stride = stride
        node.why = why
        self.wake(node.watchers)
        fields, node.fields = node.fields, {}
        accesses, node.accesses = node.accesses, {}
        ranges, node.ranges = node.ranges, {}
        pending = []
        for offset, target in fields.items():
            known = node.fields.setdefault(offset % stride, target)
            if known is not target:
                pending.append((known, target))
        for (offset, size), access in accesses.items():
            node.accesses.setdefault((offset % stride, size), Access()).absorb(access)
        for (offset, _), extent in ranges.items():
            self.add_range(node, offset % stride, extent)
        for first, second in pending:
            self.unify(first, second)
        if node.shadow is not None:
            self.reduce(self.find(node.shadow)[0], stride, why)

    @staticmethod
    def add_range(node: Node, offset: int, extent: Range) -> None:
        known = node.ranges.setdefault((offset, extent.size), extent)
        known.static = known.static and extent.static
        known.fills = known.fills or extent.fills
        known.clears = known.clears or extent.clears

    def unify(self, first: Cell, second: Cell) -> None:
        """The two pointers may be the same. A worklist, because the pointers stored behind them may then be, too."""
        pending = [(first, second)]
        while pending:
            (a, offset_a), (b, offset_b) = map(self.find, pending.pop())
            if a == b:
                if offset_a != offset_b:
                    self.reduce(a, offset_a - offset_b, "one pointer means several offsets of an object")
                continue
            if len(self.nodes[a].fields) + len(self.nodes[a].accesses) < len(self.nodes[b].fields) + len(self.nodes[b].accesses):
                a, offset_a, b, offset_b = b, offset_b, a, offset_a
            winner, loser = self.nodes[a], self.nodes[b]
            self.wake(winner.watchers)
            self.wake(loser.watchers)
            shift = offset_a - offset_b
            stride = winner.stride
            if winner.shadow is not None or loser.shadow is not None:
                pending.append((self._shadow_of(a, shift), self._shadow_of(b, 0)))
                loser.shadow = None
            loser.parent, loser.shift = a, shift
            for offset, target in loser.fields.items():
                place = (offset + shift) % stride if stride else offset + shift
                known = winner.fields.setdefault(place, target)
                if known is not target:
                    pending.append((known, target))
            for (offset, size), access in loser.accesses.items():
                place = (offset + shift) % stride if stride else offset + shift
                winner.accesses.setdefault((place, size), Access()).absorb(access)
            for (offset, _), extent in loser.ranges.items():
                self.add_range(winner, (offset + shift) % stride if stride else offset + shift, extent)
            winner.has_distances = winner.has_distances or loser.has_distances
            winner.has_pieces = winner.has_pieces or loser.has_pieces
            winner.is_foreign = winner.is_foreign or loser.is_foreign
            winner.members.extend((name, base + shift) for name, base in loser.members)
            winner.watchers |= loser.watchers
            loser.fields, loser.accesses, loser.ranges, loser.members, loser.watchers = {}, {}, {}, [], set()
            if loser.stride:  # at last: it may unify the winner with a third one
                self.reduce(a, loser.stride, loser.why)

    def _shadow_of(self, number: int, offset: int) -> Cell:
        """Of a root, whatever its stride is: the offset counts from the origin."""
        self.shadow((number, 0))
        place, base = self.nodes[number].shadow or (number, 0)
        return place, base + offset

    def roots(self) -> Iterator[tuple[int, Node]]:
        return ((number, node) for number, node in enumerate(self.nodes) if node.parent < 0)

    def add_pointer(self, place: Cell, target: Cell) -> None:
        """The pointer that is stored at a place (of a root) may be this one."""
        node = self.nodes[place[0]]
        known = node.fields.get(place[1])
        if known is None:
            node.fields[place[1]] = target
            self.wake(node.watchers)
        else:
            self.unify(known, target)

    def wake(self, watchers: set[int]) -> None:
        """What these have looked at is no more as it was."""
        self.changed = True
        self.woken |= watchers
