"""Every operator on every type, with operands at the ends of the range: what gcc's sanitizers report, and what checks find."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from drystone.concrete.inputs import ListedInputs
from drystone.concrete.interpreter import Interpreter
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.conventions import NONE

TYPES = {
    "char": (-(1 << 7), (1 << 7) - 1),
    "unsigned short": (0, (1 << 16) - 1),
    "int": (-(1 << 31), (1 << 31) - 1),
    "unsigned": (0, (1 << 32) - 1),
    "long long": (-(1 << 63), (1 << 63) - 1),
    "struct field": (-(1 << 4), (1 << 4) - 1),
}
EXPRESSIONS = (
    *(f"x {operator} y" for operator in ("+", "-", "*", "/", "%", "<<", ">>")),
    *(f"(x {operator}= y)" for operator in ("+", "-", "*", "/", "%", "<<", ">>")),
    *(
        "-x",
        "x++",
        "++x",
        "x--",
        "--x",
        "5 - x",
        "-7 - x",
        "x + 3",
        "x - 3",
        "3 * x",
        "-3 * x",
        "x * -1",
        "x / -1",
        "1 << x",
        "x << 3",
    ),
    *("y && x / y", "y ? x % y : 0", "(y == 0 || x + y > 0) + 0", "(int)sizeof(x / y)", "(sink = x + 1, y)"),
)
NARROWED = ("unsigned short", "(x *= y)")
"""gcc multiplies unsigned numbers where the result goes into an unsigned type that is as narrow: its sanitizer sees no int."""
_SANITIZERS = "-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero"
CHECKS = ("division", "shift", "overflow")
_NATIVE = """
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static sigjmp_buf before;
static int hit;
static void trap(int number) { siglongjmp(before, number); }
#define HANDLER(name) void __ubsan_handle_##name(void) { hit = 1; }
HANDLER(add_overflow) HANDLER(sub_overflow) HANDLER(mul_overflow) HANDLER(negate_overflow) HANDLER(divrem_overflow)
HANDLER(shift_out_of_bounds)
"""
_NATIVE_MAIN = """
int main(void) {
  int number; long long a, b;
  signal(SIGFPE, trap);
  while (scanf("%d %lld %lld", &number, &a, &b) == 3) {
    hit = 0;
    if (!sigsetjmp(before, 1)) run(number, a, b);
    putchar('0' + hit);
  }
}
"""
_MODEL_MAIN = """
extern long long __VERIFIER_nondet_longlong(void);
int main(void) {
  long long number = __VERIFIER_nondet_longlong(), a = __VERIFIER_nondet_longlong(), b = __VERIFIER_nondet_longlong();
  run((int)number, a, b);
  return 0;
}
"""


def operations() -> list[tuple[str, str]]:
    return list(product(TYPES, EXPRESSIONS))


def functions() -> str:
    """A function for each of them, and one that chooses."""
    lines = ["static volatile long long sink;", "struct narrow { int x : 5, y : 5; };"]
    for number, (type_, expression) in enumerate(operations()):
        if type_ == "struct field":
            expression = re.sub(r"\b([xy])\b", r"s.\1", expression)
            declared = "struct narrow s = {0}; s.x = (int)p; s.y = (int)q;"
        else:
            declared = f"{type_} x = ({type_})p, y = ({type_})q;"
        lines.append(f"static void f{number}(long long p, long long q) {{ {declared} sink = {expression}; }}")
    cases = " ".join(f"case {number}: f{number}(a, b); break;" for number in range(len(operations())))
    lines.append(f"static void run(int number, long long a, long long b) {{ switch (number) {{ {cases} }} }}")
    return "\n".join(lines)


def executions() -> Iterator[tuple[int, int, int]]:
    """Numbers of operations, with operands."""
    for number, (type_, _) in enumerate(operations()):
        least, greatest = TYPES[type_]
        values = sorted({least, least + 1, -1, 0, 1, 3, 5, 31, greatest // 2, greatest - 1, greatest})
        values = [value for value in values if least <= value <= greatest]
        for a, b in product(values, values):
            yield number, a, b


def reported_by_gcc(folder: Path) -> str:
    """A 1 for each execution in which a sanitizer says something, a 0 for each other one."""
    source = folder / "native.c"
    source.write_text(_NATIVE + functions() + _NATIVE_MAIN)
    common = ["gcc", "-std=gnu11", "-w", "-O0"]
    subprocess.run([*common, _SANITIZERS, "-c", str(source), "-o", str(folder / "native.o")], check=True)
    subprocess.run([*common, str(folder / "native.o"), "-o", str(folder / "native")], check=True)
    given = "\n".join(f"{number} {a} {b}" for number, a, b in executions())
    return subprocess.run([str(folder / "native")], input=given, capture_output=True, text=True, check=True).stdout


def found_by_checks(folder: Path, checks: tuple[str, ...] = CHECKS) -> str:
    source = folder / "model.c"
    source.write_text(functions() + _MODEL_MAIN)
    interpreter = Interpreter(load([str(source)], FrontendOptions(errors=NONE, checks=checks)).program)
    return "".join(str(int(interpreter.run(ListedInputs(given)).kind == "error")) for given in executions())
