"""Generated transition systems, explored by master and workers of the engine `tree` in simulated time.

A program in C has few transitions from each location, one after the other; the models of Lopes, Rybalchenko 2011 have thousands,
side by side. So have these: a random graph of `locations`, each with `degree` transitions, and `pairs` of variables that are
always assigned together. An error would need different values of a pair. Whoever tracks no variable believes that it can be
reached; REFINE tracks the pair that a counterexample is about. A state is a location with the values of tracked variables; what
it costs to find its successors is assumed, all else is the algorithm itself.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from drystone.base.deadline import Deadline
from drystone.engines.outcome import unobserved
from drystone.engines.tree.distribution import Distribution
from drystone.engines.tree.events import pack_reached, unpack_nodes
from drystone.engines.tree.hosted import Call, Reply, Spec
from drystone.engines.tree.log import Log
from drystone.engines.tree.master import Master, Precision
from drystone.engines.tree.options import Options
from drystone.engines.tree.post import ROOT, PostOptions
from drystone.engines.tree.reach import Way
from drystone.engines.tree.simulation import Costs, SimulatedHosts
from drystone.engines.tree.states import ERROR, Order, State
from drystone.engines.tree.worker import Worker

VALUES = 3
SECONDS = 0.001  # for a transition: measured 0.75 to 1.9 ms on tasks (`tree.py scale`)
REFINING = 0.02  # seconds for a counterexample: measured 9 to 60 ms


@dataclass(frozen=True)
class Transition:
    number: int
    target: int
    pair: int
    assigned: int | None  # to both variables; None: it is the error, if they differ


class System:
    def __init__(self, locations: int, degree: int, pairs: int, seed: int = 0) -> None:
        chance = random.Random(seed)
        self.leaving: dict[int, list[Transition]] = {-1: [Transition(0, 0, 0, 0)]}
        self.pairs = pairs
        number = 1
        for location in range(locations):
            targets = [(location + 1) % locations, *(chance.randrange(locations) for _ in range(degree - 1))]
            found = []
            for target in targets:
                found.append(Transition(number, target, chance.randrange(pairs), chance.randrange(VALUES)))
                number += 1
            self.leaving[location] = found
        for pair in range(pairs):
            self.leaving[chance.randrange(locations)].append(Transition(number, ERROR, pair, None))
            number += 1
        self.pair_of = {each.number: each.pair for found in self.leaving.values() for each in found}


class Explorer:
    """A worker, and its abstract post."""

    def __init__(self, number: int, system: System) -> None:
        self.system, self.seconds = system, 0.0
        self.tracked: tuple[int, ...] = ()
        self._worker = Worker(number, ROOT, self)

    def begin(self, precision: bytes) -> Order:
        self.tracked = tuple(precision)
        return Order()

    def successors(self, state: State) -> Iterator[tuple[int, State]]:
        values = state.bits[0]
        for each in self.system.leaving[state.location]:
            self.seconds += SECONDS * (0.5 + random.Random(hash((values, each.number))).random())
            place = self.tracked.index(each.pair) if each.pair in self.tracked else None
            if each.assigned is None:
                if place is None:
                    yield each.number, State(ERROR)
            elif place is None:
                yield each.number, State(each.target, (values,))
            else:
                rest = values - (values // VALUES**place % VALUES) * VALUES**place
                yield each.number, State(each.target, (rest + each.assigned * VALUES**place,))

    def perform(self, call: Call) -> Reply:
        self.seconds = 0.0
        if call.predicates is not None:
            self._worker.begin(call.predicates)
        found = pack_reached(self._worker.expand(unpack_nodes(call.iteration, call.nodes)))
        return Reply(call.number, call.worker, call.iteration, found, "", 0.0, self.seconds)


def explored(system: System, workers: int, costs: Costs) -> tuple[SimulatedHosts, Master]:
    hosts = SimulatedHosts(workers, lambda number, spec: Explorer(number, system), costs, None)
    tracked: list[int] = []

    def refine(way: Way) -> Precision:
        hosts.spend(REFINING)
        tracked.append(system.pair_of[way.transitions[-1]])
        return Precision(bytes(tracked), Order())

    spec = Spec(0, (), (), PostOptions())
    distribution = Distribution(hosts, lambda number: spec, Deadline(), unobserved, Log())
    options = Options()
    master = Master(ROOT, Precision(b"", Order()), refine, distribution.send, options.selection, options.at_once)
    distribution.run(master)
    return hosts, master
