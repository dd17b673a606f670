"""Where the blocks of a run live, and who writes down what they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from drystone.engines.dss.hosts import Hosts, Inline
from drystone.engines.dss.records.journal import Journal
from drystone.engines.dss.records.tracing import Tracer, Tracers

if TYPE_CHECKING:
    from drystone.engines.dss.records.recording import Recorder
    from drystone.engines.dss.story import Kept


class Setting(msgspec.Struct, frozen=True):
    workers: int = 1
    make_hosts: Callable[[int], Hosts] = lambda workers: Inline()
    may_fork: bool = True  # this process has no other threads
    brief: float = 0.0  # seconds in this process, before there are hosts: most programs are small
    recorder: Recorder | None = None
    tracer: Tracer = msgspec.field(default_factory=Tracer)
    kept: Kept | None = None  # what blocks tell each other, to be told when the run is over

    def told(self) -> Setting:
        """The same, and what blocks tell each other is kept."""
        from drystone.engines.dss.story import Kept

        kept = Kept()
        return msgspec.structs.replace(self, tracer=Tracers(self.tracer, kept.tracer), kept=kept)

    def journal(self) -> Journal:
        recorders = [self.recorder, self.kept.recorder if self.kept is not None else None]
        return Journal(*(each for each in recorders if each is not None))
