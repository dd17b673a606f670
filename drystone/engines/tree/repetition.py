"""Repeats a recorded run of `tree`: fresh workers, a fresh master and REFINE must do what was recorded.

The engine itself runs, on hosts whose answers arrive in the recorded order. What it tells of itself is compared with the
recording: who is told which states, what is answered, which counterexample is selected, which predicates exclude it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from drystone.base.plurals import counted
from drystone.engines.hosting import Lost
from drystone.engines.recordings import Ended
from drystone.engines.tree import recording
from drystone.engines.tree.hosted import Call, Reply, Spec, WorkerActor, name, perform
from drystone.engines.tree.log import Log, Search
from drystone.engines.tree.master import Concluded, Precision
from drystone.engines.tree.recording import Answered, Begun, Frame, Given, Joined, Refined, Selected, told

FrameT = TypeVar("FrameT")


class Differs(Exception):
    """The complete message for people."""


class Over(Exception):
    """All that was recorded has been repeated."""


class Repetition(Log):
    def __init__(self, frames: Iterable[Frame], show: Callable[[str], None] | None = None) -> None:
        """`show` gets a line for each call and each iteration."""
        self._frames, self._place = list(frames), 0
        self._show = show or (lambda line: None)
        self.calls = self.states = self.iterations = 0

    def hosts(self, count: int) -> RecordedHosts:
        return RecordedHosts(self, count)

    # what is told

    def begun(self, search: Search) -> None:
        frame = self._next(Begun, f"a search with recursion to {search.recursion}")
        self._compare("the bound on recursion", frame.recursion, search.recursion)
        self._compare("the transitions", frame.transitions, search.transitions)
        self._compare("the first predicates", frame.predicates, told(search.precision))

    def joined(self, worker: int) -> None:
        self._compare("who joins", self._next(Joined, f"worker {worker} joins").worker, worker)

    def submitted(self, call: Call) -> None:
        frame = self._next(Given, f"worker {call.worker} is told {len(call.nodes)} states")
        self._compare("who is told states", frame.worker, call.worker)
        self._compare("the iteration", frame.iteration, call.iteration)
        self._compare(f"what worker {call.worker} is told", frame.nodes, call.nodes)
        self._show(
            f"{call.number:>7}  worker {call.worker} is told {counted(len(call.nodes), 'states')} of iteration {call.iteration}"
        )

    def replied(self, reply: Reply) -> None:
        frame = self._next(Answered, f"worker {reply.worker} answers")
        if frame.found is None:  # it gave up, as time was over
            raise Over
        self._compare(f"what worker {reply.worker} has found", frame.found, reply.found)
        self.calls += 1
        self.states += len(frame.found)
        self._show(f"{reply.number:>7}  worker {reply.worker} has found {counted(len(frame.found), 'states')}")

    def lost(self, worker: int) -> None:
        self._compare("who is lost", self._next(recording.Lost, f"worker {worker} is lost").worker, worker)

    def concluded(self, concluded: Concluded) -> None:
        frame = self._next(Selected, "an iteration ends")
        transitions = concluded.way.transitions if concluded.way is not None else None
        self._compare("the counterexample", frame.transitions, transitions)
        self._compare("the tree's size by depth", frame.sizes, concluded.sizes)
        self.iterations += 1
        self._show(f"iteration {self.iterations}: {sum(frame.sizes)} states, counterexample {transitions}")
        if transitions is not None and isinstance(self._frames[self._place], Ended):  # an execution was looked for
            raise Over

    def refined(self, precision: Precision, seconds: float) -> None:
        self._compare("the predicates", self._next(Refined, "a refinement").predicates, told(precision))

    # the recording

    def arriving(self) -> list[Answered | recording.Lost]:
        """What comes next, up to where something is told again."""
        found: list[Answered | recording.Lost] = []
        for frame in self._frames[self._place :]:
            if isinstance(frame, Answered | recording.Lost):
                found.append(frame)
            elif not isinstance(frame, Selected | Refined):
                break
        if not found:
            if isinstance(self._frames[self._place], Ended):
                raise Over
            raise Differs(f"{self._where()}: all wait, where the recording goes on")
        return found

    def _next(self, kind: type[FrameT], what: str) -> FrameT:
        frame = self._frames[self._place]
        if isinstance(frame, Ended):
            raise Over
        if not isinstance(frame, kind):
            raise Differs(f"{self._where()}: {what}, where the recording has {type(frame).__name__.lower()}")
        self._place += 1
        return frame

    def _compare(self, what: str, expected: object, got: object) -> None:
        if expected != got:
            raise Differs(f"{self._where()}: {what} differs: recorded {_short(expected)}, now {_short(got)}")

    def _where(self) -> str:
        return f"iteration {self.iterations + 1}, call {self.calls + 1}"


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 200 else f"{text[:200]}…"


class RecordedHosts:
    """Workers in this process, whose answers arrive as recorded."""

    bytes = 0

    def __init__(self, repetition: Repetition, count: int) -> None:
        self.repetition, self.count, self.at_once = repetition, count, count
        self._specs: dict[int, Spec] = {}
        self._actors: dict[int, WorkerActor] = {}
        self._at: dict[int, Call] = {}

    def load(self, specs: Mapping[str, Spec], placement: Mapping[str, int]) -> None:
        self._specs, self._at = {}, {}
        for id, spec in specs.items():
            self.join(id, spec, placement[id])

    def join(self, id: str, spec: Spec, host: int) -> None:
        assert id == name(host)
        self._specs[host], self._actors[host] = spec, WorkerActor(spec)

    def submit(self, host: int, call: Call) -> None:
        self._at[host] = call

    def wait(self, seconds: float) -> list[Reply | Lost]:
        events: list[Reply | Lost] = []
        for frame in self.repetition.arriving():
            call = self._at.pop(frame.worker, None)
            if isinstance(frame, Answered):
                if call is None:
                    raise Differs(f"worker {frame.worker} answers in the recording, and was told nothing now")
                events.append(perform(self._actors[frame.worker], call))
            else:
                self._actors[frame.worker] = WorkerActor(self._specs[frame.worker])
                events.append(Lost(frame.worker, "as recorded", call))
        return events

    def close(self) -> None:
        self._actors = {}
