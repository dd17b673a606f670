"""Small programs that compute something C defines: what holds must not be refuted, what does not must not be proved.

A fact is a line `declarations @ statements @ condition`. The condition holds wherever `main` gets to. Each is tried as it is
and negated, by the interpreter (with two kinds of inputs: it must not depend on any) and by bounded model checking.
"""

from __future__ import annotations

from pathlib import Path

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.concrete.interpreter import ZeroInputs, interpret
from drystone.engines.bmc import BmcOptions, check
from drystone.engines.outcome import unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Edge, Program
from drystone.ir.expressions import Input
from drystone.pipeline import PreparedProgram

HEAD = "extern void reach_error(void);\n"


class OneInputs:
    """Every input is all ones."""

    def value(self, input: Input, edge: Edge) -> int:
        return (1 << getattr(input.sort, "width", 1)) - 1

    def block(self, size: int, what: str, edge: Edge) -> bytes:
        return b"\xff" * size


def lines(text: str) -> list[str]:
    return [line for line in text.strip().splitlines() if line.strip()]


def program(fact: str, negated: bool) -> str:
    """The error is reached unless the condition holds; negated: if it holds."""
    declarations, statements, condition = (part.strip() for part in fact.split("@"))
    test = f"({condition})" if negated else f"!({condition})"
    declarations = declarations.replace("<NL>", "\n")
    return f"{HEAD}{declarations}\nint main(void) {{ {statements}\n if ({test}) reach_error();\n return 0; }}\n"


def lowered(text: str, folder: Path, data_model: str = "LP64", std: str = "gnu11") -> Program:
    file = folder / "program.c"
    file.write_text(text)
    return load([str(file)], FrontendOptions(data_model=data_model, std=std)).program


def ends(program: Program) -> set[str]:
    return {interpret(program, inputs, max_steps=20_000).kind for inputs in (ZeroInputs(), OneInputs())}


def bounded(program: Program) -> Verdict:
    return check(PreparedProgram(program), BmcOptions(), Deadline.after(10), unobserved).verdict


def wrong(fact: str, folder: Path, data_model: str, std: str = "gnu11") -> list[str]:
    """What is said of the fact that is not so."""
    found = []
    holds, fails = (lowered(program(fact, negated), folder, data_model, std) for negated in (False, True))
    if (seen := ends(holds)) != {"returned"}:
        found.append(f"as it is: {seen}")
    if (seen := ends(fails)) != {"error"}:
        found.append(f"negated: {seen}")
    if (verdict := bounded(holds)) is Verdict.FALSE:
        found.append(f"as it is: {verdict}")
    if (verdict := bounded(fails)) is Verdict.TRUE:
        found.append(f"negated: {verdict}")
    return found
