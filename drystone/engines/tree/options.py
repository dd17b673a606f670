"""What can be chosen of a run of `tree`."""

from __future__ import annotations

import msgspec

from drystone.engines.tree.master import PREDICTABLE


class Options(msgspec.Struct, frozen=True):
    selection: str = PREDICTABLE
    encoding: str | None = None
    abstraction: str = "boolean"
    solver: str = "bitwuzla"
    seed: int = 0
    at_once: int = 16  # states that a worker is told, at most
