"""The compiled program reaches the error, too; where it does not, the reason is said."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.places import PROGRAMS, ROOT
from tests.running import report, verify

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")

REPRODUCED = (
    "assertion", "defined_error_function", "evaluation_order", "externals", "floats", "label", "magic_number", "overflow_wraps",
    "shift_too_far", "static_error_function", "two_errors", "uninitialised", "unwritten_memory",
)  # fmt: skip


@pytest.mark.parametrize("name", REPRODUCED)
def test_reproduced(name: str) -> None:
    native = report(PROGRAMS / f"{name}.c", "--engine", "execute", "--replay", "native")["evidence"]["counterexample"]["native"]
    assert native["reproduced"], native["reason"]


def test_not_reproduced_and_why(tmp_path: Path) -> None:
    file = tmp_path / "wild.c"
    file.write_text(
        "extern void reach_error(void);\nint main(void) { int *p = (int *)0x700000000010; if (*p == 0) reach_error(); return 0; }\n"
    )
    result = report(file, "--engine", "execute", "--replay", "native")
    native = result["evidence"]["counterexample"]["native"]
    assert (
        result["verdict"] == "FALSE"
        and not native["reproduced"]
        and "undefined behaviour (bytes outside every object at 0x700000000010" in native["reason"]
    )


def test_a_local_out_of_a_macro_cannot_be_filled(tmp_path: Path) -> None:
    file = tmp_path / "macro.c"
    file.write_text(
        "extern void reach_error(void);\n#define LOCAL int x;\nint main(void) { LOCAL if (x == 5) reach_error(); return 0; }\n"
    )
    native = report(file, "--engine", "execute", "--replay", "native")["evidence"]["counterexample"]["native"]
    assert not native["reproduced"] and "uninitialised memory with other values than zero: x" in native["reason"]


def test_a_wild_pointer_leads_to_the_memory_that_the_execution_has_there(tmp_path: Path) -> None:
    file = tmp_path / "wild.c"
    file.write_text(
        "extern void reach_error(void);\n"
        "int main(void) { int *p = (int *)0x2000010; if (*p != 0) { *p = 7; if (*p == 7) reach_error(); } return 0; }\n"
    )
    native = report(file, "--engine", "execute", "--replay", "native")["evidence"]["counterexample"]["native"]
    assert native["reproduced"], native["reason"]


@pytest.mark.parametrize("name", ["label", "magic_number", "unwritten_memory"])
def test_the_harness_says_how_to_run_it(tmp_path: Path, name: str) -> None:
    harness = tmp_path / "harness.c"
    report(PROGRAMS / f"{name}.c", "--engine", "execute", "--replay", "native", "--harness", harness)
    command = next(line.strip() for line in harness.read_text().splitlines() if line.strip().startswith("gcc"))
    subprocess.run(f"{command} -o {tmp_path}/binary", shell=True, check=True, cwd=ROOT)
    done = subprocess.run([f"{tmp_path}/binary"], capture_output=True, text=True)
    assert done.returncode == 42 and "drystone: error reached" in done.stderr


def test_a_program_that_does_not_end_is_ended(tmp_path: Path) -> None:
    """`wait` is a library function for the linker only: the compiled program never comes to the error."""
    file = tmp_path / "slow.c"
    file.write_text(
        "extern void reach_error(void); extern int pause(void);\nint main(void) { if (pause() == 7) reach_error(); return 0; }\n"
    )
    result = report(file, "--engine", "execute", "--replay", "native", "--timeout", "20s")
    if result["verdict"] == "FALSE":
        assert "did not end within" in result["evidence"]["counterexample"]["native"]["reason"]


def test_nothing_is_compiled_where_the_user_forbids_it(tmp_path: Path) -> None:
    """What only the compiled program can show is UNKNOWN then."""
    file = tmp_path / "program.c"
    file.write_text(
        "void reach_error(void); int x = 1; int f(void) { x = 5; return 10; }\n"
        "int main(void) { if (x + f() == 15) reach_error(); return 0; }\n"
    )
    assert report(file, "--engine", "execute")["verdict"] == "FALSE"
    assert report(file, "--engine", "execute", "--no-native")["verdict"] == "UNKNOWN"
    assert verify(file, "--no-native", "--replay", "native").returncode == 3
