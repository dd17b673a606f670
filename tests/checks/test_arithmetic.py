"""Arithmetical checks: what C leaves undefined, nothing else, and only where C evaluates it."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from drystone.concrete.inputs import ListedInputs
from drystone.concrete.interpreter import Interpreter
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import MarkKind
from drystone.ir.conventions import NONE
from tests.checks.operations import CHECKS, NARROWED, executions, found_by_checks, operations, reported_by_gcc
from tests.gcc.compiler import missing_sanitizers
from tests.inside import decided
from tests.places import ROOT
from tests.running import report, verify


def marks(folder: Path, body: str, *checks: str, before: str = "") -> list[str]:
    file = folder / "program.c"
    file.write_text(
        f"extern int nondet_int(void);\n{before}\nint main(void) {{ int x = nondet_int(), y = nondet_int();\n{body}\nreturn 0; }}\n"
    )
    program = load([str(file)], FrontendOptions(errors=NONE, checks=checks)).program
    found = {mark.what for each in program.procedures.values() for mark in each.marks.values() if mark.kind is MarkKind.ERROR}
    return sorted(found)


def test_the_same_as_gccs_sanitizers(tmp_path: Path) -> None:
    """All operators on types of all ranks, bit-fields too, at the ends of their ranges."""
    if reason := missing_sanitizers("LP64"):
        pytest.skip(reason)
    found, reported = found_by_checks(tmp_path), reported_by_gcc(tmp_path)
    differing = [
        (*operations()[number], a, b, f"check {ours}, gcc {theirs}")
        for (number, a, b), ours, theirs in zip(executions(), found, reported, strict=True)
        if ours != theirs and operations()[number] != NARROWED
    ]
    assert not differing and "1" in found


@pytest.mark.parametrize("left_out", CHECKS)
def test_each_check_finds_something_of_its_own(tmp_path: Path, left_out: str) -> None:
    rest = tuple(name for name in CHECKS if name != left_out)
    assert found_by_checks(tmp_path, rest) != found_by_checks(tmp_path)


def test_words(tmp_path: Path) -> None:
    body = "int z = x / y; z = x << y; z = x + y; z = -x; z -= 1; unsigned u = (unsigned)x; u++; char c = x; c += 1; z = 1.5 * x;"
    assert marks(tmp_path, body, *CHECKS, "unsigned-overflow", "conversion") == [
        "conversion to char that changes the value: c += 1",
        "conversion to char that changes the value: x",
        "conversion to int, which cannot hold the number: 1.5 * x",
        "division by zero: x / y",
        "left shift of a negative value: x << y",
        "overflow of int: -x",
        "overflow of int: c += 1",
        "overflow of int: x + y",
        "overflow of int: x / y",
        "overflow of int: x << y",
        "overflow of int: z -= 1",
        "shift by 32 bits or more, of a value that has 32: x << y",
        "shift by a negative amount: x << y",
        "wrap-around of unsigned int: u ++",
    ]


def test_functions_of_the_library_that_compute(tmp_path: Path) -> None:
    body = "x = abs(x); x = __builtin_abs(y); x = div(x, y).rem;"
    assert marks(tmp_path, body, *CHECKS, before="#include <stdlib.h>") == [
        "division by zero: div(x, y)",
        "overflow of int: __builtin_abs(y)",
        "overflow of int: abs(x)",
        "overflow of int: div(x, y)",
    ]


@pytest.mark.parametrize(
    "body",
    [
        "(void)sizeof(x / y);",
        "int *p = &x; p = p + 1; p++; long d = p - &x; (void)d;",
        "int z = x / 3 + 0; (void)_Generic(x / y, int: 0);",
        "double d = x; d = d / y; d = d * 2;",
        "_Bool b = x; b = y; b++;",
        "if (0 && x / y) x = 1; (void)__builtin_constant_p(x / y);",
    ],
)
def test_nothing_where_nothing_can_go_wrong(tmp_path: Path, body: str) -> None:
    assert [each for each in marks(tmp_path, body, "division", "shift", "unsigned-overflow") if "z" not in each] == []


@pytest.mark.parametrize(
    "body",
    ["x + y;", "(void)(x + y);", "(x + y, 0);", "x + nondet_int();", "if (x + y) {}", "int a[3] = {x + y};"]
    + ["int v[2][y]; (void)sizeof v[x + y];", 'struct { int a[3]; } s[9]; asm volatile("" : : "m"(s[x + y]));'],
)
def test_a_value_that_nobody_uses_is_computed(tmp_path: Path, body: str) -> None:
    assert any(each.startswith("overflow of int: x +") for each in marks(tmp_path, body, "overflow"))


@pytest.mark.parametrize(
    "sums",
    [
        "atomic_fetch_add(&a, x); atomic_fetch_sub(&a, x); atomic_fetch_sub_explicit(&u, 3, memory_order_relaxed);",
        "__atomic_fetch_add(&w, 1u, 0); __atomic_sub_fetch(&w, 1u, 0); __sync_fetch_and_add(&x, y); __sync_sub_and_fetch(&w, 1u);",
    ],
)
def test_atomic_functions_wrap_around(tmp_path: Path, sums: str) -> None:
    before = "#include <stdatomic.h>\natomic_int a; atomic_uint u; unsigned w;"
    checks = ("overflow", "unsigned-overflow")
    assert marks(tmp_path, sums, *checks, before=before) == []
    operands = "int z = atomic_load(&a) + 1; atomic_fetch_add(&a, x - 1); z = -__sync_fetch_and_add(&x, y);"
    assert len(marks(tmp_path, operands, *checks, before=before)) == 3


@pytest.mark.parametrize(
    "body",
    [
        "typedef int four __attribute__((vector_size(16))); four v = {x, y, 1, 2}; v = v + v; x = v[0];",
        "struct { unsigned long f : 40; } s = {1}; s.f = s.f + s.f;",
        "static int g = 2147483647 + 1; x = g;",
        "int (*p)[x + 1] = 0; (void)p;",
        "typedef int (*array)[x + 1];",
        "__typeof__(int[x + 1]) *p = 0; (void)p;",
        "(void)(int (*)[x + 1])0;",
    ],
)
def test_what_is_not_checked_is_refused(tmp_path: Path, body: str) -> None:
    file = tmp_path / "program.c"
    file.write_text(
        f"extern int nondet_int(void);\nint main(void) {{ int x = nondet_int(), y = nondet_int(); {body} return 0; }}\n"
    )
    result = decided(file, check=("overflow", "unsigned-overflow"))
    assert result.verdict == "UNKNOWN"


def wraps(operator: str, a: int, b: int) -> bool:
    value = {"+": a + b, "-": a - b, "*": a * b}[operator]
    return not 0 <= value < 1 << 32


def test_unsigned_numbers(tmp_path: Path) -> None:
    values = [0, 1, 2, 65535, 65536, (1 << 31) - 1, 1 << 31, (1 << 32) - 2, (1 << 32) - 1]
    source = tmp_path / "unsigned.c"
    for operator in ("+", "-", "*"):
        source.write_text(
            "extern unsigned nondet_unsigned(void); int main(void) { unsigned a = nondet_unsigned(), b = nondet_unsigned();"
            f"volatile unsigned c = a {operator} b; return 0; }}"
        )
        interpreter = Interpreter(load([str(source)], FrontendOptions(errors=NONE, checks=("unsigned-overflow",))).program)
        for a, b in product(values, values):
            assert (interpreter.run(ListedInputs((a, b))).kind == "error") is wraps(operator, a, b), (operator, a, b)


def test_the_left_side_of_a_compound_assignment_is_converted_like_an_operand(tmp_path: Path) -> None:
    for body in ("x = x & 1u;", "x &= 1u;"):
        words = marks(tmp_path, body, "conversion")
        assert "conversion to unsigned int that changes the value: x" in words, body


def test_parameters_of_old_style_definitions_are_converted(tmp_path: Path) -> None:
    before = "int f(c) char c; { return c; }\nint g(i) int i; { return i; }"
    assert marks(tmp_path, "y = f(x) + g(x);", "conversion", before=before) == [
        "conversion to char that changes the value: char c"
    ]


@pytest.mark.parametrize("target", ["signed char", "unsigned char", "short", "int", "unsigned", "long", "unsigned long"])
@pytest.mark.parametrize("source", ["signed char", "unsigned char", "int", "unsigned", "long", "unsigned long"])
def test_conversions_that_change_the_value(tmp_path: Path, source: str, target: str) -> None:
    file = tmp_path / "conversion.c"
    file.write_text(
        f"extern long nondet_long(void); int main(void) {{ {source} a = ({source})nondet_long(); {target} b = a; return b != 0; }}"
    )
    interpreter = Interpreter(load([str(file)], FrontendOptions(errors=NONE, checks=("conversion",))).program)
    for value in (
        -(1 << 63),
        -(1 << 31) - 1,
        -129,
        -128,
        -1,
        0,
        1,
        127,
        128,
        255,
        256,
        32768,
        (1 << 31) - 1,
        1 << 31,
        (1 << 63) - 1,
    ):
        given = SIZES[source]
        value = fitted(value, given)
        changes = fitted(value, SIZES[target]) != value
        assert (interpreter.run(ListedInputs((value,))).kind == "error") is changes, (value, source, target)


SIZES = {"signed char": -8, "unsigned char": 8, "short": -16, "int": -32, "unsigned": 32, "long": -64, "unsigned long": 64}


def fitted(value: int, bits: int) -> int:
    """The value in a type of so many bits, fewer than zero for signed ones."""
    value &= (1 << abs(bits)) - 1
    return value - (1 << -bits) if bits < 0 and value >> (-bits - 1) else value


FALSE = """extern int __VERIFIER_nondet_int(void);
int f(int a) { return a + 1; }
int main(void) { int x = __VERIFIER_nondet_int(); return x > 5 ? f(x) : 100 / x; }
"""
TRUE = """extern int __VERIFIER_nondet_int(void);
int main(void) { int n = __VERIFIER_nondet_int(), s = 0; for (int i = 0; i < n; i++) s = (s + i % 7) % 100; return s + 1; }
"""


def test_the_property_file_of_sv_comp(tmp_path: Path) -> None:
    (tmp_path / "no-overflow.prp").write_text("CHECK( init(main()), LTL(G ! overflow) )\n")
    (tmp_path / "false.c").write_text(FALSE)
    (tmp_path / "true.c").write_text(TRUE + "void reach_error(void) {} int unused(void) { reach_error(); return 0; }\n")
    found = report(tmp_path / "false.c", "--property", tmp_path / "no-overflow.prp", "--replay", "native")
    example = found["evidence"]["counterexample"]
    assert (found["verdict"], example["error"], example["line"]) == ("FALSE", "overflow of int: a + 1", 2)
    assert missing_sanitizers("LP64") or "cannot be represented" in example["native"]["reason"]
    proved = report(tmp_path / "true.c", "--property", tmp_path / "no-overflow.prp")
    assert (proved["verdict"], proved["evidence"]["certificate"]["checked"]) == ("TRUE", True)


def test_lines_of_what_a_file_was_made_of_do_not_matter_to_compiled_programs(tmp_path: Path) -> None:
    if reason := missing_sanitizers("LP64"):
        pytest.skip(reason)
    file = tmp_path / "made.c"
    file.write_text(FALSE.replace("int f(", '#line 77 "other.c"\nint f('))
    example = report(file, "--check", "overflow", "--replay", "native")["evidence"]["counterexample"]
    assert (example["line"], example["native"]["reproduced"]) == (3, True)


def test_each_violation_by_itself(tmp_path: Path) -> None:
    file = tmp_path / "false.c"
    file.write_text(FALSE)
    found = report(file, "--check", "overflow,division", "--all")
    assert {error["what"]: (error["verdict"], error["kind"]) for error in found["errors"]} == {
        "overflow of int: a + 1": ("FALSE", "overflow"),
        "division by zero: 100 / x": ("FALSE", "division"),
    }


def test_a_certificate_says_what_was_checked(tmp_path: Path) -> None:
    file, proof = tmp_path / "true.c", tmp_path / "proof.json"
    file.write_text(TRUE)
    assert report(file, "--check", "overflow,division", "--certificate", proof)["verdict"] == "TRUE"
    check = [sys.executable, "-m", "drystone", "check", str(proof), str(file)]
    assert subprocess.run([*check, "--check", "overflow,division"], capture_output=True, cwd=ROOT).returncode == 0
    other = subprocess.run([*check, "--check", "overflow"], capture_output=True, text=True, cwd=ROOT)
    assert other.returncode not in (0, 1) and "add --check division,overflow" in other.stderr


def test_words_that_mean_nothing(tmp_path: Path) -> None:
    (tmp_path / "true.c").write_text(TRUE)
    assert "no check 'nonsense'" in verify(tmp_path / "true.c", "--check", "nonsense").stderr
    assert "without other checks" in verify(tmp_path / "true.c", "--check", "data-race,overflow").stderr
