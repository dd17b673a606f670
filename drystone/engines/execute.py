"""Executes the program on many inputs and looks whether the error is reached. Finds shallow bugs at once; proves only
programs in which nothing that is chosen decides anything, so that all runs are one.

Runs come in rounds. Each round repeats the schedule of styles (`engines.input_styles`) with new seeds and a greater step
limit, so that short executions are tried first and long ones still get their turn. A run that reaches an
error without undefined behaviour is preferred; one that relies on it is kept in case nothing better is found.

The compiled program, where it can be had, is run on thousands of inputs beside (`Suggestions`); what reaches the error there is
run here, and counts only if it does so here, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.plurals import counted
from drystone.claims.certificates import SingleExecution
from drystone.claims.property import error_marks, unknown_marks
from drystone.claims.verdicts import Verdict
from drystone.concrete.interpreter import Event, InputSource, Interpreter, Outcome, ZeroInputs
from drystone.engines.input_styles import FIRST, STYLES, Constants, StyledInputs, SuggestedInputs
from drystone.engines.obstacles import Met, Obstacle, UndefinedSeen
from drystone.engines.outcome import EngineResult, ErrorVerdict, Observer, Progress, Violation, combined
from drystone.engines.question import Compiled, Question, Suggestions
from drystone.ir.automaton import NOWHERE, Mark, MarkKind, Origin, Program
from drystone.ir.expressions import APPROXIMATED, Determinant, InputKind

_BRIEF_STEPS = 5_000  # of a first look, at least
_BRIEF_SECONDS, _QUIET_SECONDS = 0.05, 0.003  # of a first look, and of a part of it that brings nothing new
_LONG = 30_000  # steps: a run of so many is worth two short ones
_STEPS_PER_SECOND = 1_000_000  # of a run that is worth its time, at least


class Options(msgspec.Struct, frozen=True):
    seed: int = 0
    """Another seed, other runs."""
    runs: int = 20_000
    """At most so many."""
    runs_without_news: int | None = None
    """Stop after so many in a row that ended like earlier ones, at the same place and after about as many steps; None: go on."""
    seconds_without_news: float = math.inf
    """Stop after so many seconds of these."""
    least_steps: int = 0
    """No time stops it before so many steps, so that what is found at once is found on a busy machine, too."""
    steps: tuple[int, ...] = (3_000, 30_000, 300_000, 1_000_000)
    """Step limits of the rounds; the last one stays."""
    most_steps: int = 3_000_000
    """Step limit of a run that need not be repeated."""
    runs_after_error: int = 30
    """How many more runs look for further errors, and for a run without undefined behaviour, once an error was reached."""

    follow_seconds: float | None = None
    """How long the run may be followed that may be all there is; None: until the deadline."""

    compile_after: float = 0.3
    """Seconds of interpreted runs before the program is compiled: simple errors need no compiler."""
    wait_for_compiled: bool = True
    """Go on after the last interpreted run, until the deadline, while the compiled program is looking."""


def answer(question: Question) -> EngineResult:
    settings, deadline = question.settings, question.deadline
    options = Options(seed=settings.seed)
    if question.is_brief:
        patience = min(8.0, 0.4 * deadline.remaining())  # where nothing is read, the run is likely to be all there is
        deadline = deadline.within(min(_BRIEF_SECONDS, 0.05 * deadline.remaining()))
        options = Options(
            settings.seed,
            runs=2_000,
            runs_without_news=300,
            seconds_without_news=_QUIET_SECONDS,
            least_steps=_BRIEF_STEPS,
            follow_seconds=patience,
            wait_for_compiled=False,
        )
    program = question.executed or question.program
    return check(program, options, deadline, question.observer, question.compiled, question.program)


def check(
    program: Program,
    options: Options,
    deadline: Deadline,
    observer: Observer,
    compiled: Compiled | None = None,
    proved: Program | None = None,
) -> EngineResult:
    """FALSE with inputs, or UNKNOWN; TRUE only if all executions are one (`concrete.determinism`). `proved`: the
    program as a proof reads it, if that is another reading."""
    constants = Constants(program)
    suggestions = compiled(constants) if compiled is not None else None
    try:
        return _check(program, options, deadline, observer, constants, suggestions, proved or program)
    finally:
        if suggestions is not None:
            suggestions.close()


def _check(
    program: Program,
    options: Options,
    deadline: Deadline,
    observer: Observer,
    constants: Constants,
    suggestions: Suggestions | None,
    proved: Program,
) -> EngineResult:
    runs, settled = _Runs(program, deadline, observer, suggestions, options.steps[-1]), _Settled(options)
    search = runs.search
    observer(Progress("runs"))
    left, alone, is_over = options.runs_after_error, deadline.within(options.compile_after), False
    is_followed, quiet = False, deadline
    for number, (style, max_steps) in enumerate(_schedule(options)):
        may_stop = search.steps >= options.least_steps
        if (deadline.expired() and may_stop) or search.is_complete() or left <= 0:
            break
        if suggestions is not None and alone.expired():
            alone = Deadline()  # once
            suggestions.start()
        runs.run_suggested()
        zero_memory = style != "random" and number % 8 != 7
        limit = settled.limit_of(zero_memory, max_steps)
        if limit == 0:
            continue
        if limit > options.steps[0]:
            limit = max(options.steps[0], runs.affordable(limit, quiet))
        outcome = runs.run(StyledInputs(constants, options.seed * 1_000_003 + number, style, zero_memory=zero_memory), limit)
        settled.learn(zero_memory, outcome)
        if search.found:
            left -= 1 + outcome.steps // _LONG
        if search.without_news == 0:
            quiet = deadline.within(options.seconds_without_news)
        elif (quiet.expired() and may_stop) or search.without_news >= (options.runs_without_news or math.inf):
            break
        if number % 16 == 0:
            observer(Progress("runs", search.counters()))
        if outcome.steps == 0 and outcome.kind == "limit":
            return combined(search.verdicts(), outcome.what, search.counters(), search.obstacle())  # nothing can be run
        if not is_followed and not program.has_threads and _is_worth_following(outcome, options):
            is_followed = True
            steps = _follow(proved, outcome, options, runs, constants)
            if steps is not None:
                return _proved(search, steps)
        if not outcome.inputs and (outcome.kind != "limit" or limit >= options.most_steps):
            is_over = True  # every run is this one
            break
    while options.wait_for_compiled and not is_over and not search.found and not deadline.expired():
        if suggestions is None or not suggestions.is_running():
            break
        runs.run_suggested(min(0.2, deadline.remaining()))
    return combined(search.verdicts(), search.summary(), search.counters(), search.obstacle())


def _is_worth_following(outcome: Outcome, options: Options) -> bool:
    """May it be all that the program can do? A run that did not end is followed only if there is a limit of time for that."""
    is_long = outcome.kind == "limit" and options.follow_seconds is not None
    return (is_long or outcome.kind in ("returned", "halt", "blocked")) and _may_be_all(outcome)


def _follow(proved: Program, outcome: Outcome, options: Options, runs: _Runs, constants: Constants) -> int | None:
    """The steps of the only execution, if there is only one and it reaches no error."""
    from drystone.concrete.determinism import MOST_FOLLOWED, follow  # most programs have inputs

    patience = runs.deadline if options.follow_seconds is None else Deadline.after(options.follow_seconds)
    most = MOST_FOLLOWED if outcome.kind == "limit" else min(4 * outcome.steps + 1_000, MOST_FOLLOWED)
    followed = follow(proved, most, patience.expired)
    if not followed.problem:
        return followed.steps
    if outcome.kind == "limit":  # nothing is read but memory: there is little to vary, and short runs have shown nothing
        other = StyledInputs(constants, options.seed, "random", zero_memory=False)
        for inputs in (ZeroInputs(), other):
            most = min(options.most_steps, int(_STEPS_PER_SECOND * min(patience.remaining(), 3600)))
            if followed.is_error:
                most = 4 * followed.steps + 1_000
            if not runs.search.found:
                runs.run(inputs, most, is_worth_it=True)
    return None


def _may_be_all(outcome: Outcome) -> bool:
    """Was nothing read from the outside but the arguments of the entry, and what functions of the library determine?"""
    return all(
        entry.kind in _NOT_CHOSEN
        or entry.origin == NOWHERE
        or entry.determinant is Determinant.ARGUMENT
        or entry.determinant in APPROXIMATED
        for entry in outcome.inputs
    )


def _proved(search: _Search, steps: int) -> EngineResult:
    errors = tuple(ErrorVerdict(each.error, Verdict.TRUE) for each in search.verdicts())
    reason = f"the program has a single execution, which ends after {counted(steps, 'edges')}"
    return EngineResult(Verdict.TRUE, reason, counters=search.counters(), errors=errors, certificate=SingleExecution(steps))


def _schedule(options: Options) -> Iterator[tuple[str, int]]:
    """Style and step limit of each run."""
    count = 0
    for round_ in range(options.runs):
        max_steps = options.steps[min(round_, len(options.steps) - 1)]
        for style in (*FIRST, *STYLES * 2) if round_ == 0 else STYLES * 2:
            yield style, max_steps
            count += 1
            if count >= options.runs:
                return


class _Settled:
    """The run with zeros in all memory, when it reads nothing else that could be chosen: once is enough."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.steps = 0  # so far it has been followed
        self.is_one = True

    def limit_of(self, zero_memory: bool, max_steps: int) -> int:
        """The step limit of the next run; 0 if it would repeat one."""
        if not zero_memory or not self.is_one or self.steps < max_steps:
            return max_steps
        last = max_steps >= self.options.steps[-1] and self.steps < self.options.most_steps
        return self.options.most_steps if last else 0

    def learn(self, zero_memory: bool, outcome: Outcome) -> None:
        if zero_memory and self.is_one:
            self.is_one = all(entry.kind in _NOT_CHOSEN or isinstance(entry.value, bytes) for entry in outcome.inputs)
            self.steps = max(self.steps, outcome.steps if outcome.kind == "limit" else self.options.most_steps)


