"""The C text that makes the threads of a compiled program follow a schedule.

`c/baton.c` takes the place of the thread sanitizer's library. Below it stands what drystone reads as the thread library
(`frontend/models/threads.c`): a lock that is held here is one that is held in the interpreter. The harness has the points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from drystone.counterexamples.native.schedule import Point
from drystone.frontend.library.models import MODELS
from drystone.ir.automaton import Origin, Program

INSTRUMENTED = ("-fsanitize=thread", "-g")
WITH_BATON = ("-no-pie", "-Wl,--wrap=pthread_create")
BATON_NEEDS = (
    "drystone_points", "drystone_count", "drystone_files", "drystone_file_count", "drystone_seed", "drystone_final",
    "__real_pthread_create",
)  # fmt: skip
GIVEN_UP_CODE = 44
GIVEN_UP = "drystone: thread "

_MODEL = MODELS / "threads.c"
_BATON = Path(__file__).parent / "c" / "baton.c"
_AWAIT = "void __drystone_await(int);\n"
_WAITS = "void drystone_wait(void);\n#define __drystone_await(c) while (!(c)) drystone_wait()\n"
_EFFECTS = '#include "effects.h"\n'


def is_in_baton(program: Program, origin: Origin) -> bool:
    """Is it in the thread library, which is compiled with the program?"""
    return origin.file >= 0 and program.files[origin.file] == str(_MODEL)


def baton_text() -> str:
    """The runtime, as one C file."""
    model = _MODEL.read_text().replace(_EFFECTS, (MODELS / "effects.h").read_text()).replace(_AWAIT, _WAITS)
    return f"{_BATON.read_text()}\n{model}"


def schedule_lines(points: Sequence[Point], files: Mapping[int, str], seed: int = 0) -> Iterator[str]:
    """The schedule, for the harness. `files`: what the compiler calls those of the program, by their numbers; with a seed, the
    next thread is a random one."""
    numbers = {number: position for position, number in enumerate(files)}
    yield "/* thread, kind, is optional, file, lines */"
    yield "const int drystone_points[][6] = {"
    for point in points:
        origin = point.origin
        file = numbers.get(origin.file, -1)
        yield f"  {{{point.thread}, {point.kind:d}, {point.is_optional:d}, {file}, {origin.line}, {origin.end_line}}},"
    yield "  {-1}};"
    names = ", ".join(f'"{Path(name).name}"' for name in files.values())
    yield f"const int drystone_count = {len(points)}, drystone_file_count = {len(files)};"
    yield f"const char *const drystone_files[] = {{{names or '0'}}};"
    yield f"const unsigned drystone_seed = {seed};"
    yield "__attribute__((weak)) void drystone_final(void) {}"
