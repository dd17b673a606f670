"""The generated part of a harness that runs the compiled program on inputs of its own choice; `c/runs.c` is the other one."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path

import msgspec

from drystone.counterexamples.native.harness import RENAMED_ENTRY, Words, ends
from drystone.ir.automaton import Mark

RUNS = Path(__file__).resolve().parent / "c" / "runs.c"
MALLOC = 0
"""The site of all calls of malloc; then come the functions, then the places in the text."""
_HEADER, _ENTRY = struct.Struct("<Q"), struct.Struct("<II")


class Kind(StrEnum):
    """What the bytes at a site are; in the order of the numbers in `c/runs.c`."""

    MEMORY = "memory"
    INTEGER = "integer"
    FLOAT = "float"


class Function(msgspec.Struct, frozen=True):
    """A function without a body that returns a number."""

    name: str
    bits: int
    kind: Kind


def compiled_harness(
    *,
    entry: str,
    error: Mark,
    functions: Sequence[Function],
    places: Sequence[Kind],
    undefined: Sequence[str],
    void: frozenset[str],
    words: Words,
    integers: Sequence[int],
    floats: Sequence[float],
) -> str:
    """`undefined` are the symbols that nothing else defines; those in `void` return nothing."""
    chosen = {function.name for function in functions}
    lines = [
        "typedef unsigned long long drystone_u64;",
        "extern drystone_u64 drystone_choose_integer(unsigned, unsigned);",
        "extern double drystone_choose_double(unsigned);",
        "extern float drystone_choose_float(unsigned);",
        "extern void drystone_choose_memory(void *, unsigned long, unsigned, int);",
        f"const drystone_u64 drystone_integers[] = {{{', '.join(f'{value & (1 << 64) - 1:#x}ull' for value in integers)}}};",
        f"const double drystone_floats[] = {{{', '.join(map(_double, floats))}}};",
        f"const unsigned drystone_integer_count = {len(integers)}, drystone_float_count = {len(floats)};",
        *_memory(places, 1 + len(functions)),
        *ends(error, undefined, words),
    ]
    lines += [_function(function, 1 + number) for number, function in enumerate(functions) if function.name in undefined]
    lines += [
        f"void {name}(void) {{}}" if name in void else f"drystone_u64 {name}(void) {{ return 0; }}"
        for name in undefined
        if name not in chosen and not words.is_provided(name)
    ]
    called = RENAMED_ENTRY if entry == "main" else entry
    lines += [
        f"int {called}();",
        "void drystone_entry(void) {",
        "  static char *arguments[1024];",
        f"  {called}({'0, arguments, arguments + 1' if entry == 'main' else ''}); }}",
    ]
    return "\n".join(lines) + "\n"


def _double(value: float) -> str:
    return {"inf": "__builtin_inf()", "-inf": "-__builtin_inf()"}.get(str(value), value.hex())


def _memory(places: Sequence[Kind], first: int) -> Iterator[str]:
    yield "extern void *__real_calloc(unsigned long, unsigned long);"
    yield "void *drystone_fill(void *object, unsigned long size, unsigned site) {"
    yield f"  static const char kinds[] = {{{', '.join(str([*Kind].index(kind)) for kind in places) or '0'}}};"
    yield f"  drystone_choose_memory(object, size, {first} + site, kinds[site]); return object; }}"
    yield "static void *drystone_allocated(unsigned long size) {"
    yield "  void *object = __real_calloc(1, size);"
    yield f"  if (object) drystone_choose_memory(object, size, {MALLOC}, 0);"
    yield "  return object; }"


def _function(function: Function, site: int) -> str:
    if function.kind is Kind.FLOAT:
        ctype = "float" if function.bits == 32 else "double"
        return f"{ctype} {function.name}(void) {{ return drystone_choose_{ctype}({site}); }}"
    return f"drystone_u64 {function.name}(void) {{ return drystone_choose_integer({site}, {function.bits}); }}"


# what the binary prints


def complete(printed: bytes) -> tuple[list[bytes], bytes]:
    """The records that are complete, and what is left."""
    found = []
    while len(printed) >= _HEADER.size and len(printed) >= _HEADER.size + _HEADER.unpack_from(printed)[0]:
        end = _HEADER.size + _HEADER.unpack_from(printed)[0]
        found.append(printed[_HEADER.size : end])
        printed = printed[end:]
    return found, printed


def choices(record: bytes) -> Iterator[tuple[int, bytes]]:
    """What a run chose, each with its site."""
    at = 0
    while at + _ENTRY.size <= len(record):
        site, size = _ENTRY.unpack_from(record, at)
        at += _ENTRY.size
        yield site, record[at : at + size]
        at += size
