"""Do the expressions of a witness compile where it says that they hold?"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.witnesses.reading import Json


def compiles(source: Path, invariants: list[Json]) -> str:
    """What gcc says of the program with a statement `(void)(EXPR);` at each place: nothing if it compiles.

    A loop begins again where its condition is evaluated, so there the expressions of its invariants stand.
    """
    text = source.read_text()
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    added: list[tuple[int, str]] = []
    for each in invariants:
        place, value = each["location"], each["value"]
        offset = starts[place["line"] - 1] + place["column"] - 1
        if each["type"] == "loop_invariant":
            header = re.compile(r"while\s*\(|for\s*\([^;]*;").match(text, offset)
            assert header is not None, text[offset : offset + 40]
            rest = text[header.end() :].lstrip()
            added.append((header.end(), f"((void)({value}), 1){'' if rest.startswith(';') else ' && '}"))
        else:
            added.append((offset, f"(void)({value}); "))
    for offset, what in sorted(added, reverse=True):
        text = text[:offset] + what + text[offset:]
    done = subprocess.run(
        ["gcc", "-x", "c", "-fsyntax-only", "-w", "-"], input=text, capture_output=True, text=True, cwd=source.parent, check=False
    )
    return done.stderr
