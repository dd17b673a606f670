"""Is a proof about anything? Assertions that no execution reaches, and assumptions that none passes, hold for no good reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.concrete.interpreter import Interpreter
from drystone.engines.input_styles import FIRST, STYLES, Constants, StyledInputs
from drystone.ir.automaton import Edge, Program
from drystone.passes.probes import Point, assertions, assumptions, reaching

_RUNS, _STEPS = 24, 20_000  # executions that show most assertions to be reached, and the edges of each
_MOST_POINTS = 20  # that a prover is asked about

Ask = Callable[[Program, Deadline], Verdict]
"""Can the error of a program be reached?"""


def vacuous(program: Program, seed: int, ask: Ask, deadline: Deadline) -> list[str]:
    """Lines for people: one for each assertion that provably no execution reaches, with the assumption that keeps all from it."""
    points = list(assertions(program))
    assumed = list(assumptions(program))
    taken: set[Edge] = set()
    for path in _executions(program, seed, deadline):
        taken |= path
        if all(point.is_passed(taken) for point in (*assumed, *(point for _, point in points))):
            return []

    def is_excluded(point: Point) -> bool:
        return not point.is_passed(taken) and ask(reaching(program, point), deadline) is Verdict.TRUE

    lines = [
        f"no execution reaches {mark.what} at {program.where(mark.origin)}"
        for mark, point in points[:_MOST_POINTS]
        if is_excluded(point)
    ]
    at_fault = next((each for each in assumed[:_MOST_POINTS] if is_excluded(each)), None)
    if at_fault is not None:
        lines.append(f"no execution passes {_written(program, at_fault)} at {program.where(at_fault.origin)}")
    return lines


def _executions(program: Program, seed: int, deadline: Deadline) -> Iterator[set[Edge]]:
    """The edges of some executions."""
    interpreter, constants = Interpreter(program), Constants(program)
    for number, style in enumerate((*FIRST, *STYLES * _RUNS)[:_RUNS]):
        if deadline.expired():
            return
        inputs = StyledInputs(constants, seed * 1_000_003 + number, style, zero_memory=True)
        yield set(interpreter.run(inputs, max_steps=_STEPS, record_path=True).path)


def _written(program: Program, point: Point) -> str:
    """The assumption as it stands in the source."""
    file, line = program.place(point.origin)
    try:
        text = Path(file or "").read_text(errors="replace").splitlines()[(line or 1) - 1]
    except (OSError, IndexError):
        return "the assumption"
    begin = point.origin.column - 1
    end = point.origin.end_column - 1 if point.origin.end_line == point.origin.line else len(text)
    return f"the assumption {text.encode()[begin:end].decode(errors='replace').strip()}"
