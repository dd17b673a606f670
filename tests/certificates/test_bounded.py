"""Bounded certificates: no step is left out, whatever the number of steps that are asked about at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.certificates.check import check
from drystone.claims.certificates import BoundedCertificate
from drystone.frontend.load import FrontendOptions

TEXT = """
extern int nondet(void); extern void reach_error(void);
int main(void) {{
  int bad = nondet(), i;
  if (bad >= 0 && bad < 100 && bad != {round}) return 0;
  for (i = 0; i < 100; i++) if (i == bad) reach_error();
  return 0;
}}"""


def checked(folder: Path, round_: int, steps: int) -> bool:
    file = folder / "program.c"
    file.write_text(TEXT.format(round=round_))
    return check([str(file)], FrontendOptions(), BoundedCertificate(steps, 1, "bitwuzla"), Deadline.after(60)).valid


@pytest.mark.parametrize("round_", [0, 1, 7, 8, 9, 37, 71, 98, 99])
def test_an_error_in_any_round_is_noticed(tmp_path: Path, round_: int) -> None:
    assert not checked(tmp_path, round_, 102)


def test_all_steps_are_needed(tmp_path: Path) -> None:
    assert checked(tmp_path, 100, 102)
    assert not checked(tmp_path, 100, 90)
