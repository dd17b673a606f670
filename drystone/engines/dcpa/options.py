"""What can be chosen about `dcpa`, and what of it travels with the blocks."""

from __future__ import annotations

from drystone.engines.dss.hosts import BlockOptions
from drystone.engines.dss.options import DssOptions

BOTH, FORWARD, BACKWARD = "both", "forward", "backward"

MANY_PREDECESSORS = 3


class DcpaOptions(DssOptions, frozen=True):
    domain: str = "predicates"  # one of `registry.DOMAINS`
    direction: str = BOTH
    switches: tuple[str, ...] = ()  # of `registry.SWITCHES`
    max_states: int = 1  # that are kept apart where blocks meet; all others become one


class WorkerOptions(BlockOptions, frozen=True):
    """Of the workers of all domains."""

    solver: str = "bitwuzla"
    seed: int = 0
    query_seconds: float = 20.0
    start: str = "top"  # what a worker assumes before it is told anything: all states, or none
    direction: str = BOTH
    max_states: int = 1
    most_predecessors: int = 0  # of a worker that checks every error condition; 0: any number
    is_patient: bool = True  # no analysis while predecessors are missing
    repeats: bool = False  # error conditions
    one_by_one: bool = False
    is_incremental: bool = False  # a postcondition has only the states that are new


def worker_options(kind: type[WorkerOptions], options: DcpaOptions, start: str, has_loops: bool, is_exact: bool) -> WorkerOptions:
    """From no state but the initial one, states become more and more. What is exact need not be said twice; of other domains, all
    is said together, so that it ends."""
    switches = options.switches
    return kind(
        options.solver,
        options.seed,
        options.seconds_per_query,
        start,
        options.direction,
        options.max_states,
        MANY_PREDECESSORS if "skip-checks" in switches else 0,
        "impatient" not in switches,
        "repeat" in switches or (has_loops and "repeat-in-loops" in switches),
        "one-by-one" in switches,
        is_exact and start == "bottom",
    )
