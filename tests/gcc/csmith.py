"""Programs written by csmith (Yang et al., PLDI 2011), suited to an interpreter."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .compiler import BuildError, build, csmith_headers, missing_csmith, run

OPTIONS = (
    "--no-argc",
    "--concise",
    "--max-funcs",
    "4",
    "--max-block-depth",
    "3",
    "--max-expr-complexity",
    "5",
    "--max-array-dim",
    "2",
)
FLOATS = ("--float",)
MAX_STEPS = 400_000

__all__ = ["MAX_STEPS", "OPTIONS", "Skipped", "missing_csmith", "native_checksum", "write_program"]


class Skipped(Exception):
    """No use as a test: the reason."""


@dataclass(frozen=True)
class Case:
    seed: int
    data_model: str


def write_program(seed: int, target: Path) -> None:
    command = ["csmith", "--seed", str(seed), *OPTIONS, *(FLOATS if seed % 3 == 0 else ())]
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