_MOST_UNDEFINED = 100  # places: more help nobody
_NOT_CHOSEN = frozenset((InputKind.UNINITIALISED, InputKind.UNDEFINED))


class _Pace:
    """How fast runs are here, so that none is begun that would outlast the deadline: a run is not interrupted."""

    def __init__(self) -> None:
        self.steps, self.seconds = 20_000.0, 0.1

    @property
    def steps_per_second(self) -> float:
        return self.steps / self.seconds

    def learn(self, steps: int, seconds: float) -> None:
        if seconds == seconds and seconds > 0:  # without a deadline, infinity less infinity
            self.steps, self.seconds = self.steps + steps, self.seconds + seconds


class _Runs:
    """Runs the program, as far as the deadline allows, and learns from it."""

    def __init__(
        self, program: Program, deadline: Deadline, observer: Observer, suggestions: Suggestions | None, steps_suggested: int
    ) -> None:
        self.search = _Search(program)
        self.deadline = deadline
        self._interpreter = Interpreter(program)
        self._pace = _Pace()
        self._observer = observer
        self._suggestions = suggestions
        self._steps_suggested = steps_suggested  # the most that inputs are tried for that the compiled program suggests

    def run(self, inputs: InputSource, max_steps: int, is_worth_it: bool = False) -> Outcome:
        before = self.deadline.remaining()
        outcome = self._interpreter.run(inputs, max_steps=max_steps if is_worth_it else self.affordable(max_steps, self.deadline))
        self._pace.learn(outcome.steps, before - self.deadline.remaining())
        if self.search.learn(outcome):
            self._observer(Violation(self.search.mark_of(outcome), outcome.inputs))
        for event in self.search.new_undefined(outcome):
            self._observer(UndefinedSeen(event.what, event.origin, event.calls))
        return outcome

    def affordable(self, max_steps: int, deadline: Deadline) -> int:
        """Steps until then, no more than these."""
        return min(max_steps, 1_000 + int(min(deadline.remaining(), 3600) * self._pace.steps_per_second / 2))

    def run_suggested(self, seconds: float = 0.0) -> None:
        """With the inputs that the compiled program suggests, if it does within so many seconds."""
        suggested = self._suggestions.take(seconds) if self._suggestions is not None else None
        if suggested is not None:
            self.search.suggested += 1
            self.run(SuggestedInputs(suggested), self._steps_suggested)


