"""`drystone run`: one execution in the interpreter, told to people."""

from __future__ import annotations

import argparse
import sys

from drystone.base.plurals import counted
from drystone.cli.exits import BadInput, Exit
from drystone.cli.words import load_program
from drystone.concrete.inputs import CHOSEN_BY_USER, Consumed
from drystone.concrete.interpreter import InputSource, ListedInputs, Outcome, SeededInputs, ZeroInputs, interpret
from drystone.ir.automaton import NOWHERE, Origin, Program
from drystone.ir.conventions import ALL
from drystone.ir.expressions import Constant
from drystone.ir.text import constant_text, operation_text
from drystone.verification.tasks import DEFAULT_DATA_MODEL

_SHOWN_INPUTS = 50
_SHOWN_EDGES = 1_000

_MEANING = {
    "error": "the error was reached",
    "unknown": "unknown: the execution reached something that is not modelled",
    "halt": "the program ended",
    "returned": "the program returned",
    "blocked": "an assumption of the program failed",
    "crash": "the program crashed",
    "limit": "stopped at the limit",
}


def command(options: argparse.Namespace) -> int:
    inputs = input_source(options)
    from drystone.frontend.load import FrontendOptions
    from drystone.frontend.options import MACHINE

    loaded, _ = load_program(options, FrontendOptions(data_model=DEFAULT_DATA_MODEL, undefined=MACHINE, errors=ALL))
    program = loaded.program
    outcome = interpret(program, inputs, max_steps=options.max_edges, record_path=options.path)
    if options.raw:
        sys.stdout.buffer.write(outcome.output)
        sys.stderr.buffer.write(outcome.errors)
        return exit_code(outcome.kind)
    _print_output(outcome)
    if options.path:
        _print_path(program, outcome)
    _print_outcome(program, outcome)
    return exit_code(outcome.kind)


def exit_code(kind: str) -> Exit:
    if kind == "error":
        return Exit.FALSE
    return Exit.UNKNOWN if kind in ("unknown", "limit", "crash") else Exit.OK


def input_source(options: argparse.Namespace) -> InputSource:
    if options.seed is not None:
        return SeededInputs(options.seed)
    if options.inputs is not None:
        return ListedInputs([_value(word.strip()) for word in options.inputs.split(",") if word.strip()])
    return ZeroInputs()


def _value(word: str) -> int | float:
    """`3`, `-3`, `0x1f`, `1.5`, `1e3`, `inf`, `nan`."""
    for read in (lambda text: int(text, 0), int, float):
        try:
            value: int | float = read(word)
            return value
        except ValueError:
            continue
    raise BadInput(f"--inputs: {word!r} is not a number")


def _print_output(outcome: Outcome) -> None:
    """What the program printed, line by line, so that it cannot be taken for what is said about the run."""
    for name, text in (("output", outcome.output), ("stderr", outcome.errors)):
        for line in text.decode("utf-8", "replace").splitlines():
            print(f"{name} | {line}")
    for missing in outcome.unprinted:
        print(f"not printed: {missing}")


def _print_outcome(program: Program, outcome: Outcome) -> None:
    place = f" at {program.where(outcome.origin)}" if outcome.origin != NOWHERE else ""
    what = f": {outcome.what}" if outcome.what else ""
    print(f"{_MEANING.get(outcome.kind, outcome.kind)}{what}{place}")
    print(f"edges    {outcome.steps}")
    if outcome.result is not None:
        print(f"result   {_result_text(program, outcome.result)}")
    if outcome.status is not None:
        print(f"status   {outcome.status if outcome.status >= 0 else f'stopped by signal {-outcome.status}'}")
    chosen = [entry for entry in outcome.inputs if entry.kind in CHOSEN_BY_USER and not entry.determined]
    others = sum(entry.kind not in CHOSEN_BY_USER for entry in outcome.inputs)
    print(f"inputs   {len(chosen)} read" + (f", {counted(others, 'others')} (uninitialised or undefined)" if others else ""))
    for entry in chosen[:_SHOWN_INPUTS]:
        print(f"  {_value_text(entry)}  {entry.name}{_at(program, entry.origin)}")
    if len(chosen) > _SHOWN_INPUTS:
        print(f"  and {len(chosen) - _SHOWN_INPUTS} more")
    for event in outcome.undefined:
        print(f"undefined behaviour: {event.what}{_at(program, event.origin)}")
    for event in outcome.external:
        print(f"external code: {event.what}{_at(program, event.origin)}")


def _print_path(program: Program, outcome: Outcome) -> None:
    if len(outcome.path) > _SHOWN_EDGES:
        print(f"({counted(len(outcome.path) - _SHOWN_EDGES, 'earlier edges')})")
    for edge in outcome.path[-_SHOWN_EDGES:]:
        print(f"{program.where(edge.origin)}: {operation_text(edge.operation)}")
    print()


def _at(program: Program, origin: Origin) -> str:
    return f" ({program.where(origin)})" if origin.file >= 0 else ""


def _value_text(entry: Consumed) -> str:
    if isinstance(entry.value, bytes):
        return f"{counted(len(entry.value), 'bytes')} {entry.value[:16].hex(' ')}" + (" …" if len(entry.value) > 16 else "")
    return str(entry.value)


def _result_text(program: Program, value: int) -> str:
    result = program.procedures[program.entry].result
    return constant_text(Constant(result.sort, value)) if result is not None else str(value)
