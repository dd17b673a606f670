"""Places of the source as SARIF names them: paths below the root of the repository, as URIs."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from drystone.base.digests import blake2b
from drystone.base.shown_files import is_standard_input
from drystone.base.source_lines import source_line

ROOT = "SRCROOT"
"""What URIs are relative to (SARIF 2.1.0, section 3.4.4)."""

Json = dict[str, Any]


def text(content: str) -> str:
    """Without what no file in UTF-8 can hold: bytes of a file's name that are none."""
    return content.encode("utf-8", "replace").decode()


def message(content: str) -> Json:
    return {"text": text(content)}


class Places:
    """Relative to the repository of the first file, or to the working directory where there is none."""

    def __init__(self, first: str) -> None:
        self._first = first

    @cached_property
    def root(self) -> Path:
        folder = Path(self._first).resolve().parent
        return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), Path.cwd())

    def artifact(self, file: str) -> Json:
        path = Path(os.path.abspath(file))
        if path.is_relative_to(self.root):
            return {"uri": quote(os.fsencode(path.relative_to(self.root)), safe="/"), "uriBaseId": ROOT}
        return {"uri": f"file://{quote(os.fsencode(path), safe='/')}"}

    def location(self, file: str | None, line: int | None, function: str = "", what: str = "") -> Json:
        """What is known of a place. A text from the standard input is in no file."""
        found: Json = {}
        if file is not None and not is_standard_input(file):
            found["physicalLocation"] = {"artifactLocation": self.artifact(file)}
            if line:
                found["physicalLocation"]["region"] = {"startLine": line}
        if function:
            found["logicalLocations"] = [{"name": text(function), "kind": "function"}]
        if what:
            found["message"] = message(what)
        return found

    def fingerprint(self, file: str | None, line: int | None, *about: str) -> str:
        """Stays as long as nobody edits the line or the one with text before it, wherever they move to in the file."""
        uri = self.artifact(file)["uri"] if file is not None and not is_standard_input(file) else ""
        texts = [" ".join(each.split()) for each in _line_and_before(file, line)] if file is not None and line else []
        return blake2b("\0".join([uri, *about, *texts]).encode("utf-8", "replace"), digest_size=16).hexdigest()


def _line_and_before(file: str, line: int) -> list[str]:
    before = line - 1
    while before > 0 and not source_line(file, before):
        before -= 1
    return [source_line(file, before), source_line(file, line)]
