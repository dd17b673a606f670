"""drystone as a library: verify files, show what a bug needs, keep and check what proves the others.

python examples/api.py [FILE.c ...]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import drystone

HERE = Path(__file__).parent


def show(phase: str, counters: dict[str, int]) -> None:
    """Progress: one line that is written over."""
    if sys.stderr.isatty():
        print(f"\r  {phase} {counters}"[:78].ljust(78), end="\r", file=sys.stderr, flush=True)


def tell(file: Path, folder: Path) -> None:
    certificate = folder / f"{file.stem}.json"
    options = drystone.Options(timeout=60, memory=2 << 30, certificate=str(certificate))
    result = drystone.verify(file, options, progress=show)
    print(f"{file.name}: {result.verdict}, {result.reason}")
    if result.evidence.counterexample is not None:
        for entry in result.evidence.counterexample.inputs:
            print(f"  {entry.name} = {entry.value}")
    if certificate.exists():
        checked = drystone.check(certificate, file, drystone.CheckOptions(timeout=60))
        print(f"  its certificate is {checked.result}, says {checked.checked_by}")


def main() -> None:
    files = [Path(name) for name in sys.argv[1:]] or [HERE / "bank.c", HERE / "lock.c"]
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            try:
                functions = drystone.load(file).program.procedures
                print(f"{file.name} has the functions {', '.join(sorted(functions))}")
                tell(file, Path(folder))
            except drystone.Refusal as problem:
                print(problem)


if __name__ == "__main__":
    main()
