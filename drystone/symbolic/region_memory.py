"""Memory in symbolic execution: one array per region.

A word region is an array from addresses to elements, any other an array of bytes. Objects have fixed
addresses; where a proof must hold for other ones, too (`anywhere`), those whose bits the program computes with have any
(docs/decisions/019-any-addresses.md). In an execution from the entry every execution of an allocation has an
address range of its own, so its contents are those of the initial array: arbitrary. From any state (`inductive`) allocations take
their addresses from a counter, which is a variable of the state, and fail where no room is left. What they contain:
`symbolic.heap_objects`. What is too large to be copied or filled element by element becomes an arbitrary array, which
over-approximates; `approximated` says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from drystone.concrete.flat_memory import LARGEST_OF_32_BITS, NO_EXTENDED, NULL_PAGE, AddressSpace, next_base, rounded
from drystone.concrete.slotted_memory import space_of
from drystone.ir import names
from drystone.ir.automaton import MemoryObject, ObjectKind, Program
from drystone.ir.expressions import Address, Expression, Input, byte_size
from drystone.ir.operations import Copy, Fill
from drystone.logic import terms
from drystone.logic.floats import extended_from_memory, is_extended
from drystone.logic.sorts import BOOL, EXTENDED, Array, BitVec, Float, Sort, bitvec
from drystone.logic.terms import TRUE, Term, concat, extract, ite, make, select, store
from drystone.memory.dataflow import array_name
from drystone.memory.regions import WHOLE, Region, Regions
from drystone.memory.sharing import distances
from drystone.symbolic.environment import Environment

MAX_ELEMENTS = 1024
"""Copies, fills and initial contents of more elements than this are not written out."""

_MOST_BYTES_ANYWHERE = 1 << 26  # with ILP32, twice that is free below the heap
_MOST_ANYWHERE = 16  # allocations that may lie in any order
_WIDEST_GAP = 0xFFFF0  # between two allocations, a multiple of 16

HEAP = names.own("heap")
"""The variable that holds the address of the next allocation, where steps start from any state."""


class NoRoom(Exception):
    """Addresses that are not fixed could not be chosen: constraints that nothing satisfies would prove anything."""


class ExecutedProgram(Protocol):
    """The program that is executed (`symbolic.execution`), as far as its memory has to do with it."""

    inductive: bool
    approximated: set[str]

    def place(self) -> str:
        """A name for the edge that is being executed in this step."""

    def fresh(self, request: Input | None, what: str, sort: Sort) -> Term:
        """The input symbol of a place in the current step."""

    def is_first(self, name: str) -> bool:
        """Does the lifetime of this local object start for the first time since the entry?"""

    def refuse(self, condition: Term, what: str) -> None:
        """The edge being executed is not modelled where this holds."""

    def use(self, address: Term) -> None:
        """A load or store at this address."""

    def value(self, expression: Expression, environment: Environment) -> Term: ...


class Memory:
    """Addresses of objects and the arrays of regions."""

    def __init__(self, program: Program, regions: Regions, anywhere: bool = False) -> None:
        self.program = program
        self.regions = regions
        self.pointer = program.pointer
        space = space_of(program)
        shown = regions.pointers.shown if anywhere else frozenset()
        if program.has_slots and not shown <= program.functions.keys():
            raise NoRoom("addresses decide something, and where memory is checked, objects have places of their own")
        self.constraints: list[Term] = []  # on addresses that are not fixed
        self._top = (1 << min(program.pointer_width, 47)) - NULL_PAGE
        self._heap_is_anywhere = bool(shown & regions.pointers.allocations)
        self.addresses: dict[str, int] = {}
        for position, name in enumerate(program.functions):
            self.addresses[name] = space.functions + 16 * position
        base = max(space.static, space.functions + 16 * len(program.functions) + 16)
        local = program.procedures[program.entry].objects
        static, static_end = space.place(program.objects.values(), base)
        automatic, stack_end = space.place(local.values(), space.first_on_stack)
        self.addresses |= static | automatic
        self._free = {name: self._symbol(name) for name in self.addresses if name in shown}
        self._taken = [
            (self._number(start), end - start) for start, end in ((space.functions, static_end), (space.stack, stack_end))
        ]
        if program.has_slots:
            self._taken, self._top = [], space.static >> 1  # functions lie before all objects
        if self._free:
            self._let_lie_anywhere({**program.objects, **local}, space)
        self.heap = self._heap_next = space.first_on_heap
        self._heap_end = space.heap_end
        self.slots: dict[str, int] = {}  # what executions of allocations were given, by place
        self._moved: list[tuple[Term, int]] = []  # the latest allocations that have no fixed address, with their room
        self._lowest = self._number(NULL_PAGE)  # where they may begin
        self.sorts: dict[str, Sort] = {}
        for region in regions:
            self.sorts[array_name(region)] = Array(self.pointer, bitvec(element_width(region)))

    def address(self, name: str) -> Term:
        return self._free.get(name) or self._number(self.addresses.get(name, 0))

    def fixed_address(self, name: str) -> int | None:
        """None, if the object may lie anywhere."""
        return None if name in self._free else self.addresses[name]

    def _number(self, value: int) -> Term:
        return terms.constant(self.pointer, value)

    def _symbol(self, what: str) -> Term:
        return terms.input_symbol(f"address of {what}", self.pointer)

    def _let_lie_anywhere(self, objects: dict[str, MemoryObject], space: AddressSpace) -> None:
        """Aligned as C asks for, none on top of another one that lives at the same time, and not where objects lie that have
        fixed addresses."""
        if sum(objects[name].size for name in self._free if name in objects) > _MOST_BYTES_ANYWHERE:
            raise NoRoom("objects whose addresses matter are too large to lie anywhere in memory")
        placed: list[tuple[Term, int, str]] = []
        for name, base in self._free.items():
            object_ = objects.get(name)
            size, align = (max(object_.size, 1), max(object_.align, 1)) if object_ is not None else (1, 1)
            self._is_aligned(base, align)
            self._is_somewhere(base, size)
            if not self._heap_is_anywhere:
                self._are_apart(base, size, self._number(space.heap), space.heap_end - space.heap)
            for other, other_size, other_name in placed:
                are_labels = names.is_label(name) and names.is_label(other_name)  # which may stand before one statement
                shared = None if are_labels else _shared(objects.get(other_name), objects.get(name))
                if shared is not None:
                    self._are_apart(base, size, other, other_size, shared)
            placed.append((base, size, name))
        self._taken += [(base, size) for base, size, _ in placed]

    def _is_somewhere(self, base: Term, size: int) -> None:
        """Where an object of this size may lie, and none is already that has a place from the start."""
        self.constraints += [self._at_most(self._number(NULL_PAGE), base), self._at_most(base, self._number(self._top - size))]
        for other, other_size in self._taken:
            self._are_apart(base, size, other, other_size)

    def _is_aligned(self, base: Term, align: int) -> None:
        if align > 1:
            self.constraints.append(terms.equal(make("bvand", self.pointer, base, self._number(align - 1)), self._number(0)))

    def _at_most(self, a: Term, b: Term) -> Term:
        return make("bvule", BOOL, a, b)

    def _are_apart(self, one: Term, size: int, other: Term, other_size: int, shared: Iterable[int] = ()) -> None:
        """Or the first begins at one of these distances from the other one."""
        before, behind = self._at_most(plus(one, size), other), self._at_most(plus(other, other_size), one)
        on_top = [terms.equal(one, plus(other, distance)) for distance in shared]
        self.constraints.append(terms.disjunction([before, behind, *on_top]))

    def allocate(self, program: ExecutedProgram, environment: Environment, size: Term, align: int) -> Term:
        """The base of a fresh object: each execution of an allocation has a range of addresses of its own.

        A size that may exceed the range is not modelled where it does: the object would overlap others.
        """
        if program.inductive:
            return self._take(program, environment, size, align)
        room = 1 << (24 if self.pointer.width == 32 else 36)
        if size.operator == "const":
            room = max(size.payload, 1)
        key = program.place()
        base = self.slots.get(key)
        if base is None:
            fresh = rounded(self._heap_next, align)
            if next_base(fresh, room) > self._heap_end:
                program.refuse(TRUE, "allocation beyond the address space")
                return terms.constant(self.pointer, 0)
            base = self.slots[key] = fresh
            self._heap_next = next_base(base, room)
            if self._heap_is_anywhere:
                self._free[key] = self._anywhere_on_heap(key, room, align)
        program.refuse(make("bvult", BOOL, terms.constant(self.pointer, room), size), f"allocation of more than {room} bytes")
        return self._free.get(key) or self._number(base)

    def _anywhere_on_heap(self, key: str, room: int, align: int) -> Term:
        """Apart from the objects that were allocated before; where there are many, behind them."""
        symbol = self._symbol(key)
        self._is_aligned(symbol, align)
        self._is_somewhere(symbol, room)
        if self.program.frees:
            return symbol  # another one may have been there before
        if len(self._moved) < _MOST_ANYWHERE:
            for other, other_room in self._moved:
                self._are_apart(symbol, room, other, other_room)
            self.constraints.append(self._at_most(self._lowest, symbol))
        else:
            self.constraints += [self._at_most(plus(other, other_room), symbol) for other, other_room in self._moved]
            self._moved, self._lowest = [], symbol
        self._moved.append((symbol, room))
        return symbol

    def _take(self, program: ExecutedProgram, environment: Environment, size: Term, align: int) -> Term:
        """Memory from the counter on, or NULL where the heap has no room for it."""
        number = self._number
        counter, last = environment[HEAP], number(self._heap_end - next_base(0, 1))
        old = counter
        if self._heap_is_anywhere and self.program.frees:
            anywhere = program.fresh(None, "base", self.pointer)
            base = make("bvand", self.pointer, anywhere, number((1 << self.pointer.width) - min(align, 16)))
            room = make("bvsub", self.pointer, number(self._top), base)
            in_range = [self._at_most(number(NULL_PAGE), base), self._at_most(base, number(self._top)), self._at_most(size, room)]
            return ite(terms.conjunction(in_range), base, number(0))
        if self._heap_is_anywhere:
            gap = make("bvand", self.pointer, program.fresh(None, "gap", self.pointer), number(_WIDEST_GAP))
            counter = make("bvadd", self.pointer, counter, gap)
        if align > 16:
            upper = make("bvadd", self.pointer, counter, number(align - 1))
            counter = make("bvand", self.pointer, upper, number((1 << self.pointer.width) - align))
        if size.operator == "const":
            following = make("bvadd", self.pointer, counter, number(next_base(0, size.payload)))
        else:
            rounded = make("bvadd", self.pointer, counter, make("bvadd", self.pointer, size, number(next_base(0, 1) - 1)))
            following = make("bvand", self.pointer, rounded, number((1 << self.pointer.width) - 16))
        room = make("bvsub", self.pointer, last, counter)
        fits = make("and", BOOL, make("bvule", BOOL, counter, last), make("bvule", BOOL, size, room))
        if align > 16:  # it may have wrapped around, from a state that has no room either
            fits = make("and", BOOL, make("bvule", BOOL, old, counter), fits)
        environment[HEAP] = ite(fits, following, old)
        if self._heap_is_anywhere:
            is_high = terms.input_symbol("the heap is high", BOOL)
            counter = make("bvadd", self.pointer, counter, ite(is_high, number(self._top - self._heap_end), number(0)))
        if self.pointer.width == 32:  # there might be room for it elsewhere
            capacity = self._heap_end - self.heap - next_base(0, 1)
            large = make(
                "and", BOOL, make("bvult", BOOL, number(capacity), size), self._at_most(size, number(LARGEST_OF_32_BITS))
            )
            program.refuse(large, "allocation of more than the heap holds")
        return ite(fits, counter, number(0))

    def base_of(self, place: str) -> int | None:
        """The address that an execution of an allocation was given, if there was one."""
        return self.slots.get(place)

    def initialise(self, program: ExecutedProgram, environment: Environment) -> None:
        """Stores the initial contents of globals and literals; large ones stay arbitrary, which over-approximates."""
        for object_ in self.program.objects.values():
            if object_.kind is ObjectKind.EXTERNAL or object_.name == names.EXTENTS:
                continue  # the table holds zeros that nobody asks for: anything, which over-approximates
            place = Address(object_.name, self.pointer)
            relocations = dict(object_.relocations)
            for region, offsets in self.elements(place, object_.size).items():
                if len(offsets) > MAX_ELEMENTS:
                    program.approximated.add(f"initial contents of {object_.name} ({object_.size} bytes)")
                    continue
                name = array_name(region)
                array = environment[name]
                base = self.address(object_.name)
                for offset in offsets:
                    value = self._initial(program, environment, object_, relocations, offset, region)
                    if value is not None:
                        array = store(array, plus(base, offset), value)
                environment[name] = array

    def _initial(
        self,
        program: ExecutedProgram,
        environment: Environment,
        object_: MemoryObject,
        relocations: dict[int, Expression],
        offset: int,
        region: Region,
    ) -> Term | None:
        """An element of the initial contents; bytes of addresses are put in where they overlap it. None: it stays arbitrary,
        since its bytes are no long double."""
        size, width = region.size, element_width(region)
        content = object_.content[max(offset, 0) : offset + size].ljust(size, b"\0")
        address_bytes = self.pointer.width // 8
        overlapping = {p: e for p, e in relocations.items() if p < offset + size and offset < p + address_bytes}
        if not overlapping:
            bits = int.from_bytes(content, "little")
            if width == 79:
                return terms.constant(bitvec(width), extended_from_memory(bits)) if is_extended(bits) else None
            return terms.constant(bitvec(width), bits)
        value: Term | None = None
        for place in range(offset, offset + size):
            byte = terms.constant(bitvec(8), content[place - offset])
            for start, expression in overlapping.items():
                if start <= place < start + address_bytes:
                    shift = 8 * (place - start)
                    byte = extract(program.value(expression, environment), shift + 7, shift)
            value = byte if value is None else concat(byte, value)
        return value if width != 79 else None

    def elements(self, address: Expression, size: int) -> dict[Region, list[int]]:
        """The elements of each region in `size` bytes from an address, by their distance."""
        found: dict[Region, list[int]] = {}
        for distance, region in self.regions.cells(address, size):
            if region.is_word:
                found.setdefault(region, []).append(distance)
            elif region.extent == WHOLE:
                found[region] = list(range(size)) if size <= 1 << 16 else [0] * (MAX_ELEMENTS + 1)
            else:
                places = range(max(distance, 0), min(distance + region.extent, size))
                found.setdefault(region, []).extend(places)
        return found

    def load(self, program: ExecutedProgram, environment: Environment, region: Region, address: Term, sort: Sort) -> Term:
        program.use(address)
        array = environment[array_name(region)]
        if region.is_word:
            return _from_element(select(array, address), sort)
        bits: Term | None = None
        for offset in range(byte_size(sort)):
            byte = select(array, plus(address, offset))
            bits = byte if bits is None else concat(byte, bits)
        assert bits is not None
        if sort == EXTENDED:
            bits = _without_integer_bit(program, bits)
        elif isinstance(sort, BitVec) and sort.width % 8:
            bits = extract(bits, sort.width - 1, 0)
        return _from_element(bits, sort)

    def store(self, program: ExecutedProgram, environment: Environment, region: Region, address: Term, value: Term) -> None:
        program.use(address)
        name = array_name(region)
        array = environment[name]
        if region.is_word:
            environment[name] = store(array, address, _to_element(value))
            return
        bits = _to_element(value)
        sort = value.sort
        if sort == EXTENDED:
            exponent = extract(bits, 77, 63)
            one = ite(
                make("=", BOOL, exponent, terms.constant(bitvec(15), 0)),
                terms.constant(bitvec(1), 0),
                terms.constant(bitvec(1), 1),
            )
            bits = concat(extract(bits, 78, 63), concat(one, extract(bits, 62, 0)))
        size = byte_size(sort)
        if isinstance(sort, BitVec) and sort.width % 8:
            bits = terms.resize(bits, 8 * size)
        for offset in range(size):
            array = store(array, plus(address, offset), extract(bits, 8 * offset + 7, 8 * offset))
        environment[name] = array

    def copy(self, program: ExecutedProgram, environment: Environment, operation: Copy, target: Term, source: Term) -> None:
        program.use(target)
        program.use(source)
        for region, offsets in self.elements(operation.target, operation.size).items():
            name = array_name(region)
            if len(offsets) > MAX_ELEMENTS:
                self.forget(program, environment, region, f"copy of {operation.size} bytes")
                continue
            old = array = environment[name]
            for offset in offsets:
                array = store(array, plus(target, offset), select(old, plus(source, offset)))
            environment[name] = array

    def fill(self, program: ExecutedProgram, environment: Environment, operation: Fill, target: Term, byte: Term) -> None:
        program.use(target)
        for region, offsets in self.elements(operation.target, operation.size).items():
            name = array_name(region)
            if len(offsets) > MAX_ELEMENTS:
                self.forget(program, environment, region, f"fill of {operation.size} bytes")
                continue
            value = byte
            for _ in range(region.size - 1):
                value = concat(byte, value)
            if element_width(region) == 79:
                value = _without_integer_bit(program, value)
            array = environment[name]
            for offset in offsets:
                array = store(array, plus(target, offset), value)
            environment[name] = array

    def declare(self, program: ExecutedProgram, environment: Environment, object_: MemoryObject) -> None:
        """The contents become arbitrary; in an execution from the entry they are so already the first time."""
        if program.is_first(object_.name):
            return
        place = Address(object_.name, self.pointer)
        base = self.address(object_.name)
        for region, offsets in self.elements(place, object_.size).items():
            if len(offsets) > 64:
                self.forget(program, environment, region, f"contents of {object_.name}")
                continue
            name = array_name(region)
            array = environment[name]
            for offset in offsets:
                value = program.fresh(None, f"{object_.name}+{offset}", bitvec(element_width(region)))
                array = store(array, plus(base, offset), value)
            environment[name] = array

    def forget(self, program: ExecutedProgram, environment: Environment, region: Region, why: str) -> None:
        program.approximated.add(why)
        name = array_name(region)
        environment[name] = program.fresh(None, f"array {region.name}", self.sorts[name])


def _shared(first: MemoryObject | None, second: MemoryObject | None) -> Iterable[int] | None:
    """Distances at which they may lie on the same bytes; None: at any."""
    return () if first is None or second is None else distances(first, second)


def _without_integer_bit(program: ExecutedProgram, bits: Term) -> Term:
    """The 80 bits of a long double as a value. Where that bit contradicts the exponent there is none."""
    is_zero = terms.equal(extract(bits, 78, 64), terms.constant(bitvec(15), 0))
    program.refuse(
        terms.equal(extract(bits, 63, 63), ite(is_zero, terms.constant(bitvec(1), 1), terms.constant(bitvec(1), 0))), NO_EXTENDED
    )
    return concat(extract(bits, 79, 64), extract(bits, 62, 0))


def element_width(region: Region) -> int:
    if region.is_word and region.sort == EXTENDED:
        return 79
    return 8 * region.size


def plus(address: Term, offset: int) -> Term:
    sort = address.sort
    assert isinstance(sort, BitVec)
    return make("bvadd", sort, address, terms.constant(sort, offset)) if offset else address


def _from_element(bits: Term, sort: Sort) -> Term:
    if isinstance(sort, Float):
        return make("fp.from_bits", sort, bits)
    if isinstance(sort, BitVec) and isinstance(bits.sort, BitVec) and sort.width < bits.sort.width:
        return extract(bits, sort.width - 1, 0)
    return bits


def _to_element(value: Term) -> Term:
    if isinstance(value.sort, Float):
        return make("fp.to_bits", bitvec(value.sort.width), value)
    if isinstance(value.sort, BitVec) and value.sort.width % 8:
        return terms.resize(value, 8 * byte_size(value.sort))
    return value
