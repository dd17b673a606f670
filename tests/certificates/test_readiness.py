"""What is made before there is a certificate changes no answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from drystone.base.deadline import Deadline
from drystone.certificates.check import check
from drystone.certificates.questions import Checked
from drystone.certificates.readiness import Ready, make_ready
from drystone.claims.certificates import BoundedCertificate
from drystone.frontend.load import FrontendOptions

TEXT = """
extern void reach_error(void);
extern unsigned nondet(void);
int main(void) {{
  unsigned n = nondet() % 4, sum = 0;
  for (unsigned i = 0; i < n; i++) sum += i;
  if (sum {bad}) reach_error();
  return 0;
}}"""
OPTIONS = FrontendOptions()


def program(folder: Path, name: str, bad: str) -> list[str]:
    file = folder / name
    file.write_text(TEXT.format(bad=bad))
    return [str(file)]


def checked(files: list[str], steps: int, ready: Ready | None) -> Checked:
    return check(files, OPTIONS, BoundedCertificate(steps, 1, "bitwuzla"), Deadline.after(60), ready=ready)


@pytest.mark.parametrize("reads_program", [True, False])
def test_answers_are_those_of_a_check_that_begins_with_nothing(tmp_path: Path, reads_program: bool) -> None:
    right, wrong = program(tmp_path, "right.c", "> 3"), program(tmp_path, "wrong.c", "== 3")
    for files, steps in ((right, 6), (right, 2), (wrong, 6)):
        ready = make_ready(files, OPTIONS, reads_program=reads_program)
        assert len(ready.solvers) == 1
        assert checked(files, steps, ready) == checked(files, steps, None)
        assert not ready.solvers  # it was asked
        assert checked(files, steps, ready) == checked(files, steps, None)
    assert [checked(files, 6, None).valid for files in (right, wrong)] == [True, False]


def test_a_program_is_ready_for_its_own_check_alone(tmp_path: Path) -> None:
    right, wrong = program(tmp_path, "right.c", "> 3"), program(tmp_path, "wrong.c", "== 3")
    ready = make_ready(right, OPTIONS, reads_program=True)
    assert not checked(wrong, 6, ready).valid
    assert ready.program_of(right, OPTIONS) is ready.program is not None
    assert ready.program_of(right, replace(OPTIONS, defines=("main=other",))) is None
