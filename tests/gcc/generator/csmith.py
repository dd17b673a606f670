"""Programs written by csmith (Yang et al., PLDI 2011), suited to an interpreter."""

from __future__ import annotations

import random
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.gcc.compiler import BuildError, build, csmith_headers, missing_csmith, run

LANGUAGE = (
    "arrays bitfields comma-operators compound-assignment consts divs embedded-assigns pre-incr-operator pre-decr-operator "
    "post-incr-operator post-decr-operator unary-plus-operator jumps longlong int8 uint8 math64 muls packed-struct pointers structs "
    "unions volatiles volatile-pointers const-pointers argc float builtins inline-function"
).split()
"""All that csmith can be told to use or to leave out and that gcc gives a meaning; without `safe-math` it has none."""
RARE = frozenset(("float", "builtins", "inline-function"))  # what csmith leaves out by itself
SIZES = {
    "max-funcs": (1, 6),
    "max-block-depth": (1, 4),
    "max-expr-complexity": (3, 8),
    "max-array-dim": (1, 3),
    "max-pointer-depth": (1, 3),
}
MAX_STEPS = 400_000

__all__ = ["MAX_STEPS", "Skipped", "missing_csmith", "native_checksum", "options_of", "write_program"]


class Skipped(Exception):
    """No use as a test: the reason."""


@dataclass(frozen=True)
class Case:
    seed: int
    data_model: str


def options_of(seed: int) -> list[str]:
    """Every seed has its own choice of the language and its own sizes, small enough for an interpreter."""
    choose = random.Random(seed)
    chosen = ["--concise"]
    for feature in LANGUAGE:
        used = choose.random() < (0.3 if feature in RARE else 0.9)
        chosen.append(f"--{feature}" if used else f"--no-{feature}")
    for size, (least, greatest) in SIZES.items():
        chosen += [f"--{size}", str(choose.randint(least, greatest))]
    return chosen


def write_program(seed: int, target: Path) -> None:
    command = ["csmith", "--seed", str(seed), *options_of(seed)]
    try:
        text = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        raise Skipped(f"csmith: {error}") from error
    target.write_text(text)


def native_checksum(source: Path, data_model: str) -> int:
    """The value of csmith's `crc32_context` at the end; the program prints its complement."""
    headers = csmith_headers()
    assert headers is not None
    binary = source.with_suffix("." + data_model)
    try:
        build([source], binary, data_model, flags=[f"-I{headers}"])
    except BuildError as error:
        raise Skipped(f"gcc: {error}") from error
    outcome = run(binary, seconds=2)
    if outcome.timed_out:
        raise Skipped("does not end within 2 s")
    printed = re.search(r"checksum = ([0-9A-Fa-f]+)", outcome.output)
    if printed is None:
        raise Skipped(f"no checksum, exit code {outcome.code}")
    return int(printed[1], 16) ^ 0xFFFFFFFF
