"""The library models mean what glibc means.

Each model file is compiled natively, its functions renamed to ``model_*``, and linked with a driver
(``check_NAME.c``) that compares them with glibc on random inputs; the primitives of the front end come from
``support.c``. Exact models must agree, over-approximating ones must allow what glibc returns: the words of
``models/effects.h`` are checks here (``effects_check.h``).
"""

from __future__ import annotations

import functools
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.places import SOURCES

HERE = Path(__file__).resolve().parent
MODELS = SOURCES / "frontend" / "models"
NAMES = sorted(path.stem for path in MODELS.glob("*.c") if path.stem != "threads")  # what they may do, tests/threads holds
MODEL_FLAGS = ["-std=gnu11", "-O1", "-ffreestanding", "-fno-strict-aliasing", "-ffp-contract=off", "-Wall", "-Wextra"]
MODEL_FLAGS += ["-Werror", "-Wno-unused-parameter", "-Wno-builtin-declaration-mismatch", "-Wno-nonnull-compare"]
MODEL_FLAGS += ["-Wno-maybe-uninitialized", "-fno-delete-null-pointer-checks"]
MODEL_FLAGS += ["-D_GNU_SOURCE", "-include", str(HERE / "effects_check.h")]
DRIVER_FLAGS = ["-std=gnu11", "-O0", "-fno-builtin", "-w"]
TARGETS = {"LP64": ["-m64"], "ILP32": ["-m32", "-msse2", "-mfpmath=sse"]}
SANITIZER = ["-fsanitize=undefined", "-fno-sanitize-recover=undefined"]


def run(*command: str | Path) -> str:
    """Runs a command that must succeed and returns its output."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


@functools.cache
def links(flags: tuple[str, ...]) -> bool:
    """Whether gcc can build a program with these flags here."""
    if shutil.which("gcc") is None or shutil.which("objcopy") is None:
        return False
    command = ["gcc", *flags, "-x", "c", "-", "-o", "/dev/null"]
    return (
        subprocess.run(command, input="int main(void) { return 0; }", capture_output=True, text=True, check=False).returncode == 0
    )


def rename_functions(model: Path) -> None:
    """Prefixes every function that the object file defines with ``model_``."""
    symbols = [line.split()[-1] for line in run("nm", "--defined-only", "--extern-only", model).splitlines()]
    run("objcopy", *(f"--redefine-sym={name}=model_{name}" for name in symbols), model)


@pytest.mark.parametrize("data_model", TARGETS)
@pytest.mark.parametrize("name", NAMES)
def test_model_agrees_with_glibc(name: str, data_model: str, tmp_path: Path) -> None:
    target = TARGETS[data_model]
    if not links(tuple(target)):
        pytest.skip(f"no gcc for {data_model}")
    sanitizer = SANITIZER if links((*target, *SANITIZER)) else []
    model, program = tmp_path / "model.o", tmp_path / "check"
    run("gcc", *target, *sanitizer, *MODEL_FLAGS, "-c", MODELS / f"{name}.c", "-o", model)
    rename_functions(model)
    run("gcc", *target, *sanitizer, *DRIVER_FLAGS, HERE / f"check_{name}.c", HERE / "support.c", model, "-o", program, "-lm")
    run(program)


def test_every_model_file_has_a_driver() -> None:
    assert {path.stem.removeprefix("check_") for path in HERE.glob("check_*.c")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_model_file_says_what_is_exact(name: str) -> None:
    assert (MODELS / f"{name}.c").read_text().startswith("/* <")
