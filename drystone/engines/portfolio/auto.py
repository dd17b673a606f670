"""Which engines look at a program, and how much of the time each of them gets.

`auto` is a portfolio (engines/portfolio/turns.py). Executions find shallow bugs at once. What they leave open, other engines
look at in turns: summaries of blocks; the same without memory (decision 013), which large programs begin with; bounded model
checking, which decides programs whose executions are short, and begins where they seem to be (engines/portfolio/shape.py);
executions of the compiled program for bugs that lie deep; value analysis; k-induction; where there is recursion, contracts.
Without loops only bounded model checking, executions, contracts and summaries without memory are of use. If there are threads, a
search through all states begins (decision 028), and claims about pairs of them are made, at once if some are created in loops
(decision 029). With several workers, as many of them go on side by side; what is left are workers of one that has use for them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

import msgspec

from drystone.base.deadline import Deadline
from drystone.claims.certificates import InductiveCertificate
from drystone.claims.verdicts import Verdict
from drystone.engines.details import EngineTurn
from drystone.engines.obstacles import Obstacle, merged
from drystone.engines.outcome import EngineResult, Happening, Observer, Progress
from drystone.engines.portfolio.shape import LARGE, Shape, shape_of
from drystone.engines.portfolio.turns import Line, in_turns
from drystone.engines.question import Compiled, MakeSetting, Question, Settings
from drystone.engines.registry import AUTO, ENGINES, FORGETFUL
from drystone.engines.strategy import Turn
from drystone.ir.automaton import MarkKind, Program
from drystone.pipeline import Abstraction, PreparedProgram
from drystone.solvers.dump import asked_by


def check(
    engine: str,
    prepared: PreparedProgram,
    settings: Settings,
    deadline: Deadline,
    observer: Observer,
    compiled: Compiled | None = None,
    setting: MakeSetting | None = None,
    executed: Program | None = None,
    meanwhile: Callable[[], None] = lambda: None,
) -> EngineResult:
    """The result of one of `ENGINES`; it says which engine found it."""
    question = Question(prepared, settings, deadline, observer, compiled, setting, executed, meanwhile=meanwhile)
    return answer(question) if engine == AUTO else _one(engine, question)


def answer(question: Question) -> EngineResult:
    prepared, settings, deadline = question.prepared, question.settings, question.deadline
    total, began = deadline.remaining(), time.monotonic()
    if settings.strategy:
        shape = shape_of(prepared, total, Obstacle())
        result = _in_turns(question, settings.strategy, _pace(shape, deadline.remaining()))
        result = msgspec.structs.replace(result, turns=_since(began, result.turns))
        return msgspec.structs.replace(result, engine=AUTO) if result.verdict is Verdict.UNKNOWN else result
    first = _first_look(question)
    told: tuple[str, ...] = (_said(first, total - deadline.remaining()),)
    brief = EngineTurn("execute", began, time.monotonic())
    if not first.is_open:
        return msgspec.structs.replace(first, explanation=(*told, *first.explanation), turns=_since(began, [brief]))
    if settings.decomposition != Settings().decomposition:
        _try_decomposition(prepared, settings.decomposition)
    shape = shape_of(prepared, deadline.remaining(), first.obstacle)
    pace = _pace(shape, deadline.remaining())
    result = _in_turns(question, _turns(shape, pace), pace)
    counters = {**first.counters, **result.counters}
    if result.verdict is Verdict.UNKNOWN:
        result = msgspec.structs.replace(result, engine=AUTO, obstacle=merged((result.obstacle, first.obstacle)))
    explanation, turns_taken = (*told, *result.explanation), _since(began, [brief, *result.turns])
    return msgspec.structs.replace(result, counters=counters, explanation=explanation, turns=turns_taken)


def _since(began: float, turns: Iterable[EngineTurn]) -> tuple[EngineTurn, ...]:
    return tuple(EngineTurn(each.engine, each.began - began, each.ended - began) for each in turns)


def strategy(question: Question) -> tuple[EngineResult, list[Turn]]:
    """What a first look at executions finds, and who would take turns after it, without asking them."""
    first = _first_look(question)
    seconds = question.deadline.remaining()
    shape = shape_of(question.prepared, seconds, first.obstacle)
    return first, _turns(shape, _pace(shape, seconds))


def _first_look(question: Question) -> EngineResult:
    first = _one("execute", msgspec.structs.replace(question, compiled=None, is_brief=True))
    return _final_if_no_error_follows(first, question.prepared)


def _in_turns(question: Question, turns: Sequence[Turn], pace: float) -> EngineResult:
    settings = question.settings
    left = settings.workers - len(turns) + 1  # what the other engines do not need
    with_several = next((turn for turn in turns if turn.engine in _WITH_WORKERS), None) if left > 1 else None

    def line(turn: Turn) -> Line:
        workers = left if turn is with_several else 1
        given = msgspec.structs.replace(settings, **{**turn.settings, "workers": workers, "strategy": ()})
        setting = question.setting if turn is with_several else None
        own = msgspec.structs.replace(question, settings=given, setting=setting)
        work = lambda observer: _one(turn.engine, msgspec.structs.replace(own, observer=observer))  # noqa: E731
        return Line(turn.name, work, pace, turn.share, turn.after)

    lines = [line(turn) for turn in turns]
    return in_turns(lines, settings.workers, question.deadline, question.observer, settings.memory, question.meanwhile)


def _final_if_no_error_follows(first: EngineResult, prepared: PreparedProgram) -> EngineResult:
    """An execution has reached an unknown location, so there is no proof; if no way through the program leads to an error, and
    none goes on beyond a bound, there is no counterexample either."""
    from drystone.passes.inline import MAX_EDGES, TooLarge

    if first.verdict is not Verdict.UNKNOWN or first.obstacle.met is None:
        return first
    try:
        if prepared.edges_without_calls(recursion_bound=1, max_edges=MAX_EDGES) > LARGE:
            return first  # slicing takes its time
        flat = prepared.flat(recursion_bound=1, max_edges=MAX_EDGES, sliced=True)
    except TooLarge:
        return first
    marks = flat.program.procedures[flat.program.entry].marks.values()
    if any(mark.kind is MarkKind.ERROR or mark.is_bound for mark in marks):
        return first
    return msgspec.structs.replace(first, obstacle=msgspec.structs.replace(first.obstacle, is_final=True))


def _try_decomposition(prepared: PreparedProgram, kind: str) -> None:
    """What is wrong with it is told, even if another engine than `dss` is faster."""
    from drystone.blocks.registry import decomposition
    from drystone.passes.inline import MAX_EDGES, TooLarge

    with suppress(TooLarge):
        decomposition(kind)(prepared.flat(recursion_bound=1, max_edges=MAX_EDGES, sliced=True).program)


def _turns(shape: Shape, pace: float) -> list[Turn]:
    """In the order in which engines begin (decision 025)."""

    def turn(engine: str, share: float, late: float) -> Turn:
        """`late`: how many first turns others have had."""
        return Turn(engine, {}, share, late * pace)

    blocks, bmc, forgetful = turn("dss", 2.0, 0.0), turn("bmc", 1.0, 1.0), turn(FORGETFUL, 1.0, 3.0)
    if shape.is_large or shape.has_elements:
        forgetful, blocks = turn(FORGETFUL, 3.0, 0.0), turn("dss", 1.0, 1.0)
    if shape.is_bounded or not shape.has_loops:
        bmc = turn("bmc", _BOUNDED_WEIGHT, 0.0)
    turns = [bmc, *([forgetful] if shape.has_memory else [])]
    turns += [blocks, turn("k-induction", 1.0, 30.0)] if shape.has_loops else []
    if shape.has_loops and not shape.has_threads:
        turns += [turn("value", 4.0, 0.0) if shape.has_modes else turn("value", 1.0, 2.0)]
    turns += [turn("execute", 1.0, 6.0), *([turn("contracts", 1.0, 4.0)] if shape.has_contracts else [])]
    if shape.has_threads:  # others than `modular` cannot prove anything about threads that are created for ever
        turns = [turn("explicit", 4.0, 0.0), *turns, turn("modular", 2.0, 0.0 if shape.has_many_threads else 8.0)]
    return sorted(turns, key=lambda turn: turn.after)


def _pace(shape: Shape, seconds: float) -> float:
    """Seconds of a first turn: so that an engine has asked something by then, and all can begin."""
    return min(_FIRST_TURN * max(1.0, shape.edges / _SMALL), seconds / 8)


_WITH_WORKERS = ("explicit", "dss", "dcpa")
_BOUNDED_WEIGHT = 24.0  # of bounded model checking, where it is likely to come to an end
_FIRST_TURN = 0.1  # seconds, of a small program
_SMALL = 500  # edges


def _said(result: EngineResult, seconds: float) -> str:
    """One line about an engine: how long it took, and what came of it."""
    took = f"{seconds:.1f} s, " if math.isfinite(seconds) else ""  # there may be no limit to count from
    reason = result.reason or ("an error is reached" if result.verdict is Verdict.FALSE else "")
    return f"{result.engine}: {took}{result.verdict}" + (f", {reason}" if reason else "")


def _forgetful(question: Question) -> EngineResult:
    """`dss` for the program that does not know what is in memory (passes/memory_havoc.py): the properties of many large programs
    do not depend on it, and the rest is small. A proof carries over, and the check of its certificate forgets memory, too;
    an error must be found without."""
    settings = question.settings
    if settings.decomposition.startswith("import:"):  # it is one of another automaton
        settings = msgspec.structs.replace(settings, decomposition=Settings().decomposition)
    prepared = question.prepared.under(Abstraction.WITHOUT_MEMORY)
    result = _one("dss", msgspec.structs.replace(question, prepared=prepared, settings=settings, setting=None))
    if isinstance(result.certificate, InductiveCertificate):
        result = msgspec.structs.replace(result, certificate=msgspec.structs.replace(result.certificate, is_forgetful=True))
    return result


def _one(engine: str, question: Question) -> EngineResult:
    if engine == FORGETFUL:
        return msgspec.structs.replace(_forgetful(question), engine=engine)
    if engine not in ENGINES:
        raise ValueError(f"no engine {engine!r}; there are {', '.join(ENGINES)}")
    name = FORGETFUL if question.prepared.is_without_memory else engine
    with asked_by(name):
        result = ENGINES[engine].load()(msgspec.structs.replace(question, observer=_named(name, question.observer)))
    return msgspec.structs.replace(result, engine=engine)


def _named(engine: str, observer: Observer) -> Observer:
    """Tells the observer which engine makes progress."""

    def observe(event: Happening) -> None:
        observer(msgspec.structs.replace(event, engine=engine) if isinstance(event, Progress) else event)

    return observe
