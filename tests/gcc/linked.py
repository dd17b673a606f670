"""Programs of several files: what they compute when gcc and ld build them, and in the interpreter.

Such a program leaves its result in `seen`. Natively a destructor that runs after all others prints it, so that what constructors
and destructors do counts, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from drystone.concrete.interpreter import ZeroInputs, interpret
from drystone.frontend.errors import FrontendError
from tests.gcc.compiler import BuildError, build, run
from tests.gcc.interpreted import final_value, lower

REPORT = """int printf(const char *, ...); int fflush(void *); extern unsigned seen;
__attribute__((destructor(101))) static void report(void) { printf("%u\\n", seen); fflush(0); }
"""


def write(folder: Path, files: Sequence[str]) -> list[Path]:
    paths = [folder / f"{'abcdefgh'[number]}.c" for number in range(len(files))]
    for path, text in zip(paths, files, strict=True):
        path.write_text(text)
    return paths


def native(files: Sequence[Path], data_model: str, flags: Sequence[str] = ()) -> int | str:
    """What the compiled program computes; "refused" if gcc or ld does not build it, "crash" if it does not end well."""
    report = files[0].with_name("report.c")
    report.write_text(REPORT)
    binary = files[0].with_name("program")
    try:
        build([*files, report], binary, data_model, flags=flags)
    except BuildError:
        return "refused"
    outcome = run(binary)
    return int(outcome.output) if outcome.output.strip().isdigit() else "crash"


def interpreted(files: Sequence[Path], data_model: str) -> int | str:
    """What the interpreter computes; "refused" for a program that is refused, "unknown" at an unknown location."""
    try:
        program = lower(files, data_model)
    except FrontendError:
        return "refused"
    outcome = interpret(program, ZeroInputs(), max_steps=100_000)
    if outcome.kind in ("returned", "halt"):
        return final_value(outcome, "seen")
    return outcome.kind
