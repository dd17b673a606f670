"""Where the workers of a run live."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from drystone.engines.tree.distribution import WorkerHosts
from drystone.engines.tree.hosted import Inline
from drystone.engines.tree.log import Log


class Setting(msgspec.Struct, frozen=True):
    workers: int = 1
    make_hosts: Callable[[int], WorkerHosts] = lambda workers: Inline()
    log: Log = msgspec.field(default_factory=Log)
