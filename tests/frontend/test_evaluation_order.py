"""Operands are evaluated in the order that the compiler likes: a proof holds for both, and a counterexample can be run."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.inside import decided

HEAD = """
void reach_error(void); int __VERIFIER_nondet_int(void);
int x = 1, n, a[4] = {1, 2, 3, 4}, i, *p = a; struct S { int u, v; } s = {1, 2};
int f(void) { x = 5; return 10; }
int next(void) { return ++n; }
int sub(int u, int v) { return u - v; }
int add(int u, int v) { return u + v; }
int (*operation)(int, int) = sub;
int set_operation(void) { operation = add; return 1; }
int (*chosen(void))(int, int) { n *= 10; return sub; }
int set_i(void) { i = 2; return 7; }
int *set_p(void) { p = a + 1; return p; }
int successor(int k) { return k + 1; }
int x_now(void) { return x; }
int set(int *q) { *q = 9; return 3; }
int bump(struct S *t) { t->u += 10; return t->u; }
struct S make(void) { s.u = 42; struct S r = {7, 8}; return r; }
int stop(void) { for (;;); return 0; }
"""

OPEN = [  # the order decides
    "x + f() == 15",
    "f() + x == 15",
    "sub(next(), next()) == 1",
    "next() - next() == -1",
    "x == f() - 5",
    "x < f() - 5",
    "x << (f() - 9) == 2",
    "sub(x, f()) == -9",
    "sub(x_now(), f()) == -9",
    "x_now() + f() == 11",
    "s.u + bump(&s) == 12",
    "operation(set_operation(), 2) == -1",
    "p[set_p() - a] == 2",
    "({ int y = 1; y + set(&y) == 4; })",
    "({ a[i] = set_i(); a[0] == 7; })",
    "({ a[i] += set_i(); a[0] == 8; })",
    "({ struct S t[2] = {{1, 1}, {2, 2}}; t[i].u = set_i() - 7; t[0].u == 0; })",
    "sub(s.u, make().u) == -6",
    "x + ({ int y = 10; x = y; 5; }) == 15",
    "sub(x, ({ x++; for (int k = 0; k < 2; k++) x += k; 5; })) == -4",
    "x_now() + ((struct S){f(), 1}).u == 11",
    "({ struct S t = {.v = f(), .u = x}; t.u == 1; })",
    "({ int t[2] = {x, f()}; t[0] == 1; })",
    "({ int y = 1, z = y + (y == 1 ? ({ y = 10; 5; }) : 0); z == 6; })",
    "next() * 100 + sub(next(), next()) * 10 == 110",  # compilers mix the orders
    "sub(next(), next()) * 10 + next() == 13",
    "n + next() + n == 3",
    "next() + (n + next()) == 5",
    "({ int t[2] = {next(), sub(next(), next())}; t[0] * 10 + t[1] == 11; })",
    "sub(next(), next() - next() * 2) == 5",
    "chosen()(next(), next()) == -1",
]

CLOSED = [  # it does not
    "({ typedef long time_t; time_t time(time_t *); long late = x; x = late; (time(0) < x) < 2; })",
    "successor(1) + successor(2) == 5",
    "sub(successor(3), successor(1)) == 2",
    "({ int q = 3; q + successor(q) == 7; })",
    "x + successor(2) == 4",
    "sub(f(), next()) == 9",
    "next() + 1 == 2",
    "({ int k = 1; k + next() == 2; })",
    "(x = 3) + successor(1) == 5",
    "a[successor(0)] == 2",
    "({ a[1] = successor(5); a[1] == 6; })",
    "({ int *q = &x; *q = f(); x == 10; })",
    "({ struct S t; t = make(); t.u == 7; })",
    "(f(), x) + 1 == 6",
    "f() && x == 5",
    "({ int y = 1; y += set(&y); y == 12; })",
    "({ x += f(); x == 15; })",
    "({ int y = 2; y; }) + ({ int y = 3; y; }) == 5",
    "sub(((struct S){next(), 2}).u, successor(3)) == -3",
    "({ struct S t = {.v = f(), .u = successor(4)}; t.u == 5 && t.v == 10; })",
    "({ int r = f(); r + x == 15; })",
    "({ int v = __VERIFIER_nondet_int(), w = __VERIFIER_nondet_int(); add(v, w) == w + v; })",
    "add(__VERIFIER_nondet_int(), __VERIFIER_nondet_int()) * 0 == 0",
]


def _verdict(folder: Path, condition: str) -> str:
    file = folder / "program.c"
    file.write_text(f"{HEAD}int main(void) {{ if ({condition}) reach_error(); return 0; }}\n")
    return decided(file).verdict


def _holds_with_gcc(folder: Path, condition: str) -> bool:
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("no gcc")
    text = f"{HEAD}void reach_error(void) {{}} int main(void) {{ return {condition}; }}\n"
    program = folder / "program"
    subprocess.run([gcc, "-w", "-xc", "-", "-o", program], input=text, text=True, check=True)
    return bool(subprocess.run([program]).returncode)


@pytest.mark.parametrize("condition", OPEN)
def test_no_proof_rests_on_the_order(condition: str, tmp_path: Path) -> None:
    verdicts = _verdict(tmp_path, condition), _verdict(tmp_path, f"!({condition})")
    assert "TRUE" not in verdicts
    assert verdicts[_holds_with_gcc(tmp_path, condition)] == "UNKNOWN"  # nobody can run it


@pytest.mark.parametrize("condition", CLOSED)
def test_where_the_order_does_not_matter_all_is_decided(condition: str, tmp_path: Path) -> None:
    assert _verdict(tmp_path, f"!({condition})") == "TRUE"
    assert _verdict(tmp_path, condition) == "FALSE"


def test_functions_that_were_read_before_count_in_tasks_too(tmp_path: Path) -> None:
    """Nothing else is known of functions without a body there."""
    file = tmp_path / "program.c"
    file.write_text(f"{HEAD}int main(void) {{ if (x + f() == 15) reach_error(); return 0; }}\n")
    (tmp_path / "reach.prp").write_text("CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
    task = tmp_path / "program.yml"
    task.write_text(
        "format_version: '2.0'\ninput_files: program.c\nproperties:\n  - property_file: reach.prp\n"
        "options:\n  language: C\n  data_model: LP64\n"
    )
    assert decided(task).verdict != "TRUE"


@pytest.mark.parametrize("call", ["sub(stop(), (reach_error(), 1))", "(reach_error(), 1) + stop()"])
def test_the_error_and_an_operand_that_does_not_end(call: str, tmp_path: Path) -> None:
    assert _verdict(tmp_path, call) != "TRUE"
