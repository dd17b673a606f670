"""Solvers behind one protocol. Importing this package imports no solver library."""

from __future__ import annotations

from drystone.solvers.protocol import Answer, Counters, Solver
from drystone.solvers.registry import make_solver

__all__ = ["Answer", "Counters", "Solver", "make_solver"]
