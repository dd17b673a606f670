"""Verifies programs with a planted violation, and their repaired twins, and counts.

    python -m tests.checks.planted.campaign [KIND…] [--programs N] [--limit N] [--keep bench/results/planted.txt]

A kind is one of violations; a pair are two programs, "unsafe" and "safe". Before a pair is verified, its violation is confirmed by
gcc's sanitizers, and the twin is run on many inputs. `--limit` is the time for one program. As for `tests.explicit.campaign`, a
campaign goes on where it was interrupted; undecided programs are named as they come.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.campaigns import Compare, main
from tests.checks.planted.comparison import SECONDS, compared
from tests.checks.planted.kinds import KINDS, is_checked
from tests.checks.planted.native import Compiled

PROGRAMS = 200


def _comparison(kind: str, compiled: Compiled, folder: Path, seconds: float) -> Compare:
    return lambda number: compared(kind, number, compiled, folder, seconds)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="drystone-campaign-") as scratch:

        def configurations(options: argparse.Namespace) -> Mapping[str, tuple[Compare, int]]:
            folder = Path(scratch)
            compiled = Compiled(folder)
            seconds = options.limit or SECONDS
            return {kind: (_comparison(kind, compiled, folder, seconds), PROGRAMS) for kind in KINDS if is_checked(kind)}

        sys.exit(main(__doc__, configurations))
