"""What is prepared of a program is kept with it, for all views of it, and no longer than newer variants leave room."""

from __future__ import annotations

from pathlib import Path

from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import Abstraction, Flat, PreparedProgram

TEXT = """
extern int nondet(void); extern void reach_error(void);
int a[4], *p = a;
int main(void) { int i = nondet() & 3; p[i] = 1; if (i == 2 && p[i] != 1) reach_error(); return 0; }
"""


def prepared(folder: Path) -> PreparedProgram:
    path = folder / "program.c"
    path.write_text(TEXT)
    return PreparedProgram(load([str(path)], FrontendOptions()).program)


def flat(program: PreparedProgram, bound: int = 1, sliced: bool = True) -> Flat:
    return program.flat(recursion_bound=bound, max_edges=1_000, sliced=sliced)


def test_views_share_what_is_the_same_for_both(tmp_path: Path) -> None:
    exact = prepared(tmp_path)
    without_memory = exact.under(Abstraction.WITHOUT_MEMORY)
    assert flat(exact) is flat(exact) is flat(without_memory.under(Abstraction.EXACT))
    assert flat(exact, sliced=False) is flat(without_memory, sliced=False)
    assert flat(without_memory) is flat(without_memory) is not flat(exact)
    assert list(flat(exact).regions) and not list(flat(without_memory).regions)


def test_each_prepared_program_keeps_its_own(tmp_path: Path) -> None:
    one = prepared(tmp_path)
    assert flat(one) is not flat(PreparedProgram(one.program))


def test_old_variants_give_way(tmp_path: Path) -> None:
    program = prepared(tmp_path)
    first = flat(program)
    latest = [flat(program, bound) for bound in (2, 3, 4, 5)]
    assert [flat(program, bound) for bound in (2, 3, 4, 5)] == latest
    assert flat(program) is not first
    program.release()
    assert flat(program, 5) is not latest[-1]
