"""A data race in which a run has ended: its two accesses."""

from __future__ import annotations

import msgspec

from drystone.ir.automaton import Origin


class RacingAccess(msgspec.Struct, frozen=True):
    """One of the two accesses of a race."""

    thread: int
    is_write: bool
    is_atomic: bool
    places: tuple[tuple[str, Origin], ...]  # functions, and where in them: the access itself, the call that has led there, ...
    variable: str  # empty: memory
    address: int  # of the first byte, if it is memory
    size: int


class Race(msgspec.Struct, frozen=True):
    """`address`: the first byte that both access, if it is memory."""

    first: RacingAccess
    second: RacingAccess
    address: int
