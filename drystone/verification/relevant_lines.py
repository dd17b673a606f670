"""Which lines of a program decide whether an error is reached, and which do not: what a proof is about, for people."""

from __future__ import annotations

from collections.abc import Iterable

from drystone.ir.automaton import Edge
from drystone.ir.callgraph import call_graph
from drystone.ir.operations import Call, CallPointer, Skip
from drystone.passes.inline import TooLarge
from drystone.pipeline import PreparedProgram
from drystone.verification.messages import CoveredFile

_MOST_EDGES = 20_000  # a slice of so many is made in less than a second

_Line = tuple[int, int]


def covered(prepared: PreparedProgram) -> tuple[CoveredFile, ...]:
    """From the slice of the program. Nothing is said of programs that are too large, and of those whose slice is only one of
    what a bound or a schedule leaves of them: recursive ones, and those with threads."""
    program = prepared.program
    if program.has_threads or call_graph(program).recursive:
        return ()
    try:
        flat = prepared.flat(recursion_bound=1, max_edges=_MOST_EDGES, sliced=True).program
    except TooLarge:
        return ()
    edges = [edge for procedure in program.procedures.values() for edge in procedure.edges]
    relevant = _lines(flat.procedures[flat.entry].edges)
    # A call is gone from the slice, which has what it calls instead: of its line, nothing is known.
    calls = {_line(edge) for edge in edges if isinstance(edge.operation, Call | CallPointer)}
    others = _lines(edges) - relevant - calls
    numbers = sorted({file for file, _ in (*relevant, *others) if file >= 0})
    return tuple(CoveredFile(program.files[file], _of(relevant, file), _of(others, file)) for file in numbers)


def _lines(edges: Iterable[Edge]) -> set[_Line]:
    return {_line(edge) for edge in edges if not isinstance(edge.operation, Skip)}


def _line(edge: Edge) -> _Line:
    return edge.origin.file, edge.origin.line


def _of(lines: Iterable[_Line], file: int) -> list[int]:
    return sorted(line for where, line in lines if where == file)
