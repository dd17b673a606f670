"""Which programs bounded model checking is likely to bring to an end."""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.engines.obstacles import Obstacle
from drystone.engines.portfolio.auto import _turns
from drystone.engines.portfolio.shape import Shape, shape_of
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import PreparedProgram

ALL_ENDED = Obstacle(runs=20, longest=500)
SOME_CUT_OFF = Obstacle(runs=20)

LOOPS = {
    "for (int i = 0; i < 8; i++) sum += nondet();": True,
    "unsigned n = nondet() % 16; while (n--) sum += n;": True,
    "char text[9]; for (int i = 0; i < 8; i++) text[i] = nondet(); text[8] = 0; while (text[sum]) sum++;": True,
    "while (nondet()) sum++;": False,
    "for (;;) { int command = nondet(); if (command > 6) break; sum += command; }": False,
    "for (int i = 0; i < 3; i++) while (nondet()) sum++;": False,
    "int go = 1; while (go) { sum++; go = nondet(); }": False,
    "int state = 1; while (state) { sum++; if (state == 1) { if (nondet()) state = 2; } else if (nondet()) state = 0; }": False,
    "for (int i = 0; i < 8;) { if (nondet()) i++; else sum++; }": False,
    "for (int i = 0; i < 8; i++) { if (nondet()) sum++; else sum--; }": True,
    "for (int i = 0; i < 8; sum++) { if (1ull << sum & 5) i += 2; else i++; }": True,  # of 65 bits, one is undefined
    "for (int i = 0; i < 8; i++) { if (nondet()) break; sum += i; }": True,
    "int a = 0, b = 9, key = nondet(); while (a < b) { int m = (a + b) / 2; sum++; if (key < m) b = m; else a = m + 1; }": True,
    "for (int i = 0; i < 8; i++) { int n = nondet() & 3; while (n) { sum++; n--; } }": True,
}


def shape(path: Path, body: str, executed: Obstacle) -> Shape:
    file = path / "program.c"
    file.write_text(
        "extern int nondet(void); extern void reach_error(void);\n"
        f"int main(void) {{ int sum = 0; {body} if (sum == 12345) reach_error(); return 0; }}\n"
    )
    return shape_of(PreparedProgram(load([str(file)], FrontendOptions()).program), 10.0, executed)


@pytest.mark.parametrize("body", LOOPS)
def test_loops_that_go_on_as_long_as_their_inputs_say_have_no_bound(tmp_path: Path, body: str) -> None:
    assert shape(tmp_path, body, ALL_ENDED).is_bounded is LOOPS[body]


def test_an_execution_that_does_not_end_soon_speaks_against_it(tmp_path: Path) -> None:
    assert not shape(tmp_path, next(iter(LOOPS)), SOME_CUT_OFF).is_bounded


def test_bounded_programs_are_unrolled_first() -> None:
    assert _turns(Shape(100, has_memory=False, is_bounded=True), 0.1)[0].engine == "bmc"
    assert _turns(Shape(100, has_memory=False), 0.1)[0].engine == "dss"
    assert [turn.engine for turn in _turns(Shape(100, has_loops=False, has_memory=False), 0.1)] == ["bmc", "execute"]
