"""Ends of the program where nothing is run any more: `abort`, `_Exit`, a failed assertion. Blocks are left there, too.

Whether pointers lead to them is not asked: who looks for lost blocks looks at ends that are orderly.
"""

from __future__ import annotations

from collections.abc import Iterator

from drystone.checks.facts import Ending, Violation
from drystone.frontend.lowering.builder import Builder
from drystone.ir.automaton import ErrorKind, MarkKind


def check_abrupt_end(builder: Builder, what: str) -> None:
    """The program is about to end here."""
    for found in _violations(builder):
        builder.error_if(found.condition, ErrorKind.CLEANUP, found.told(what), builder.origin)


def check_failure(builder: Builder, what: str) -> None:
    """Here something fails that is an error itself, or else the end of the program."""
    if builder.extents is not None and builder.extents.failures_end:
        check_abrupt_end(builder, what)


def refuse_unknown_end(builder: Builder, what: str) -> None:
    """What is called here does not return; it may end the program, or run for ever."""
    for found in _violations(builder):
        left, none = builder.location(), builder.location()
        builder.branch(found.condition, left, none)
        builder.current = left
        builder.end(MarkKind.UNKNOWN, f"whether {what} ends the program, with memory that is not freed")
        builder.current = none


def _violations(builder: Builder) -> Iterator[Violation]:
    """If no block may be left."""
    extents = builder.extents
    if extents is not None and extents.blocks is not None and extents.is_left_clean:
        from drystone.checks import cleanup

        yield from cleanup.violations(Ending(extents.blocks, None))
