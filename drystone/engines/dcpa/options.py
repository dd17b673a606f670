"""What can be chosen about `dcpa`, and what of it travels with the blocks."""

from __future__ import annotations

from drystone.engines.dss.hosts import BlockOptions
from drystone.engines.dss.options import DssOptions

BOTH, FORWARD, BACKWARD = "both", "forward", "backward"

MANY_PREDECESSORS = 3


class DcpaOptions(DssOptions, frozen=True):
    domain: str = "predicates"  # of `registry.DOMAINS`; several with commas, and as many decompositions, are side by side
    direction: str = BOTH
    switches: tuple[str, ...] = ()  # of `registry.SWITCHES`
    max_states: int | None = None  # that are kept apart where blocks meet; all others become one. None: as the domain has it


def analyses(domain: str, decomposition: str) -> list[tuple[str, str]]:
    """The domain and the decomposition of each; what there is one of is that of all of them. A `ValueError` for people."""
    domains, decompositions = domain.split(","), decomposition.split(",")
    count = max(len(domains), len(decompositions))
    for names in (domains, decompositions):
        if len(names) == 1:
            names *= count
        if len(names) != count:
            raise ValueError(f"{len(domains)} domains, and {len(decompositions)} decompositions: name as many, or one for all")
    return list(zip(domains, decompositions, strict=True))


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
