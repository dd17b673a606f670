"""Which engines look at a program, in which order, and for how long.

`auto` is a sequential portfolio. Executions find shallow bugs at once, and summaries of blocks prove at once what is easy. Then
bounded model checking, which decides programs whose executions are short, summaries again, executions of the compiled
program for bugs that lie deep, and last k-induction, which is bounded model checking again. Without loops nothing but
bounded model checking is of use.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import msgspec

from drystone.engines.outcome import EngineResult, Observer, Progress, Verdict, Violation
from drystone.program.automaton import Program
from drystone.solvers.deadline import Deadline

if TYPE_CHECKING:
    from drystone.engines.execute import Compiled

ENGINES = ("auto", "execute", "bmc", "k-induction", "dss")

_SHARES = (("dss", 0.04), ("bmc", 0.1), ("dss", 0.4), ("execute", 0.25), ("k-induction", 1.0))  # of the time, or what is left
_SHARES_WITHOUT_LOOPS = (("bmc", 0.6), ("execute", 0.2), ("bmc", 1.0))


class Settings(msgspec.Struct, frozen=True):
    """What a user can set, for all engines."""

    seed: int = 0
    candidates: tuple[str, ...] | None = None  # sources of candidate invariants; None: all
    decomposition: str = "loops"  # into blocks, for `dss`
    summaries: str = "lemmas"  # of blocks, for `dss`


def check(
    engine: str,
    program: Program,
    settings: Settings,
    deadline: Deadline,
    observer: Observer,
    compiled: Compiled | None = None,
) -> EngineResult:
    """The result of one of `ENGINES`; it says which engine found it. `compiled` runs the program compiled, if it may be."""
    if engine != "auto":
        return _one(engine, program, settings, deadline, observer, compiled=compiled)
    total = deadline.remaining()
    counters: dict[str, int] = {}
    result = _one("execute", program, settings, deadline.within(min(1.0, 0.05 * total)), observer, is_brief=True)
    plan: list[tuple[str, float]] = []
    if result.verdict is Verdict.UNKNOWN:
        shares = _SHARES if _has_loops(program) else _SHARES_WITHOUT_LOOPS
        plan = [(name, share * total) for name, share in shares]
    for name, seconds in plan:
        counters.update(result.counters)
        result = _one(name, program, settings, deadline.within(seconds), observer, compiled=compiled)
        if result.verdict is not Verdict.UNKNOWN or deadline.expired():
            break
    return dataclasses.replace(result, counters={**counters, **result.counters})


def _has_loops(program: Program) -> bool:
    """Are there loops that matter? (Recursion is unrolled to a bound.)"""
    from drystone.program.inline import MAX_EDGES, TooLarge
    from drystone.program.preparation import flatten
    from drystone.program.unrolling import loop_heads

    try:
        flat = flatten(program, recursion_bound=2, max_edges=MAX_EDGES, sliced=True).program
    except TooLarge:
        return True
    return bool(loop_heads(flat.procedures[flat.entry]))


def _one(
    engine: str,
    program: Program,
    settings: Settings,
    deadline: Deadline,
    observer: Observer,
    is_brief: bool = False,
    compiled: Compiled | None = None,
) -> EngineResult:
    named = _named(engine, observer)
    match engine:
        case "execute":
            from drystone.engines import execute

            run_options = execute.Options(seed=settings.seed)
            if is_brief:
                run_options = dataclasses.replace(run_options, runs=2_000, runs_without_news=300, wait_for_compiled=False)
            result = execute.check(program, run_options, deadline, named, compiled)
        case "bmc":
            from drystone.engines import bmc

            result = bmc.check(program, bmc.BmcOptions(seed=settings.seed), deadline, named)
        case "k-induction":
            from drystone.engines import induction

            options = induction.InductionOptions(seed=settings.seed, candidates=settings.candidates)
            result = induction.check(program, options, deadline, named)
        case "dss":
            from drystone.engines.dss import engine as dss

            dss_options = dss.DssOptions(
                seed=settings.seed,
                candidates=settings.candidates,
                decomposition=settings.decomposition,
                summaries=settings.summaries,
            )
            result = dss.check(program, dss_options, deadline, named)
        case _:
            raise ValueError(f"no engine {engine!r}; there are {', '.join(ENGINES)}")
    return dataclasses.replace(result, engine=engine)


def _named(engine: str, observer: Observer) -> Observer:
    """Tells the observer which engine makes progress."""

    def observe(event: Progress | Violation) -> None:
        observer(Progress(f"{engine}: {event.phase}", event.counters) if isinstance(event, Progress) else event)

    return observe
