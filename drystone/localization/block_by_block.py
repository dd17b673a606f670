"""Fault localization block by block (Kettl 2022, section 4.3.2): each block of the execution is localized for itself.

The blocks are those of the linear decomposition through which the execution goes, calls inlined. What follows a block is its
error condition: what the later blocks did, and that the first postcondition, the assertion, does not hold (Definition 16). What
comes before it is a model, the values of the execution, or nothing: `true`. So a block has few lines that may be wrong, and needs
few queries; blocks do not wait for each other, and so processes take them in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Literal

import msgspec

from drystone.base.deadline import Deadline
from drystone.base.fork_pool import Tickets, in_forks
from drystone.counterexamples.told_faults import BlockFaults, BlockLocalization, FaultCandidate
from drystone.ir.automaton import Program
from drystone.localization.correction_sets import CorrectionSets, Limits
from drystone.localization.formula import Part, assertion_of, negated, parts_of, said
from drystone.localization.reasons import candidate, part_reason
from drystone.localization.trace import Statement, Trace
from drystone.logic import terms
from drystone.logic.terms import Term

_MOST_BLOCKS = 200


class ByBlock(msgspec.Struct, frozen=True):
    precondition: Literal["model", "true"] = "model"
    processes: int = 1


class _Block(msgspec.Struct, frozen=True):
    number: int
    parts: list[Part]
    sure: list[Term]  # precondition, what is sure in it, error condition


def localize_blocks(program: Program, trace: Trace, limits: Limits, deadline: Deadline, given: ByBlock) -> BlockLocalization:
    """The blocks that the execution goes through, the last first."""
    deadline = deadline.within(limits.seconds)
    blocks: list[_Block] = []
    count = 0
    for block in _blocks(trace, given):
        count += 1
        if len(blocks) < _MOST_BLOCKS:
            blocks.append(block)
    left_out = [f"the first {count - len(blocks):,} blocks"] if count > len(blocks) else []
    processes = min(given.processes, len(blocks))

    def localized(block: _Block) -> BlockFaults:
        return _localized(program, block, limits, deadline, given)

    found = list(map(localized, blocks)) if processes < 2 else _in_processes(processes, blocks, localized)
    found.sort(key=lambda each: -each.number)
    if len(found) < len(blocks):
        left_out.append(f"{len(blocks) - len(found)} blocks of processes that ended")
    left_out += dict.fromkeys(what for each in found for what in each.left_out)
    queries = sum(each.queries for each in found)
    return BlockLocalization(given.precondition, max(processes, 1), found, _ranked(found), queries, left_out)


def _blocks(trace: Trace, given: ByBlock) -> Iterator[_Block]:
    begin, assertion, _ = assertion_of(trace.statements)
    if assertion is None:
        return
    statements = trace.statements[:begin]
    asserted, passes = negated(trace.statements[begin:])
    condition = [*trace.inputs, *asserted, passes]
    model: list[Term] = []
    starts: list[int] = []  # how much of the model each block has
    groups = [list(group) for _, group in groupby(statements, key=lambda each: each.block)]
    for group in groups:
        starts.append(len(model))
        model += _values(group) if given.precondition == "model" else []
    for number, group in reversed(list(enumerate(groups))):
        parts, sure = parts_of(group)
        if parts:
            yield _Block(number, parts, [*model[: starts[number]], *sure, *condition])
        condition = [*condition, *(term for each in group for term in said(each))]


def _values(statements: list[Statement]) -> list[Term]:
    return [
        terms.equal(write.symbol, terms.constant(write.symbol.sort, write.value)) for each in statements for write in each.writes
    ]


def _localized(program: Program, block: _Block, limits: Limits, deadline: Deadline, given: ByBlock) -> BlockFaults:
    search = CorrectionSets(block.sure, [part.formulas for part in block.parts], limits, deadline)
    reasons: dict[int, str] = {}
    for correction in search.smallest_first():
        for part in correction.parts - reasons.keys():
            reasons[part] = part_reason(program, block.parts, part, correction)
    candidates = []
    for part in sorted(reasons, reverse=True):  # those that are executed later first
        belongs = [each for each in search.found if part in each]
        candidates.append(candidate(program, block.parts[part], min(map(len, belongs)), len(belongs), reasons[part]))
    # with nothing taken for granted, the block need not matter: then the execution may pass as it is
    left_out = [] if search.is_satisfiable and given.precondition == "true" else search.left_out
    where = program.where(block.parts[0].origin)
    return BlockFaults(block.number, where, len(block.parts), search.queries, _first(candidates), left_out)


def _in_processes(processes: int, blocks: list[_Block], localized: Callable[[_Block], BlockFaults]) -> list[BlockFaults]:
    """Each takes the next block when it is done with one."""
    tickets = Tickets(len(blocks))

    def work(share: int) -> tuple[bool, bytes]:
        return True, msgspec.msgpack.encode([localized(blocks[number]) for number in tickets])

    try:
        answers = in_forks(processes, work)
    finally:
        tickets.close()
    return [each for answer in answers for each in msgspec.msgpack.decode(answer, type=list[BlockFaults])]


def _ranked(blocks: list[BlockFaults]) -> list[FaultCandidate]:
    """Each line once; of several blocks, with the smallest set and, among these, as the latest says."""
    best: dict[tuple[str, int], FaultCandidate] = {}
    for each in _first([found for block in blocks for found in block.candidates]):
        best.setdefault((each.file, each.line), each)
    return list(best.values())


def _first(candidates: list[FaultCandidate]) -> list[FaultCandidate]:
    return sorted(candidates, key=lambda each: (each.size, -each.sets))
