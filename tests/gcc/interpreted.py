"""The interpreter's side of the comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from drystone.concrete.interpreter import Interpreter, Outcome, ZeroInputs, interpret
from drystone.frontend.load import FrontendOptions, load
from drystone.frontend.options import MACHINE
from drystone.ir.automaton import Edge, Program
from drystone.ir.expressions import Input, InputKind
from tests.gcc.native import End, Finish, answer


def lower(
    files: Sequence[Path], data_model: str, include_directories: Sequence[Path] = (), defines: Sequence[str] = ()
) -> Program:
    """As `drystone run` reads a program: undefined operations give what gcc's code gives."""
    options = FrontendOptions(
        data_model=data_model,
        include_directories=tuple(map(str, include_directories)),
        defines=tuple(defines),
        undefined=MACHINE,
    )
    return load([str(file) for file in files], options).program


def final_value(outcome: Outcome, name: str) -> int:
    """A global variable after the run, wherever it lives."""
    if name in outcome.globals:
        return outcome.globals[name]
    return int.from_bytes(outcome.objects[name], "little")


def checksum(file: Path, data_model: str, max_steps: int = 300_000) -> int | str:
    """What a generated program computes, or what went wrong."""
    outcome = interpret(lower([file], data_model), ZeroInputs(), max_steps=max_steps)
    if outcome.kind != "returned":
        return f"{outcome.kind}: {outcome.what} after {outcome.steps} steps"
    if outcome.undefined:
        event = outcome.undefined[0]
        return f"relies on undefined behaviour at line {event.origin.line}: {event.what}"
    return final_value(outcome, "checksum")


class Exhausted(Exception):
    """The program asks for more inputs than the vector has."""


class VectorInputs:
    """What the stubs of the native build return: the next element of the vector for `functions`, zero for everything else."""

    def __init__(self, values: Sequence[int], functions: frozenset[str]) -> None:
        self.values = list(reversed(values))
        self.functions = functions

    def value(self, input: Input, edge: Edge) -> int:
        if input.kind not in (InputKind.NONDET, InputKind.EXTERNAL) or input.name not in self.functions:
            return 0
        if not self.values:
            raise Exhausted
        return answer(input.name, self.values.pop())

    def block(self, size: int, what: str, edge: Edge) -> bytes:
        return bytes(size)


def run_on_vector(
    interpreter: Interpreter, values: Sequence[int], functions: frozenset[str], max_steps: int
) -> tuple[Finish, str, int]:
    """How the interpreter's run ends, where, and after how many steps."""
    inputs = VectorInputs(values, functions)
    try:
        outcome = interpreter.run(inputs, max_steps=max_steps)
    except Exhausted:
        return Finish(End.EXHAUSTED, len(values)), "", 0
    detail = f"({outcome.what} at {interpreter.program.where(outcome.origin)} after {outcome.steps} steps)"
    ends = {"error": End.ERROR, "returned": End.FINISHED, "halt": End.FINISHED, "blocked": End.ASSUMPTION}
    ends |= {"limit": End.LIMIT, "unknown": End.UNKNOWN}
    end = ends.get(outcome.kind, End.CRASH)
    if outcome.kind == "halt" and "assum" in outcome.what:
        end = End.ASSUMPTION
    return Finish(end, len(values) - len(inputs.values)), detail, outcome.steps
