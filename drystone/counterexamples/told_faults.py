"""What is told of the statements that could be changed so that an execution does not fail."""

from __future__ import annotations

import msgspec


class FaultCandidate(msgspec.Struct, frozen=True):
    """A line of the execution that belongs to a correction set, or with which changed another execution passes."""

    file: str
    line: int
    function: str
    source: str  # the line's text
    size: int  # of the smallest correction set that it belongs to; 1 where changing it alone lets another execution pass
    sets: int  # how many it belongs to
    reason: str  # for people
    runs: int = 0  # executions that pass with a change of this line alone


class CorrectionSet(msgspec.Struct, frozen=True):
    """Lines which, if all of them did something else, would let the execution pass; no part of them would do."""

    lines: list[str]  # file:line


class BlockFaults(msgspec.Struct, frozen=True):
    """What a block of the execution says, looked at by itself."""

    number: int  # in the order in which the execution comes to the blocks
    where: str  # file:line at which it begins
    lines: int
    queries: int
    candidates: list[FaultCandidate]
    left_out: list[str]


class BlockLocalization(msgspec.Struct, frozen=True):
    """The same execution localized block by block."""

    precondition: (
        str  # what a block takes for granted of the values before it: `model`, those of the execution, or `true`, nothing
    )
    processes: int
    blocks: list[BlockFaults]  # the last first
    candidates: list[FaultCandidate]  # of all blocks, the most suspicious first
    queries: int
    left_out: list[str]


class Localization(msgspec.Struct, frozen=True):
    """Candidates, the most suspicious first."""

    candidates: list[FaultCandidate]
    sets: list[CorrectionSet]
    lines: int  # of the execution, in the program's own text
    queries: int  # to the solver
    left_out: list[str]  # what was not looked at, for people; empty: all correction sets of the execution are here
    runs: int = 0  # executions with a change
    assertion: str = ""  # file:line of the condition that must not be met; empty: there is none
    by_block: BlockLocalization | None = None
