"""The interpreter on programs that others wrote to check compilers: same output and status, or a reason why not.

The programs lie beside the project (`../shared/suites`, whose README says where they come from) and are not part of it. A sample
runs in `make test`, all of them in `make test-gcc`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.concrete.inputs import CHOSEN_BY_USER
from drystone.concrete.interpreter import Outcome, ZeroInputs, interpret
from drystone.frontend.errors import FrontendError
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Edge
from drystone.ir.expressions import Input
from tests.gcc.amount import ALL
from tests.places import NO_SUITES, SUITES, has_suites

pytestmark = [pytest.mark.gcc, pytest.mark.skipif(not has_suites(), reason=NO_SUITES)]
MAX_STEPS = 1_000_000
EVERY = 1 if ALL else 25  # of how many programs one runs


DIFFERENT = {
    "20021127-1": "defines llabs, a name of the library (C17 7.1.3), and relies on gcc to use its own",
    "20031003-1": "converts a float that is out of range to int (C17 6.3.1.4)",
}
"""Programs that end otherwise than in gcc, and why. What the interpreter does right again must not stay here."""


class Started(ZeroInputs):
    """Nothing but the name of the program on the command line."""

    def value(self, input: Input, edge: Edge) -> int:
        return 1 if input.name.endswith("argc") else 0


def outcome_of(file: Path) -> Outcome | str:
    """A run to the end, or why there is none."""
    try:
        program = load([str(file)], FrontendOptions(data_model="LP64", std="gnu11")).program
    except FrontendError as refusal:
        return f"refused: {refusal}"
    outcome = interpret(program, Started(), max_steps=MAX_STEPS)
    return f"{outcome.kind}: {outcome.what}" if outcome.kind in ("unknown", "limit") else outcome


def excuse(outcome: Outcome) -> str:
    """Why a run may be another one than gcc's; empty if it may not."""
    for each in outcome.inputs:
        if each.kind in CHOSEN_BY_USER and not each.determined and each.name.removeprefix("argument ") not in ("argc", "argv"):
            return f"depends on what is chosen: {each.name}"
    return f"not printed: {outcome.unprinted[0]}" if outcome.unprinted else ""


def problems(files: list[Path]) -> tuple[list[str], list[str]]:
    """Programs that end otherwise than they should, and those of which nothing can be said, with the reason."""
    wrong, silent = [], []
    for file in files:
        outcome = outcome_of(file)
        if isinstance(outcome, str):
            assert outcome.partition(": ")[2], f"{file.stem}: no reason"
            silent.append(f"{file.stem}: {outcome}")
            continue
        expected = file.with_name(f"{file.name}.expected")
        is_right = outcome.status == 0 and (not expected.exists() or outcome.output == expected.read_bytes())
        if not is_right and (reason := excuse(outcome)):
            silent.append(f"{file.stem}: {reason}")
        elif is_right == (file.stem in DIFFERENT):
            wrong.append(
                f"{file.stem}: {outcome.kind} {outcome.what} with status {outcome.status}, printed {outcome.output[:80]!r}"
            )
    return wrong, silent


@pytest.mark.parametrize("suite", ("c-testsuite", "c-torture"))
def test_same_output_and_status(suite: str) -> None:
    files = sorted((SUITES / suite).glob("*.c"))
    chosen = files[::EVERY]
    wrong, silent = problems(chosen)
    assert not wrong
    most = {"c-testsuite": 5, "c-torture": 50}[suite]
    assert len(silent) <= (most if ALL else len(chosen) // 3), silent
