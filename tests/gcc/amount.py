"""How much of the comparison with gcc runs: a part in `make test`, all of it in `make test-gcc`."""

from __future__ import annotations

import os

ALL = os.environ.get("DRYSTONE_GCC") == "all" or os.environ.get("DRYSTONE_FULL") == "1"


def amount(variable: str, part: int, whole: int) -> int:
    """How many cases: as the environment variable says, or the part or whole that is meant to run."""
    return int(os.environ.get(variable, whole if ALL else part))


PROGRAMS = amount("DRYSTONE_GCC_PROGRAMS", 150, 3000)  # in each data model
CSMITH_PROGRAMS = amount("DRYSTONE_GCC_CSMITH", 10, 500)
EXAMPLES = amount("DRYSTONE_GCC_EXAMPLES", 20, 300)  # of hypothesis
SANITIZED = amount("DRYSTONE_GCC_SANITIZED", 20, 600)
TASKS = amount("DRYSTONE_GCC_TASKS", 25, 1000)
LINKED = amount("DRYSTONE_GCC_LINKED", 10, 500)  # programs of several files, in each data model
VECTORS = amount("DRYSTONE_GCC_VECTORS", 3, 20)
BITFIELD_PROGRAMS = amount("DRYSTONE_GCC_BITFIELDS", 4, 200)
INITIALISERS = amount("DRYSTONE_GCC_INITIALISERS", 40, 3000)  # in each data model
SUITE_PROGRAMS = amount("DRYSTONE_GCC_SUITES", 8, 2000)  # of each suite, twice
LIBRARY_CASES = amount("DRYSTONE_GCC_LIBRARY", 40, 1000)  # of the library's functions, in both directions
FIRST_SEED = int(os.environ.get("DRYSTONE_GCC_SEED", "0"))
