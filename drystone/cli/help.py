"""What `--help` shows beyond the options: what the names mean that they take, and the exit codes."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from typing import NoReturn

from drystone.cli.exits import Exit

EXIT_CODES = """\
exit codes:
  0  done (a verdict TRUE; for `suite`: all of them; for `check`: the certificate is valid; for `repeat`: all was answered as
     recorded; for `run`: the error was not reached)
  1  the error can be reached (for `suite`: of one of the programs; for `run`: it was)
  2  unknown (for `check`: the certificate is not confirmed; for `repeat`: a block answers something else)
  3  wrong usage, or input that cannot be read or is not C
  4  internal error: a bug in drystone
"""


class Parser(argparse.ArgumentParser):
    """`lists`: by their titles, what the names mean that options take; shown before the exit codes."""

    lists: Mapping[str, Mapping[str, str]] = {}

    def format_help(self) -> str:
        self.epilog = "\n".join([*(_listed(title, told) for title, told in self.lists.items()), EXIT_CODES])
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        self.exit(Exit.BAD_INPUT, f"{self.prog}: error: {message}{_meant(message)}\ntry: {self.prog} --help\n")


def _meant(message: str) -> str:
    """For a choice that does not exist, the one that is spelled nearly so."""
    from difflib import get_close_matches

    found = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)$", message)
    close = get_close_matches(found[1], re.findall(r"[\w-]+", found[2]), 1) if found else []
    return f"; did you mean {close[0]}?" if close else ""


def _listed(title: str, told: Mapping[str, str]) -> str:
    import shutil
    import textwrap

    column = max(map(len, told)) + 4
    width = shutil.get_terminal_size().columns - 2
    lines = [
        textwrap.fill(about, width, initial_indent=f"  {name}".ljust(column), subsequent_indent=" " * column)
        for name, about in told.items()
    ]
    return "\n".join([f"{title}:", *lines, ""])
