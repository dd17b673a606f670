"""What a small program does not need is not loaded: a start is mostly imports."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from drystone.base import regex
from tests.places import EXAMPLES, ROOT, SOURCES
from tests.running import UNCHECKED

COUNTING = """extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int y = __VERIFIER_nondet_int(), x = y;
  while (__VERIFIER_nondet_int()) { x++; y++; }
  if (x != y) reach_error();
  return 0;
}
"""
NEVER = ("z3", "_hashlib", "rich", "difflib", "fractions", "yaml", "dataclasses", "inspect")
HOSTS = ("drystone.runtime.host", "drystone.runtime.zygote")
TOLD = ("drystone.counterexamples.telling", "drystone.counterexamples.values", "drystone.counterexamples.steps")
NATIVE = ("drystone.counterexamples.native", "drystone.counterexamples.native.replay", "drystone.counterexamples.native.search")
SOUGHT = ("drystone.invariants.houdini", "drystone.invariants.candidates", "drystone.invariants.sampling")
MOST = 356  # modules of drystone; whoever needs more looks first which of the others this run does not need


def loaded(*arguments: str | Path) -> set[str]:
    """The modules that a verification loads by import statements, in all its processes."""
    command = [sys.executable, "-X", "importtime", "-m", "drystone", "verify", *map(str, arguments), *UNCHECKED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True, cwd=ROOT)
    return set(re.findall(r"^import time:[ \d|]+ ([\w.]+)$", done.stderr, re.MULTILINE))


def test_a_proof_loads_what_it_needs(tmp_path: Path) -> None:
    file = tmp_path / "counting.c"
    file.write_text(COUNTING)
    found = loaded(file, "--engine", "dss", "--workers", "1")
    assert {"drystone.solvers.z3_library", "drystone.engines.dss.coordinator"} <= found
    assert not found & {*NEVER, *HOSTS, *TOLD, *NATIVE, *SOUGHT}
    assert len([name for name in found if name.startswith("drystone")]) <= MOST


def test_a_bounded_proof_loads_what_it_needs() -> None:
    found = loaded(EXAMPLES / "sum.c", "--engine", "bmc")
    assert "drystone.symbolic.unrolling" in found
    assert not found & {*NEVER, *HOSTS, *TOLD, *NATIVE, *SOUGHT, "drystone.engines.dss.coordinator"}


@pytest.mark.parametrize("path", sorted(SOURCES.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCES)))
def test_no_module_compiles_regular_expressions_or_dataclasses(path: Path) -> None:
    """`base.regex` compiles when needed; structs need no compiler."""
    text = path.read_text()
    assert not re.search(r"^(?:\w.*)?\bre\.compile\(", text, re.MULTILINE)
    assert "dataclasses" not in text  # which load `inspect`


def test_a_regular_expression_is_compiled_by_its_first_use() -> None:
    wrong, right = regex.regex("("), regex.regex(r"(\d+)", re.ASCII)
    assert right.fullmatch("12") is not None and right.findall("1 23") == ["1", "23"] and right.sub("n", "a1") == "an"
    assert right.pattern == r"(\d+)"
    with pytest.raises(re.error):
        wrong.match("")


def test_all_regular_expressions_can_be_compiled() -> None:
    count = 0
    for path in sorted(SOURCES.rglob("*.py")):
        if "regex(" not in path.read_text() or path.stem == "regex":
            continue
        module = __import__(
            ".".join(["drystone", *path.relative_to(SOURCES).with_suffix("").parts]).removesuffix(".__init__"), fromlist=["_"]
        )
        for value in vars(module).values():
            if isinstance(value, regex._Uncompiled):
                assert value.groups >= 0
                count += 1
    assert count > 50
