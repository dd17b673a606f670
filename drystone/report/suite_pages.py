"""A suite as pages to look at: one for each program, written when it is done, and an index of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import msgspec

from drystone.base.refusal import Refusal
from drystone.base.regex import regex
from drystone.base.version import __version__
from drystone.base.written_files import write_file
from drystone.report.page.contents import contents_of
from drystone.report.page.html import index_page, page
from drystone.report.page.index import Index, IndexRow
from drystone.report.suite import sum_line
from drystone.suite.outcome import Outcome, worst
from drystone.suite.running import Observer
from drystone.verification.messages import Told

_NOT_IN_NAMES = regex(r"[^A-Za-z0-9._]+")
_LONGEST_NAME = 60
_LONGEST_SAID = 500


class SuitePages(Observer):
    """`file` is the index; the pages are in a folder beside it. What cannot be written is said in the end, after the verdicts."""

    def __init__(self, file: str, names: Sequence[str]) -> None:
        self._file = Path(file)
        self._folder = self._file.with_name(f"{self._file.stem}-pages")
        self._pages = {name: f"{number:04}-{_file_name(name)}.html" for number, name in enumerate(names, start=1)}
        self._written: set[str] = set()
        self._problem: Refusal | None = None
        try:
            self._folder.mkdir(exist_ok=True)
        except OSError as problem:
            raise Refusal(f"{self._folder}: cannot be made: {problem.strerror}") from None

    def ends(self, outcome: Outcome, told: Told | None) -> None:
        if outcome.result is None or self._problem is not None:
            return
        contents = msgspec.structs.replace(contents_of(outcome.result, {}, told), index=f"../{_address(self._file.name)}")
        try:
            write_file(str(self._folder / self._pages[outcome.name]), page(contents))
        except Refusal as problem:
            self._problem = problem
        else:
            self._written.add(outcome.name)

    def write_index(self, outcomes: list[Outcome], elapsed: float, asked: list[tuple[str, str]]) -> list[str]:
        """Why this, or one of the pages, could not be written; empty if all are."""
        index = Index(
            drystone=__version__,
            title="drystone suite",
            verdict=worst(outcomes),
            headline=sum_line(outcomes, elapsed),
            asked=asked,
            rows=[self._row(each) for each in outcomes],
        )
        try:
            write_file(str(self._file), index_page(index))
        except Refusal as problem:
            self._problem = self._problem or problem
        return [str(self._problem)] if self._problem is not None else []

    def _row(self, outcome: Outcome) -> IndexRow:
        has_page = outcome.name in self._written
        where = f"{_address(self._folder.name)}/{_address(self._pages[outcome.name])}" if has_page else ""
        seconds = outcome.result.wall_s if outcome.result is not None else None
        return IndexRow(outcome.name, outcome.verdict, outcome.said[:_LONGEST_SAID], seconds, outcome.is_kept, where)


def _file_name(name: str) -> str:
    """What people recognise in it: the end of a path."""
    return _NOT_IN_NAMES.sub("-", name).strip("-.")[-_LONGEST_NAME:].lstrip("-.")


def _address(name: str) -> str:
    return quote(os.fsencode(name))
