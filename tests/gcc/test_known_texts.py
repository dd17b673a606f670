"""What strtod and sscanf make of texts, compared with the C library: the same, or left to the approximation."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from drystone.concrete.number_texts import SPACE, Unreadable, number_at_start, pattern, scanned
from drystone.logic.sorts import EXTENDED, FLOAT32, FLOAT64

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
PIECES = "0 1 9 12 305 0x1f 0X.8p3 . .5 3. 1e5 2E-3 1e+ e7 + - inf INFINITY nan x ab , : % 0x 4294967295 18446744073709551616 -7".split()
FORMATS = [
    "%d", "%i", "%u", "%x", "%o", "%hd", "%hhu", "%lld", "%2d", "%3i", "%s", "%4s", "%c", "%2c", "%[a-z]", "%[^,:]", "%f", "%lf", "%Lf",
    "%n", "%*d", "%*s", "%%", ",", ":", "x", " ", "%5lf", "%[]a-c]", "%3[0-9]",
]  # fmt: skip


def c_literal(text: bytes) -> str:
    return '"' + "".join(f"\\{byte:03o}" for byte in text) + '"'


def output(folder: Path, body: str) -> list[str]:
    file = folder / "reads.c"
    shown = 'static void bytes(const void *p, int n) { for (int i = n; i--;) printf("%02x", ((const unsigned char *)p)[i]); }'
    file.write_text(
        f"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n{shown}\nint main(void) {{\n{body}\nreturn 0; }}\n"
    )
    subprocess.run(["gcc", "-w", "-O0", str(file), "-o", str(folder / "reads")], check=True, timeout=120)
    return subprocess.run([folder / "reads"], capture_output=True, text=True, check=True, timeout=20).stdout.splitlines()


@needs_gcc
def test_numbers_are_those_of_the_library(tmp_path: Path) -> None:
    chance = random.Random(7)
    texts = [
        "",
        " ",
        "0.1",
        "1e308",
        "4.9e-324",
        "1.7976931348623157e308",
        "9007199254740993",
        "0x1.fffffffffffff8p0",
        " \t-12.5e-1z",
    ]
    texts += [str(chance.uniform(-1, 1) * 10 ** chance.randint(-30, 30)) for _ in range(100)]
    texts += [f"{chance.getrandbits(80)}e{chance.randint(-40, 15)}" for _ in range(100)]
    texts += ["".join(chance.choices(PIECES, k=chance.randint(1, 4))) for _ in range(200)]
    lines = [
        f"{{ const char *s = {c_literal(text.encode())}; char *e; {ctype} d = {name}(s, &e); bytes(&d, {size}); "
        'printf(" %d\\n", (int)(e - s)); }'
        for text in texts
        for name, ctype, size in (("strtod", "double", 8), ("strtof", "float", 4), ("strtold", "long double", 10))
    ]
    real = iter(output(tmp_path, "\n".join(lines)))
    read = 0
    for text in map(str.encode, texts):
        spaces = len(text) - len(text.lstrip(SPACE))
        for sort in (FLOAT64, FLOAT32, EXTENDED):
            bits, used = next(real).split()
            try:
                number = number_at_start(text[spaces:])
                value = pattern(number, sort) if number is not None else 0
            except Unreadable:
                continue
            read += 1
            assert int(used) == (spaces + number.length if number is not None else 0), text
            expected = int(bits, 16)
            if sort == EXTENDED:  # the memory has the first digit, too
                expected = (expected >> 64) << 63 | expected & ((1 << 63) - 1)
            assert value == expected, (text, sort)
    assert read > 900


OBJECTS = {"d": "int", "i": "int", "u": "unsigned", "x": "unsigned", "o": "unsigned", "n": "int"}
LENGTHS = {"h": "short", "hh": "unsigned char", "ll": "long long"}


def declared(directive: str) -> tuple[str, int]:
    """The type and size of the object for a conversion."""
    letters = directive.strip("%0123456789")
    if "[" in directive or letters[-1] in "sc":
        return "char", 0
    if letters[-1] == "f":
        return {"f": ("float", 4), "lf": ("double", 8), "Lf": ("long double", 10)}[letters]
    return (LENGTHS.get(letters[:-1]) or OBJECTS[letters[-1]], {"h": 2, "hh": 1, "ll": 8}.get(letters[:-1], 4))


@needs_gcc
def test_scans_are_those_of_the_library(tmp_path: Path) -> None:
    chance = random.Random(8)
    cases = []
    for _ in range(700):
        directives = chance.choices(FORMATS, k=chance.randint(1, 4))
        cases.append(("".join(chance.choices([*PIECES, " ", " ", ","], k=chance.randint(0, 6))), directives))
    lines = []
    for text, directives in cases:
        stored = [each for each in directives if each.startswith("%") and "*" not in each and each != "%%"]
        types = [declared(each) for each in stored]
        objects = " ".join(f"{ctype} o{n}[64]; memset(o{n}, 'z', sizeof o{n});" for n, (ctype, _) in enumerate(types))
        arguments = "".join(f", o{n}" for n in range(len(stored)))
        shown = " ".join(f'bytes(o{n}, {size or 16}); printf(" ");' for n, (_, size) in enumerate(types))
        call = f"int r = sscanf({c_literal(text.encode())}, {c_literal(''.join(directives).encode())}{arguments});"
        lines.append(f'{{ {objects} {call} printf("%d ", r); {shown} printf("\\n"); }}')
    real = output(tmp_path, "\n".join(lines))
    read = 0
    for (text, directives), line in zip(cases, real, strict=True):
        try:
            found, result = scanned(text.encode(), "".join(directives).encode(), 64)
        except Unreadable:
            continue
        read += 1
        count, *held = line.split()
        assert int(count) == result, (text, directives)
        for number, bits in enumerate(held):
            if number >= len(found):
                assert set(bits) <= {"7", "a"}, (text, directives)  # nothing is stored
                continue
            value = found[number].value
            if isinstance(value, bytes):
                assert bytes.fromhex(bits)[::-1] == value.ljust(16, b"z")[:16], (text, directives)
            else:
                expected = int(bits, 16)
                if found[number].sort == EXTENDED:
                    expected = (expected >> 64) << 63 | expected & ((1 << 63) - 1)
                assert value == expected, (text, directives)
    assert read > 300
