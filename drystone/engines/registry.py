"""Which engines there are, by their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from drystone.base.registry import Entry

if TYPE_CHECKING:
    from drystone.engines.outcome import EngineResult
    from drystone.engines.question import Question

Engine = Callable[["Question"], "EngineResult"]

AUTO = "auto"
WITH_HOSTS = frozenset(("dss", "dcpa", "tree"))
"""Those with blocks or workers, which may live in other processes."""
FORGETFUL = "dss without memory"
"""A turn of `auto`: nobody asks for it by name, but results name it."""

ENGINES: dict[str, Entry[Engine]] = {
    AUTO: Entry(
        "the default: all of the following take turns, as many at a time as there are `--workers N`",
        "drystone.engines.portfolio.auto:answer",
    ),
    "execute": Entry(
        "executes with random and boundary values; finds bugs; proves only programs that have a single execution, whatever the "
        "inputs are",
        "drystone.engines.execute:answer",
    ),
    "bmc": Entry(
        "bounded model checking; finds bugs; proves programs whose executions all end within the bound",
        "drystone.engines.bmc:answer",
    ),
    "k-induction": Entry(
        "proofs by induction, with loop invariants from the sources `--candidates LIST`; finds bugs",
        "drystone.engines.induction:answer",
    ),
    "dss": Entry(
        "distributed summary synthesis: blocks of the program, cut by `--decomposition KIND`, are verified one by one and "
        "exchange `--summaries KIND`",
        "drystone.engines.dss.engine:answer",
    ),
    "dcpa": Entry(
        "distributed configurable program analysis: blocks analyse a `--domain NAME` forwards and backwards without abstraction; "
        "finds bugs; proves programs whose executions are bounded, and some others; `auto` does not ask it",
        "drystone.engines.dcpa.engine:answer",
    ),
    "value": Entry(
        "value analysis: abstract states with the values of as few variables as it takes; finds bugs",
        "drystone.engines.value:answer",
    ),
    "predicate": Entry(
        "predicate abstraction with refinement: abstract states over as few predicates as it takes, where `--blk KIND` says; "
        "finds bugs; `auto` does not ask it",
        "drystone.engines.predicate:answer",
    ),
    "tree": Entry(
        "predictable distributed model checking: workers grow one tree of abstract states over predicates, and refine the same "
        "counterexamples whoever is first; `auto` does not ask it",
        "drystone.engines.tree.engine:answer",
    ),
    "explicit": Entry(
        "programs with threads: goes through all states, one by one, many by several `--workers N`; finds bugs; proves programs "
        "whose states are not too many",
        "drystone.engines.explicit.engine:answer",
    ),
    "contracts": Entry(
        "proves programs with recursive functions by their preconditions and postconditions; finds no bugs",
        "drystone.engines.contracts:answer",
    ),
    "modular": Entry(
        "proves programs that create any number of threads, by what holds of each two of them; finds no bugs",
        "drystone.engines.modular.engine:answer",
    ),
    "interleaving": Entry(
        "programs with threads: abstract reachability over interleavings, with `--abstraction KIND` and `--reduction KIND`; "
        "`auto` does not ask it",
        "drystone.engines.interleaving.engine:answer",
    ),
}
