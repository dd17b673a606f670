"""Tables for people: columns as wide as their longest entry."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from drystone.report.columns import Line


def seconds(number: float) -> str:
    return f"{number:,.3f}"


def share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole > 0 else "-"


def table(rows: Sequence[tuple[str, ...]], right: Container[int]) -> Iterator[Line]:
    """`right`: columns of numbers."""
    signs = [">" if column in right else "<" for column in range(len(rows[0]))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [f"{cell:{sign}{width}}" for cell, sign, width in zip(row, signs, widths, strict=True)]
        yield ("  " + "  ".join(cells)).rstrip(), ""
