"""What can be chosen about blocks that exchange postconditions, whatever domain these are of."""

from __future__ import annotations

from drystone.engines.dss.hosts import BlockOptions

TOP, BOTTOM = "top", "bottom"
CONTEXT_AWARE, CONTEXT_FREE = "context-aware", "context-free"


class PostconditionOptions(BlockOptions, frozen=True):
    solver: str = "bitwuzla"
    seed: int = 0
    query_seconds: float = 20.0
    start: str = TOP  # what a block assumes before it is told anything: all states, or none
    shrink: int = 24  # literals that a block tries to drop from a core
    instantiation: str = CONTEXT_AWARE  # `context-free`: no block is told anything by others
