"""What is compared with the truth: one entry per engine and its options. Limits are those of steps where an engine has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import process_time
from typing import Any

from drystone.base.deadline import Deadline
from drystone.engines import bmc, execute, induction, predicate
from drystone.engines.bmc import BmcOptions
from drystone.engines.dcpa import engine as dcpa
from drystone.engines.dcpa.options import DcpaOptions
from drystone.engines.dss import engine as dss
from drystone.engines.dss.options import DssOptions
from drystone.engines.induction import InductionOptions
from drystone.engines.outcome import EngineResult, unobserved
from drystone.engines.portfolio import auto
from drystone.engines.question import Settings
from drystone.engines.registry import FORGETFUL
from drystone.engines.tree import engine as tree
from drystone.engines.tree.options import Options as TreeOptions
from drystone.ir.automaton import Program
from drystone.pipeline import PreparedProgram

SECONDS = 60.0  # far more than any of these programs needs
DSS_SECONDS = 10.0  # it has no limit of steps; nearly all programs need less than one
SHORT_SECONDS = 3.0  # for combinations of which many find new predicates for ever


Check = Callable[[Program, Deadline], EngineResult]


@dataclass(frozen=True)
class Configuration:
    """The shares are floors far below what the engine does: they tell that it decides anything at all."""

    name: str
    engine: Check
    sample: int  # programs in `make test`
    finds: float = 0.0  # of the unsafe programs
    proves: float = 0.0  # of the safe ones in which every execution ends
    proves_endless: float = 0.0  # of the other safe ones
    full: int = 500  # programs with DRYSTONE_FULL=1
    seconds: float = SECONDS  # of this process, for one program, however busy the machine is

    def check(self, program: Program) -> EngineResult:
        return self.engine(program, Deadline.after(self.seconds, process_time))


def _bmc(**options: Any) -> Check:
    return lambda program, deadline: bmc.check(PreparedProgram(program), BmcOptions(**options), deadline, unobserved)


def _induction(**options: Any) -> Check:
    return lambda program, deadline: induction.check(PreparedProgram(program), InductionOptions(**options), deadline, unobserved)


def _dss(**options: Any) -> Check:
    return lambda program, deadline: dss.check(PreparedProgram(program), DssOptions(**options), deadline, unobserved)


def _predicate(**options: Any) -> Check:
    return lambda program, deadline: predicate.check(PreparedProgram(program), predicate.Options(**options), deadline, unobserved)


def _tree(**options: Any) -> Check:
    return lambda program, deadline: tree.check(PreparedProgram(program), TreeOptions(**options), deadline, unobserved)


def _dcpa(**options: Any) -> Check:
    return lambda program, deadline: dcpa.check(PreparedProgram(program), DcpaOptions(**options), deadline, unobserved)


def _execute(program: Program, deadline: Deadline) -> EngineResult:
    return execute.check(program, execute.Options(runs=120, steps=(1_500,)), deadline, unobserved)


def _auto(engine: str = "auto") -> Check:
    return lambda program, deadline: auto.check(engine, PreparedProgram(program), Settings(), deadline, unobserved)


DECOMPOSITIONS = ("loops", "default", "region", "function", "whole", "merge:1", "merge:3", "linear", "edge")


def _combinations() -> Iterator[Configuration]:
    """Both summaries with every decomposition (the default of both is configuration `dss`), and the options of predicates."""
    for summaries in ("lemmas", "predicates"):
        for decomposition in DECOMPOSITIONS:
            if (summaries, decomposition) != ("lemmas", "loops"):
                sample = 5 if (summaries, decomposition) in _SAMPLED else 0
                check = _dss(summaries=summaries, decomposition=decomposition)
                yield Configuration(f"dss-{summaries}-{decomposition}", check, sample, full=100, seconds=SHORT_SECONDS)
    yield Configuration("dss-lemmas-errors-first", _dss(precedence="errors"), 2, full=100, seconds=SHORT_SECONDS)
    for name, options in _OPTIONS.items():
        check = _dss(summaries="predicates", **options)
        yield Configuration(f"dss-predicates-{name}", check, 0, full=100, seconds=SHORT_SECONDS)


def _predicate_abstraction() -> Iterator[Configuration]:
    """Every encoding with both abstractions, where it computes them at loop heads, and wherever else it may."""
    for encoding in (None, "single", "large", "large+"):
        for abstraction in ("boolean", "cartesian"):
            name = f"predicate-{encoding or 'loops'}-{abstraction}"
            check = _predicate(encoding=encoding, abstraction=abstraction)
            floors = (0.6, 0.4, 0.3) if encoding is None else (0.0, 0.0, 0.0)
            yield Configuration(name, check, 4, *floors, full=1_000, seconds=SHORT_SECONDS)
    for blk in ("edge", "every:1", "every:4", "function"):
        for encoding in ("single", "large", "large+"):
            check = _predicate(encoding=encoding, blk=blk)
            yield Configuration(f"predicate-{encoding}-{blk}", check, 0, full=100, seconds=SHORT_SECONDS)


def _reachability_trees() -> Iterator[Configuration]:
    """Every encoding, with both abstractions and both selections."""
    for encoding in (None, "single", "large"):
        for abstraction in ("boolean", "cartesian"):
            for selection in ("predictable", "naive"):
                name = f"tree-{encoding or 'loops'}-{abstraction}-{selection}"
                check = _tree(encoding=encoding, abstraction=abstraction, selection=selection)
                sample = 2 if selection == "predictable" else 0
                floors = (0.4, 0.2, 0.2) if encoding is None else (0.0, 0.0, 0.0)
                yield Configuration(name, check, sample, *floors, full=1_000, seconds=SHORT_SECONDS)


def _distributed() -> Iterator[Configuration]:
    """Both domains with three decompositions; the options are those that decide what is said when."""
    for domain in ("predicates", "values"):
        for decomposition in ("linear", "merge:3", "loops"):
            check = _dcpa(domain=domain, decomposition=decomposition)
            yield Configuration(f"dcpa-{domain}-{decomposition}", check, 2, full=1_000, seconds=SHORT_SECONDS)
    for name, options in _ANALYSES.items():
        yield Configuration(f"dcpa-{name}", _dcpa(**options), 0, full=100, seconds=SHORT_SECONDS)


_ANALYSES: dict[str, dict[str, Any]] = {
    "bottom": {"start": "bottom"},
    "forward": {"direction": "forward", "decomposition": "linear"},
    "backward": {"direction": "backward", "decomposition": "linear"},
    "rounds": {"predictable": True, "decomposition": "linear"},
    "states": {"max_states": 4, "decomposition": "linear", "domain": "values"},
    "states-predicates": {"max_states": 4, "decomposition": "linear"},
    "helped": {"domain": "values,predicates", "decomposition": "linear"},
    "skip-checks": {"switches": ("skip-checks",), "decomposition": "linear"},
    "impatient": {"switches": ("impatient", "repeat", "one-by-one"), "precedence": "postconditions", "decomposition": "linear"},
}


_OPTIONS: dict[str, dict[str, Any]] = {
    "bottom": {"start": "bottom"},
    "cartesian": {"max_cubes": 1},
    "context-free": {"instantiation": "context-free", "decomposition": "function"},
    "rounds": {"predictable": True},
    "errors-first": {"precedence": "errors", "decomposition": "merge:3"},
    "z3": {"solver": "z3"},
}
_SAMPLED = {("lemmas", "function"), ("predicates", "loops"), ("predicates", "merge:3")}


CONFIGURATIONS = (
    Configuration("bmc", _bmc(max_steps=80), 40, finds=0.9, proves=0.9),
    Configuration("bmc-unsliced", _bmc(max_steps=80, slicing=False), 15, finds=0.9, proves=0.9),
    Configuration("bmc-z3", _bmc(max_steps=12, solver="z3"), 20, finds=0.5, proves=0.3),
    Configuration("bmc-single", _bmc(max_steps=600, encoding="single"), 3, finds=0.5, proves=0.3, seconds=SHORT_SECONDS / 2),
    Configuration("bmc-large", _bmc(max_steps=80, encoding="large"), 3, finds=0.5, proves=0.3, seconds=SHORT_SECONDS / 2),
    Configuration("bmc-large+", _bmc(max_steps=80, encoding="large+"), 3, finds=0.5, proves=0.3, seconds=SHORT_SECONDS / 2),
    Configuration("execute", _execute, 60, finds=0.7),
    Configuration("induction", _induction(max_k=12), 15, finds=0.7, proves=0.5, proves_endless=0.4),
    Configuration("auto", _auto(), 5, finds=0.9, proves=0.5, proves_endless=0.5, seconds=DSS_SECONDS),
    Configuration("without-memory", _auto(FORGETFUL), 15, proves=0.1, full=1_000, seconds=DSS_SECONDS),
    Configuration("dss", _dss(), 10, finds=0.3, proves=0.3, proves_endless=0.2, full=1_000, seconds=DSS_SECONDS),
    Configuration("dss-unsliced", _dss(slicing=False), 0, finds=0.3, proves=0.3, proves_endless=0.2, seconds=DSS_SECONDS),
    Configuration("dss-eager", _dss(is_eager=True), 10, finds=0.3, proves=0.3, proves_endless=0.2, seconds=DSS_SECONDS),
    Configuration("value", _auto("value"), 40, finds=0.5, proves=0.3, full=1_000, seconds=DSS_SECONDS),
    *_combinations(),
    *_predicate_abstraction(),
    *_reachability_trees(),
    *_distributed(),
)
