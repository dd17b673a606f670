"""Generated programs with inputs and error locations, so that a slice of them has something to keep."""

from __future__ import annotations

import random

from tests.gcc.generate import generate_from
from tests.memory.pointer_programs import pointer_program

_DECLARATIONS = "extern void reach_error(void); extern unsigned long long __VERIFIER_nondet_ulonglong(void); extern int __VERIFIER_nondet_int(void);\n"


def generated(seed: int) -> str:
    """The checksum starts with an input; some checksums are errors."""
    source = random.Random(seed)
    text = generate_from(seed)
    mix = "checksum = (checksum ^ value) * 1099511628211uLL + (checksum >> 47);"
    assert mix in text
    modulus = source.choice((23, 67, 1009))
    text = text.replace(mix, f"{mix} if (checksum % {modulus} == {source.randrange(modulus)}) reach_error();", 1)
    head, main, tail = text.partition("int main(void) {")
    assert main
    return f"{_DECLARATIONS}{head}{main}\n    checksum ^= __VERIFIER_nondet_ulonglong();{tail}"


def pointers(seed: int) -> str:
    """Numbers start as inputs; between the pieces there are checks."""
    source = random.Random(seed)
    head, main, body = pointer_program(source).partition("int main(void) {\n")
    assert main
    lines = []
    for line in body.splitlines():
        lines.append(line)
        if line.startswith("  ") and "return" not in line and source.random() < 0.7:
            lines.append(f"  if ({_check(source)}) reach_error();")
    start = f"  numbers[{source.randrange(16)}] = __VERIFIER_nondet_int(); numbers[{source.randrange(16)}] = __VERIFIER_nondet_int();\n"
    return f"{_DECLARATIONS}{head}{main}{start}" + "\n".join(lines) + "\n"


def _check(source: random.Random) -> str:
    index = f"((unsigned)numbers[{source.randrange(16)}] % 4u)"
    return source.choice(
        [
            f"numbers[{source.randrange(16)}] == {source.randrange(6)}",
            f"numbers[{index}] > {source.randrange(100)}",
            f"raw[{source.randrange(128)}] & 4",
            f"buffer[{source.randrange(64)}] == {source.randrange(12)}",
            f"lone.a > {source.randrange(100)}",
            f"outers[{source.randrange(4)}].in.a != outers[{index}].in.a",
            f"outers[{index}].next && outers[{index}].next->u.i > 7",
            f"outers[{source.randrange(4)}].tag == {source.randrange(10)} || reals[{source.randrange(8)}] > 2.0",
            f"slots[{source.randrange(8)}] && *(int *)slots[{source.randrange(8)}] == 3"
            if source.random() < 0.3
            else "reals[2] < 0",
        ]
    )
