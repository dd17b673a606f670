"""Blocks to which no pointer leads any more, found as LeakSanitizer does: whatever looks like an address may be one."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from drystone.concrete.flat_memory import FlatMemory
from drystone.logic.slots import slots


def is_block_lost(
    memory: FlatMemory, tables: Iterable[int], values: Iterable[int], pointer_width: int, *, frames_live: bool
) -> bool:
    """`values`: of variables. `tables`: positions of static objects that hold no pointers of the program."""
    known = slots(pointer_width)
    first, last = known.heap << known.bits, known.external << known.bits
    word, passed = pointer_width // 8, set(tables)
    blocks = dict(zip(memory.heap_bases, memory.heap_blocks, strict=True))
    if not any(first < base < last for base in blocks):
        return False
    roots = [block for index, block in enumerate(memory.static_blocks) if index not in passed]
    roots += [block for base, block in blocks.items() if base >= last]
    if frames_live:
        roots += memory.stack_blocks
    waiting, reached = list(values), set[int]()
    for root in roots:
        waiting += _addresses(root, word)
    while waiting:
        value = waiting.pop()
        base = (value >> known.bits << known.bits) + known.begin
        block = blocks.get(base) if first <= value < last and base not in reached else None
        if block is not None and base <= value <= base + len(block):
            reached.add(base)
            waiting += _addresses(block, word)
    return any(first < base < last and base not in reached for base in blocks)


def _addresses(block: bytes | bytearray, word: int) -> list[int]:
    """All that might be one, wherever it begins."""
    found: list[int] = []
    for shift in range(min(word, len(block) - word + 1)):
        end = len(block) - (len(block) - shift) % word
        found += struct.unpack(f"<{(end - shift) // word}{'Q' if word == 8 else 'I'}", block[shift:end])
    return found
