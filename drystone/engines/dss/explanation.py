"""What the blocks of a run did: in figures for JSON, in lines for people (`drystone verify --explain`)."""

from __future__ import annotations

from collections.abc import Iterator

from drystone.base.plurals import counted
from drystone.engines.details import BlockDetails, Details, OperatorDetails
from drystone.engines.dss.coordinator import Coordinator
from drystone.engines.dss.domain import Worded
from drystone.engines.dss.hosts import Status
from drystone.engines.dss.messages import Kind, Message
from drystone.engines.dss.operators import OperatorCount
from drystone.engines.dss.preparation import Blocks
from drystone.engines.dss.readable import Readable
from drystone.engines.dss.records.journal import BlockJournal, Journal, Remembered
from drystone.ir.automaton import Program

OPERATORS = ("pack_post", "unpack_post", "pack_vcond", "unpack_vcond", "proceed", "combine")
"""Of Kettl 2022, Table 17; a kind of summaries may have others, which come after these."""
_SHOWN_BLOCKS = 40
_LONGEST = 160  # characters of a formula


def details(program: Program, blocks: Blocks, coordinator: Coordinator, domain: Worded) -> Details:
    journal, readable = coordinator.journal, Readable(program, blocks, domain)
    found = []
    operators: dict[str, OperatorCount] = {name: OperatorCount() for name in OPERATORS}
    for id, status in coordinator.status.items():
        about = journal.blocks.get(id, BlockJournal())
        block = blocks.blocks[id]
        predecessors = list(blocks.ending.get(block.start, ()))
        where, received = readable.where(block.start), about.received.total()
        found.append(BlockDetails(id, where, block.edges, predecessors, received, about.messages_sent, status.counters))
        for name, count in status.operators.items():
            total = operators.setdefault(name, OperatorCount())
            total.calls += count.calls
            total.seconds += count.seconds
            total.bytes += count.bytes
    costs = {name: OperatorDetails(count.calls, round(count.seconds, 6), count.bytes) for name, count in operators.items()}
    return Details(found, journal.messages(), costs)


def explained(program: Program, blocks: Blocks, coordinator: Coordinator, domain: Worded) -> tuple[str, ...]:
    """Per block what it received, proved and sent; many lemmas as the first and the last few."""
    readable = Readable(program, blocks, domain)
    lines: list[str] = []
    for id in list(blocks.blocks)[:_SHOWN_BLOCKS]:
        lines += _block(readable, id, blocks.blocks[id].start, coordinator.status[id], coordinator.journal)
    if len(blocks.blocks) > _SHOWN_BLOCKS:
        lines.append(f"and {counted(len(blocks.blocks) - _SHOWN_BLOCKS, 'more blocks')}")
    return tuple(lines)


def _block(readable: Readable, id: str, start: int, status: Status, journal: Journal) -> Iterator[str]:
    about = journal.blocks.get(id, BlockJournal())
    words = {
        Kind.ERRORCONDITION: "violation conditions",
        Kind.ERRORCONDITIONUNREACHABLE: "refutations",
        Kind.BLOCKPOSTCONDITION: readable.domain.posts,
    }
    received = [counted(about.received[kind], word) for kind, word in words.items() if about.received[kind]]
    worked = counted(status.counters.get("queries", 0), "queries")
    if "predicates" in status.counters:
        worked += f", {counted(status.counters['predicates'], 'predicates')}"
    yield f"block {id} at {readable.where(start)}: received {', '.join(received) or 'nothing'}; {worked}"
    verbs = {
        Kind.BLOCKPOSTCONDITION: "proved",
        Kind.ERRORCONDITION: "asked about",
        Kind.ERRORCONDITIONUNREACHABLE: "answered",
    }
    for kind, verb in verbs.items():
        yield from _listed(readable, about.sent.get(kind), verb, words[kind])


def _listed(readable: Readable, messages: Remembered | None, verb: str, what: str) -> Iterator[str]:
    if messages is None:
        return
    for message in messages.first:
        yield f"  {verb} {_said(readable, message)}"
    if messages.left_out:
        yield f"  and {counted(messages.left_out, f'more {what}')}"
    for message in messages.last:
        yield f"  {verb} {_said(readable, message)}"


def _said(readable: Readable, message: Message) -> str:
    text = readable.text(message)
    level = f", level {message.level}" if message.level else ""
    return f"at {readable.where(message.location)}{level}: {text if len(text) <= _LONGEST else text[:_LONGEST] + '…'}"
