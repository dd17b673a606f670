"""Benchmark tasks, built by gcc and run on fixed inputs.

A task is linked with `harness.c` and stubs for the functions it does not define; each call of one of these
takes the next number of an input vector, and when the vector is exhausted the run ends.
"""

from __future__ import annotations

import os
import random
import re
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from tests.gcc.compiler import DATA_MODELS, FLAGS, SANITIZERS, BuildError, Run, build, gcc, run
from tests.places import BENCHMARKS, benchmark_tasks

HARNESS = Path(__file__).with_name("harness.c")
WITHOUT = ("drivers", "concurrency")
SECONDS = 2.0


@dataclass(frozen=True)
class Task:
    category: str
    name: str
    path: Path
    data_model: str
    convention: str  # reach_error, __VERIFIER_error, assert, label
    verdict: str


def tasks() -> list[Task]:
    """The sequential tasks outside drivers; empty where the benchmark set is absent."""
    return [
        Task(row["category"], row["task"], BENCHMARKS / row["file"], row["data_model"], row["error_convention"], row["verdict"])
        for row in benchmark_tasks()
        if row["category"] not in WITHOUT
    ]


class End(StrEnum):
    """How a run ended."""

    ERROR = "error"
    FINISHED = "finished"  # also exit and abort
    ASSUMPTION = "assumption"  # __VERIFIER_assume(0)
    EXHAUSTED = "exhausted"  # asked for more inputs than the vector has
    LIMIT = "limit"  # of time or steps
    UNKNOWN = "unknown"  # the interpreter came to an unknown location
    CRASH = "crash"  # killed, or stopped by a sanitizer


@dataclass(frozen=True)
class Finish:
    end: End
    inputs: int = 0  # how many were taken from the vector

    def __str__(self) -> str:
        return f"{self.end} after {self.inputs} inputs"


_EXIT_CODES = {40: End.FINISHED, 42: End.ERROR, 43: End.ASSUMPTION, 44: End.EXHAUSTED}


# -- inputs -----------------------------------------------------------------------------------------------------


def vector(task: Task, number: int) -> list[int]:
    """The input vector of this number: 64-bit patterns; small and boundary values are frequent."""
    if number == 0:
        return [0] * 100
    source = random.Random(f"{task.name}:{number}")
    length = (20, 100, 1000)[number % 3]
    style = number % 4
    values: list[int] = []
    while len(values) < length:
        choice = source.random()
        if style == 1 or choice < 0.5:
            values.append(source.randint(0, 6))
        elif style == 2 or choice < 0.7:
            values.append(source.randint(-3, 20))
        elif choice < 0.85:
            values.append((1 << source.choice((7, 8, 15, 16, 31, 32, 63))) + source.randint(-2, 1))
        else:
            values.append(source.getrandbits(source.choice((8, 16, 32, 64))))
    return [value & (1 << 64) - 1 for value in values]


def answer(function: str, value: int) -> int:
    """The number that an input function returns for an element of the vector, as bits. The stubs of `_stub` do the same."""
    if is_bool(function):
        return value & 1
    if function.endswith("_float"):
        return int.from_bytes(struct.pack("<f", _quarter(value)), "little")
    if function.endswith("_double"):
        return int.from_bytes(struct.pack("<d", _quarter(value)), "little")
    return value


def is_bool(function: str) -> bool:
    return function.endswith(("_bool", "__Bool"))


def _quarter(value: int) -> float:
    low = value & 0xFFFF
    return (low - (1 << 16) if low >> 15 else low) / 4


# -- the native side --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Native:
    """A task, built twice."""

    plain: Path
    sanitized: Path
    stubs: tuple[str, ...]  # the undefined functions that take their results from the vector


def build_native(task: Task, folder: Path) -> Native:
    """Raises `BuildError` with the reason if the task does not link."""
    source = folder / "task.c"
    source.write_text(instrumented(task))
    object_file = folder / "probe.o"
    _compile(task, source, object_file, ())
    undefined = _undefined(object_file)
    text = source.read_text()
    stubs: list[str] = []
    provided: list[str] = []
    for name in undefined:
        if name in _PROVIDED or name.startswith("__builtin") or _is_library(name, task.data_model):
            continue
        (provided if returns_void(text, name) else stubs).append(name)
    stub_file = folder / "stubs.c"
    assert_is_error = int(task.convention == "assert" or "assert" in undefined)  # called as a function: no error function is
    stub_file.write_text(
        f"const int drystone_assert_is_error = {assert_is_error};\nunsigned long long drystone_next(void);\n"
        + "".join(_stub(name) for name in stubs)
        + "".join(f"void {name}(void) {{}}\n" for name in provided)
    )
    wraps = ("-Wl,--wrap=exit,--wrap=abort,--wrap=malloc,--wrap=calloc",)
    native = Native(folder / "plain", folder / "sanitized", tuple(stubs))
    for binary, sanitize in ((native.plain, False), (native.sanitized, True)):
        objects = folder / "task.o"
        _compile(task, source, objects, SANITIZERS if sanitize else ())
        build([objects, stub_file, HARNESS], binary, task.data_model, sanitize=sanitize, flags=wraps)
    return native


