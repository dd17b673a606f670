"""Candidates for the fault, on the console."""

from __future__ import annotations

from collections.abc import Iterator

from drystone.base.plurals import counted
from drystone.counterexamples.told_faults import BlockLocalization, FaultCandidate, Localization

_SHOWN = 5  # candidates


def fault_lines(found: Localization, verbose: bool) -> Iterator[tuple[str, str]]:
    """Each with its statement and the reason."""
    if not found.candidates:
        why = f" ({'; '.join(found.left_out)})" if found.left_out else ""
        yield f"  no line was found that could be changed so that the execution does not fail{why}", ""
        return
    shown = found.candidates if verbose else found.candidates[:_SHOWN]
    yield "  could be changed so that this execution does not fail, the most suspicious first:", ""
    for number, each in enumerate(shown, start=1):
        yield f"  {number:>3}. {each.file}:{each.line}  {each.source.strip()}", ""
        yield f"       {each.reason}{_sets(each)}", ""
    hidden = len(found.candidates) - len(shown)
    if hidden:
        yield f"  and {counted(hidden, 'lines')} more; --verbose shows them", "dim"
    about = f"  {counted(len(found.candidates), 'candidates')} among {counted(found.lines, 'lines')} of the execution"
    yield f"{about}, {counted(len(found.sets), 'correction sets')}, {counted(found.queries, 'queries')}", "dim"
    if found.left_out:
        yield f"  left out: {'; '.join(found.left_out)}", "dim"
    if found.by_block is not None:
        yield from _block_lines(found.by_block, len(found.candidates) if verbose else _SHOWN)


def _block_lines(found: BlockLocalization, most: int) -> Iterator[tuple[str, str]]:
    """What each block says for itself."""
    given = "values before a block as they were" if found.precondition == "model" else "any values before a block"
    processes = f", in {counted(found.processes, 'processes')}" if found.processes > 1 else ""
    yield (
        f"  block by block: {counted(len(found.blocks), 'blocks')}, {given}, {counted(found.queries, 'queries')}{processes}",
        "dim",
    )
    for number, each in enumerate(found.candidates[:most], start=1):
        yield f"  {number:>3}. {each.file}:{each.line}  {each.source.strip()}", ""
    if found.left_out:
        yield f"  left out: {'; '.join(found.left_out)}", "dim"


def _sets(candidate: FaultCandidate) -> str:
    return f" (and {counted(candidate.sets - 1, 'other ways')})" if candidate.sets > 1 else ""
