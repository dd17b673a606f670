"""The sign of `0.0 - x` for x = +0: IEEE 754 and the machine say +0, gcc's folding says -0 where x cannot be -0."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inside import decided

HEAD = """
void reach_error(void);
float fabsf(float); double fabs(double);
int n; float f; double d; struct { int n : 3; float f; } s; _Complex float c;
"""
FOLDED = [
    "(float)n",
    "n * 1.0f",
    "((float)n + 0)",
    "+(float)n",
    "(n, (float)n)",
    "fabsf(f)",
    "(float)fabs(f)",
    "(n ? 1.f : 0.f)",
    "(float)s.n",
    "(1 ? (float)n : f)",
    "({ (float)n; })",
]
COMPUTED = ["f", "s.f", "(double)f", "f * f", "(float)d", "(f = n)", "*&f"]


def verdict(folder: Path, program: str) -> str:
    (folder / "program.c").write_text(HEAD + program)
    return decided(folder / "program.c").verdict


@pytest.mark.parametrize("negation", ["", "!"])
@pytest.mark.parametrize("operand", FOLDED)
def test_the_sign_of_a_folded_difference_is_open(tmp_path: Path, operand: str, negation: str) -> None:
    program = f"int main(void) {{ if ({negation}__builtin_signbit(0 - {operand})) reach_error(); }}"
    assert verdict(tmp_path, program) != "TRUE"


@pytest.mark.parametrize("operand", COMPUTED)
def test_a_difference_that_no_compiler_folds_is_computed(tmp_path: Path, operand: str) -> None:
    program = f"int main(void) {{ if (__builtin_signbit(0 - {operand})) reach_error(); }}"
    assert verdict(tmp_path, program) == "TRUE"


def test_the_parts_of_a_complex_difference_are_open_too(tmp_path: Path) -> None:
    program = "int main(void) { c = (_Complex float)0 - (float)n; if (__builtin_signbit(__real__ c)) reach_error(); }"
    assert verdict(tmp_path, program) != "TRUE"
