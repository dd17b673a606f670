"""Violation conditions: states from which the error is reached (Beyer, Kettl, Lemberger 2024, section 3).

A condition is a cube without inputs all of whose states lead to the error along its trace, for some inputs. So it is a fact that
never has to be taken back; whether its states are reached is another question, which every block before answers for itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import msgspec

from drystone.engines.dss.messages import Step
from drystone.logic import terms
from drystone.logic.terms import Term


class ViolationCondition(msgspec.Struct, frozen=True, dict=True):
    id: str
    sender: str
    literals: tuple[Term, ...]
    trace: tuple[Step, ...]  # the blocks from here to the error

    @cached_property
    def key(self) -> frozenset[Term]:
        return frozenset(self.literals)

    @cached_property
    def formula(self) -> Term:
        return terms.conjunction(self.literals)


class ViolationConditions:
    """Those known at one location. One whose states are among those of another is not kept: it is refuted with the other."""

    def __init__(self) -> None:
        self._known: dict[frozenset[Term], ViolationCondition] = {}

    def add(self, condition: ViolationCondition) -> bool:
        """Does it say something new?"""
        if self.cover(condition.literals):
            return False
        for key in [key for key in self._known if condition.key < key]:
            del self._known[key]
        self._known[condition.key] = condition
        return True

    def cover(self, literals: Sequence[Term]) -> bool:
        """Are these states among those of a known condition?"""
        wanted = frozenset(literals)
        return any(key <= wanted for key in self._known)

    def __iter__(self) -> Iterator[ViolationCondition]:
        return iter(list(self._known.values()))

    def __len__(self) -> int:
        return len(self._known)
