"""Where the blocks of a run live, and who writes down what they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from drystone.engines.dss.hosts import Hosts, Inline
from drystone.engines.dss.records.tracing import Tracer

if TYPE_CHECKING:
    from drystone.engines.dss.records.recording import Recorder


class Setting(msgspec.Struct, frozen=True):
    workers: int = 1
    make_hosts: Callable[[int], Hosts] = lambda workers: Inline()
    may_fork: bool = True  # this process has no other threads
    brief: float = 0.0  # seconds in this process, before there are hosts: most programs are small
    recorder: Recorder | None = None
    tracer: Tracer = msgspec.field(default_factory=Tracer)