_PROVIDED = {
    "_GLOBAL_OFFSET_TABLE_",
    "__VERIFIER_error",
    "reach_error",
    "__VERIFIER_assume",
    "__assert_fail",
    "assert",
    "drystone_error",
    "task_main",
}
_ERROR_BODY = re.compile(r"(\b(?:reach_error|__VERIFIER_error)\s*\(\s*(?:void)?\s*\)\s*\{)")
_ERROR_LABEL = re.compile(r"(\bERROR\s*:)(?!:)")


def instrumented(task: Task) -> str:
    """The task with a call of `drystone_error` where the error is, unless it calls an undefined function there.

    C leaves open in which order `f(__VERIFIER_nondet_int(), __VERIFIER_nondet_int())` takes its arguments from the vector; drystone
    evaluates from left to right, and the text is changed so that gcc does too.
    """
    text = _UNORDERED_CALL.sub(_ordered_call, task.path.read_text(errors="replace"))
    if task.convention == "label":
        return _ERROR_LABEL.sub(r"\1 drystone_error();", text)
    return _ERROR_BODY.sub(r"\1 drystone_error();", text)


_UNORDERED_CALL = re.compile(r"\b(\w+)\s*\(\s*((?:__VERIFIER_nondet_int\s*\(\)\s*,\s*)+__VERIFIER_nondet_int\s*\(\))\s*\)")


def _ordered_call(call: re.Match[str]) -> str:
    count = call[2].count(",") + 1
    values = " ".join(f"int value{number} = __VERIFIER_nondet_int();" for number in range(count))
    return f"({{ {values} {call[1]}({', '.join(f'value{number}' for number in range(count))}); }})"


def returns_void(text: str, name: str) -> bool:
    """Is an undefined function declared void? (Undeclared ones return int.)"""
    return re.search(rf"\bvoid\s+{name}\s*\(", text) is not None


def _stub(name: str) -> str:
    if is_bool(name):
        return f"unsigned {name}(void) {{ return drystone_next() & 1; }}\n"
    for suffix in ("float", "double"):
        if name.endswith(f"_{suffix}"):
            return f"{suffix} {name}(void) {{ return (short)drystone_next() / 4.0; }}\n"
    # in the calling conventions of both data models this serves every integer and pointer type
    return f"unsigned long long {name}(void) {{ return drystone_next(); }}\n"


def _compile(task: Task, source: Path, target: Path, flags: Sequence[str]) -> None:
    command = [
        gcc() or "gcc",
        *FLAGS,
        *DATA_MODELS[task.data_model],
        *flags,
        "-Dmain=task_main",
        "-fgnu89-inline",  # a function that is only declared inline is defined all the same
        "-c",
        str(source),
        "-o",
        str(target),
    ]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120)
    if result.returncode != 0:
        raise BuildError(result.stderr)


def _undefined(object_file: Path) -> list[str]:
    listing = subprocess.run(["nm", "-u", str(object_file)], capture_output=True, text=True, check=True).stdout
    return [line.split()[1] for line in listing.splitlines() if line.strip()]


@cache
def _library_names(data_model: str) -> frozenset[str]:
    """What libc, libm and libgcc define."""
    names: set[str] = set()
    for library in ("libc.so.6", "libm.so.6", "libgcc.a"):
        command = [gcc() or "gcc", *DATA_MODELS[data_model], f"-print-file-name={library}"]
        path = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        dynamic = ["-D"] if ".so" in library else []
        listing = subprocess.run(["nm", "--defined-only", *dynamic, path], capture_output=True, text=True).stdout
        names |= {line.split()[-1].split("@")[0] for line in listing.splitlines() if len(line.split()) == 3}
    return frozenset(names)


def _is_library(name: str, data_model: str) -> bool:
    return name in _library_names(data_model)


_ENVIRONMENT = {"ASAN_OPTIONS": "detect_leaks=0:exitcode=99:hard_rss_limit_mb=1500", "UBSAN_OPTIONS": "exitcode=99"}


def run_native(binary: Path, values: Sequence[int], seconds: float = SECONDS) -> tuple[Finish, str]:
    """How the binary ends on this vector, and what a sanitizer said."""
    file = binary.with_suffix(".vector")
    file.write_bytes(struct.pack(f"<{len(values)}Q", *values))
    outcome: Run = run(binary, [str(file)], seconds=seconds, environment={**os.environ, **_ENVIRONMENT})
    if outcome.timed_out:
        return Finish(End.LIMIT), ""
    taken = re.search(r"^inputs taken: (\d+)$", outcome.errors, re.MULTILINE)
    end = _EXIT_CODES.get(outcome.code, End.CRASH)
    return Finish(end, int(taken[1]) if taken else 0), _first_complaint(outcome)


def _first_complaint(outcome: Run) -> str:
    for line in outcome.errors.splitlines():
        if found := re.search(r"(?:runtime error|ERROR: AddressSanitizer): (.*)", line):
            where = re.search(r"task\.c:(\d+)", outcome.errors)
            return f"{found[1][:80]}" + (f" (line {where[1]})" if where else "")
    return f"exit code {outcome.code}" if outcome.code not in _EXIT_CODES else ""
