"""The memory of a run: one array of bytes per object, plain integers as addresses.

Three ranges of addresses, each a list of objects sorted by base: static objects (globals, literals),
the heap, the stack. Objects are aligned to 64 bytes, on the heap to 16, and at least 16 bytes apart, so that an access
just beyond an object is not inside the next one. Heap addresses are never used again; stack addresses are, as on a machine.
Or objects lie close together, in the reverse order, and heap addresses are used again (`tight`): a run that ends otherwise then
depends on where objects lie.

An access below `NULL_PAGE` ends the run. Any other access outside the living objects is undefined behaviour: it is noted, and
goes to a sparse store of *wild* bytes, which are inputs when first read, because a run must go on where a driver follows
an arbitrary pointer.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Collection, Sequence

from drystone.concrete.inputs import Environment
from drystone.ir import names
from drystone.ir.automaton import Edge, MemoryObject, ObjectKind
from drystone.ir.expressions import Determinant, InputKind

NULL_PAGE = 1 << 16
"""Linux maps nothing below it."""
GUARD = 16
LARGEST_OF_32_BITS = 0x7FFFFFFF
LARGEST_ADDRESS = (1 << 64) - 1
NO_EXTENDED = "a long double whose integer bit contradicts its exponent"
LARGEST_OBJECT = 256 << 20
"""An allocation beyond this many bytes ends the run, to spare the machine that runs the interpreter."""
LARGEST_HEAP = 1 << 30
"""An allocation that would make the living heap objects exceed this ends the run, likewise."""


class Ended(Exception):
    """The run ends here. With an `edge`, in the middle of the segment that runs; `taken`: that edge still counts."""

    def __init__(self, kind: str, what: str, edge: Edge | None = None, taken: bool = True) -> None:
        super().__init__(kind, what)
        self.kind, self.what, self.edge, self.taken = kind, what, edge, taken


class AddressSpace:
    """Where the ranges lie, for a pointer width of 32 or 64."""

    def __init__(self, pointer_width: int, tight: bool = False, merges: bool = True) -> None:
        """`merges`: equal string literals are one object, unless objects lie close together."""
        wide = pointer_width > 32
        self.tight, self.merges = tight, merges
        self.mask = (1 << pointer_width) - 1
        if tight:  # much as Linux does
            self.functions = 0x5555_5555_5000 if wide else 0x5655_5000
            self.static = self.functions + 0x4000
            self.heap = 0x5600_0000_0000 if wide else 0x7000_0000
            self.first_on_heap = self.heap + 0x2A0
            self.heap_end = 0x7000_0000_0000 if wide else 0xF000_0000
            self.stack = 0x7FFC_0000_0000 if wide else 0xF800_0000
        else:
            self.functions = 0x08048000
            self.static = 0x08050000
            self.heap = 0x10_0000_0000 if wide else 0x10000000
            self.first_on_heap = self.heap + 16
            self.heap_end = 0x4000_0000_0000 if wide else 0x7FFF0000
            self.stack = 0x7000_0000_0000 if wide else 0x80000000
        self.largest = self.heap_end - self.first_on_heap - GUARD - 16 if wide else LARGEST_OF_32_BITS  # that malloc may give
        self.code_end = self.functions  # for a program that has none
        self.first_on_stack = self.stack + 64
        self.stack_end = 0x7FFF_0000_0000 if wide else 0xFFFF0000

    def place(self, objects: Collection[MemoryObject], base: int) -> tuple[dict[str, int], int]:
        """The addresses of static or local objects from `base` on, in ascending order, and the first one behind them."""
        addresses: dict[str, int] = {}
        if self.tight:
            base += 1
            literals: list[MemoryObject] = []
            for object_ in reversed(list(objects)):
                longer = next((each for each in literals if _is_tail(object_, each)), None)
                if longer is not None:
                    addresses[object_.name] = addresses[longer.name] + longer.size - object_.size
                    continue
                addresses[object_.name] = base = -(-base // max(object_.align, 1)) * max(object_.align, 1)
                base += max(object_.size, 1)
                if object_.kind is ObjectKind.LITERAL:
                    literals.append(object_)
            addresses = dict(sorted(addresses.items(), key=lambda item: item[1]))
        else:
            equal: dict[bytes, int] = {}
            for object_ in objects:
                is_literal = self.merges and object_.kind is ObjectKind.LITERAL
                if is_literal and object_.content in equal:
                    addresses[object_.name] = equal[object_.content]
                    continue
                addresses[object_.name] = base = aligned(base, object_.align)
                if is_literal:
                    equal[object_.content] = base
                base = next_base(base, object_.size)
            addresses = dict(sorted(addresses.items(), key=lambda item: item[1]))
        return addresses, base


def _is_tail(literal: MemoryObject, longer: MemoryObject) -> bool:
    return literal.kind is ObjectKind.LITERAL and 0 < literal.size < longer.size and longer.content.endswith(literal.content)


def next_base(base: int, size: int) -> int:
    """Where an object may begin after one of `size` bytes at `base`."""
    return base + max(size, 1) + GUARD + 15 & ~15


def rounded(base: int, align: int) -> int:
    """The next multiple of a power of two."""
    return base + align - 1 & -align


def aligned(base: int, align: int) -> int:
    """Where a static or local object may begin from `base` on. Runs and formulas agree on it: an address may decide."""
    align = max(align, 64)
    return -(-base // align) * align


BEFORE_DECLARATION = "local object before its declaration"
"""What the bytes of a local are called at the moment at which it gets its value."""


UNBORN = bytearray()
"""The bytes of a local object that has not been declared or touched yet."""


def _violation(access: str, address: int, freed: list[tuple[int, int]]) -> str:
    """What is wrong with an access that is not within one living object."""
    at = bisect_right(freed, (address, LARGEST_ADDRESS)) - 1
    return f"{access} of freed memory" if at >= 0 and address < freed[at][1] else f"{access} outside every object"


class FlatMemory:
    """Memory of one run. The static objects are given by base and initial bytes, in ascending order."""

    def __init__(
        self, space: AddressSpace, static_bases: list[int], static_blocks: list[bytearray], environment: Environment
    ) -> None:
        self.space = space
        self.environment = environment
        self.static_bases, self.static_blocks = static_bases, static_blocks
        # Each list starts with an object of no bytes at the start of its range, so that a search always finds one.
        self.heap_start, self.heap_next, self.heap_size = space.heap, space.first_on_heap, 0
        self.heap_bases, self.heap_blocks = [space.heap], [bytearray()]
        self.stack_start, self.stack_next = space.stack, space.stack + 16
        self.deepest = self.stack_next  # that the stack has come to
        self.stack_bases, self.stack_blocks, self.stack_sizes = [space.stack], [bytearray()], [0]
        self.wild: dict[int, int] = {}
        self.freed: list[tuple[int, int]] = []  # the first address of each heap object that was freed, and the first behind it
        self.reuses_stack = True
        self.keeps_stack = False  # threads have activations that end in any order: their objects stay
        self.reusable: dict[int, list[int]] | None = {} if space.tight else None  # freed addresses by the room they have

    # Access. The common case, inside one living object, comes first; everything else is left to the functions below.

    def load(self, address: int, size: int, edge: Edge) -> int:
        """The little-endian number in `size` bytes at `address`."""
        if address >= self.stack_start:
            index = bisect_right(self.stack_bases, address) - 1
            block, offset = self.stack_blocks[index], address - self.stack_bases[index]
        elif address >= self.heap_start:
            index = bisect_right(self.heap_bases, address) - 1
            block, offset = self.heap_blocks[index], address - self.heap_bases[index]
        else:
            index = bisect_right(self.static_bases, address) - 1
            block, offset = self.static_blocks[index], address - self.static_bases[index]
        end = offset + size
        if end <= len(block):
            return int.from_bytes(block[offset:end], "little")
        return int.from_bytes(self.read(address, size, edge), "little")

    def store(self, address: int, value: int, size: int, edge: Edge) -> None:
        if address >= self.stack_start:
            index = bisect_right(self.stack_bases, address) - 1
            block, offset = self.stack_blocks[index], address - self.stack_bases[index]
        elif address >= self.heap_start:
            index = bisect_right(self.heap_bases, address) - 1
            block, offset = self.heap_blocks[index], address - self.heap_bases[index]
        else:
            index = bisect_right(self.static_bases, address) - 1
            block, offset = self.static_blocks[index], address - self.static_bases[index]
        end = offset + size
        if end <= len(block):
            block[offset:end] = value.to_bytes(size, "little")
        else:
            self.write(address, value.to_bytes(size, "little"), edge)

    def copy(self, target: int, source: int, size: int, edge: Edge) -> None:
        if size:
            self.write(target, self.read(source, size, edge), edge)

    def fill(self, target: int, byte: int, size: int, edge: Edge) -> None:
        if size:
            self.write(target, bytes((byte,)) * size, edge)

    def read(self, address: int, size: int, edge: Edge) -> bytes:
        block, offset = self._find(address, edge)
        if offset + size <= len(block):
            return bytes(block[offset : offset + size])
        self._check(address, edge)
        self.environment.note_undefined(_violation("read", address, self.freed), edge)
        wild, mask = self.wild, self.space.mask
        result, missing = bytearray(size), []
        for position in range(size):
            place = address + position & mask
            block, offset = self._find(place, edge)
            if offset < len(block):
                result[position] = block[offset]
            elif place in wild:
                result[position] = wild[place]
            else:
                missing.append((position, place))
        if missing:
            what = names.wild(missing[0][1])
            fresh = self.environment.block(len(missing), InputKind.UNDEFINED, what, edge)
            for (position, place), byte in zip(missing, fresh, strict=True):
                result[position] = wild[place] = byte
        return bytes(result)

    def write(self, address: int, content: bytes, edge: Edge) -> None:
        size = len(content)
        block, offset = self._find(address, edge)
        if offset + size <= len(block):
            block[offset : offset + size] = content
            return
        self._check(address, edge)
        self.environment.note_undefined(_violation("write", address, self.freed), edge)
        for position, byte in enumerate(content):
            place = address + position & self.space.mask
            block, offset = self._find(place, edge)
            if offset < len(block):
                block[offset] = byte
            else:
                self.wild[place] = byte

    def _find(self, address: int, edge: Edge) -> tuple[bytearray, int]:
        """The object with the greatest base up to `address`, and the offset in it (which may be beyond its end)."""
        if address >= self.stack_start:
            index = bisect_right(self.stack_bases, address) - 1
            base = self.stack_bases[index]
            if self.stack_blocks[index] is UNBORN and address - base < self.stack_sizes[index]:
                self._give_life(index, BEFORE_DECLARATION, edge, Determinant.NOTHING)
            return self.stack_blocks[index], address - base
        if address >= self.heap_start:
            index = bisect_right(self.heap_bases, address) - 1
            return self.heap_blocks[index], address - self.heap_bases[index]
        index = bisect_right(self.static_bases, address) - 1
        return self.static_blocks[index], address - self.static_bases[index]

    def object_at(self, address: int) -> tuple[int, int] | None:
        """The first address of the object that has this one, and the first behind it; None if it has gone, or there is none."""
        index = bisect_right(self.stack_bases, address) - 1
        if index >= 0:
            base, size = self.stack_bases[index], self.stack_sizes[index]
        elif (index := bisect_right(self.heap_bases, address) - 1) >= 0:
            base, size = self.heap_bases[index], len(self.heap_blocks[index])
        else:
            index = bisect_right(self.static_bases, address) - 1
            base, size = self.static_bases[index], len(self.static_blocks[index])
        return (base, base + size) if address < base + size else None

    def _living(self, address: int) -> tuple[int, bytearray] | None:
        """Base and bytes of the living object that has this address."""
        for bases, blocks in (
            (self.stack_bases, self.stack_blocks),
            (self.heap_bases, self.heap_blocks),
            (self.static_bases, self.static_blocks),
        ):
            index = bisect_right(bases, address) - 1
            if index >= 0 and address < bases[index] + len(blocks[index]):
                return bases[index], blocks[index]
        return None

    def peek(self, address: int, size: int) -> bytes | None:
        """These bytes, if one living object has them; nothing is asked for or noted."""
        found = self._living(address)
        if found is None or address - found[0] + size > len(found[1]):
            return None
        return bytes(found[1][address - found[0] : address - found[0] + size])

    def string(self, address: int, most: int | None = None) -> bytes | None:
        """The bytes up to a null character or so many, likewise."""
        if most == 0:
            return b""
        found = self._living(address)
        if found is None:
            return None
        start = address - found[0]
        limit = len(found[1]) if most is None else min(start + most, len(found[1]))
        end = found[1].find(0, start, limit)
        if end < 0 and (most is None or start + most > len(found[1])):
            return None
        return bytes(found[1][start : end if end >= 0 else limit])

    def _check(self, address: int, edge: Edge) -> None:
        if address < NULL_PAGE:
            raise Ended("crash", "null dereference", edge)
        if self.space.functions <= address < self.space.code_end:
            raise Ended("crash", "access to the code of a function", edge)  # nobody knows what is there

    # Lifetimes

    def allocate(
        self,
        size: int,
        zeroed: bool,
        what: str,
        edge: Edge,
        align: int = 16,
        determinant: Determinant = Determinant.NOTHING,
    ) -> int:
        """The base of a fresh heap object, or 0 if it would not even fit an empty heap. Where others have used up the addresses,
        a machine might still have some: objects that were freed."""
        if self.reusable is not None and align <= 16 and (freed := self.reusable.get(next_base(0, size))):
            return self._reuse(freed.pop(), self._fresh(size, zeroed, what, edge, determinant))
        base = rounded(self.heap_next, align)
        following = next_base(base, size)
        if following > self.space.heap_end:
            if size > self.space.largest:
                return 0
            raise Ended("limit", "an allocation when all addresses are used up", edge)
        if size > LARGEST_OBJECT or self.heap_size + size > LARGEST_HEAP:
            raise Ended("limit", f"an allocation of {size} bytes", edge)
        self.heap_next = following
        self.heap_size += size
        self.heap_bases.append(base)
        self.heap_blocks.append(self._fresh(size, zeroed, what, edge, determinant))
        return base

    def _reuse(self, base: int, block: bytearray) -> int:
        index = bisect_right(self.heap_bases, base)
        self.heap_bases.insert(index, base)
        self.heap_blocks.insert(index, block)
        self.heap_size += len(block)
        return base

    def allocate_in_frame(
        self,
        size: int,
        zeroed: bool,
        what: str,
        edge: Edge,
        align: int = 16,
        determinant: Determinant = Determinant.NOTHING,
    ) -> int:
        """The base of a fresh object that lives until the activation ends, or 0."""
        base = rounded(self.stack_next, align)
        following = next_base(base, size)
        if following > self.space.stack_end:
            return 0
        if size > LARGEST_OBJECT:
            raise Ended("limit", f"an object of {size} bytes", edge)
        self.stack_next = base if self.space.tight and size == 0 else following
        self.deepest = max(self.deepest, following)
        self.stack_bases.append(base)
        self.stack_sizes.append(size)
        self.stack_blocks.append(self._fresh(size, zeroed, what, edge, determinant))
        return base

    def free(self, address: int, edge: Edge) -> None:
        if address == 0:
            return
        index = bisect_right(self.heap_bases, address) - 1
        if index <= 0 or self.heap_bases[index] != address:
            self.environment.note_undefined("free of an address that no allocation returned or that is free already", edge)
            return
        size = len(self.heap_blocks[index])
        self.heap_size -= size
        insort(self.freed, (address, address + size))
        if self.reusable is not None:
            self.reusable.setdefault(next_base(0, size), []).append(address)
        del self.heap_bases[index], self.heap_blocks[index]

    def reallocate(self, address: int, size: int, edge: Edge) -> int:
        """The base of a fresh heap object that starts with the bytes of the one at `address`, which ends; or 0, and it stays."""
        index = bisect_right(self.heap_bases, address) - 1
        known = index > 0 and self.heap_bases[index] == address
        old = bytes(self.heap_blocks[index]) if known else b""
        if known and self.reusable is not None and 0 < size <= LARGEST_OBJECT and self._may_grow(address, len(old), size):
            return self._resized(index, address, size, edge)
        base = self.allocate(size, False, "realloc", edge)
        if base:
            kept = min(len(old), size)
            self.heap_blocks[bisect_right(self.heap_bases, base) - 1][:kept] = old[:kept]
            if base != address:
                self.free(address, edge)
        return base

    def _may_grow(self, address: int, old: int, size: int) -> bool:
        """Has the object room for so many bytes where it is: no more than before, or nothing is behind it?"""
        return next_base(0, size) <= next_base(0, old) or next_base(address, old) == self.heap_next

    def _resized(self, index: int, address: int, size: int, edge: Edge) -> int:
        block = self.heap_blocks[index]
        kept, self.heap_size = min(len(block), size), self.heap_size + size - len(block)
        self.heap_blocks[index] = block[:kept] + self._fresh(size - kept, False, "realloc", edge, Determinant.NOTHING)
        self.heap_next = max(self.heap_next, next_base(address, size))
        return address

    def enter(self, offsets: Sequence[int], sizes: Sequence[int], frame_size: int) -> int:
        """An activation begins: its local objects lie at `offsets` from the returned base; they are born when declared."""
        base = self.stack_next + 63 & ~63  # enough for what locals ask for
        if base + frame_size > self.space.stack_end:
            raise Ended("limit", "the stack is exhausted")
        self.stack_next = base + frame_size
        self.deepest = max(self.deepest, self.stack_next)
        self.stack_bases.extend([base + offset for offset in offsets])
        self.stack_sizes.extend(sizes)
        self.stack_blocks.extend([UNBORN] * len(sizes))
        return base

    def leave(self, base: int, objects: int) -> None:
        """The activation ends that began when the stack had `objects` objects and its next address was `base`."""
        if self.keeps_stack:
            return
        if self.reuses_stack:
            self.stack_next = base
        del self.stack_bases[objects:], self.stack_sizes[objects:], self.stack_blocks[objects:]

    def declare(self, address: int, name: str, edge: Edge) -> None:
        """The life of the local object at `address` begins (again)."""
        self._give_life(bisect_right(self.stack_bases, address) - 1, name, edge, Determinant.LOCAL)

    def _give_life(self, index: int, what: str, edge: Edge, determinant: Determinant) -> None:
        self.stack_blocks[index] = self._fresh(self.stack_sizes[index], False, what, edge, determinant)

    def _fresh(self, size: int, zeroed: bool, what: str, edge: Edge, determinant: Determinant) -> bytearray:
        if zeroed:
            return bytearray(size)
        return bytearray(self.environment.block(size, InputKind.UNINITIALISED, what, edge, determinant))
