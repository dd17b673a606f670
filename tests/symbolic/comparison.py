"""Compares steps of symbolic execution with the interpreter (docs: transformer = interpreter).

The layout of memory is made equal: the symbolic side gets the interpreter's addresses of objects and functions, the interpreter
allocates where the symbolic side does. So pointers are compared like any other value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from drystone.concrete.generated_text import START
from drystone.ir.automaton import Edge, MarkKind, Program
from drystone.ir.expressions import Address
from drystone.ir.loops import loop_heads
from drystone.ir.operations import Declare
from drystone.logic import terms
from drystone.logic.evaluation import ArrayValue, Value, evaluate
from drystone.logic.floats import extended_from_memory
from drystone.logic.sorts import EXTENDED, Array, bitvec
from drystone.logic.terms import Term
from drystone.memory.dataflow import array_name
from drystone.memory.regions import WHOLE, Region
from drystone.symbolic.environment import Environment
from drystone.symbolic.execution import Step, SymbolicProgram
from drystone.symbolic.heap_objects import SIZES
from drystone.symbolic.region_memory import HEAP, ExecutedProgram, element_width
from drystone.symbolic.states import Guard, State
from tests.symbolic.concrete import Concrete, ConcreteProgram, End
from tests.symbolic.inputs import PlacedInputs, pattern_at

_HEAP_CONTENTS = {"contents of calloc", "contents of realloc"}


class Approximated(Exception):
    """The symbolic step says that it over-approximates here."""


class Difference(AssertionError):
    pass


Event = tuple[str, int]
"""Kind (cut, error, unknown, end) and location."""


class Subject:
    """One prepared program, on both sides."""

    def __init__(self, program: Program, null_ends: bool = True, inductive: bool = False) -> None:
        """Without `null_ends` the symbolic side goes on, somehow, where the interpreter stops with a null dereference."""
        self.concrete = ConcreteProgram(program)
        self.symbolic = SymbolicProgram(program, self.concrete.regions, null_ends, inductive)
        self.symbolic.memory.addresses = self.concrete.addresses()
        self.procedure = program.procedures[program.entry]
        self.heads = loop_heads(self.procedure)
        self.allocations: dict[str, Term] = {}
        self.counts: Counter[str] = Counter()
        self.heap = 0  # the address of the next allocation, where steps start from any state
        plain = self.symbolic.memory.allocate

        def allocate(program: ExecutedProgram, environment: Environment, size: Term, align: int) -> Term:
            base = self.allocations[program.place()] = plain(program, environment, size, align)
            return base

        self.symbolic.memory.allocate = allocate  # type: ignore[method-assign]
        self._elements: dict[tuple[str, int], dict[Region, list[int]]] = {}

    # values of symbols

    def values(
        self, wanted: Iterable[Term], state: Concrete | None, inputs: PlacedInputs, stamped: bool = False
    ) -> dict[Term, Value]:
        """The values of the symbols in the terms; `state` None: at the start of the program."""
        result: dict[Term, Value] = {}
        for symbol in terms.free_symbols(wanted):
            if symbol.operator == "input":
                result[symbol] = self._input(symbol, inputs, stamped)
            elif symbol.payload == SIZES:
                blocks = state.heap if state is not None else {}
                result[symbol] = ArrayValue(inputs.fresh_byte, {base: len(block.content) for base, block in blocks.items()})
            elif isinstance(symbol.sort, Array):
                result[symbol] = (
                    self._initial_array(symbol, inputs) if state is None else self.array(symbol.payload, state, inputs)
                )
            elif symbol.payload == HEAP:
                result[symbol] = self.heap
            elif state is None:
                parameters = [variable.name for variable in self.procedure.parameters]
                machine = self.concrete.machine(inputs, None) if symbol.payload in parameters else None
                result[symbol] = int(machine.locals[1 + parameters.index(symbol.payload)]) if machine else 0
            else:
                result[symbol] = state.variables[symbol.payload]
        return result

    def _input(self, symbol: Term, inputs: PlacedInputs, stamped: bool) -> int:
        request = self.symbolic.requests[symbol]
        edge = self.procedure.edges[request.edge] if request.edge >= 0 else START
        if request.input is not None:
            return inputs.value_at(request.input, edge, request.stamp if stamped and request.edge >= 0 else "")
        if isinstance(symbol.sort, Array):
            raise Approximated(symbol.payload)
        assert isinstance(edge.operation, Declare), symbol.payload
        offset = int(symbol.payload.rpartition("+")[2])
        content = inputs.declared(self.procedure.objects[edge.operation.target].size)
        return pattern_at(content, offset, EXTENDED if symbol.sort == bitvec(79) else symbol.sort)

    def array(self, name: str, state: Concrete, inputs: PlacedInputs) -> ArrayValue:
        """The contents of a region in a state."""
        region = self._region(name)
        entries: dict[int, int] = {}
        born = {
            key: inputs.declared(self.procedure.objects[key].size) if old is None else old for key, old in state.stack.items()
        }
        for base, content, offsets in self.contents(region, replace(state, stack=dict(born))):
            for offset in offsets:
                entries[base + offset] = element(content, offset, region)
        return ArrayValue(element(bytes([inputs.fresh_byte]) * 16, 0, region), entries)

    def _initial_array(self, symbol: Term, inputs: PlacedInputs) -> ArrayValue:
        """What the symbolic side leaves to the array at the start: locals, externals, and globals too large to be written out."""
        left = [what for what in self.symbolic.approximated if what.startswith("initial contents of ")]
        machine = self.concrete.machine(inputs, None)
        start = self.concrete.state(machine, {})
        static = {
            name: content
            for name, content in start.static.items()
            if self.concrete.program.objects[name].kind.value == "external" or any(f" {name} " in what for what in left)
        }
        stack: dict[str, bytes | None] = {name: inputs.declared(object_.size) for name, object_ in self.procedure.objects.items()}
        return self.array(symbol.payload, Concrete({}, static, stack), inputs)

    def _region(self, name: str) -> Region:
        return next(region for region in self.concrete.regions if array_name(region) == name)

    def contents(self, region: Region, state: Concrete) -> Iterator[tuple[int, bytes, list[int]]]:
        """Base, contents and offsets of the elements of a region, of every living object."""
        addresses = self.symbolic.memory.addresses
        shared = {addresses[name]: content for name, content in state.static.items()}  # equal literals lie at one address
        static = ((name, shared[addresses[name]]) for name in state.static)
        for name, content in (*static, *state.stack.items()):
            if content is not None:
                yield addresses[name], content, self._offsets(region, Address(name, self.symbolic.pointer), content)
        for base, block in state.heap.items():
            yield base, block.content, self._offsets(region, block.target, block.content)

    def _offsets(self, region: Region, place: object, content: bytes) -> list[int]:
        key = (str(place), len(content))
        known = self._elements.get(key)
        if known is None:
            known = self._elements[key] = self.symbolic.memory.elements(place, len(content))  # type: ignore[arg-type]
        offsets: Iterable[int] = known.get(region, ())
        if offsets and not region.is_word and region.extent == WHOLE:
            offsets = range(len(content))
        return [offset for offset in offsets if offset >= 0 and offset + region.size <= len(content)]

    # one step

    def events(self, step: Step) -> list[tuple[Event, Guard]]:
        found: list[tuple[Event, Guard]] = [(("cut", location), state.guard) for location, state in step.exits.items()]
        found += [(("error", location), guard) for location, guard in step.errors]
        found += [(("unknown", location), guard) for location, guard in step.unknowns]
        for location, guard in step.reached.items():
            mark = self.procedure.marks.get(location)
            if location == self.procedure.exit or (mark is not None and mark.kind is MarkKind.HALT):
                found.append((("end", location), guard))
        return found

    def concrete_start(self, state: Concrete, inputs: PlacedInputs, written_out: bool) -> State:
        """Constants for all variables; small regions as stores into a constant array if `written_out`."""
        sorts = self.symbolic.sorts
        environment = Environment(sorts)
        for name, value in state.variables.items():
            environment[name] = terms.constant(sorts[name], value)
        if written_out:
            for region in self.concrete.regions:
                array = self.array(array_name(region), state, inputs)
                if len(array.entries) <= 40:
                    sort = sorts[array_name(region)]
                    assert isinstance(sort, Array)
                    term = terms.constant(sort, array.default)
                    for address, value in array.entries.items():
                        term = terms.store(term, terms.constant(sort.index, address), terms.constant(sort.element, value))
                    environment[array_name(region)] = term
        return State(Guard(None, terms.TRUE), environment)

    def compare_step(self, start: int, step: Step, state: Concrete, cut_points: frozenset[int], inputs: PlacedInputs) -> Event:
        """The step and the interpreter go the same way from this state and end in the same one."""
        events = self.events(step)
        guards = [guard.term for _, guard in events]
        allocated = {key: term for key, term in self.allocations.items() if key.startswith(f"{step.stamp}:")}
        symbols = self.values([*guards, *allocated.values()], state, inputs)
        truth = evaluate([*guards, *allocated.values()], symbols)
        bases = dict(zip(allocated, truth[len(guards) :], strict=True))
        taken = [event for (event, _), true in zip(events, truth, strict=False) if true]

        def allocate(size: int, edge: Edge) -> int:
            key = f"{step.stamp}:{self.concrete.index_of[edge.source]}"
            if key not in bases:
                raise Difference(f"the interpreter allocates at {edge}, the step does not")
            return int(bases[key])  # type: ignore[arg-type]

        end = next(iter(self.concrete.run(start, state, cut_points, inputs, allocate)))
        self.expect(taken, end)
        self.counts[end.kind] += 1
        if end.kind == "cut":
            self.compare_state(step.exits[end.location], end, state, inputs)
        return end.kind, end.location

    def expect(self, taken: list[Event], end: End) -> None:
        expected: list[Event] = []
        if end.kind == "crash" and not self.symbolic.null_ends:
            return
        if end.kind in ("cut", "error", "unknown"):
            expected = [(end.kind, end.location)]
        elif end.kind in ("halt", "returned"):
            expected = [("end", end.location)]
        if taken != expected:
            raise Difference(f"the interpreter: {end.kind} at {end.location}; symbolic: {taken}")

    def compare_state(
        self, reached: State, end: End, before: Concrete | None, inputs: PlacedInputs, stamped: bool = False
    ) -> None:
        names = self.symbolic.live(end.location)
        assert names is not None
        wanted = [reached.environment[name] for name in names]
        for name, value in zip(names, evaluate(wanted, self.values(wanted, before, inputs, stamped)), strict=True):
            self.compare_value(name, value, end.state)

    def compare_value(self, name: str, value: Value, state: Concrete) -> None:
        if isinstance(value, int):
            self.counts["variables"] += 1
            if name == HEAP:
                return  # the interpreter's allocations have other addresses
            if value != state.variables[name]:
                raise Difference(f"{name}: the interpreter has {state.variables[name]:#x}, symbolic {value:#x}")
            return
        if name == SIZES:
            for base, block in state.heap.items():
                if value.at(base) != len(block.content):
                    raise Difference(f"size of {base:#x}: the interpreter has {len(block.content)}, symbolic {value.at(base)}")
            return
        region = self._region(name)
        for base, content, offsets in self.contents(region, state):
            for offset in offsets:
                self.counts["cells"] += 1
                expected = element(content, offset, region)
                if value.at(base + offset) != expected:
                    if _HEAP_CONTENTS & self.symbolic.approximated and base >= self.symbolic.memory.heap:
                        raise Approximated(name)
                    raise Difference(
                        f"{name} at {base:#x}+{offset}: the interpreter has {expected:#x}, symbolic {value.at(base + offset):#x}"
                    )


def element(content: bytes, offset: int, region: Region) -> int:
    """An element of a region from the bytes of memory."""
    value = int.from_bytes(content[offset : offset + region.size], "little")
    return extended_from_memory(value) if element_width(region) == 79 else value
