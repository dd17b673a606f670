"""Where results come from: version and commit of drystone, and what the machine has. No names of machines or folders."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path
from typing import Any

from drystone import __version__


def provenance() -> dict[str, Any]:
    return {
        "drystone": __version__,
        "commit": commit(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "memory_gb": memory_gb(),
    }


def commit() -> str:
    """Of this checkout, with `-dirty` if its files have changed since; empty outside of a repository."""
    command = ["git", "describe", "--always", "--abbrev=12", "--dirty", "--exclude=*"]
    try:
        done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def memory_gb() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1)
    except (OSError, ValueError):
        return None
