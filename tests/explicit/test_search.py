"""The search and the interpreter agree about what programs do: the ends of runs are ends that the search has found, and an
execution that the search has found is one that the interpreter runs. `DRYSTONE_FULL=1` takes more programs.
"""

from __future__ import annotations

import os
from collections import deque
from pathlib import Path

import pytest

from drystone.concrete.inputs import InputSource
from drystone.concrete.interpreter import Interpreter, Outcome, SeededInputs
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Edge, Program
from drystone.ir.expressions import Input, InputKind
from tests.explicit.generator import Decided, decided_program
from tests.explicit.search import Chosen
from tests.explicit.syntax import Variable

FULL = os.environ.get("DRYSTONE_FULL") == "1"
PROGRAMS = 200 if FULL else 50
RUNS = 40


class Scripted:
    """The inputs that the search chose; those of uninitialised variables by name, in the order of their declarations' passes."""

    def __init__(self, chosen: tuple[Chosen, ...]) -> None:
        self.by_name: dict[str, deque[int]] = {}
        for name, value in chosen:
            self.by_name.setdefault(name, deque()).append(value)

    def value(self, input: Input, edge: Edge) -> int:
        name = input.name.removeprefix("local ") if input.kind is InputKind.UNINITIALISED else ""
        return self._next(name)

    def block(self, size: int, what: str, edge: Edge) -> bytes:
        raise AssertionError("contents of memory are given by `Contents`")

    def _next(self, name: str) -> int:
        waiting = self.by_name.get(name)
        return waiting.popleft() if waiting else 0


class Contents(Scripted):
    """Also for variables that are in memory."""

    def __init__(self, chosen: tuple[Chosen, ...], variables: dict[str, Variable]) -> None:
        super().__init__(chosen)
        self.variables = variables

    def block(self, size: int, what: str, edge: Edge) -> bytes:
        name = next((name for name in self.variables if name in what.replace("::", " ").split()), what)
        variable = self.variables.get(name)
        if variable is None:
            return bytes(size)
        count = variable.size or 1
        return b"".join(self._next(name).to_bytes(size // count, "little") for _ in range(count))


def loaded(folder: Path, text: str) -> Program:
    path = folder / "program.c"
    path.write_text(text)
    return load([str(path)], FrontendOptions()).program


def end_of(outcome: Outcome) -> tuple[str, int]:
    return outcome.kind, outcome.origin.line if outcome.kind == "error" else 0


def known_ends(decided: Decided) -> set[tuple[str, int, tuple[int, ...]]]:
    count = sum(variable.size or 1 for variable in decided.source.globals)
    return {
        (how, decided.lines[check] if check else 0, tuple(value or 0 for value in memory[:count]))
        for how, check, memory in decided.enumeration.ends
    }


def global_values(decided: Decided, outcome: Outcome) -> tuple[int, ...]:
    found: list[int] = []
    for variable in decided.source.globals:
        if variable.name in outcome.globals:
            found.append(variable.type.wrap(outcome.globals[variable.name]))
            continue
        if variable.name not in outcome.objects:  # nothing uses it
            found += variable.initial or ()
            continue
        content = bytes(outcome.objects[variable.name])
        count = variable.size or 1
        width = len(content) // count
        for position in range(count):
            found.append(variable.type.wrap(int.from_bytes(content[position * width : (position + 1) * width], "little")))
    return tuple(found)


def run(program: Program, source: InputSource) -> Outcome:
    return Interpreter(program).run(source, max_steps=20_000)


@pytest.mark.parametrize("first", range(0, PROGRAMS, 50))
def test_the_interpreter_ends_only_where_the_search_says(tmp_path: Path, first: int) -> None:
    ended = 0
    for seed in range(first, first + 50):
        decided = decided_program(seed)
        interpreter = Interpreter(loaded(tmp_path, decided.text))
        known = known_ends(decided)
        for number in range(RUNS):
            outcome = interpreter.run(SeededInputs(number), max_steps=5_000)
            if outcome.kind != "limit":
                assert (*end_of(outcome), global_values(decided, outcome)) in known, decided.text
                assert not outcome.undefined, decided.text
                ended += 1
    assert ended > 500


@pytest.mark.parametrize("first", range(0, PROGRAMS, 50))
def test_the_interpreter_repeats_what_the_search_found(tmp_path: Path, first: int) -> None:
    repeated = 0
    for seed in range(first, first + 50):
        decided = decided_program(seed)
        program = loaded(tmp_path, decided.text)
        variables = {variable.name: variable for variable in decided.uninitialised}
        for check, chosen in decided.enumeration.errors.items():
            outcome = run(program, Contents(chosen, variables))
            assert end_of(outcome) == ("error", decided.lines[check]), decided.text
            repeated += 1
    assert repeated > 10
