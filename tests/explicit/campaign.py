"""Compares configurations with the truth on many programs and counts: programs, decided ones, contradictions.

    python -m tests.explicit.campaign [NAME…] [--programs N] [--limit N] [--keep bench/results/explicit.txt]

Without names, all configurations, each on as many programs as with DRYSTONE_FULL=1. A contradiction, a proof whose certificate is
refused, or a crash is printed with the program's seed, and makes the exit code 1. `--limit` is the time of the processor for one
program: most programs need little, so a short one compares more of them in the same time. With `--keep` the campaign can be
interrupted, and goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from drystone.claims.verdicts import Verdict
from tests.campaigns import Compare, main
from tests.explicit.comparison import compared, kind
from tests.explicit.engines import CONFIGURATIONS, Configuration


def comparison(configuration: Configuration, folder: Path) -> Compare:
    def compare(seed: int) -> tuple[str, bool]:
        truth, result = compared(folder, configuration, seed)
        return kind(truth), result.verdict is not Verdict.UNKNOWN

    return compare


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="drystone-campaign-") as scratch:

        def configurations(options: argparse.Namespace) -> Mapping[str, tuple[Compare, int]]:
            limits = {} if options.limit is None else {"seconds": options.limit}
            known = (replace(each, **limits) for each in CONFIGURATIONS)
            return {each.name: (comparison(each, Path(scratch)), each.full) for each in known}

        sys.exit(main(__doc__, configurations))
