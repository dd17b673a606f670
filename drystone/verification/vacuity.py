"""Is a proof about anything? Assertions that no execution reaches, and assumptions that none passes, hold for no good reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.concrete.interpreter import Interpreter
from drystone.engines.input_styles import FIRST, STYLES, Constants, StyledInputs
from drystone.frontend.user_places import is_own
from drystone.ir.automaton import CONVENTIONS, Edge, Program
from drystone.passes.probes import Point, assertions, assumptions, reaching, without

_RUNS, _STEPS = 24, 20_000  # executions that show most assertions to be reached, and the edges of each
_MOST_POINTS = 20  # that a prover is asked about

Ask = Callable[[Program, Deadline], Verdict]
"""Can the error of a program be reached?"""


def vacuous(program: Program, seed: int, ask: Ask, deadline: Deadline) -> list[str]:
    """Lines for people: one for each assertion that provably no execution reaches, with the assumption that keeps all from it."""
    wanted = {mark: points for mark, points in assertions(program) if points and mark.convention in CONVENTIONS}
    taken: set[Edge] = set()
    for path in _executions(program, seed, deadline):
        taken |= path
        wanted = {mark: points for mark, points in wanted.items() if not any(point.is_passed(taken) for point in points)}
        if not wanted:
            return []

    def is_reached(program: Program, points: Sequence[Point]) -> Verdict:
        return ask(reaching(program, points), deadline)

    lines: list[str] = []
    for mark, points in list(wanted.items())[:_MOST_POINTS]:
        if is_reached(program, points) is Verdict.TRUE:
            lines.append(f"no execution reaches {mark.what} at {program.where(mark.origin)}")
            for each in assumptions(program, lambda origin: not is_own(program, origin)):
                if each.is_passed(taken) or is_reached(program, [each]) is not Verdict.TRUE:
                    continue
                if is_reached(without(program, each), points) is Verdict.FALSE:
                    lines.append(f"no execution passes {_written(program, each)} at {program.where(each.origin)}")
                    break
    return list(dict.fromkeys(lines))


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
