"""What the compiled programs do: the violation is reported where it was planted, and nothing is in the repaired twin."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random

from tests.checks.planted.compose import Pair
from tests.checks.planted.drafts import FLOATS, TYPES, Given
from tests.checks.planted.kinds import KINDS

_REPORTED, _ASSUMPTION = 77, 0
_FLAGS = (
    *("-std=gnu11", "-w", "-g", "-O0", "-fno-omit-frame-pointer"),
    *(
        "-fsanitize=address,undefined,float-cast-overflow,bounds-strict",
        "-fsanitize-address-use-after-scope",
        "-fno-sanitize-recover=all",
    ),
)
_PLAIN = ("-std=gnu11", "-w", "-g", "-O0")
_VALGRIND = ("valgrind", "-q", "--leak-check=no", "--error-exitcode=99")
_HARNESS = f"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static unsigned long next(void) {{ unsigned long bits; return scanf("%lu", &bits) == 1 ? bits : 0; }}
void violation(void) {{ fputs("violation\\n", stderr); _exit({_REPORTED}); }}
void __VERIFIER_assume(int holds) {{ if (!holds) _exit({_ASSUMPTION}); }}
float __VERIFIER_nondet_float(void) {{ unsigned bits = (unsigned)next(); float f; memcpy(&f, &bits, 4); return f; }}
double __VERIFIER_nondet_double(void) {{ unsigned long bits = next(); double d; memcpy(&d, &bits, 8); return d; }}
""" + "\n".join(f"{type_} __VERIFIER_nondet_{name}(void) {{ return ({type_})next(); }}" for type_, (name, _, _) in TYPES.items())
_HARNESS += """
static int blocks;
void *__real_malloc(size_t), *__real_calloc(size_t, size_t), *__real_realloc(void *, size_t);
void __real_free(void *);
static void *counted(void *made) { blocks += made != 0; return made; }
void *__wrap_malloc(size_t size) { return counted(__real_malloc(size)); }
void *__wrap_calloc(size_t count, size_t size) { return counted(__real_calloc(count, size)); }
void *__wrap_realloc(void *old, size_t size) { blocks -= old != 0; return counted(__real_realloc(old, size)); }
void __wrap_free(void *block) { blocks -= block != 0; __real_free(block); }
__attribute__((destructor)) static void count_blocks(void) { if (blocks > 0) fputs("blocks are left\\n", stderr); }
"""
"""Blocks are counted, too: the sanitizer does not report one to which some register still has a pointer."""
_WRAPPED = "-Wl," + ",".join(f"--wrap={name}" for name in ("malloc", "calloc", "realloc", "free"))
_RUNS = 16


class Unconfirmed(Exception):
    """The generator is wrong: the compiled program does not do what was planned."""


class Compiled:
    """Programs of pairs, compiled in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._harness = folder / "harness.o"
        source = folder / "harness.c"
        source.write_text(_HARNESS)
        subprocess.run(["gcc", "-w", "-c", str(source), "-o", str(self._harness)], check=True)

    def confirm(self, pair: Pair) -> None:
        kind = KINDS[pair.kind]
        if kind.by_valgrind and shutil.which("valgrind") is None:
            return
        flags, runs = (_PLAIN, 2) if kind.by_valgrind else (_FLAGS, _RUNS + 1)
        under = _VALGRIND if kind.by_valgrind else ()
        binary = self.built(pair.violated if kind.reported else pair.watched, flags)
        said = self.said(binary, _words(pair, [given.trigger for given in pair.inputs]), under)
        if not re.search(kind.reported or "^violation$", said, re.M):
            raise Unconfirmed(f"{pair.kind}, seed {pair.seed}: the violation is not reported\n{said}\n{pair.violated}")
        if kind.reported and pair.kind != "leak" and f"program.c:{pair.line}" not in said:
            raise Unconfirmed(f"{pair.kind}, seed {pair.seed}: not in line {pair.line}\n{said}\n{pair.violated}")
        binary = self.built(pair.repaired if kind.reported else pair.watched_twin, flags)
        for values in islice(tried(pair), runs):
            if said := self.said(binary, _words(pair, values), under):
                raise Unconfirmed(f"{pair.kind}, seed {pair.seed}: the twin reports for {values}\n{said}\n{pair.repaired}")

    def built(self, text: str, flags: Sequence[str] = _FLAGS) -> Path:
        source, binary = self._folder / "program.c", self._folder / "program"
        source.write_text(text)
        command = ["gcc", *flags, str(source), str(self._harness), _WRAPPED, "-o", str(binary), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Unconfirmed(f"gcc: {done.stderr}\n{text}")
        return binary

    def said(self, binary: Path, words: Sequence[int], under: Sequence[str] = ()) -> str:
        """What the program reports if these are the bits of its inputs; nothing if all is well."""
        done = subprocess.run(
            [*under, str(binary)],
            input=" ".join(map(str, words)),
            capture_output=True,
            text=True,
            timeout=20,
            env={"ASAN_OPTIONS": "detect_stack_use_after_return=1:detect_leaks=1:exitcode=99", "PATH": "/usr/bin"},
        )
        return done.stderr or ("" if done.returncode in (0, 1) else f"exit code {done.returncode}")


def _words(pair: Pair, values: Sequence[float]) -> list[int]:
    return [_bits(given.type, value) for given, value in zip(pair.inputs, values, strict=True)]


def _bits(type_: str, value: float) -> int:
    if type_ in FLOATS:
        return int.from_bytes(struct.pack("<f" if type_ == "float" else "<d", value), "little")
    return int(value) & ((1 << 64) - 1)


def tried(pair: Pair) -> Iterator[list[float]]:
    """Inputs for the twin: those of the violation, and others near them and anywhere."""
    random = Random(pair.seed)
    triggers = [given.trigger for given in pair.inputs]
    yield triggers
    for run in range(_RUNS):
        changed = list(triggers)
        for position, given in enumerate(pair.inputs):
            if run < len(changed) and position != run and random.random() < 0.8:
                continue
            changed[position] = random.choice(_near(given, random))
        yield changed


def _near(given: Given, random: Random) -> list[float]:
    if given.type in FLOATS:
        return [
            given.trigger,
            given.trigger - 1,
            given.trigger * 0.999,
            0.0,
            -given.trigger,
            float("inf"),
            float("nan"),
            random.uniform(-300, 300),
        ]
    _, least, greatest = TYPES[given.type]
    trigger = int(given.trigger)
    near = [trigger - 1, trigger, trigger + 1, trigger - 1, 0, 1, -1, least, greatest, least + 1, random.randint(-300, 300)]
    return [value for value in (*near, random.randint(least, greatest)) if least <= value <= greatest]
