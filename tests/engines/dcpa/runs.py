"""Blocks of an automaton, brought together in this process."""

from __future__ import annotations

from typing import Any

import msgspec

from drystone.engines.dcpa.coordinator import DcpaCoordinator, worker_specs
from drystone.engines.dcpa.options import DcpaOptions
from drystone.engines.dcpa.predicates import PREDICATES, Path
from drystone.engines.dcpa.registry import distributed_domain
from drystone.engines.dcpa.worker import Worker
from drystone.engines.dss.coordinator import inline
from drystone.engines.dss.preparation import Blocks
from drystone.engines.outcome import unobserved
from drystone.logic import terms
from drystone.logic.sorts import bitvec
from drystone.logic.terms import Term
from drystone.solvers import Answer, make_solver

INT = bitvec(32)
SMALL = range(-3, 4)


def coordinator(blocks: Blocks, start: str = "top", rounds: bool = False, **options: Any) -> DcpaCoordinator:
    chosen = DcpaOptions(**options)
    means = msgspec.structs.replace(inline(unobserved, rounds=rounds), precedence=chosen.precedence)
    return DcpaCoordinator(blocks, distributed_domain(chosen.domain), chosen, start, means)


def worker(blocks: Blocks, id: str, start: str = "top", **options: Any) -> Worker[Path]:
    actor = worker_specs(blocks, PREDICATES, DcpaOptions(**options), start)[id].actor()
    assert isinstance(actor, Worker)
    return actor


def int_(name: str) -> Term:
    return terms.state(name, INT)


def is_(name: str, value: int) -> Term:
    return terms.equal(int_(name), terms.constant(INT, value))


def small_values(formula: Term, name: str = "x") -> set[int]:
    """Which small values the variable may have, whatever the inputs are."""
    solver = make_solver("bitwuzla")
    return {value for value in SMALL if solver.check([formula, is_(name, value)]) is Answer.SAT}
