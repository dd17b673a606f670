"""`--counted`: the same run each time, however fast the machine is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from drystone.cli.main import main
from tests.places import EXAMPLES, ROOT

PRIME = """
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
  unsigned long long x = 3, y = 3;
  for (unsigned i = 0; __VERIFIER_nondet_uint(); i++) {
    if (i == 50000 && x > 1 && y > 1 && x * y == 9223372036854775783ull) reach_error();
    x = __VERIFIER_nondet_uint();
    y = __VERIFIER_nondet_uint();
  }
  return 0;
}
"""
SALTED = """
import sys
from drystone.cli.main import main
from drystone.logic.terms import Term

seed = int(sys.argv[1])
Term.__hash__ = lambda term: hash((seed, term.id))
sys.exit(main(sys.argv[2:]))
"""
BY_Z3 = """
from drystone.logic import terms
from drystone.logic.sorts import BOOL, bitvec
from drystone.solvers import make_solver
from drystone.base.clock import count_work, now

count_work(terms.table_size)
word = bitvec(64)
x, y = (terms.resize(terms.state(name, bitvec(32)), 64) for name in "xy")
product = terms.equal(terms.make("bvmul", word, x, y), terms.constant(word, 9223372036854775783))
factors = [terms.make("bvult", BOOL, terms.constant(word, 1), each) for each in (x, y)]
for _ in range(2):
    solver, start = make_solver("z3"), now()
    print(solver.check([product, *factors], limit_seconds=0.5).value, round(now() - start, 6))
"""


@pytest.mark.parametrize("options", ["bmc", "k-induction", "dss", "dss --summaries predicates"])
def test_the_same_run_each_time(options: str, tmp_path: Path) -> None:
    file = tmp_path / "prime.c"
    file.write_text(PRIME)
    first, second = (salted(seed, file, "--engine", *options.split(), "--counted", "0.3s") for seed in (1, 2))
    assert first == second
    assert first["verdict"] == "UNKNOWN" and first["counted_s"] == 0.3 and first["counters"]["terms"] > 0


def salted(seed: int, *arguments: str | Path) -> dict[str, Any]:
    """What is reported but for what is measured. Texts and terms are in another order in sets with each seed."""
    command = [sys.executable, "-c", SALTED, str(seed), "verify", *map(str, arguments), "--json", "-"]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=120, check=False)
    assert done.returncode in (0, 1, 2), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    for each in report["operators"].values():
        del each["seconds"]
    return {name: value for name, value in report.items() if name not in ("wall_s", "cpu_s", "peak_mb")}


def test_z3_counts_for_itself() -> None:
    done = subprocess.run([sys.executable, "-c", BY_Z3], capture_output=True, text=True, cwd=ROOT, timeout=120, check=True)
    first, second = done.stdout.splitlines()
    assert first == second and first.startswith("unknown 0.5")


@pytest.mark.parametrize(
    "options", ["--engine auto", "--engine execute", "--engine bmc --workers 2", "--engine dss --transport processes"]
)
def test_one_process_only(options: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(EXAMPLES / "bank.c"), "--counted", "1s", *options.split()]) == 3
    assert "--counted is about" in capsys.readouterr().err
