"""Which solvers there are, by their names. A solver's library is imported when the first one is made."""

from __future__ import annotations

from collections.abc import Callable

from drystone.base.registry import Entry
from drystone.solvers.dump import dumped
from drystone.solvers.protocol import Solver

Maker = Callable[[int], Solver]
"""From a seed."""

LIBRARIES: dict[str, Entry[Maker]] = {
    "bitwuzla": Entry("bit vectors, floats, arrays; the engines ask it first", "drystone.solvers.bitwuzla:BitwuzlaSolver"),
    "z3": Entry("the same theories by other procedures; asked where bitwuzla gives up", "drystone.solvers.z3:Z3Solver"),
}
"""Solvers that are one library each, so that one can be asked about what another one said. The first is the usual one."""

SOLVERS: dict[str, Entry[Maker]] = {
    **LIBRARIES,
    "auto": Entry("bitwuzla, and z3 where it gives up", "drystone.solvers.pair:fallback"),
    "both": Entry("asks both and compares", "drystone.solvers.pair:cross_check"),
}


def make_solver(name: str = "auto", seed: int = 0) -> Solver:
    """One of `SOLVERS`; it writes its queries where that is wanted (`solvers.dump`)."""
    entry = SOLVERS.get(name)
    if entry is None:
        raise ValueError(f"no solver {name!r}; there are {', '.join(SOLVERS)}")
    return dumped(entry.load()(seed))


def with_another(name: str) -> tuple[str, str]:
    """This library, or the usual one if it is none, and another one to ask."""
    first = name if name in LIBRARIES else next(iter(LIBRARIES))
    return first, next(each for each in LIBRARIES if each != first)
