"""The product of the threads' automata: an ordinary program of one procedure, in which the schedule is an input.

A location stands for where each thread is, which one runs, and how many atomic sections it is in. The one that runs goes on
until it comes to an edge that others may notice, if it has taken one already; then the schedule chooses. Why no error is lost:

* Edges that nobody notices commute with all edges of other threads, so they may as well be taken at once. A cycle of such edges
  never ends: the schedule chooses there, too.
* A thread that ends the process, fails an assumption or waits for ever outside of an atomic section is one that is never chosen
  again: until then, others may have reached the error. Inside of one, nobody else runs any more, and the path ends.
* Where a thread is chosen that has to wait, the path ends: at the location before, the schedule can choose another one.

A `Skip` that names the thread stands before each edge before which the interpreter chooses (`ir.thread_steps`), so that an
execution shows its schedule (`threads.schedules`).
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from drystone.ir import names
from drystone.ir.automaton import NOWHERE, Edge, Frame, Mark, MarkKind, Origin, Procedure, Program, Unmodelled
from drystone.ir.expressions import FALSE, TRUE, Expression, Input, InputKind, Variable, apply, constant
from drystone.ir.operations import Assign, Assume, Operation, Skip, ThreadAction, ThreadOperation
from drystone.ir.simplify import negate
from drystone.ir.thread_steps import is_step
from drystone.logic.sorts import BOOL, BitVec, bitvec
from drystone.passes.inline import TooLarge
from drystone.threads.instances import MAIN, Instance, Instances
from drystone.threads.joins import known_joins
from drystone.threads.races import Races
from drystone.threads.schedules import created_note, step_note
from drystone.threads.sharing import Sharing, begun, leaving, returned

NOT_CREATED, ENDED, _STOPPED = -1, -2, -3  # instead of a location; who has stopped cannot be waited for
_NOBODY = -1
_SCHEDULE = Variable(names.own("schedule"), bitvec(8))


class _State(NamedTuple):
    places: tuple[int, ...]  # per thread
    runner: int = _NOBODY
    depth: int = 0  # atomic sections that the runner is in
    is_noticed: bool = False  # has the runner taken an edge that others may notice since it was chosen?


def product(program: Program, *, recursion_bound: int, max_edges: int) -> Program:
    """The program with threads as one procedure without. At most `recursion_bound` threads are created in one place; the next
    one is an unknown location. Raises `TooLarge`."""
    return _Product(Instances(program, recursion_bound, max_edges), max_edges).program()


class Control(msgspec.Struct, frozen=True):
    """What the locations of the product stand for: those that are not named lie between these. Who is not there has a negative
    place, `NOT_CREATED` if it may still come."""

    places: dict[int, tuple[int, ...]]  # per location: where each thread is
    runners: dict[int, int]  # per location at which one goes on; at others, the schedule chooses
    threads: list[Instance]
    locations: int


def control(program: Program, *, recursion_bound: int, max_edges: int) -> Control:
    """Of the product with these bounds."""
    made = _Product(Instances(program, recursion_bound, max_edges), max_edges)
    made.program()
    places = {location: state.places for state, location in made.locations.items()}
    runners = {location: state.runner for state, location in made.locations.items() if state.runner != _NOBODY}
    return Control(places, runners, made.threads, len(made.frame_of))


class _Product:
    def __init__(self, instances: Instances, max_edges: int) -> None:
        self.instances, self.threads, self.max_edges = instances, instances.threads, max_edges
        self.flat = instances.flat
        self.sharing = Sharing(instances)
        self.joined = known_joins(instances, self.sharing)
        self.race = instances.program.data_race
        self.races = Races(instances, self.sharing) if self.race is not None else None
        self.noticed = [self._noticed(each) for each in self.threads]
        seen = frozenset(self.flat.variables) - self.flat.thread_locals
        self.steps = [_steps(each, seen) for each in self.threads]
        self.cuts = [_cuts(each, noticed) for each, noticed in zip(self.threads, self.noticed, strict=True)]
        self.edges: list[Edge] = []
        self.marks: dict[int, Mark] = {}
        self.frames: list[Frame] = []
        self.frame_of: list[int] = []
        self.first_frame: list[int] = []
        for each in self.threads:
            self.first_frame.append(len(self.frames))
            self.frames += [_moved(frame, self.first_frame[-1]) for frame in each.automaton.frames]
        self.locations: dict[_State, int] = {}
        self.waiting: list[_State] = []

    def program(self) -> Program:
        main = self.threads[MAIN].automaton
        places = [NOT_CREATED] * len(self.threads)
        places[MAIN] = main.entry
        entry = self._location(_State(tuple(places), MAIN))
        while self.waiting:
            state = self.waiting.pop()
            if state.runner == _NOBODY:
                self._choose(state, self.locations[state])
            else:
                self._run(state, self.locations[state])
        exit_ = self._new(MAIN, main.exit)
        variables, objects = {_SCHEDULE.name: _SCHEDULE}, dict(main.objects)
        for each in self.threads:
            variables |= each.automaton.variables
            objects |= each.automaton.objects
        whole = Procedure(
            name=main.name,
            parameters=main.parameters,
            result=main.result,
            variables=variables,
            objects=objects,
            entry=entry,
            exit=exit_,
            edges=self.edges,
            marks=self.marks,
            locations=len(self.frame_of),
            frames=self.frames,
            frame_of=self.frame_of,
            origin=main.origin,
        )
        procedures = {self.flat.entry: whole}
        return msgspec.structs.replace(self.flat, procedures=procedures, approximations=self.instances.approximations)

    # locations and edges

    def _new(self, runner: int, place: int) -> int:
        """A location in the frame of the thread that runs."""
        own = self.threads[runner].automaton.frame_of
        self.frame_of.append(self.first_frame[runner] + (own[place] if own is not None and place >= 0 else 0))
        return len(self.frame_of) - 1

    def _location(self, state: _State) -> int:
        state = self._settled(state)
        known = self.locations.get(state)
        if known is None:
            runner = max(state.runner, MAIN)
            known = self.locations[state] = self._new(runner, state.places[runner])
            self.waiting.append(state)
        return known

    def _settled(self, state: _State) -> _State:
        """Without a runner that cannot go on, or has to let the schedule choose."""
        places, runner, depth, is_noticed = state
        if runner == _NOBODY or depth:
            return state
        thread, place = self.threads[runner], places[runner]
        if place < 0:
            return _State(places)
        mark = thread.automaton.marks.get(place)
        if mark is not None:
            return _at(state, _STOPPED, _NOBODY) if mark.kind is MarkKind.HALT else state
        if place == thread.automaton.exit:
            return _at(state, _STOPPED if runner == MAIN else ENDED, _NOBODY)  # with main, the process ends
        if not thread.outgoing[place]:
            return _at(state, _STOPPED, _NOBODY)
        return _State(places) if is_noticed and self.noticed[runner][place] and not _is_alone(state) else state

    def _edge(self, source: int, target: int, operation: Operation, origin: Origin = NOWHERE) -> None:
        self.edges.append(Edge(source, target, operation, origin))
        if len(self.edges) > self.max_edges:
            raise TooLarge(self.threads[-1].ancestors[-1], self.max_edges)

    def _then(self, runner: int, place: int, source: int, operation: Operation, origin: Origin = NOWHERE) -> int:
        """An edge to a new location, which is returned."""
        target = self._new(runner, place)
        self._edge(source, target, operation, origin)
        return target

    def _stop(self, location: int, kind: MarkKind, what: str, origin: Origin, name: str = "", is_bound: bool = False) -> None:
        self.marks[location] = Mark(kind, what, origin, is_bound=is_bound, unmodelled=Unmodelled.THREADS, name=name)

    # the schedule

    def _choose(self, state: _State, location: int) -> None:
        alive = [number for number, place in enumerate(state.places) if place >= 0]
        if not alive:
            self._stop(location, MarkKind.HALT, "no thread can go on", NOWHERE)
            return
        if len(alive) > 1:
            chosen = Input(location, _SCHEDULE.sort, InputKind.SCHEDULE, "thread")
            location = self._then(alive[0], -1, location, Assign(_SCHEDULE, chosen))
        for number in alive[:-1]:
            is_it = apply("=", BOOL, _SCHEDULE, constant(8, number))
            self._edge(location, self._location(_State(state.places, number)), Assume(is_it))
            location = self._then(number, -1, location, Assume(apply("not", BOOL, is_it)))
        self._edge(location, self._location(_State(state.places, alive[-1])), Skip("the only one"))

    # steps

    def _run(self, state: _State, location: int) -> None:
        places, runner, depth, _ = state
        thread, place = self.threads[runner], places[runner]
        mark = thread.automaton.marks.get(place)
        if mark is not None:
            self.marks[location] = mark
            return
        if depth and (place == thread.automaton.exit or not thread.outgoing[place]):
            self._stop(location, MarkKind.UNKNOWN, "a thread ends in an atomic section", NOWHERE)
            return
        outgoing = thread.outgoing[place]
        is_shown = not depth and sum(each != NOT_CREATED for each in places) > 1 and self._is_step(runner, place)
        if is_shown:
            location = self._then(runner, place, location, Skip(step_note(runner)))
        first = outgoing[0]
        without_race = self._without_race(state, location)
        if without_race is None:
            return
        location = without_race
        if isinstance(first.operation, ThreadOperation):
            self._operate(state, location, first, first.operation)
            return
        if not depth and not _is_alone(state) and not self._is_one_access(outgoing):
            what = "an access to shared memory in several steps"
            self._stop(location, MarkKind.UNKNOWN, what, first.origin)
            return
        is_noticed = self._is_noticed(state, place)
        for edge in outgoing:
            if edge.operation == Assume(FALSE) and len(outgoing) == 2:
                continue  # known when parameters became constants; then the other branch is always taken
            is_cut = not depth and (edge.source, edge.target) in self.cuts[runner]
            following = _at(state, edge.target, _NOBODY if is_cut else runner, is_noticed)
            self._edge(location, self._location(following), edge.operation, edge.origin)
        if isinstance(first.operation, Assume) and len(outgoing) == 1 and not depth and not _is_alone(state):
            fails = Assume(negate(first.operation.condition))  # others may go on
            self._edge(location, self._location(_at(state, _STOPPED, _NOBODY)), fails, first.origin)

    def _without_race(self, state: _State, location: int) -> int | None:
        """Where the runner goes on if its next step does not race with another thread's; None if it does, whatever the values."""
        if self.race is None or self.races is None:
            return location
        place, origin = state.places[state.runner], self.threads[state.runner].outgoing[state.places[state.runner]][0].origin
        condition = self.races.condition(state.places, state.runner, state.depth > 0)
        if condition == FALSE:
            return location
        if condition == TRUE:
            self.marks[location] = self.race
            return None
        self.marks[self._then(state.runner, place, location, Assume(condition), origin)] = self.race
        return self._then(state.runner, place, location, Assume(negate(condition)), origin)

    def _is_one_access(self, outgoing: list[Edge]) -> bool:
        """Can nothing come in between? What would is a data race, where that is the error (`threads.races`)."""
        return self.races is not None or all(self.sharing.is_one_access(edge.operation) for edge in outgoing)

    def _is_noticed(self, state: _State, place: int) -> bool:
        """After an edge at this place. Where data races are looked for, the next one that is noticed is always seen by others."""
        return state.is_noticed or self.races is not None or self.noticed[state.runner][place]

    def _is_step(self, runner: int, place: int) -> bool:
        """Does the interpreter choose a thread here? Also where one begins: it may end without any other step."""
        return self.steps[runner][place] or (runner != MAIN and place == self.threads[runner].automaton.entry)

    def _operate(self, state: _State, location: int, edge: Edge, operation: ThreadOperation) -> None:
        _, runner, depth, _ = state
        following = _at(state, edge.target, runner, self._is_noticed(state, edge.source))
        step: Operation = Skip(operation.name)
        if not depth and not _is_alone(state) and not self.sharing.is_one_access(operation):
            self._stop(location, MarkKind.UNKNOWN, "an access to shared memory in several steps", edge.origin)
            return
        match operation.action:
            case ThreadAction.CREATE:
                self._create(following, location, edge, operation)
                return
            case ThreadAction.JOIN:
                self._join(following, location, edge, operation)
                return
            case ThreadAction.EXIT if not depth:
                step = leaving(self.threads[runner], operation) or step
                following = _at(state, ENDED, _NOBODY)
            case ThreadAction.SELF if operation.result is not None:
                step = Assign(operation.result, _identifier(runner, operation.result))
            case ThreadAction.WAKES if operation.result is not None:
                step = Assign(operation.result, Input(0, BOOL, InputKind.CHOICE, operation.name))
            case ThreadAction.BEGIN:
                following = following._replace(depth=depth + 1)
            case ThreadAction.END if depth:
                following = following._replace(depth=depth - 1)
            case _:
                what = f"thread operation {operation.name}"
                self._stop(location, MarkKind.UNKNOWN, what, edge.origin, operation.name)
                return
        self._edge(location, self._location(following), step, edge.origin)

    def _create(self, state: _State, location: int, edge: Edge, operation: ThreadOperation) -> None:
        """The next thread of this place that there is not yet."""
        candidates = self.threads[state.runner].creates[edge.source]
        created = next((number for number in candidates if state.places[number] == NOT_CREATED), None)
        if created is None:
            what = f"more than {len(candidates)} threads that are created here"
            self._stop(location, MarkKind.UNKNOWN, what, edge.origin, operation.name, is_bound=True)
            return
        new = self.threads[created]
        steps: list[Operation] = [Skip(created_note(created)), *begun(new, operation)]
        if operation.result is not None:
            steps.append(Assign(operation.result, _identifier(created, operation.result)))
        for step in steps[:-1]:
            location = self._then(state.runner, edge.source, location, step, edge.origin)
        places = list(state.places)
        places[created] = new.automaton.entry
        self._edge(location, self._location(state._replace(places=tuple(places))), steps[-1], edge.origin)

    def _join(self, state: _State, location: int, edge: Edge, operation: ThreadOperation) -> None:
        """A branch for each thread that there is, unless it is known which one is meant."""
        (given,) = operation.arguments
        runner = state.runner
        meant = self.joined.get((runner, edge.source))
        if meant is not None and state.places[meant] != NOT_CREATED:
            self._wait(state, location, edge, operation, meant)
            return
        for number, place in enumerate(state.places):
            if place == NOT_CREATED or number == runner:
                continue
            is_it = apply("=", BOOL, given, _identifier(number, given))
            it = self._then(runner, edge.source, location, Assume(is_it), edge.origin)
            location = self._then(runner, edge.source, location, Assume(apply("not", BOOL, is_it)), edge.origin)
            self._wait(state, it, edge, operation, number)
        self._stop(location, MarkKind.UNKNOWN, "waiting for a thread that there is not", edge.origin, operation.name)

    def _wait(self, state: _State, location: int, edge: Edge, operation: ThreadOperation, number: int) -> None:
        """For this thread."""
        if state.places[number] == ENDED:
            step = returned(self.threads[number], operation.result) or Skip(operation.name)
            self._edge(location, self._location(state), step, edge.origin)
        else:
            self._stop(location, MarkKind.HALT, "waits for a thread", edge.origin)

    def _noticed(self, thread: Instance) -> list[bool]:
        """Per location: may others notice when its edges are taken?"""
        return [any(self.sharing.is_noticed(edge.operation) for edge in edges) for edges in thread.outgoing]


