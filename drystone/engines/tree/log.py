"""What a run tells of itself as it goes on; by default nobody listens."""

from __future__ import annotations

from drystone.cpa.domains.predicates.states import Precision
from drystone.engines.tree.hosted import Call, Reply
from drystone.engines.tree.master import Concluded
from drystone.engines.tree.post import Transitions


class Log:
    def begun(self, bound: int, transitions: Transitions) -> None:
        """A search with this bound on recursion."""

    def joined(self, worker: int) -> None: ...

    def submitted(self, call: Call) -> None: ...

    def replied(self, reply: Reply) -> None: ...

    def lost(self, worker: int) -> None: ...

    def concluded(self, concluded: Concluded, precision: Precision) -> None:
        """An iteration with these predicates."""

    def ended(self, verdict: str, reason: str) -> None: ...
