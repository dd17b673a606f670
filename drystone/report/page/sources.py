"""The files that a report shows, and places in them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from drystone.base.source_lines import source_lines

_MOST_CHARACTERS = 4_000_000  # of a file

Place = tuple[int, int]
"""The number of a file and a line; of what is nowhere, -1 and 0."""

NOWHERE: Place = (-1, 0)


class ShownFile(msgspec.Struct, frozen=True):
    name: str
    text: str
    is_cut: bool = False


class Sources:
    """Files get numbers as they are named. `texts`: where the text of a file is that is called otherwise."""

    def __init__(self, files: list[str], texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._numbers = {file: number for number, file in enumerate(dict.fromkeys(files))}

    def number(self, file: str) -> int | None:
        """Of a file that is shown."""
        return self._numbers.get(file)

    def place(self, file: str | None, line: int | None) -> Place:
        if file is None or not line:
            return NOWHERE
        return self._numbers.setdefault(file, len(self._numbers)), line

    def place_of(self, where: str) -> Place:
        """Of `file:line`."""
        file, _, line = where.rpartition(":")
        return self.place(file, int(line)) if file and line.isdecimal() else NOWHERE

    def files(self) -> list[ShownFile]:
        return [_shown(file, self._texts.get(file, file)) for file in self._numbers]


def _shown(file: str, path: str) -> ShownFile:
    text = "\n".join(source_lines(path))
    return ShownFile(file, text[:_MOST_CHARACTERS], len(text) > _MOST_CHARACTERS)
