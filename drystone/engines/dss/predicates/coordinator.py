"""What the coordinator does for predicates: interpolants along whole traces, and more cubes where a violation stays open."""

from __future__ import annotations

import math
from collections.abc import Sequence

from drystone.base.deadline import Deadline
from drystone.engines.dss.coordinator import Ended, Means
from drystone.engines.dss.domain import Domain
from drystone.engines.dss.messages import COORDINATOR, Kind, Message
from drystone.engines.dss.options import DssOptions
from drystone.engines.dss.postconditions.coordinator import PostconditionCoordinator, postcondition_specs
from drystone.engines.dss.predicates.analysis import PredicateOptions
from drystone.engines.dss.predicates.interpolation import SECONDS, Interpolation
from drystone.engines.dss.preparation import Blocks
from drystone.logic import terms

_MORE_CUBES = 8  # times as many, if nothing moves and a violation is open


class PredicateCoordinator(PostconditionCoordinator):
    def __init__(self, blocks: Blocks, options: PredicateOptions, means: Means) -> None:
        super().__init__(blocks, options, means)
        self.interpolation = Interpolation(self.blocks, math.inf if means.rounds else SECONDS)
        self.max_cubes = options.max_cubes
        self._has_more_cubes = False

    def run(self, deadline: Deadline) -> Ended:
        self._has_more_cubes = False
        return super().run(deadline)

    def _note(self, message: Message) -> None:
        super()._note(message)
        for refinement in self.interpolation.note(message):
            self._send(refinement)

    def _stronger(self, open_blocks: Sequence[str]) -> Message | None:
        if refinements := self.interpolation.last_resort(open_blocks):
            for message in refinements:
                self._send(message)
            return Message(kind=Kind.START, sender=COORDINATOR)
        if self._has_more_cubes or not self.counters()["cartesian"]:
            return None
        self._has_more_cubes = True
        return self._again(_MORE_CUBES * self.max_cubes)  # the Cartesian abstraction may be what is too weak

    def counters(self) -> dict[str, int]:
        return {"cartesian": 0, **super().counters()}


def _options(options: DssOptions) -> PredicateOptions:
    return PredicateOptions(
        options.solver,
        options.seed,
        options.seconds_per_query,
        options.start,
        instantiation=options.instantiation,
        max_cubes=options.max_cubes,
    )


PREDICATES = Domain(
    PredicateOptions,
    specs=lambda blocks, options: postcondition_specs(blocks, _options(options)),
    coordinator=lambda blocks, options, means: PredicateCoordinator(blocks, _options(options), means),
    posts="postconditions",
    post=terms.disjunction,
    takes=("start", "max_cubes", "instantiation"),
)
