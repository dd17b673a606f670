"""Litmus tests: exactly the outcomes of sequential consistency are reached. `DRYSTONE_FULL=1` asks more engines about all of them."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import pytest

from tests.inside import decided

FULL = os.environ.get("DRYSTONE_FULL") == "1"
ENGINES = ("bmc", "explicit", "dss", "interleaving", "auto") if FULL else ("bmc",)

TESTS: dict[str, tuple[tuple[str, ...], tuple[str, ...], set[tuple[int, ...]]]] = {
    # the threads, what is looked at in the end, and which values it cannot have together
    "SB": (("x = 1; a = y;", "y = 1; b = x;"), ("a", "b"), {(0, 0)}),
    "MP": (("x = 1; y = 1;", "a = y; b = x;"), ("a", "b"), {(1, 0)}),
    "LB": (("a = x; y = 1;", "b = y; x = 1;"), ("a", "b"), {(1, 1)}),
    "2+2W": (("x = 1; y = 2;", "y = 1; x = 2;"), ("x", "y"), {(0, 0), (0, 1), (0, 2), (1, 0), (2, 0), (1, 1)}),
    "IRIW": (("x = 1;", "y = 1;", "a = x; b = y;", "c = y; d = x;"), ("a", "b", "c", "d"), {(1, 0, 1, 0)}),
}


def text(threads: tuple[str, ...], condition: str) -> str:
    workers = "".join(f"void *f{n}(void *p) {{ {body} return 0; }}\n" for n, body in enumerate(threads))
    create = " ".join(f"pthread_create(&t{n}, 0, f{n}, 0);" for n in range(len(threads)))
    join = " ".join(f"pthread_join(t{n}, 0);" for n in range(len(threads)))
    names = ", ".join(f"t{n}" for n in range(len(threads)))
    return (
        "#include <pthread.h>\nextern void reach_error(void);\nint x, y, a, b, c, d;\n"
        f"{workers}int main(void) {{ pthread_t {names}; {create} {join} if ({condition}) reach_error(); return 0; }}\n"
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", TESTS)
def test_outcomes_are_those_of_sequential_consistency(name: str, engine: str, tmp_path: Path) -> None:
    threads, looked_at, excluded = TESTS[name]
    values = (0, 1, 2) if name == "2+2W" else (0, 1)
    outcomes = list(product(values, repeat=len(looked_at)))
    if name == "IRIW" and not FULL:
        outcomes = [(1, 0, 1, 0), (1, 0, 1, 1), (1, 1, 1, 0), (0, 0, 0, 0)]
    for outcome in outcomes:
        file = tmp_path / f"{name}.c"
        file.write_text(text(threads, " && ".join(f"{each} == {value}" for each, value in zip(looked_at, outcome, strict=True))))
        assert decided(file, engine=engine, timeout=20).verdict == ("TRUE" if outcome in excluded else "FALSE"), outcome
