"""Makes a program that gcc and the interpreter disagree about smaller, as long as they disagree in the same way.

    python -m tests.gcc.reduce FILE.c [LP64|ILP32]      prints the smaller program

For programs of `generate` (their global `checksum` is compared). Whole blocks go first, then lines, then
parts of expressions. Every step stays free of undefined behaviour as far as gcc's sanitizers can tell.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.gcc.compiler import DATA_MODELS, checksums, gcc
from tests.gcc.generate import PREAMBLE
from tests.gcc.interpreted import checksum


def disagreement(text: str, data_model: str, folder: Path, wanted: str = "") -> str:
    """A name for what is wrong with a program; empty if nothing is, if it is not `wanted`, or if it is no valid test."""
    file = folder / "program.c"
    file.write_text(text)
    try:
        actual = checksum(file, data_model)
    except Exception as error:
        actual = f"{type(error).__name__}: {error}"
    name = "another value" if isinstance(actual, int) else re.sub(r"\d+", "N", actual)[:60]
    if wanted and name != wanted:
        return ""
    expected = checksums([text], data_model)[0]
    if isinstance(expected, str) or actual == expected:
        return ""
    return name if is_well_defined(text, data_model, file) else ""


def is_well_defined(text: str, data_model: str, file: Path) -> bool:
    """Does every function return a value, and no sanitizer complain?"""
    warnings = ("-Werror=return-type", "-Werror=implicit-function-declaration", "-Werror=uninitialized", "-Wuninitialized")
    command = [gcc() or "gcc", "-O1", *DATA_MODELS[data_model], *warnings, "-S", "-o", "/dev/null", str(file)]
    if subprocess.run(command, capture_output=True).returncode != 0:
        return False
    plain = checksums([text], data_model, flags=["-ftrivial-auto-var-init=uninitialized"])
    return checksums([text], data_model, sanitize=True) == plain == checksums([text], data_model)


def blocks(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Ranges of lines between matching braces, the longest first; then single lines, from the end."""
    found: list[tuple[int, int]] = []
    for start, line in enumerate(lines):
        depth = 0
        for end in range(start, len(lines)):
            depth += lines[end].count("{") - lines[end].count("}")
            if depth <= 0:
                break
        if depth == 0 and end > start:
            found.append((start, end + 1))
        if line.strip():
            found.append((start, start + 1))
    yield from sorted(found, key=lambda each: (each[0] - each[1], -each[0]))


def without_blocks(text: str) -> Iterator[str]:
    lines = text.split("\n")
    for start, end in blocks(lines):
        yield "\n".join(lines[:start] + lines[end:])
        if end > start + 1:  # the contents without their braces
            yield "\n".join(lines[:start] + lines[start + 1 : end - 1] + lines[end:])


def simpler_parts(text: str) -> Iterator[str]:
    """Parenthesised parts replaced by a constant or by a piece of themselves; elements of lists dropped."""
    spans: list[tuple[int, int]] = []
    stack: list[int] = []
    for position, character in enumerate(text):
        if character in "({":
            stack.append(position)
        elif character in ")}" and stack:
            spans.append((stack.pop(), position + 1))
    for start, end in sorted(spans, key=lambda each: each[0] - each[1]):
        if end - start > 400:
            continue
        inner = text[start + 1 : end - 1]
        yield text[:start] + "1" + text[end:]
        yield text[:start] + "0" + text[end:]
        for piece in re.split(r"\s(?:[-+*/%&|^<>=?:,]|<<|>>|&&|\|\||[<>=!]=)\s", inner):
            if piece and len(piece) < len(inner):
                yield text[:start] + "(" + piece + ")" + text[end:]
        parts = inner.split(", ")
        for number in range(len(parts)):
            if len(parts) > 1:
                yield text[:start] + text[start] + ", ".join(parts[:number] + parts[number + 1 :]) + text[end - 1 :]
    for found in re.finditer(r"; ([^;{}]*;)(?= )", text):
        yield text[: found.start(1)] + text[found.end(1) :]
    for found in re.finditer(r"\b(?:0x[0-9a-f]+|\d{2,})(?:u?L{0,2})\b", text):
        yield text[: found.start()] + "3" + text[found.end() :]


def smallest(text: str, holds: Callable[[str], bool]) -> str:
    """Applies the first simplification that keeps `holds`, again and again."""
    for simplifications in (without_blocks, simpler_parts, without_blocks, simpler_parts):
        progress = True
        while progress:
            progress = False
            for candidate in simplifications(text):
                if len(candidate) < len(text) and holds(candidate):
                    text, progress = candidate, True
                    break
    return text


def reduce(text: str, data_model: str) -> tuple[str, str]:
    """The smaller program and what is wrong with it."""
    with tempfile.TemporaryDirectory(prefix="drystone-reduce-") as folder:
        wrong = disagreement(text, data_model, Path(folder))
        if not wrong:
            return text, ""
        start = text.index(PREAMBLE) + len(PREAMBLE)
        head = text[:start]
        rest = smallest(text[start:], lambda candidate: disagreement(head + candidate, data_model, Path(folder), wrong) == wrong)
        return head + rest, wrong


if __name__ == "__main__":
    program, what = reduce(Path(sys.argv[1]).read_text(), sys.argv[2] if len(sys.argv) > 2 else "LP64")
    print(f"/* {what or 'gcc and the interpreter agree'} */\n{program}")
