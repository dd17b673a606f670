"""`--dump-smt`: every query is a file with its answer, and another solver agrees."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from drystone.cli.main import main
from drystone.logic.sorts import bitvec
from drystone.logic.terms import constant, equal, negate, state
from drystone.solvers import Answer, make_solver
from drystone.solvers.dump import asked_by, dumping
from tests.places import EXAMPLES

SUM = str(EXAMPLES / "sum.c")


def answers(file: Path) -> tuple[str, str]:
    """What the file says, and what z3 says about it."""
    import z3

    text = file.read_text()
    found = re.search(r"^\(set-info :status (sat|unsat|unknown)\)$", text, re.MULTILINE)
    assert found is not None
    solver = z3.Solver()
    solver.set("timeout", 10_000)
    solver.from_string(text)
    return found[1], str(solver.check())


@pytest.mark.parametrize("engine", ["bmc", "k-induction", "dss", "auto"])
def test_the_queries_of_a_verification(engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "queries"
    assert main(["verify", SUM, "--engine", engine, "--workers", "1", "--dump-smt", str(folder)]) == 0
    files = sorted(folder.iterdir())
    askers = {file.name.rpartition("-")[0] for file in files}
    assert "certificate" in askers and len(askers) > 1
    assert engine == "auto" or askers == {engine, "certificate"}
    found = {answers(file) for file in files[:: 1 + len(files) // 20]}
    assert found <= {("sat", "sat"), ("unsat", "unsat")}, found


def test_what_is_asserted_counts_until_it_is_popped(tmp_path: Path) -> None:
    x = state("x", bitvec(8))
    with dumping(tmp_path), asked_by("two words"):
        solver = make_solver("bitwuzla")
    solver.add(equal(x, constant(bitvec(8), 1)))
    solver.push()
    solver.add(negate(equal(x, constant(bitvec(8), 1))))
    assert solver.check() is Answer.UNSAT
    solver.pop()
    assert solver.check() is Answer.SAT and solver.value(x) == 1
    assert solver.check([equal(x, constant(bitvec(8), 2))]) is Answer.UNSAT
    written = [answers(tmp_path / f"two-words-{number:06}.smt2") for number in (1, 2, 3)]
    assert written == [("unsat", "unsat"), ("sat", "sat"), ("unsat", "unsat")]
    make_solver("bitwuzla").check()
    assert len(list(tmp_path.iterdir())) == 3


def test_files_that_are_there_are_kept(tmp_path: Path) -> None:
    for _ in range(2):
        with dumping(tmp_path):
            make_solver("bitwuzla").check()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["query-000001.smt2", "query-000002.smt2"]


def test_a_folder_that_cannot_be_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["verify", SUM, "--dump-smt", str(tmp_path / "file")]) == 3
    assert "cannot be made" in capsys.readouterr().err
