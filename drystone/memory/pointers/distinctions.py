"""Comparisons that only the addresses of objects decide, wherever these come to lie."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from drystone.ir.automaton import MemoryObject, ObjectKind
from drystone.memory.pointers.classes import Cell
from drystone.memory.pointers.values import Values
from drystone.memory.sharing import distances, is_mergeable, may_be_equal

_MOST_PAIRS = 400  # of literals that are looked at, where pointers to them are compared


class Distinctions:
    """Of the comparisons that the last survey has found."""

    def __init__(self, values: Values, objects: dict[str, MemoryObject]) -> None:
        self.program = values.program
        self.classes = values.classes
        self.places = values.places
        self.numbers = values.numbers
        self.objects = objects

    def cells(self) -> Iterator[Cell]:
        """Pointers that are ordered, or one of which may be behind the end of an object, where the other one's may begin; numbers
        whose distance is computed; locals that are never there at the same time; numbers of locals of two threads, or of
        allocations of which one may have been freed before. (A pointer to it is not for comparison, and only numbers of objects
        from one allocation are ordered.) And places in literals that may be one."""
        for operator, left, right, as_numbers in self.numbers.compared:
            both = (left, right)
            roots = {self.classes.find(cell)[0] for cell in both}
            members = [name for number in roots for name, _ in self.classes.nodes[number].members]
            are_several = len(members) > 1 or (as_numbers and any(name not in self.objects for name in members))
            if operator == "bvsub":
                is_told = are_several and as_numbers
            else:
                is_told = are_several and (operator != "=" or any(self._may_be_behind(cell) for cell in both))
            is_told = is_told or self._may_be_shared(left, right)
            if is_told or self._may_follow_each_other(members, as_numbers):
                yield from both

    def _may_follow_each_other(self, members: list[str], as_numbers: bool) -> bool:
        """May one of these objects lie where another one lay?"""
        if as_numbers and self.program.frees and any(name not in self.objects for name in members):
            return True
        if not self.places.perhaps_empty.isdisjoint(members) or not self.places.moved.isdisjoint(members):
            return True
        local = [self.objects[name] for name in members if name in self.objects and self.objects[name].kind is ObjectKind.LOCAL]
        if as_numbers:
            return any(one.may_follow(other) for one, other in combinations(local, 2))
        return any(not one.may_live_with(other) for one, other in combinations(local, 2))

    def _may_be_shared(self, left: Cell, right: Cell) -> bool:
        """May two places in different objects be one, because these lie on the same bytes?"""
        (first, offset), (second, other_offset) = self.classes.find(left), self.classes.find(right)
        is_moved = bool(self.classes.nodes[first].stride or self.classes.nodes[second].stride)
        ones, others = (
            [
                (self.objects[name], start)
                for name, start in self.classes.nodes[number].members
                if name in self.objects and is_mergeable(self.objects[name])
            ]
            for number in (first, second)
        )
        if len(ones) * len(others) > _MOST_PAIRS:
            return True
        for one, start in ones:
            for other, other_start in others:
                if one is other:
                    continue
                if is_moved and distances(one, other) != []:
                    return True
                if not is_moved and may_be_equal(one, offset - start, other, other_offset - other_start):
                    return True
        return False

    def _may_be_behind(self, cell: Cell) -> bool:
        number, offset = self.classes.find(cell)
        node = self.classes.nodes[number]
        return bool(node.stride) or any(
            offset - start >= (self.objects[name].size if name in self.objects else 1)
            for name, start in node.members
            if name in self.objects or name in self.places.strings
        )
