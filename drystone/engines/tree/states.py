"""Abstract states of the tree, as bits over the predicates of their location.

A state is told by values of predicates, never by a formula: two workers that find the same set of states say the same, whatever
order their solvers found models in. It is a set of combinations of values (Boolean), or what all combinations have in common
(Cartesian): literals, and clauses that refinement wants to be kept.

`covers` is the order that the tree prunes by. It may miss that a state lies in another one, but only so that it remains an order
under which the abstract post is monotone: a state that is abstracted to combinations is covered by those of a larger one, or by
the literals and clauses that hold in all of these. The tree would otherwise depend on who comes first.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

Clause = tuple[int, int]
"""One of these predicates holds, or one of those does not."""


class State(msgspec.Struct, frozen=True, array_like=True):
    """`bits`: combinations, in ascending order; of a Cartesian state predicates that hold, predicates that do not, clauses."""

    location: int
    bits: tuple[int, ...] = (0,)
    is_cartesian: bool = False


class PackedState(msgspec.Struct, frozen=True, array_like=True):
    """As messages have it, whose numbers have at most 64 bits: a location may have more predicates."""

    location: int
    bits: tuple[bytes, ...]
    is_cartesian: bool


def pack_state(state: State) -> PackedState:
    bits = tuple([each.to_bytes((each.bit_length() + 7) >> 3, "little") for each in state.bits])
    return PackedState(state.location, bits, state.is_cartesian)


def unpack_state(packed: PackedState) -> State:
    return State(packed.location, tuple([int.from_bytes(each, "little") for each in packed.bits]), packed.is_cartesian)


ERROR, UNKNOWN, BOUND = -2, -3, -4
"""Stand for locations: an error, something that is not modelled, a bound on recursion. All are errors in the paper's sense."""


def is_target(state: State) -> bool:
    return state.location <= ERROR


class Order:
    """`clauses`: by location."""

    def __init__(self, clauses: Mapping[int, tuple[Clause, ...]] | None = None) -> None:
        self.clauses = clauses or {}

    def covers(self, larger: State, smaller: State) -> bool:
        """Both are at one location."""
        if not larger.is_cartesian:
            return not smaller.is_cartesian and set(larger.bits).issuperset(smaller.bits)
        holds, fails, kept = larger.bits
        if smaller.is_cartesian:
            other_holds, other_fails, other_kept = smaller.bits
            return not (holds & ~other_holds or fails & ~other_fails or kept & ~other_kept)
        clauses = [each for number, each in enumerate(self.clauses.get(larger.location, ())) if kept >> number & 1]
        return all(_satisfies(each, holds, fails, clauses) for each in smaller.bits)


def _satisfies(combination: int, holds: int, fails: int, clauses: list[Clause]) -> bool:
    if holds & ~combination or fails & combination:
        return False
    return all(positive & combination or negative & ~combination for positive, negative in clauses)
