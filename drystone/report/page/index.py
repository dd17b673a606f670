"""What the index of many reports says: the data that its page is drawn from."""

from __future__ import annotations

import msgspec


class IndexRow(msgspec.Struct, frozen=True):
    """A program."""

    name: str
    verdict: str
    said: str
    seconds: float | None  # None: it was not looked at
    is_kept: bool  # known from an earlier run
    page: str  # the address of its report, as seen from the index; empty if there is none


class Index(msgspec.Struct, frozen=True, kw_only=True):
    drystone: str
    title: str
    verdict: str  # the worst
    headline: str
    asked: list[tuple[str, str]]
    rows: list[IndexRow]
