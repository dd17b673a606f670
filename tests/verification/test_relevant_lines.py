"""Which lines a proof is about: changing one of the others never changes the verdict, and calls are left out of both."""

from __future__ import annotations

from pathlib import Path

from drystone.frontend.load import FrontendOptions, load
from drystone.verification.messages import CoveredFile
from drystone.verification.relevant_lines import covered

_PROGRAM = """extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int counted, held;
void count(int by) {
  counted += by;
}
int main(void) {
  int input = __VERIFIER_nondet_int();
  int unused = input * 2;
  if (input > 3)
    held = 1;
  count(unused);
  if (held && input <= 3)
    reach_error();
  return counted;
}
"""


def lines(folder: Path, text: str) -> tuple[CoveredFile, ...]:
    (folder / "a.c").write_text(text)
    return covered(load([str(folder / "a.c")], FrontendOptions()).program, 1.0)


def test_lines_that_decide_and_lines_that_do_not(tmp_path: Path) -> None:
    (found,) = lines(tmp_path, _PROGRAM)
    assert found.file == str(tmp_path / "a.c")
    assert {8, 10, 11, 13} <= set(found.relevant)
    assert {5, 9, 15} <= set(found.others)
    assert not set(found.relevant) & set(found.others) and 12 not in (*found.relevant, *found.others)


def test_what_would_be_about_a_part_of_the_program_is_not_said(tmp_path: Path) -> None:
    recursive = _PROGRAM.replace("counted += by;", "counted += by; if (by) count(by - 1);")
    assert lines(tmp_path, recursive) == ()


def test_without_an_error_everything_is_beside_the_point(tmp_path: Path) -> None:
    (found,) = lines(tmp_path, _PROGRAM.replace("    reach_error();", "    held = 2;"))
    assert found.relevant == [] and {8, 9, 10, 11} <= set(found.others)
