"""Which lines of a program decide whether an error is reached, and which do not: what a proof is about, for people."""

from __future__ import annotations

from collections.abc import Iterable

from drystone.ir.automaton import Edge, Program
from drystone.ir.callgraph import call_graph
from drystone.ir.operations import Call, CallPointer, Skip
from drystone.passes.inline import TooLarge
from drystone.pipeline import PreparedProgram
from drystone.verification.messages import CoveredFile

_EDGES = 4_000, 20_000  # of the program without calls: so many are always sliced, and never more
_EDGES_PER_SECOND = 1_000  # of the run: to slice them takes about a twentieth of it

_Line = tuple[int, int]


def covered(program: Program, seconds: float) -> tuple[CoveredFile, ...]:
    """From the slice of the program; the run has taken so many `seconds`. Nothing is said of programs that are too large for
    that, and of those whose slice is only one of what a bound or a schedule leaves of them: recursive ones, and those with
    threads."""
    if program.has_threads or call_graph(program).recursive:
        return ()
    edges = max(_EDGES[0], min(_EDGES[1], int(_EDGES_PER_SECOND * seconds)))
    try:
        flat = PreparedProgram(program).flat(recursion_bound=1, max_edges=edges, sliced=True).program
    except TooLarge:
        return ()
    every = [edge for procedure in program.procedures.values() for edge in procedure.edges]
    relevant = _lines(flat.procedures[flat.entry].edges)
    # A call is gone from the slice, which has what it calls instead: of its line, nothing is known.
    calls = {_line(edge) for edge in every if isinstance(edge.operation, Call | CallPointer)}
    others = _lines(every) - relevant - calls
    numbers = sorted({file for file, _ in (*relevant, *others) if file >= 0})
    return tuple(CoveredFile(program.files[file], _of(relevant, file), _of(others, file)) for file in numbers)


def _lines(edges: Iterable[Edge]) -> set[_Line]:
    return {_line(edge) for edge in edges if not isinstance(edge.operation, Skip)}


def _line(edge: Edge) -> _Line:
    return edge.origin.file, edge.origin.line


def _of(lines: Iterable[_Line], file: int) -> list[int]:
    return sorted(line for where, line in lines if where == file)