class _Search:
    """What the runs have shown so far."""

    def __init__(self, program: Program) -> None:
        self.marks = error_marks(program)
        self.known: dict[tuple[str, Origin], Mark] = {(mark.what, mark.origin): mark for mark in self.marks}
        self.found: dict[Mark, Outcome] = {}
        self.runs = self.steps = self.suggested = self.longest = 0
        self.ends: dict[str, int] = {}
        self.seen: set[tuple[str, Origin, int]] = set()
        self.without_news = 0
        self.unknowns = {(mark.what, mark.origin): mark for mark in unknown_marks(program)}
        self.met: dict[tuple[str, Origin], Met] = {}
        self.undefined: set[tuple[str, Origin]] = set()

    def mark_of(self, outcome: Outcome) -> Mark:
        return self.known.get((outcome.what, outcome.origin)) or Mark(MarkKind.ERROR, outcome.what, outcome.origin)

    def learn(self, outcome: Outcome) -> bool:
        """Does this run show a violation, or a better one?"""
        self.runs += 1
        self.steps += outcome.steps
        self.longest = max(self.longest, outcome.steps)
        self.ends[outcome.kind] = self.ends.get(outcome.kind, 0) + 1
        length = outcome.steps.bit_length() if outcome.kind != "limit" else 0  # of that, others decide
        end = (outcome.kind, outcome.origin, length)
        self.without_news = self.without_news + 1 if end in self.seen else 0
        self.seen.add(end)
        if outcome.kind == "unknown":
            place = (outcome.what, outcome.origin)
            mark = self.unknowns.get(place) or Mark(MarkKind.UNKNOWN, *place)
            self.met.setdefault(place, Met(mark, outcome.calls, is_confirmed=True))
        if outcome.kind != "error":
            return False
        mark = self.mark_of(outcome)
        before = self.found.get(mark)
        if before is not None and _merit(before) <= _merit(outcome):
            return False
        self.found[mark] = outcome
        return True

    def new_undefined(self, outcome: Outcome) -> Iterator[Event]:
        """The undefined behaviour of a run that was not seen before."""
        for event in outcome.undefined:
            place = (event.what, event.origin)
            if event.is_certain and place not in self.undefined and len(self.undefined) < _MOST_UNDEFINED:
                self.undefined.add(place)
                yield event

    def obstacle(self) -> Obstacle:
        met, is_cut_off = next(iter(self.met.values()), None), "limit" in self.ends
        return Obstacle(met, runs=self.runs, longest=None if is_cut_off or not self.runs else self.longest)

    def is_complete(self) -> bool:
        """Every error is reached, by a run without undefined behaviour."""
        return len(self.found) >= len(self.marks) and all(_merit(outcome)[0] == 0 for outcome in self.found.values())

    def verdicts(self) -> tuple[ErrorVerdict, ...]:
        """The best runs first: the first violation is the one that is told in full."""
        violated = sorted(self.found.items(), key=lambda item: _merit(item[1]))
        others = [ErrorVerdict(mark, Verdict.UNKNOWN) for mark in self.marks if mark not in self.found]
        return (*(ErrorVerdict(mark, Verdict.FALSE, outcome.inputs) for mark, outcome in violated), *others)

    def counters(self) -> dict[str, int]:
        return {"runs": self.runs, "edges": self.steps} | ({"suggested": self.suggested} if self.suggested else {})

    def summary(self) -> str:
        how = ", ".join(
            f"{count} {_ENDS.get(kind, kind)}" for kind, count in sorted(self.ends.items(), key=lambda item: -item[1])
        )
        if not self.runs:
            return "there was no time for an execution"
        return f"{counted(self.runs, 'executions')} did not reach the error ({how})"


_ENDS = {
    "returned": "returned",
    "halt": "ended by exit, abort or a failed assumption",
    "blocked": "ended by a failed assumption",
    "limit": "reached the limit of edges",
    "crash": "crashed",
    "unknown": "reached something that is not modelled",
}


def _merit(outcome: Outcome) -> tuple[int, int]:
    """Less is better: undefined behaviour, then length."""
    return len(outcome.undefined), outcome.steps
