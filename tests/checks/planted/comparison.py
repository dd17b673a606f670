"""One program of a pair: confirmed by the compiled program, then verified with its checks."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from tests.checks.planted.compose import Pair
from tests.checks.planted.kinds import KINDS, pair
from tests.checks.planted.native import Compiled
from tests.places import ROOT
from tests.running import command

SECONDS = 20.0
_GRACE = 60.0


def compared(kind: str, number: int, compiled: Compiled | None, folder: Path, seconds: float = SECONDS) -> tuple[str, bool]:
    """Even numbers are programs with a violation, odd ones their twins: which it is, and whether it was decided."""
    is_violated = number % 2 == 0
    both = pair(kind, number // 2)
    if compiled is not None and is_violated:
        compiled.confirm(both)
    text = both.violated if is_violated else both.repaired
    verdict, place, what = _verified(kind, text, folder, seconds)
    where = f"{kind}, seed {both.seed}, {'violated' if is_violated else 'repaired'}: {verdict} {place} {what}\n{text}"
    if verdict == "UNKNOWN":
        print(f"undecided: {kind}, seed {both.seed}, {'violated' if is_violated else 'repaired'}: {what}", flush=True)
        return _name(is_violated), False
    assert verdict == ("FALSE" if is_violated else "TRUE"), where
    assert not is_violated or is_the_planted_one(both, place, what), where
    return _name(is_violated), True


def is_the_planted_one(both: Pair, line: int, what: str) -> bool:
    """A lost block is found at the end of the program."""
    return what in KINDS[both.kind].kinds and (line == both.line or both.kind == "leak")


def _name(is_violated: bool) -> str:
    return "unsafe" if is_violated else "safe"


def _verified(kind: str, text: str, folder: Path, seconds: float) -> tuple[str, int, str]:
    """The verdict, and the line and the kind of the error, or the reason."""
    file = folder / "program.c"
    file.write_text(text)
    words = command(file, "--check", KINDS[kind].checks, "--timeout", f"{seconds:g}s", "--workers", "1", "--json", "-")
    done = subprocess.run(words, capture_output=True, text=True, timeout=seconds + _GRACE, cwd=ROOT)
    assert done.returncode in (0, 1, 2), f"{done.returncode}: {done.stderr}\n{text}"
    report = json.loads(done.stdout)
    assert "internal error" not in report["reason"], f"{report['reason']}\n{text}"
    example = report["evidence"]["counterexample"]
    if report["verdict"] == "FALSE":
        return "FALSE", example["line"], next(error["kind"] for error in report["errors"] if error["id"] == example["id"])
    return report["verdict"], 0, report["reason"]
