"""What a run tells of itself as it goes on; by default nobody listens."""

from __future__ import annotations

import msgspec

from drystone.engines.tree.hosted import Call, Reply
from drystone.engines.tree.master import Concluded, Precision
from drystone.engines.tree.options import Options


class Search(msgspec.Struct, frozen=True):
    """With one bound on recursion. `is_here`: the only worker is in the process of the master."""

    recursion: int
    options: Options
    hosts: int
    is_here: bool
    precision: Precision  # the first one
    transitions: tuple[tuple[int, int], ...]  # by number: from where to where
    places: tuple[tuple[int, str], ...]  # file and line of locations


class Log:
    def begun(self, search: Search) -> None: ...

    def joined(self, worker: int) -> None: ...

    def submitted(self, call: Call) -> None: ...

    def replied(self, reply: Reply) -> None: ...

    def lost(self, worker: int) -> None: ...

    def concluded(self, concluded: Concluded) -> None:
        """An iteration."""

    def refined(self, precision: Precision, seconds: float) -> None:
        """The next iteration's predicates; of processor time."""
