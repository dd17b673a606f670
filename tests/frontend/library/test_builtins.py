"""Builtins on bits, compared with what Python computes; those that gcc has are also compared with gcc (tests/gcc/test_library.py)."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from drystone.concrete.inputs import ListedInputs
from drystone.concrete.interpreter import interpret
from drystone.frontend.load import FrontendOptions, load

HEAD = "extern unsigned long long __VERIFIER_nondet_ulonglong(void); extern void reach_error(void);\n"
Computed = Callable[[int, int], int]


def rotated(width: int, sign: int) -> Computed:
    def left(x: int, count: int) -> int:
        count = sign * count % width
        return (x << count | x >> (width - count)) & ((1 << width) - 1)

    return left


def reversed_bits(width: int) -> Computed:
    return lambda x, y: int(f"{x:0{width}b}"[::-1], 2)


def redundant(width: int) -> Computed:
    def signs(x: int, y: int) -> int:
        text = f"{x:0{width}b}"
        return len(text) - len(text.lstrip(text[0])) - 1

    return signs


def case(name: str, width: int, computed: Computed, operands: int = 2) -> tuple[str, int, Computed]:
    types = {8: "unsigned char", 16: "unsigned short", 32: "unsigned", 64: "unsigned long long"}
    arguments = ", ".join(f"({types[width]}){each}" for each in ("x", "y")[:operands])
    return f"({types[width]}){name}({arguments})", width, computed


CASES = {
    **{f"left{w}": case(f"__builtin_rotateleft{w}", w, rotated(w, 1)) for w in (8, 16, 32, 64)},
    **{f"right{w}": case(f"__builtin_rotateright{w}", w, rotated(w, -1)) for w in (8, 16, 32, 64)},
    **{f"reverse{w}": case(f"__builtin_bitreverse{w}", w, reversed_bits(w), 1) for w in (8, 16, 32, 64)},
    "clrsb": case("__builtin_clrsb", 32, redundant(32), 1),
    "clrsbll": case("__builtin_clrsbll", 64, redundant(64), 1),
    "clzs": case("__builtin_clzs", 16, lambda x, y: 16 - max(x, 1).bit_length() if x else 15, 1),
}  # fmt: skip


@pytest.mark.parametrize(("call", "width", "computed"), CASES.values(), ids=CASES.keys())
def test_builtins_on_bits(call: str, width: int, computed: Computed, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    inputs = "unsigned long long x = __VERIFIER_nondet_ulonglong(), y = __VERIFIER_nondet_ulonglong();"
    file.write_text(
        f"{HEAD}int main(void) {{ {inputs} if ({call} == __VERIFIER_nondet_ulonglong()) reach_error(); return 0; }}\n"
    )
    program = load([str(file)], FrontendOptions()).program
    chance = random.Random(width)
    values = [1, 2, (1 << width) - 1, 1 << (width - 1), *(chance.getrandbits(width) or 1 for _ in range(40))]
    for x in values:
        y = chance.choice([0, 1, width - 1, width, width + 1, chance.getrandbits(width)]) & ((1 << width) - 1)
        assert interpret(program, ListedInputs([x, y, computed(x, y)])).kind == "error", (x, y)


@pytest.mark.parametrize(
    ("suffix", "ctype", "width"), [("b", "char", 8), ("s", "short", 16), ("", "int", 32), ("ll", "long long", 64)]
)
@pytest.mark.parametrize("operation", ["add", "sub"])
def test_arithmetic_with_a_carry(operation: str, suffix: str, ctype: str, width: int, tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    names = ("x", "y", "c", "result", "out")
    inputs = " ".join(f"unsigned {ctype} {name} = __VERIFIER_nondet_ulonglong();" for name in names)
    call = f"unsigned {ctype} r, o; r = __builtin_{operation}c{suffix}(x, y, c, &o);"
    file.write_text(f"{HEAD}int main(void) {{ {inputs} {call} if (r == result && o == out) reach_error(); return 0; }}\n")
    program = load([str(file)], FrontendOptions()).program
    chance, top = random.Random(width), 1 << width
    for _ in range(30):
        x, y, carry = (chance.choice([0, 1, top - 1, top // 2, chance.getrandbits(width)]) for _ in range(3))
        sign = 1 if operation == "add" else -1
        first = x + sign * y
        second = first % top + sign * carry
        out = int(not 0 <= first < top) | int(not 0 <= second < top)
        assert interpret(program, ListedInputs([x, y, carry, second % top, out])).kind == "error", (x, y, carry)


def test_copies_that_clang_expands(tmp_path: Path) -> None:
    file = tmp_path / "program.c"
    copy = "__builtin_memcpy_inline(b, a, 3); __builtin_memset_inline(a, 7, 2);"
    test = "b[0] == 1 && b[2] == 3 && b[3] == 9 && a[0] == 7 && a[1] == 7 && a[2] == 3"
    file.write_text(
        f"{HEAD}int main(void) {{ char a[3] = {{1, 2, 3}}, b[4] = {{9, 9, 9, 9}}; {copy} if ({test}) reach_error(); }}\n"
    )
    assert interpret(load([str(file)], FrontendOptions()).program, ListedInputs([])).kind == "error"
