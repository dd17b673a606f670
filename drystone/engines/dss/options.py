"""What can be chosen about `dss`. Recordings contain it: a run can be repeated with the options it had."""

from __future__ import annotations

import math

import msgspec


class DssOptions(msgspec.Struct, frozen=True):
    solver: str = "bitwuzla"
    seed: int = 0
    decomposition: str = "loops"
    summaries: str = "lemmas"  # one of `registry.SUMMARIES`
    start: str = "top"  # predicates: what a block assumes before it is told anything, `top` or `bottom`
    max_cubes: int = 16  # predicates: of a postcondition
    instantiation: str = "context-aware"  # predicates: or `context-free`, each block of the decomposition by itself
    max_edges: int = 200_000  # with calls inlined
    slicing: bool = True
    candidates: tuple[str, ...] | None = None
    query_seconds: float = 20.0
    predictable: bool = False  # the same run for any number of hosts
    broadcast: bool = False  # every message to every block, as in Beyer, Kettl, Lemberger 2024
    precedence: str | None = None  # what blocks take first, `errors` or `postconditions`; None: as the engine has it
    is_eager: bool = False  # lemmas: more work at the same time, where there are hosts for it

    @property
    def seconds_per_query(self) -> float:
        """In a predictable run, no clock decides."""
        return math.inf if self.predictable else self.query_seconds
