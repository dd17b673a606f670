"""Reads of what has no value, in a compiled program: valgrind's memcheck reports them, where it is installed.

memcheck lets a program copy what has no value, and reports where that decides something. So in a copy of the text the expression
that is read gives its bits to a function first, which asks for each:

    y = drystone_read(x) + 1;

Nothing is filled with the values of the execution: up to the error, none of them matters.
"""

from __future__ import annotations

import shutil

from drystone.base.regex import regex
from drystone.ir.automaton import ErrorKind, Mark, Origin

SLOWER = 20
"""Times a program takes under valgrind as without, and more where it is short."""
_REPORT = regex(r"==\d+== (Conditional jump or move depends on uninitialised|Use of uninitialised value|Syscall param .*uninit)")
_FRAME = regex(r"==\d+== +(?:at|by) 0x\w+: .*:(\d+)\)")
_HELPER = b"""#line 1000000000
static inline int drystone_asked(const void *value, unsigned long size) {
  int kept = 0;
  for (unsigned long bit = 0; bit < 8 * size; bit++) if (((const unsigned char *)value)[bit / 8] >> bit % 8 & 1) kept++;
  return kept;
}
#define drystone_read(x) \\
  (__extension__ ({ __typeof__((x) + 0) drystone_value = (x); drystone_asked(&drystone_value, sizeof drystone_value); \\
                    drystone_value; }))
#line 1
"""


def is_read(error: Mark) -> bool:
    """Is it what memcheck looks for?"""
    return error.convention is ErrorKind.UNINITIALISED


def valgrind() -> str | None:
    return shutil.which("valgrind")


def command(binary: str) -> tuple[str, ...]:
    """That runs it under memcheck."""
    found = valgrind()
    assert found is not None
    return (found, "-q", "--leak-check=no", "--num-callers=40", binary)


def asking(text: str, place: Origin) -> str:
    """The text, in which the expression there is asked for its bits. If it is none that gives a value (`x` in `x++`), it does not
    compile."""
    source = text.encode(errors="surrogateescape")
    lines = source.split(b"\n")
    if not 0 < place.line == place.end_line <= len(lines):
        return text
    line = lines[place.line - 1]
    read = line[place.column - 1 : place.end_column - 1]
    if not read.strip():
        return text
    lines[place.line - 1] = line[: place.column - 1] + b"drystone_read(" + read + b")" + line[place.end_column - 1 :]
    return (_HELPER + b"\n".join(lines)).decode(errors="surrogateescape")


def seen(errors: str, place: Origin) -> str:
    """What memcheck has said first, if it is about the place of the error."""
    said = _REPORT.search(errors)
    if said is None:
        return ""
    frames = errors[said.end() :].partition("== \n")[0]
    is_there = any(place.line <= int(line) <= place.end_line for line in _FRAME.findall(frames))
    return errors[said.start(1) :].partition("\n")[0] if is_there else ""
