"""Pointers that are moved in pieces.

Where an access overlaps a stored pointer without being one of that pointer, it moves a piece of it, or two of them at once:
all pointers that this happens to are one class, and each of them may be any other. Pieces that are not only moved are numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

from drystone.memory.pointers.classes import Access, Cell, Node
from drystone.memory.pointers.values import Values


class Pieces:
    """`are_there`: is any pointer moved in pieces?"""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.classes = values.classes
        self.numbers = values.numbers
        self.forms = values.forms
        self.places = values.places
        self.are_there = False
        self.target: Cell = (self.classes.new(), 0)  # what such pointers mean

    def _pointers_in_pieces(self) -> Iterator[tuple[Node, Cell, Access]]:
        """Fields of a node that an access reads or writes in pieces, or together with their neighbours: what they point to."""
        size = self.forms.bytes
        for node in list(self.classes.nodes):
            if node.parent >= 0 or not node.fields:
                continue
            accesses, stride = list(node.accesses.items()), node.stride
            for offset, target in list(node.fields.items()):
                for place, access in accesses:
                    if place != (offset, size) and _overlap(*place, offset, size, stride):
                        yield node, target, access

    def join(self) -> None:
        """Pointers that are moved in pieces may be each other."""
        for _, target, _ in self._pointers_in_pieces():
            self.are_there = True
            self.classes.unify(target, self.target)

    def survey(self) -> None:
        """Pieces that are computed with are numbers, wherever they were moved before, and so are pieces of numbers."""
        size = self.forms.bytes
        for _, node in self.classes.roots():
            pointers = {(offset, size) for offset in node.fields}
            node.has_pieces = False
            node.has_numbers = any(each.is_written for place, each in node.accesses.items() if place not in pointers)
            for (start, _), extent in node.ranges.items():
                node.has_numbers = node.has_numbers or extent.fills
                for offset, target in node.fields.items():
                    is_whole = start <= offset and offset + size <= start + extent.size and not node.stride
                    if extent.fills or (extent.clears and not is_whole):
                        if _overlap(start, extent.size, offset, size, node.stride):
                            self.numbers.guess(target)
        for object_ in self.values.program.objects.values():
            if object_.content.strip(b"\0"):
                self.classes.nodes[self.classes.find(self.places.object(object_.name))[0]].has_numbers = True
        pieces = list(self._pointers_in_pieces())
        for node, _, _ in pieces:
            node.has_pieces = True
        gets_numbers = self._follow_moves()
        for node, target, access in pieces:
            if access.is_read:
                self.numbers.expose(target)
            if access.is_written or id(node) in gets_numbers:
                self.numbers.guess(target)
        for _, node in self.classes.roots():
            pointers = {(offset, size) for offset in node.fields}
            if node.has_pieces and any(each.is_read for place, each in node.accesses.items() if place not in pointers):
                self.numbers.expose(self.target)

    def _follow_moves(self) -> set[int]:
        """Pieces and numbers are where they are moved to, too. The nodes that numbers are moved to, by identity."""
        moves = {(self.classes.find(source)[0], self.classes.find(place)[0]) for place, source in self.numbers.moved}
        found: set[int] = set()
        is_new = True
        while is_new:
            is_new = False
            for source, holder in ((self.classes.nodes[first], self.classes.nodes[second]) for first, second in moves):
                if source.has_pieces and not holder.has_pieces:
                    holder.has_pieces = is_new = True
                if source.has_numbers and id(holder) not in found:
                    found.add(id(holder))
                    holder.has_numbers = is_new = True
        return found


def _overlap(a: int, width_a: int, b: int, width_b: int, stride: int) -> bool:
    """Have the two pieces of memory bytes in common? With a stride, in any of the elements."""
    if stride:
        return (b - a) % stride < width_a or (a - b) % stride < width_b
    return a < b + width_b and b < a + width_a
