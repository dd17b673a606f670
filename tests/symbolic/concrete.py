"""States of the interpreter as values, and its runs from any location up to the next cut point.

The interpreter runs its own generated code; only where a run begins, where it stops and at which addresses it allocates is decided
here. A loop head has two incoming edges, so a segment of generated code always ends there.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from drystone.concrete.code_generation import _PROLOGUE, ProgramCode, Writer
from drystone.concrete.flat_memory import NO_EXTENDED, NULL_PAGE, UNBORN, Ended
from drystone.concrete.inputs import InputSource
from drystone.concrete.machine import Machine
from drystone.ir.automaton import Edge, Program, inputs
from drystone.ir.expressions import Address, Apply, Determinant, Expression, Load, Variable, byte_size
from drystone.ir.features import expressions_of
from drystone.ir.operations import Allocate, Copy, Fill, Reallocate, Store
from drystone.memory.regions import WHOLE, Regions


class OutsideAssumptions(Exception):
    """The run does what drystone assumes not to happen (an access outside the objects that its pointer may mean)."""


@dataclass(frozen=True)
class Block:
    """A heap object: its contents and the allocation that made it."""

    content: bytes
    target: Variable


@dataclass
class Concrete:
    """A state: values of all variables, contents of all objects."""

    variables: dict[str, int]
    static: dict[str, bytes]
    stack: dict[str, bytes | None]  # None: not declared yet
    heap: dict[int, Block] = field(default_factory=dict)

    def copy(self) -> Concrete:
        return replace(
            self, variables=dict(self.variables), static=dict(self.static), stack=dict(self.stack), heap=dict(self.heap)
        )


@dataclass
class End:
    """Where a run went: `kind` is cut, error, unknown, halt, returned, blocked, crash."""

    kind: str
    location: int
    state: Concrete


@dataclass(frozen=True)
class Access:
    """A load or store of an edge, and the region that it may mean."""

    node: int
    offset: int
    extent: int  # WHOLE: all of the node
    is_word: bool
    size: int
    address: Callable[[Machine], int] | None  # None: where it goes depends on inputs

    def allows(self, node: int, offset: int) -> bool:
        if node != self.node:
            return False
        if self.extent == WHOLE:
            return True
        if self.is_word:
            return (self.offset, self.extent) == (offset, self.size)
        return self.offset <= offset and offset + self.size <= self.offset + self.extent


class ConcreteProgram:
    """A program of one procedure, to be run from any location."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.procedure = program.procedures[program.entry]
        self.code = ProgramCode(program)
        self.entry = self.code.procedure(program.entry)
        self.frame = self.code.layout.space.stack + 16 + 63 & ~63
        self.index_of = {edge.source: index for index, edge in enumerate(self.procedure.edges)}
        self.regions = Regions(program)
        self._places: dict[str, tuple[int, int]] = {}
        self._known: dict[int, list[Access]] = {}

    def addresses(self) -> dict[str, int]:
        """Of every object and function, in the interpreter's layout."""
        result = dict(self.code.layout.function_address)
        result |= {name: self.code.layout.static_bases[index] for name, index in self.code.layout.static_index.items()}
        return result | {name: self.frame + offset for name, offset in self.entry.frame.offset.items()}

    # states

    def machine(self, inputs: InputSource, state: Concrete | None) -> Machine:
        """A machine in this state; None: at the start of the program."""
        machine = Machine(self.code, inputs)
        if state is None:
            return machine
        for name, slot in self.code.layout.global_slot.items():
            machine.globals[slot] = self._shown(name, state)
        for name, slot in self.entry.frame.slot.items():
            machine.locals[slot] = self._shown(name, state)
        for name, content in state.static.items():
            machine.static_blocks[self.code.layout.static_index[name]][:] = content
        memory = machine.memory
        for index, content_or_none in enumerate(state.stack.values(), 1):
            memory.stack_blocks[index] = UNBORN if content_or_none is None else bytearray(content_or_none)
        for base, block in sorted(state.heap.items()):
            memory.heap_bases.append(base)
            memory.heap_blocks.append(bytearray(block.content))
        return machine

    def _shown(self, name: str, state: Concrete) -> int:
        value = state.variables[name]
        sort = (self.procedure.variables.get(name) or self.program.variables[name]).sort
        return bool(value) if str(sort) == "bool" else value

    def state(self, machine: Machine, targets: dict[int, Variable]) -> Concrete:
        """The state of a machine. `targets`: per heap object, what its allocation was assigned to."""
        variables = {name: int(value) for name, value in zip(self.program.variables, machine.globals, strict=True)}
        variables |= {name: int(machine.locals[slot]) for name, slot in self.entry.frame.slot.items()}
        memory = machine.memory
        blocks = memory.stack_blocks[1:]
        return Concrete(
            variables,
            {name: bytes(machine.static_blocks[index]) for name, index in self.code.layout.static_index.items()},
            {name: None if block is UNBORN else bytes(block) for name, block in zip(self.procedure.objects, blocks, strict=True)},
            {
                base: Block(bytes(content), targets[base])
                for base, content in zip(memory.heap_bases[1:], memory.heap_blocks[1:], strict=True)
            },
        )

    # runs

    def run(
        self,
        start: int,
        state: Concrete | None,
        cut_points: frozenset[int],
        inputs: InputSource,
        allocate: Callable[[int, Edge], int] | None = None,
        *,
        watched: bool = True,
        max_segments: int = 20_000,
    ) -> Iterator[End]:
        """The run from `start`: a result at every cut point it comes to (go on by asking for the next), the last one at its end.

        `allocate` chooses the base of an object of some size for an edge; 0 is NULL.
        `watched`: an access outside the objects that its pointer may mean raises OutsideAssumptions.
        """
        machine = self.machine(inputs, state)
        memory = machine.memory
        targets = {base: block.target for base, block in state.heap.items()} if state is not None else {}
        next_base = [memory.heap_next]

        def allocated(size: int, zeroed: bool, what: str, edge: Edge, align: int, determinant: Determinant) -> int:
            assert isinstance(edge.operation, (Allocate, Reallocate))
            if size > 1 << 22:
                raise OutsideAssumptions("a large allocation")
            base = allocate(size, edge) if allocate is not None else next_base[0]
            if base == 0:
                return 0
            if allocate is None:
                next_base[0] = base + size + 64 & ~63
            position = bisect_right(memory.heap_bases, base)
            before = memory.heap_bases[position - 1] + max(len(memory.heap_blocks[position - 1]), 1)
            assert before <= base or position == 1, f"allocation of {size} bytes at {base:#x} inside another object"
            if position < len(memory.heap_bases):
                assert base + size < memory.heap_bases[position], (
                    f"allocation of {size} bytes at {base:#x} reaches the next object"
                )
            insort(memory.heap_bases, base)
            memory.heap_blocks.insert(position, memory._fresh(size, zeroed, what, edge, determinant))
            targets[base] = edge.operation.target
            return base

        def reallocated(address: int, size: int, edge: Edge) -> int:
            """As the interpreter's, at the address that is chosen."""
            assert isinstance(edge.operation, Reallocate)
            if address not in (0, *memory.heap_bases[1:]):
                raise OutsideAssumptions("realloc of what is no object")
            old = bytes(memory.heap_blocks[memory.heap_bases.index(address)]) if address else b""
            base = allocated(size, False, "realloc", edge, 16, Determinant.NOTHING)
            if base:
                kept = min(len(old), size)
                for start, region in self.regions.cells(edge.operation.target, kept):
                    if region.is_word and start < kept < start + region.size:
                        raise OutsideAssumptions("realloc of a part of an element")
                memory.heap_blocks[memory.heap_bases.index(base)][:kept] = old[:kept]
                memory.free(address, edge)
            return base

        machine.allocate = machine.allocate_in_frame = allocated  # type: ignore[assignment]  # generated code gives all arguments
        machine.reallocate = reallocated
        if watched:
            self._watch(machine, targets)
        exit = self.entry.begin(start)
        try:
            for _ in range(max_segments):
                exit = exit.run(machine)
                if exit.location in cut_points:
                    _reject_wild_accesses(machine)
                    yield End("cut", exit.location, self.state(machine, targets))
        except Ended as ended:
            if ended.what == NO_EXTENDED:  # states in which memory has such bytes are not reached by stores
                raise OutsideAssumptions(NO_EXTENDED) from None
            location = exit.location if ended.edge is None else ended.edge.source
            _reject_wild_accesses(machine)
            yield End(ended.kind, location, self.state(machine, targets))
            return
        raise OutsideAssumptions("a long run")

    # what is assumed

    def _place(self, name: str) -> tuple[int, int]:
        """Node and offset where an object begins."""
        place = self._places.get(name)
        if place is None:
            place = self._places[name] = self.regions.pointers.target(Address(name, self.program.pointer))
        return place

    def _accesses(self, edge: Edge) -> list[Access]:
        known = self._known.get(id(edge))
        if known is None:
            known = self._known[id(edge)] = []
            accesses = [(load.address, load.sort) for part in expressions_of(edge.operation) for load in _loads(part)]
            if isinstance(edge.operation, Store):
                accesses.append((edge.operation.address, edge.operation.value.sort))
            for address, sort in accesses:
                region = self.regions.of(address, sort)
                node = self.regions.pointers.target(address)[0]
                function = self._address(edge, address) if len(accesses) > 1 else None
                known.append(Access(node, region.offset, region.extent, region.is_word, byte_size(sort), function))
        return known

    def _address(self, edge: Edge, address: Expression) -> Callable[[Machine], int] | None:
        """Computes an address of an edge in a machine's state."""
        if next(inputs(address), None) is not None:
            return None
        writer = Writer(self.code, self.entry)
        writer.edge = edge
        lines = [*(f"{name} = M.{attribute}" for name, attribute in _PROLOGUE), f"return {writer.text(address)}"]
        return self.code.namespace.function("address(M)", lines)  # type: ignore[return-value]

    def _watch(self, machine: Machine, targets: dict[int, Variable]) -> None:
        memory, pointers = machine.memory, self.regions.pointers
        names_static = list(self.code.layout.static_index)
        names_stack = list(self.procedure.objects)
        asking = False  # what the addresses of an edge are

        def place(address: int, size: int) -> tuple[int, int] | None:
            """The cell of an address; None in the page of NULL."""
            if address < NULL_PAGE:
                return None
            if address >= memory.stack_start:
                index = bisect_right(memory.stack_bases, address) - 1
                base, length = memory.stack_bases[index], memory.stack_sizes[index]
                cell = self._place(names_stack[index - 1]) if index else (0, 0)
            elif address >= memory.heap_start:
                index = bisect_right(memory.heap_bases, address) - 1
                base, length = memory.heap_bases[index], len(memory.heap_blocks[index])
                cell = pointers.target(targets[base]) if index else (0, 0)
            else:
                index = bisect_right(memory.static_bases, address) - 1
                base, length = memory.static_bases[index], len(memory.static_blocks[index])
                cell = self._place(names_static[index - 1]) if index else (0, 0)
            if index == 0 or address + size > base + length:
                raise OutsideAssumptions("an access outside every object")
            return pointers.find((cell[0], cell[1] + address - base))

        def check(address: int, size: int, edge: Edge) -> None:
            """Every access of the edge that may be this one must mean what lies there."""
            nonlocal asking
            if asking:
                return
            found = place(address, size)
            if found is None:
                return
            asking = True
            here = [access for access in self._accesses(edge) if access.size == size and goes_to(access, address)]
            asking = False
            certain = [access for access in here if access.address is not None]
            if not (all if certain else any)(access.allows(*found) for access in certain or here):
                raise OutsideAssumptions("an access to an object that the pointer does not mean")

        def goes_to(access: Access, address: int) -> bool:
            try:
                return access.address is None or access.address(machine) == address
            except Ended:  # it is not evaluated, then
                return False

        def check_bulk(address: int, size: int, meant: Expression) -> None:
            if size and (found := place(address, size)) is not None and found != pointers.target(meant):
                raise OutsideAssumptions("a copy or fill of an object that the pointer does not mean")

        plain = memory.load, memory.store, memory.copy, memory.fill

        def load(address: int, size: int, edge: Edge) -> int:
            check(address, size, edge)
            return plain[0](address, size, edge)

        def store(address: int, value: int, size: int, edge: Edge) -> None:
            check(address, size, edge)
            plain[1](address, value, size, edge)

        def copy(target: int, source: int, size: int, edge: Edge) -> None:
            assert isinstance(edge.operation, Copy)
            check_bulk(target, size, edge.operation.target)
            check_bulk(source, size, edge.operation.source)
            plain[2](target, source, size, edge)

        def fill(target: int, byte: int, size: int, edge: Edge) -> None:
            assert isinstance(edge.operation, Fill)
            check_bulk(target, size, edge.operation.target)
            plain[3](target, byte, size, edge)

        machine.load, machine.store, machine.copy, machine.fill = load, store, copy, fill


def _reject_wild_accesses(machine: Machine) -> None:
    """What such an access reads or destroys, each side decides for itself."""
    if any(event.what.endswith(("outside every object", "of freed memory")) for event in machine.environment.undefined.values()):
        raise OutsideAssumptions("an access outside every object") from None


def _loads(expression: Expression) -> Iterator[Load]:
    if isinstance(expression, Load):
        yield expression
        yield from _loads(expression.address)
    elif isinstance(expression, Apply):
        for argument in expression.arguments:
            yield from _loads(argument)