def _at(state: _State, place: int, runner: int, is_noticed: bool = False) -> _State:
    """The runner is somewhere else now."""
    places = (*state.places[: state.runner], place, *state.places[state.runner + 1 :])
    return _State(places) if runner == _NOBODY else _State(places, runner, state.depth, is_noticed)


def _is_alone(state: _State) -> bool:
    """Is the runner the only thread that can go on?"""
    return all(place < 0 for number, place in enumerate(state.places) if number != state.runner)


def _identifier(number: int, like: Expression) -> Expression:
    assert isinstance(like.sort, BitVec)
    return constant(like.sort.width, number + 1)


def _moved(frame: Frame, by: int) -> Frame:
    return msgspec.structs.replace(frame, parent=frame.parent + by if frame.parent >= 0 else frame.parent)


def _steps(thread: Instance, globals_: frozenset[str]) -> list[bool]:
    """Per location: does the interpreter choose a thread before its edges?"""
    return [any(is_step(edge.operation, globals_) for edge in edges) for edges in thread.outgoing]


def _cuts(thread: Instance, noticed: list[bool]) -> set[tuple[int, int]]:
    """Edges that close a cycle of edges that nobody notices: sources and targets."""
    cuts: set[tuple[int, int]] = set()
    done: set[int] = set()
    for root in range(thread.automaton.locations):
        if root in done or noticed[root]:
            continue
        path, open_ = [(root, iter(thread.outgoing[root]))], {root}
        while path:
            location, edges = path[-1]
            edge = next(edges, None)
            if edge is None:
                path.pop()
                open_.discard(location)
                done.add(location)
            elif edge.target in open_:
                cuts.add((edge.source, edge.target))
            elif edge.target not in done and not noticed[edge.target]:
                open_.add(edge.target)
                path.append((edge.target, iter(thread.outgoing[edge.target])))
    return cuts
