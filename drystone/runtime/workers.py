"""Hosts of the workers of a reachability tree: one worker each."""

from __future__ import annotations

from drystone.engines.tree.hosted import WORKERS, Call, Reply, Spec
from drystone.runtime.processes import Processes
from drystone.runtime.ray_hosts import RayActors


class WorkerProcesses(Processes[Spec, Call, Reply]):
    kind = WORKERS


class RayWorkers(RayActors[Spec, Call, Reply]):
    kind = WORKERS
