"""drystone in a process of its own, as people call it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.places import ROOT

UNCHECKED = ("--check", "none")


def command(*arguments: str | Path) -> list[str]:
    """Without the checks that are made by default, unless `arguments` say otherwise: most tests are about something else."""
    words = [*map(str, arguments)]
    return [sys.executable, "-m", "drystone", "verify", *words, *(UNCHECKED if "--check" not in words else ())]


def verify(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return _done(command(*arguments), **options)


def verify_as_by_default(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return _done([sys.executable, "-m", "drystone", "verify", *map(str, arguments)], **options)


def _done(words: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT, **options)


def report(*arguments: str | Path, **options: Any) -> dict[str, Any]:
    """The JSON object of a run."""
    done = verify(*arguments, "--json", "-", **options)
    assert done.returncode in (0, 1, 2), done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def left_behind(folder: Path) -> list[str]:
    """Files that runs with TMPDIR=folder did not remove."""
    return [str(path.relative_to(folder)) for path in folder.rglob("*")]


def with_scratch(folder: Path) -> dict[str, str]:
    return {**os.environ, "TMPDIR": str(folder)}
