"""Which engines look at a program, and how much of the time each of them gets.

`auto` is a portfolio (engines/portfolio.py). Executions find shallow bugs at once. What they leave open, other engines look at in
turns: summaries of blocks; the same without memory (decision 013), which large programs begin with; bounded model checking, which
decides programs whose executions are short; executions of the compiled program for bugs that lie deep; k-induction; where
there is recursion, contracts. Without loops only bounded model checking, executions and contracts are of use. With several
workers, as many of them go on side by side.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from drystone.base.deadline import Deadline
from drystone.claims.certificates import InductiveCertificate
from drystone.engines.outcome import EngineResult, Observer, Progress, Verdict, Violation
from drystone.engines.portfolio import Line, in_turns
from drystone.ir.automaton import Program

if TYPE_CHECKING:
    from drystone.engines.dss.engine import Setting
    from drystone.engines.execute import Compiled

ENGINES = ("auto", "execute", "bmc", "k-induction", "dss", "contracts")

MakeSetting = Callable[[int], "Setting"]
FORGETFUL = "dss without memory"


class Settings(msgspec.Struct, frozen=True):
    """What a user can set, for all engines."""

    seed: int = 0
    candidates: tuple[str, ...] | None = None  # sources of candidate invariants; None: all
    decomposition: str = "loops"  # into blocks, for `dss`
    summaries: str = "lemmas"  # of blocks, for `dss`
    workers: int = 1  # processes, for `auto` and `dss`
    predictable: bool = False  # `dss`: the same run for any number of workers
    broadcast: bool = False  # `dss`: every message to every block
    memory: float = math.inf  # bytes, for all processes together


def check(
    engine: str,
    program: Program,
    settings: Settings,
    deadline: Deadline,
    observer: Observer,
    compiled: Compiled | None = None,
    setting: MakeSetting | None = None,
    executed: Program | None = None,
) -> EngineResult:
    """The result of one of `ENGINES`; it says which engine found it. `compiled` runs the program compiled, if it may be;
    `setting` is for `dss`, given how many hosts it may have; `executed` is the program as `execute` is to run it."""
    if engine != "auto":
        made = setting(settings.workers) if setting is not None and engine == "dss" else None
        return _one(engine, program, settings, deadline, observer, compiled=compiled, setting=made, executed=executed)
    total = deadline.remaining()
    brief = deadline.within(min(1.0, 0.05 * total))
    first = _one("execute", program, settings, brief, observer, is_brief=True, executed=executed)
    told: tuple[str, ...] = (_said(first, total - deadline.remaining()),)
    if first.verdict is not Verdict.UNKNOWN:
        return dataclasses.replace(first, explanation=(*told, *first.explanation))
    if settings.decomposition != Settings().decomposition:
        _try_decomposition(program, settings.decomposition)
    turns = _turns(_shape(program))
    for_blocks = settings.workers - len(turns) + 1  # what the other engines do not need

    def line(turn: _Turn) -> Line:
        made = setting(for_blocks) if setting is not None and for_blocks > 1 and turn.engine == "dss" else None
        work = functools.partial(
            _one, turn.engine, program, settings, deadline, compiled=compiled, setting=made, executed=executed
        )
        return Line(turn.engine, work, turn.first, turn.weight)

    result = in_turns([line(turn) for turn in turns], settings.workers, deadline, observer, settings.memory)
    counters = {**first.counters, **result.counters}
    return dataclasses.replace(result, counters=counters, explanation=(*told, *result.explanation))


def _try_decomposition(program: Program, kind: str) -> None:
    """What is wrong with it is told, even if another engine than `dss` is faster."""
    from drystone.blocks.registry import decomposition
    from drystone.passes.inline import MAX_EDGES, TooLarge
    from drystone.pipeline import flatten

    with suppress(TooLarge):
        decomposition(kind)(flatten(program, recursion_bound=1, max_edges=MAX_EDGES, sliced=True).program)


class _Shape(msgspec.Struct, frozen=True):
    """What the choice of engines depends on."""

    is_large: bool
    has_loops: bool  # that matter; recursion is unrolled to a bound
    has_memory: bool  # that matters, and is not at known addresses
    has_elements: bool = False  # of arrays, which are all that matters of memory (passes/one_element.py)
    has_contracts: bool = False  # some recursion touches no memory (passes/contracts.py)


def _shape(program: Program) -> _Shape:
    from drystone.passes.contracts import vocabularies_beyond_loops
    from drystone.passes.inline import MAX_EDGES, TooLarge
    from drystone.passes.one_element import is_index
    from drystone.pipeline import edges_without_calls, flatten
    from drystone.symbolic.unrolling import loop_heads

    try:
        if edges_without_calls(program, recursion_bound=1, max_edges=MAX_EDGES) > _LARGE:
            return _Shape(True, True, True)  # slicing takes its time
        flat = flatten(program, recursion_bound=1, max_edges=MAX_EDGES, sliced=True)
    except TooLarge:
        return _Shape(True, True, True)
    procedure = flat.program.procedures[flat.program.entry]
    has_memory = any(not region.is_static for region in flat.regions)
    has_elements = False
    if has_memory:
        forgetful = msgspec.structs.replace(program, is_forgetful=True)
        flat = flatten(forgetful, recursion_bound=1, max_edges=MAX_EDGES, sliced=True)
        has_elements = any(map(is_index, flat.program.variables))
    has_contracts = bool(vocabularies_beyond_loops(program))
    return _Shape(len(procedure.edges) > _MANY, bool(loop_heads(procedure)), has_memory, has_elements, has_contracts)


_LARGE = 20_000  # edges before slicing
_MANY = 1_500  # edges


class _Turn(NamedTuple):
    engine: str
    first: float  # seconds
    weight: float


def _turns(shape: _Shape) -> list[_Turn]:
    """In the order in which engines begin."""
    turns = _turns_without_contracts(shape)
    return [*turns[:1], _Turn("contracts", 2.0, 1.0), *turns[1:]] if shape.has_contracts else turns


def _turns_without_contracts(shape: _Shape) -> list[_Turn]:
    if not shape.has_loops:
        return [*([_Turn(FORGETFUL, 2.0, 1.0)] if shape.has_memory else []), _Turn("bmc", 4.0, 2.0), _Turn("execute", 1.0, 1.0)]
    blocks = _Turn("dss", 3.0, 2.0)
    others = [_Turn("bmc", 3.0, 1.0), _Turn("execute", 2.0, 1.0), _Turn("k-induction", 1.0, 1.0)]
    if not shape.has_memory:
        return [blocks, *others]
    if shape.is_large or shape.has_elements:
        return [_Turn(FORGETFUL, 5.0, 2.0 if shape.has_elements else 1.0), blocks, *others]
    return [blocks, _Turn(FORGETFUL, 1.0, 1.0), *others]


def _said(result: EngineResult, seconds: float) -> str:
    """One line about an engine: how long it took, and what came of it."""
    took = f"{seconds:.1f} s, " if math.isfinite(seconds) else ""  # there may be no limit to count from
    reason = result.reason or ("an error is reached" if result.verdict is Verdict.FALSE else "")
    return f"{result.engine}: {took}{result.verdict}" + (f", {reason}" if reason else "")


def _forgetful(
    program: Program, settings: Settings, deadline: Deadline, observer: Observer, setting: Setting | None
) -> EngineResult:
    """`dss` for the program that does not know what is in memory (passes/memory_havoc.py): the properties of many large programs
    do not depend on it, and the rest is small. A proof carries over, and the check of its certificate forgets memory, too;
    an error must be found without."""
    if settings.decomposition.startswith("import:"):  # it is one of another automaton
        settings = msgspec.structs.replace(settings, decomposition=Settings().decomposition)
    result = _one("dss", msgspec.structs.replace(program, is_forgetful=True), settings, deadline, observer, setting=setting)
    if isinstance(result.certificate, InductiveCertificate):
        result = dataclasses.replace(result, certificate=msgspec.structs.replace(result.certificate, is_forgetful=True))
    return result


def _one(
    engine: str,
    program: Program,
    settings: Settings,
    deadline: Deadline,
    observer: Observer,
    is_brief: bool = False,
    compiled: Compiled | None = None,
    setting: Setting | None = None,
    executed: Program | None = None,
) -> EngineResult:
    named = _named(FORGETFUL if program.is_forgetful else engine, observer)
    match engine:
        case "dss without memory":
            return dataclasses.replace(_forgetful(program, settings, deadline, observer, setting), engine=engine)
        case "execute":
            from drystone.engines import execute

            run_options = execute.Options(seed=settings.seed)
            if is_brief:
                patience = 8 * deadline.remaining()  # where nothing is read, the run is likely to be all there is
                run_options = execute.Options(
                    settings.seed, runs=2_000, runs_without_news=300, follow_seconds=patience, wait_for_compiled=False
                )
            result = execute.check(executed or program, run_options, deadline, named, compiled, program)
        case "bmc":
            from drystone.engines import bmc

            result = bmc.check(program, bmc.BmcOptions(seed=settings.seed), deadline, named)
        case "k-induction":
            from drystone.engines import induction

            options = induction.InductionOptions(seed=settings.seed, candidates=settings.candidates)
            result = induction.check(program, options, deadline, named)
        case "contracts":
            from drystone.engines import contracts

            result = contracts.check(program, contracts.ContractOptions(seed=settings.seed), deadline, named)
        case "dss":
            from drystone.engines.dss import engine as dss
            from drystone.engines.dss.options import DssOptions

            dss_options = DssOptions(
                seed=settings.seed,
                candidates=settings.candidates,
                decomposition=settings.decomposition,
                summaries=settings.summaries,
                predictable=settings.predictable,
                broadcast=settings.broadcast,
            )
            result = dss.check(program, dss_options, deadline, named, setting)
        case _:
            raise ValueError(f"no engine {engine!r}; there are {', '.join(ENGINES)}")
    return dataclasses.replace(result, engine=engine)


def _named(engine: str, observer: Observer) -> Observer:
    """Tells the observer which engine makes progress."""

    def observe(event: Progress | Violation) -> None:
        observer(Progress(f"{engine}: {event.phase}", event.counters) if isinstance(event, Progress) else event)

    return observe
