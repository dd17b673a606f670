"""Which domains and switches `dcpa` has, by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drystone.base.registry import Entry, UnknownName, named

if TYPE_CHECKING:
    from drystone.engines.dcpa.domain import DistributedDomain

DOMAINS: dict[str, Entry[DistributedDomain]] = {
    "predicates": Entry("the default: path formulas, without abstraction", "drystone.engines.dcpa.predicates:PREDICATES"),
    "values": Entry("finite maps from variables to their values", "drystone.engines.dcpa.values:VALUES"),
}


SWITCHES: dict[str, str] = {
    "skip-checks": "a worker with more than three predecessors does not ask whether an error condition is reached",
    "impatient": "analyse while predecessors are missing, from any state",
    "repeat": "send an error condition again after each forward analysis that finds it",
    "repeat-in-loops": "the same, but only where the program has loops",
    "one-by-one": "analyse after each postcondition, instead of once after all that have arrived",
}
"""The optimisations of Kettl 2022, sections 4.1.6, 5.4 and 6.3.3; the defaults have none of these."""


class UnknownDomain(Exception):
    """Says what is wrong with the name of a domain."""


def distributed_domain(name: str) -> DistributedDomain:
    """One of these, or `module:NAME`: a domain of somebody else's, which is only ever loaded if a user asks for it."""
    if name in DOMAINS:
        return DOMAINS[name].load()
    if ":" not in name:
        raise UnknownDomain(f"there is no {name!r}, only {', '.join(DOMAINS)}, and module:NAME for your own")
    try:
        domain: DistributedDomain = named(name)
        return domain
    except UnknownName as problem:
        raise UnknownDomain(str(problem)) from None
