"""What a run would take with more workers than there are: hosts in simulated time, and runs from a recording.

The master is the real one, and so is what workers keep to themselves; simulated is how long everything takes. A call occupies its
worker for as long as its states took, a message is on the way for its *latency*, and each state that the master tells or is told
occupies it for its *handling*. This is list scheduling: whoever is idle takes what waits, in the master's order.

From a recording, states are expanded as recorded, and refinements are those of the recording. So it must be one of predictable
selection, whose trees do not depend on who is first; states that nobody has expanded then, as they are deeper than the candidate,
take the average, and nothing follows them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from typing import Protocol

import msgspec

from drystone.base.deadline import Deadline
from drystone.engines.hosting import Lost
from drystone.engines.outcome import unobserved
from drystone.engines.tree.distribution import Distribution
from drystone.engines.tree.events import pack_reached, unpack_nodes, unpack_reached
from drystone.engines.tree.hosted import Call, Reply, Spec
from drystone.engines.tree.log import Log
from drystone.engines.tree.master import Master, Precision
from drystone.engines.tree.options import Options
from drystone.engines.tree.post import ROOT, PostOptions
from drystone.engines.tree.reach import Way
from drystone.engines.tree.recording import Answered, Begun, Frame, Given, Predicates, Refined, Selected
from drystone.engines.tree.states import Order, State
from drystone.engines.tree.worker import Worker

WORKERS = (1, 2, 4, 8, 10, 16, 20, 32, 40, 64, 128, 256)


class Costs(msgspec.Struct, frozen=True):
    """In seconds."""

    latency: float = 0.0  # of a message, on its way
    handling: float = 0.0  # of the master's time, for each state in a message


class Simulated(Protocol):
    """A worker whose time is known."""

    def perform(self, call: Call) -> Reply: ...


class SimulatedHosts:
    """Any number of hosts in this process. `chance`: how long a call takes varies, from half to one and a half of its seconds."""

    bytes = 0

    def __init__(self, count: int, worker: Callable[[int, Spec], Simulated], costs: Costs, chance: random.Random | None) -> None:
        self.count = self.at_once = count
        self.costs, self.chance = costs, chance
        self.now = self.busy = self.spent = 0.0  # busy: of all workers; spent: by the master
        self.messages = 0
        self._make = worker
        self._workers: dict[int, Simulated] = {}
        self._due: list[tuple[float, int, Reply]] = []

    def load(self, specs: Mapping[str, Spec], placement: Mapping[str, int]) -> None:
        self._workers, self._due = {}, []
        for id, spec in specs.items():
            self.join(id, spec, placement[id])

    def join(self, id: str, spec: Spec, host: int) -> None:
        self._workers[host] = self._make(host, spec)

    def submit(self, host: int, call: Call) -> None:
        self.spend(self.costs.handling * len(call.nodes))
        reply = self._workers[host].perform(call)
        seconds = reply.seconds * (0.5 + self.chance.random() if self.chance is not None else 1.0)
        self.busy += seconds
        self.messages += 1
        heappush(self._due, (self.now + 2 * self.costs.latency + seconds, call.number, reply))

    def wait(self, seconds: float) -> list[Reply | Lost]:
        time, _, reply = heappop(self._due)
        self.now = max(self.now, time)
        self.spend(self.costs.handling * len(reply.found or ()))
        self.messages += 1
        return [reply]

    def spend(self, seconds: float) -> None:
        """The master is at something else."""
        self.now += seconds
        self.spent += seconds

    def close(self) -> None:
        self._workers = {}


# from a recording


class Expanded(msgspec.Struct, frozen=True):
    seconds: float
    found: tuple[tuple[int, State], ...]


class Iteration(msgspec.Struct):
    predicates: Predicates
    expanded: dict[State, Expanded] = {}
    refining: float = 0.0  # seconds, when it was over
    is_refined: bool = False

    def average(self) -> float:
        return sum(each.seconds for each in self.expanded.values()) / len(self.expanded) if self.expanded else 0.0


def iterations(frames: Iterable[Frame]) -> Iterator[list[Iteration]]:
    """Of each search."""
    search: list[Iteration] = []
    given: dict[int, Given] = {}
    for frame in frames:
        match frame:
            case Begun():
                if search:
                    yield search
                search = [Iteration(frame.predicates)]
            case Given():
                given[frame.worker] = frame
            case Answered():
                _expand(search, given[frame.worker], frame)
            case Refined():
                search[-1].refining, search[-1].is_refined = frame.seconds, True
                search.append(Iteration(frame.predicates))
    if search:
        yield search


def _expand(search: Sequence[Iteration], given: Given, answered: Answered) -> None:
    """Its states share the time of the call evenly."""
    if not 1 <= given.iteration <= len(search):
        return
    work = unpack_nodes(given.iteration, given.nodes)
    reached = unpack_reached(answered.worker, given.iteration, answered.found or ())
    found: list[list[tuple[int, State]]] = [[] for _ in work.nodes]
    for each in reached.found:
        found[each.parent].append((each.transition, each.state))
    share = answered.seconds / len(work.nodes)
    for (state, _), following in zip(work.nodes, found, strict=True):
        search[given.iteration - 1].expanded[state] = Expanded(share, tuple(following))


class _RecordedWorker:
    """Also the abstract post of the worker that it is for."""

    def __init__(self, number: int, search: Sequence[Iteration]) -> None:
        self.search = search
        self._worker = Worker(number, ROOT, self)
        self._average = self._seconds = 0.0
        self._expanded: Mapping[State, Expanded] = {}

    def begin(self, precision: bytes) -> Order:
        """`precision`: the number of the iteration."""
        iteration = self.search[int(precision)]
        self._average, self._expanded = iteration.average(), iteration.expanded
        return order_of(iteration.predicates)

    def successors(self, state: State) -> tuple[tuple[int, State], ...]:
        known = self._expanded.get(state)
        self._seconds += known.seconds if known is not None else self._average
        return known.found if known is not None else ()

    def perform(self, call: Call) -> Reply:
        self._seconds = 0.0
        if call.predicates is not None:
            self._worker.begin(call.predicates)
        found = pack_reached(self._worker.expand(unpack_nodes(call.iteration, call.nodes)))
        return Reply(call.number, call.worker, call.iteration, found, "", 0.0, self._seconds)


def order_of(predicates: Predicates) -> Order:
    def number(data: bytes) -> int:
        return int.from_bytes(data, "little")

    return Order({place: tuple((number(a), number(b)) for a, b in clauses) for place, clauses in predicates.clauses})


class Response(msgspec.Struct, frozen=True):
    workers: int
    seconds: float
    busy: float  # of all workers together
    spent: float  # by the master, alone or while workers were busy
    messages: int


def respond(search: Sequence[Iteration], options: Options, workers: int, costs: Costs) -> Response:
    """What one search of the recording takes with so many workers."""
    hosts = SimulatedHosts(workers, lambda number, spec: _RecordedWorker(number, search), costs, None)

    def precision(number: int) -> Precision:
        return Precision(str(number).encode(), order_of(search[number].predicates))

    def refine(way: Way) -> Precision | None:
        iteration = search[master.iteration - 1]
        hosts.spend(iteration.refining)
        return precision(master.iteration) if iteration.is_refined else None

    spec = Spec(0, (), (), PostOptions())
    distribution = Distribution(hosts, lambda number: spec, Deadline(), unobserved, Log())
    master = Master(ROOT, precision(0), refine, distribution.send, options.selection, options.at_once)
    distribution.run(master)
    return Response(workers, hosts.now, hosts.busy, hosts.spent, hosts.messages)


class Spent(msgspec.Struct):
    """Processor time of a run, up to the end of its last complete iteration; and what passed between master and workers."""

    working: float = 0.0  # of all workers
    master: float = 0.0  # without refinements
    refining: float = 0.0
    calls: int = 0
    states: int = 0  # in messages, both ways
    latency: float = 0.0  # of a message, the median of those that were on the way

    def share(self) -> float:
        """The master's, of what is spent on trees."""
        return self.master / (self.master + self.working) if self.working > 0 else 0.0

    def costs(self) -> Costs:
        return Costs(self.latency, self.master / self.states if self.states else 0.0)


def spent(frames: Iterable[Frame], is_here: bool) -> Spent:
    """`is_here`: the only worker is in the process of the master."""
    given: dict[int, Given] = {}
    ways: list[float] = []
    told, complete = Spent(), Spent()
    for frame in frames:
        match frame:
            case Given():
                given[frame.worker] = frame
                told.states += len(frame.nodes)
            case Answered():
                told.calls += 1
                told.states += len(frame.found or ())
                told.working += frame.seconds
                ways.append(max(0.0, frame.time - given[frame.worker].time - frame.seconds) / 2)
            case Selected():
                told.master = frame.master_s - told.refining - (told.working if is_here else 0.0)
                complete = msgspec.structs.replace(told)
            case Refined():
                told.refining += frame.seconds
    complete.master = max(0.0, complete.master)
    complete.latency = sorted(ways)[len(ways) // 2] if ways and not is_here else 0.0
    return complete
