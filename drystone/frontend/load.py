"""From C files to a `Program`.

parse ──▶ symbols reached from the entry (library models are linked in as they are needed)
      ──▶ one automaton per function, globals with their initial contents
      ──▶ the convention for errors is chosen ──▶ Program, with --unwind cut off beyond the bound
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from ctypes import ArgumentError

import msgspec

from drystone.frontend.compile_commands import compile_command, read_database
from drystone.frontend.compile_flags import stated
from drystone.frontend.declarations.linking import Unit
from drystone.frontend.errors import FrontendError
from drystone.frontend.library.models import is_model
from drystone.frontend.options import FrontendOptions
from drystone.frontend.parsing import parse
from drystone.frontend.program import ProgramLowering
from drystone.frontend.source_text.texts import ReadUnit, read_unit
from drystone.ir.automaton import Approximation, Program

_DEEPEST = 200_000  # Python calls
_STACK = 512 << 20  # bytes; only what is touched costs memory
_ONE_AT_A_TIME = threading.Lock()  # threads of a program: the recursion limit and the size of stacks are those of the process


class Loaded(msgspec.Struct):
    program: Program
    lines: int  # non-blank lines of the input files
    functions_defined: int
    unsupported: list[Approximation]
    near_misses: list[Approximation]  # what looks like an assertion and is none
    unchecked: dict[str, str]  # groups of checks that know no programs like this one, and why
    diagnostics: list[str]
    read: list[ReadUnit]  # unit by unit, without the library's models


def load(files: list[str], options: FrontendOptions, *, as_written: bool = False) -> Loaded:
    """Reads C files as one program. Raises FrontendError for input that is not C or has no entry.

    `as_written`: also what has a known value is computed where the program computes it.
    """
    options.check()
    if options.compile_commands is not None:
        read_database(options.compile_commands)
    with _ONE_AT_A_TIME:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _DEEPEST))  # a chain of ten thousand `else if`s nests that deep
        try:
            return _with_large_stack(lambda: _load(files, options, as_written))
        except (RecursionError, ArgumentError) as failure:  # ctypes wraps a RecursionError that strikes in a callback
            if isinstance(failure, ArgumentError) and "RecursionError" not in str(failure):
                raise
            raise FrontendError(f"{', '.join(files)}: statements or expressions are nested too deeply") from None
        finally:
            sys.setrecursionlimit(limit)


def _with_large_stack(work: Callable[[], Loaded]) -> Loaded:
    """Runs on a thread of its own: clang's parser and the lowering recurse over nested constructs."""
    outcome: list[Loaded] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as problem:
            failure.append(problem)

    size = threading.stack_size(_STACK)
    try:
        thread = threading.Thread(target=run, name="frontend")
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
    if failure:
        raise failure[0]
    return outcome[0]


def _load(files: list[str], options: FrontendOptions, as_written: bool) -> Loaded:
    units: list[Unit] = []
    try:
        for path in files:
            units.append(parse(path, options))
        read = [read_unit(unit.clang, stated(compile_command(unit.clang.path, options))) for unit in units]
        defined = sum(len(unit.functions) for unit in units)  # before models are added
        lowering = ProgramLowering(units, options, as_written)
        program = lowering.lower()
        if program.has_threads:
            from drystone.passes.thread_identifiers import without_computed_identifiers  # for programs with threads alone

            program = without_computed_identifiers(program)
        if options.unwind is not None:
            from drystone.passes.unwinding import unwound

            program = unwound(program, options.unwind, is_model)
        lines = sum(_count_lines(path) for path in files)
        context = lowering.context
        return Loaded(program, lines, defined, context.unsupported, context.near_misses, context.unchecked, [], read)
    finally:
        for unit in units:
            unit.clang.close()


def _count_lines(path: str) -> int:
    with open(path, "rb") as source:
        return sum(1 for line in source if line.strip())


__all__ = ["FrontendError", "FrontendOptions", "Loaded", "load"]
