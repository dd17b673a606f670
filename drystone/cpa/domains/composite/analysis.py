"""Several domains over one location: each follows a step by itself, then they tell each other what they know.

A step is a large block, from one cut point to another or to a place that a proof must exclude. A state is a location and a part
for each domain. The parts are merged if all domains agree to, and covered if all of them are.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any, Protocol, TypeVar

from drystone.cpa.domains.location.steps import Step, Steps
from drystone.symbolic.transformers import ENTRY

Part = TypeVar("Part", bound=Hashable)
Precision = TypeVar("Precision", contravariant=True)
State = tuple[Any, ...]
"""A location, and a part for each domain."""


class Domain(Protocol[Part, Precision]):
    """What one domain knows of states, control apart."""

    merges: bool

    def initial(self) -> Part: ...

    def after(self, part: Part, step: Step, precision: Precision) -> Iterable[Part]:
        """At least all states that follow by the step; none if it cannot be taken."""

    def strengthen(self, part: Part, others: Sequence[object], step: Step) -> Part | None:
        """Less states, since the other domains know more of those at the end of the step; None: there are none."""

    def merge(self, part: Part, reached: Part, location: int, precision: Precision) -> Part:
        """`reached`, or a part that stands for both."""

    def covers(self, reached: Part, part: Part, location: int) -> bool: ...


class Composite:
    """A `ConfigurableProgramAnalysis`. Its precision is one for each domain."""

    def __init__(self, steps: Steps, domains: Sequence[Domain[Any, Any]]) -> None:
        self.steps, self.domains = steps, domains
        self.merges = all(domain.merges for domain in domains)

    def initial(self) -> State:
        return (ENTRY, *(domain.initial() for domain in self.domains))

    def location(self, state: State) -> int:
        location = state[0]
        assert isinstance(location, int)
        return location

    def transfer(self, state: State, precision: Sequence[Any]) -> Iterator[State]:
        for step in self.steps.of(self.location(state)):
            after = [
                domain.after(part, step, each) for domain, part, each in zip(self.domains, state[1:], precision, strict=True)
            ]
            for parts in product(*after):
                strengthened = self._strengthened(parts, step)
                if strengthened is not None:
                    yield (step.target, *strengthened)

    def _strengthened(self, parts: tuple[Any, ...], step: Step) -> tuple[Any, ...] | None:
        if len(parts) == 1:
            return parts
        found = []
        for number, (domain, part) in enumerate(zip(self.domains, parts, strict=True)):
            stronger = domain.strengthen(part, (*parts[:number], *parts[number + 1 :]), step)
            if stronger is None:
                return None
            found.append(stronger)
        return tuple(found)

    def merge(self, state: State, reached: State, precision: Sequence[Any]) -> State:
        pairs = zip(self.domains, state[1:], reached[1:], precision, strict=True)
        return (reached[0], *(domain.merge(part, other, reached[0], each) for domain, part, other, each in pairs))

    def stop(self, state: State, reached: Collection[State], precision: Sequence[Any]) -> bool:
        return any(self._covers(other, state) for other in reached)

    def _covers(self, reached: State, state: State) -> bool:
        pairs = zip(self.domains, reached[1:], state[1:], strict=True)
        return all(domain.covers(other, part, reached[0]) for domain, other, part in pairs)

    def adjust(self, state: State, precision: Sequence[Any]) -> State:
        return state

    def is_target(self, state: State) -> bool:
        return self.steps.is_bad(self.location(state))
