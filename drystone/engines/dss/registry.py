"""Which kinds of summaries there are, by their names: what the blocks of `dss` tell each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from drystone.base.registry import Entry

if TYPE_CHECKING:
    from drystone.engines.dss.domain import Domain

SUMMARIES: dict[str, Entry[Domain]] = {
    "lemmas": Entry(
        "the default: clauses that hold at a location, found one proof obligation at a time",
        "drystone.engines.dss.lemmas.coordinator:LEMMAS",
    ),
    "predicates": Entry("postconditions over predicates", "drystone.engines.dss.predicates.coordinator:PREDICATES"),
}


def domain_of(summaries: str) -> Domain:
    if summaries not in SUMMARIES:
        raise ValueError(f"no summaries {summaries!r}; there are {', '.join(SUMMARIES)}")
    return SUMMARIES[summaries].load()
