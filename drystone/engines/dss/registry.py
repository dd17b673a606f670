"""Which kinds of summaries there are, by their names: what the blocks of `dss` tell each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drystone.base.registry import Entry, UnknownName, named

if TYPE_CHECKING:
    from drystone.engines.dss.domain import Domain

SUMMARIES: dict[str, Entry[Domain]] = {
    "lemmas": Entry(
        "the default: clauses that hold at a location, found one proof obligation at a time",
        "drystone.engines.dss.lemmas.coordinator:LEMMAS",
    ),
    "predicates": Entry("postconditions over predicates", "drystone.engines.dss.predicates.coordinator:PREDICATES"),
}


class UnknownSummaries(Exception):
    """Says what is wrong with the name of a kind of summaries."""


def domain_of(summaries: str) -> Domain:
    """One of these, or `module:NAME`: a domain of somebody else's, which is only ever loaded if a user asks for it."""
    if summaries in SUMMARIES:
        return SUMMARIES[summaries].load()
    if ":" not in summaries:
        raise UnknownSummaries(f"there is no {summaries!r}, only {', '.join(SUMMARIES)}, and module:NAME for your own")
    try:
        domain: Domain = named(summaries)
        return domain
    except UnknownName as problem:
        raise UnknownSummaries(str(problem)) from None
