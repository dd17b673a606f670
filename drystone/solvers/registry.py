"""Which solvers there are, by their names. A solver's library is imported when the first one is made."""

from __future__ import annotations

from collections.abc import Callable

from drystone.solvers.protocol import Solver


def _bitwuzla(seed: int) -> Solver:
    from drystone.solvers.bitwuzla import BitwuzlaSolver

    return BitwuzlaSolver(seed)


def _z3(seed: int) -> Solver:
    from drystone.solvers.z3 import Z3Solver

    return Z3Solver(seed)


def _auto(seed: int) -> Solver:
    from drystone.solvers.pair import Fallback

    return Fallback(lambda: _bitwuzla(seed), lambda: _z3(seed))


def _both(seed: int) -> Solver:
    from drystone.solvers.pair import CrossCheck

    return CrossCheck(_bitwuzla(seed), _z3(seed))


Maker = Callable[[int], Solver]
"""From a seed."""

LIBRARIES: dict[str, Maker] = {"bitwuzla": _bitwuzla, "z3": _z3}
"""Solvers that are one library each, so that one can be asked about what another one said."""

SOLVERS: dict[str, Maker] = {**LIBRARIES, "auto": _auto, "both": _both}


def make_solver(name: str = "auto", seed: int = 0) -> Solver:
    """`bitwuzla`; `z3`; `auto`: bitwuzla, and z3 where it gives up; `both`: asks both and compares."""
    make = SOLVERS.get(name)
    if make is None:
        raise ValueError(f"no solver {name!r}; there are {', '.join(SOLVERS)}")
    return make(seed)
