"""Compiles a program to Python functions, one per *segment*, when a run first comes there.

A segment is a tree of edges: from its head it follows straight lines and both sides of branches, up to
joins, calls and ends. Its function runs the operations and returns the `Exit` it left by, which
knows the edges that were taken and the function to run next. So a run is a short loop
(`concrete.interpreter`), and steps and path cost one addition and one reference per segment.

In the generated text `M` is the machine, `L` the current activation's variables (`L[0]` is the base
of its local objects), `G` the global variables, `B` the bytes of the static objects. A variable that the
segment has assigned is also kept in a Python local `vN` or `gN`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Protocol

from drystone.concrete.flat_memory import NO_EXTENDED, AddressSpace, Ended
from drystone.ir.automaton import NOWHERE, Edge, ObjectKind, Procedure, Program, inputs
from drystone.ir.expressions import (
    Address,
    Apply,
    Constant,
    Determinant,
    Expression,
    Input,
    InputKind,
    Load,
    Variable,
    byte_size,
)
from drystone.ir.features import expressions_of
from drystone.ir.operations import (
    Allocate,
    Assign,
    Assume,
    Call,
    CallPointer,
    Copy,
    Declare,
    Fill,
    Free,
    Lifetime,
    Operation,
    Reallocate,
    Report,
    Skip,
    Store,
    ThreadOperation,
)
from drystone.ir.simplify import coerce
from drystone.logic import semantics
from drystone.logic.floats import extended_from_memory, extended_to_memory, is_extended
from drystone.logic.sorts import EXTENDED, BitVec, Bool, Float, Sort

LONGEST_SEGMENT = 60  # edges along one way through it
LARGEST_SEGMENT = 300  # edges in all
DEEPEST_NESTING = 12

START = Edge(-1, -1, Skip("start of the program"), NOWHERE)
"""The edge to which inputs belong that are read before the first one."""


class Machine(Protocol):
    """What the code runs on. The generated text uses the rest of it, too: `program.interpreter.Machine` has it all."""

    def leave(self) -> Exit:
        """The current activation ends."""


class Exit:
    """A way out of a segment: the edges taken in it, and the location where the next segment begins."""

    __slots__ = ("code", "location", "edges", "cost", "run")

    def __init__(self, code: ProcedureCode, location: int, edges: tuple[Edge, ...]) -> None:
        self.code, self.location, self.edges, self.cost = code, location, edges, len(edges)
        self.run: Callable[[Machine], Exit] = self._first_run

    def _first_run(self, machine: Machine) -> Exit:
        self.run = self.code.segment(self.location)
        return self.run(machine)


class CallSite:
    """A call of a known procedure: where it begins, where it comes back to, and what is done with its result."""

    __slots__ = ("callee", "enter", "resume", "receive")

    def __init__(self, callee: ProcedureCode, enter: Exit, resume: Exit, receive: Callable[[Machine, int], None] | None) -> None:
        self.callee, self.enter, self.resume, self.receive = callee, enter, resume, receive


class PointerSite:
    """A call through a pointer: per address, the arguments' conversion and the call; or what an external function does."""

    def __init__(self, caller: ProcedureCode, edge: Edge, edges: tuple[Edge, ...]) -> None:
        self.caller, self.edge, self.edges = caller, edge, edges
        self.targets: dict[int, tuple[Callable[..., tuple[int, ...]], CallSite]] = {}
        self.skip = Exit(caller, edge.target, edges)

    def target(self, address: int) -> tuple[Callable[..., tuple[int, ...]], CallSite] | None:
        """The call that this address stands for; None: no procedure of the program."""
        known = self.targets.get(address)
        if known is None:
            function = self.caller.program_code.function_at.get(address)
            name = self.caller.program_code.program.functions.get(function) if function is not None else None
            if name is None or name not in self.caller.program_code.program.procedures:
                return None
            operation = self.edge.operation
            assert isinstance(operation, CallPointer)
            known = self.caller.pointer_call(operation, name, self.edge, self.edges)
            self.targets[address] = known
        return known


class ProgramCode:
    """A program with its addresses, and the code of its procedures as far as runs have needed it."""

    def __init__(
        self, program: Program, longest_segment: int = LONGEST_SEGMENT, tight: bool = False, merges: bool = True
    ) -> None:
        """With segments of one edge, every state between two edges can be looked at. `tight`, `merges`: see `AddressSpace`."""
        self.program = program
        self.longest_segment = longest_segment
        self.space = AddressSpace(program.pointer_width, tight, merges)
        self.names = semantics.names()
        self.names |= {"number": int.from_bytes, "from_extended": _from_extended, "to_extended": extended_to_memory}
        self.names["is_extended"] = is_extended
        self.names["Ended"] = Ended
        self.counter = 0
        self.global_slot = {name: slot for slot, name in enumerate(program.variables)}
        self.function_address: dict[str, int] = {}
        for position, name in enumerate(self._functions()):
            self.function_address[name] = self.space.functions + 16 * position
        self.function_at = {address: name for name, address in self.function_address.items()}
        self.space.code_end = self.space.functions + 16 * len(self.function_address)
        base = max(self.space.static, self.space.code_end + 16)
        addresses, _ = self.space.place(program.objects.values(), base)
        self.static_bases = [0, *addresses.values()]
        self.static_index = {name: index for index, name in enumerate(addresses, 1)}
        self.images = [b"", *(self._image(name) for name in addresses)]
        self.procedures: dict[str, ProcedureCode] = {}
        self.initial_globals = self._initial_globals()

    def procedure(self, name: str) -> ProcedureCode:
        code = self.procedures.get(name)
        if code is None:
            code = self.procedures[name] = ProcedureCode(self, self.program.procedures[name])
        return code

    def name_for(self, value: object, prefix: str) -> str:
        """A fresh name by which generated code finds this object."""
        self.counter += 1
        name = f"{prefix}{self.counter}"
        self.names[name] = value
        return name

    def function(self, head: str, lines: list[str]) -> Callable[..., object]:
        """Compiles `def head: lines`."""
        scope: dict[str, Callable[..., object]] = {}
        exec(f"def {head}:\n" + "\n".join(" " + line for line in lines), self.names, scope)
        return next(iter(scope.values()))

    def address(self, target: str) -> int:
        """Of a static object or of a function."""
        index = self.static_index.get(target)
        return self.static_bases[index] if index is not None else self.function_address[target]

    def external_objects(self) -> Iterator[tuple[int, str, int]]:
        """Position, name and size of the objects whose contents are arbitrary at the start."""
        for name, memory_object in self.program.objects.items():
            if memory_object.kind is ObjectKind.EXTERNAL:
                yield self.static_index[name], name, memory_object.size

    def _functions(self) -> Iterator[str]:
        """Everything that has a function's address: what is called by pointer, and every procedure."""
        yield from self.program.functions
        yield from (name for name in self.program.procedures if name not in self.program.functions)

    def _image(self, name: str) -> bytes:
        """The bytes of an object at the start."""
        memory_object = self.program.objects[name]
        image = bytearray(memory_object.content.ljust(memory_object.size, b"\0"))
        for offset, expression in memory_object.relocations:
            size = byte_size(expression.sort)
            image[offset : offset + size] = self._static_value(expression).to_bytes(size, "little")
        return bytes(image)

    def _static_value(self, expression: Expression) -> int:
        """The value of an expression over constants and static addresses."""
        match expression:
            case Constant(_, value):
                return value
            case Address(target, _):
                return self.address(target)
            case Apply(operator, sort, arguments, _):
                operands = [self._static_value(argument) for argument in arguments]
                return semantics.function(operator, sort, tuple(argument.sort for argument in arguments))(*operands)
            case _:
                raise ValueError(f"{expression} is no address that is known before the program runs")

    def _initial_globals(self) -> Callable[[Machine], list[int]]:
        writer = Writer(self, None)
        for name, variable in self.program.variables.items():
            value = self.program.initial.get(name, Constant(variable.sort, 0))
            writer.begin(START, Assign(variable, value))
            writer.lines.append(f"G.append({writer.text(value)})")
        return self.function("initial(M)", ["G = []", *writer.lines, "return G"])  # type: ignore[return-value]


class ProcedureCode:
    """The segments of one procedure, by head location, compiled when first asked for."""

    def __init__(self, program_code: ProgramCode, procedure: Procedure) -> None:
        self.program_code = program_code
        self.procedure = procedure
        self.outgoing = procedure.outgoing()
        self.incoming = [0] * procedure.locations
        for edge in procedure.edges:
            self.incoming[edge.target] += 1
        self.incoming[procedure.entry] += 1
        self.into: dict[int, Edge] | None = None  # an incoming edge per location
        self.segments: dict[int, Callable[[Machine], Exit]] = {}
        self.exits: dict[int, Exit] = {}  # those without edges: where calls come back, where runs begin

        self.slot = {variable.name: position for position, variable in enumerate(procedure.parameters, 1)}
        for name in procedure.variables:
            self.slot.setdefault(name, len(self.slot) + 1)
        self.blank: list[int] = [0] * (len(self.slot) + 1)
        for name, variable in procedure.variables.items():
            if isinstance(variable.sort, Bool):
                self.blank[self.slot[name]] = False
        self.result_slot = self.slot[procedure.result.name] if procedure.result is not None else 0

        self.offset, self.frame_size = program_code.space.place(procedure.objects.values(), 0)
        self.offsets = list(self.offset.values())
        self.sizes = [procedure.objects[name].size for name in self.offset]

    def begin(self, location: int) -> Exit:
        """The exit that leads to `location` without having taken an edge."""
        if location not in self.exits:
            self.exits[location] = Exit(self, location, ())
        return self.exits[location]

    def segment(self, head: int) -> Callable[[Machine], Exit]:
        """The function of the segment that begins at `head`."""
        function = self.segments.get(head)
        if function is None:
            if head == self.procedure.exit:
                function = _leave
            elif head in self.procedure.marks:
                mark = self.procedure.marks[head]
                function = _ending(mark.kind.value, mark.what)
            elif not self.outgoing[head]:
                function = _ending("blocked", "no way on")
            else:
                function = Writer(self.program_code, self).segment(head)
            self.segments[head] = function
        return function

    def taken_before(self, head: int, edge: Edge) -> list[Edge]:
        """The edges of the segment at `head` that lead to the source of `edge`."""
        if self.into is None:
            self.into = {candidate.target: candidate for candidate in self.procedure.edges}
        path: list[Edge] = []
        location = edge.source
        while location != head:  # inside a segment a location has one incoming edge
            path.append(self.into[location])
            location = self.into[location].source
        return path[::-1]

    def call_site(self, name: str, edge: Edge, edges: tuple[Edge, ...], result: Variable | None) -> CallSite:
        callee = self.program_code.procedure(name)
        enter = Exit(callee, callee.procedure.entry, edges)
        receive: Callable[[Machine, int], None] | None = None
        if result is not None:
            writer = Writer(self.program_code, self)
            given = callee.procedure.result
            writer.operands["result"] = "r"
            value = coerce(Variable("result", given.sort), result.sort) if given is not None else None
            if value is None:
                value = Input(-1, result.sort, InputKind.UNDEFINED, f"result of {name}")
            writer.begin(edge, Skip())
            text = writer.text(value)
            receive = self.program_code.function("receive(M, r)", [f"M.{writer.place(result)} = {text}"])  # type: ignore[assignment]
        return CallSite(callee, enter, self.begin(edge.target), receive)

    def pointer_call(
        self, operation: CallPointer, name: str, edge: Edge, edges: tuple[Edge, ...]
    ) -> tuple[Callable[..., tuple[int, ...]], CallSite]:
        """The call of procedure `name` through a pointer: how its arguments become parameters, and the call."""
        given = [Variable(f"a{position}", argument.sort) for position, argument in enumerate(operation.arguments)]
        writer = Writer(self.program_code, self)
        writer.operands = {variable.name: variable.name for variable in given}
        writer.begin(edge, Skip())
        text = writer.parameters(name, tuple(given))
        adapt = self.program_code.function(f"adapt({', '.join(['M', *writer.operands])})", [f"return {text}"])
        return adapt, self.call_site(name, edge, edges, operation.result)  # type: ignore[return-value]


def _ending(kind: str, what: str) -> Callable[[Machine], Exit]:
    def end(machine: Machine) -> Exit:
        raise Ended(kind, what)

    return end


def _leave(machine: Machine) -> Exit:
    return machine.leave()


class Writer:
    """Writes the text of one segment (or of one small function around expressions)."""

    def __init__(self, program_code: ProgramCode, code: ProcedureCode | None) -> None:
        self.program_code = program_code
        self.code = code
        self.lines: list[str] = []
        self.indent = ""
        self.size = 0  # edges written
        self.held: set[str] = set()  # variables that are in a Python local now
        self.operands: dict[str, str] = {}  # variables that stand for arguments of the generated function
        self.edge = START
        self.edge_name = ""
        self.several: set[int] = set()  # inputs that the current operation mentions more than once

    def segment(self, head: int) -> Callable[[Machine], Exit]:
        self._tree(head, ())
        text = "\n".join(self.lines)
        prologue = [f"{name} = M.{attribute}" for name, attribute in _PROLOGUE if f"{name}[" in text]
        return self.program_code.function(f"segment_{head}(M)", prologue + self.lines)  # type: ignore[return-value]

    def _tree(self, location: int, edges: tuple[Edge, ...]) -> None:
        """Writes the operations from `location` on, after `edges`. The first arm of a branch is nested, the second follows."""
        code = self.code
        assert code is not None
        while True:
            outgoing = code.outgoing[location]
            if not outgoing or (edges and code.incoming[location] != 1) or self._is_full(edges):
                self.write(f"return {self.exit(location, edges)}")
                return
            self.size += len(outgoing)
            if len(outgoing) == 1:
                edge = outgoing[0]
                edges += (edge,)
                if self.operation(edge, edges):
                    return
                location = edge.target
                continue
            first, second = outgoing
            assert isinstance(first.operation, Assume)
            self.begin(first, first.operation)
            condition = self.text(first.operation.condition)
            if len(self.indent) >= DEEPEST_NESTING:
                ways = [self.exit(edge.target, (*edges, edge)) for edge in (first, second)]
                self.write(f"return {ways[0]} if {condition} else {ways[1]}")
                return
            self.write(f"if {condition}:")
            held, indent = self.held.copy(), self.indent
            self.indent += " "
            self._tree(first.target, (*edges, first))
            self.held, self.indent = held, indent
            edges += (second,)
            location = second.target

    def _is_full(self, edges: tuple[Edge, ...]) -> bool:
        return len(edges) >= self.program_code.longest_segment or self.size >= LARGEST_SEGMENT

    def operation(self, edge: Edge, edges: tuple[Edge, ...]) -> bool:
        """Writes one operation; does it end the segment?"""
        operation = edge.operation
        if isinstance(operation, Skip):
            return False
        self.begin(edge, operation)
        match operation:
            case Assume(condition):
                self.write(f"if not {self.text(condition)}:")
                self.write(f" raise Ended('blocked', 'an assumption does not hold', {self.edge_object()}, False)")
            case Assign(target, value):
                self.assign(target, self.text(value))
            case Store(address, value):
                self.write(self.store(address, value))
            case Copy(target_address, source_address, size):
                self.write(f"M.copy({self.text(target_address)}, {self.text(source_address)}, {size}, {self.edge_object()})")
            case Fill(target_address, byte, size):
                self.write(f"M.fill({self.text(target_address)}, {self.text(byte)}, {size}, {self.edge_object()})")
            case Declare(name):
                self.write(f"M.declare({self.address(name)}, {name!r}, {self.edge_object()})")
            case Allocate(target, size_expression, zeroed, lifetime, what, align, determinant):
                function = "allocate" if lifetime is Lifetime.HEAP else "allocate_in_frame"
                size_text, what = self.text(size_expression), what or lifetime.value
                by = self.program_code.name_for(determinant, "d")
                self.assign(target, f"M.{function}({size_text}, {zeroed}, {what!r}, {self.edge_object()}, {align}, {by})")
            case Reallocate(target, address, size_expression):
                self.assign(target, f"M.reallocate({self.text(address)}, {self.text(size_expression)}, {self.edge_object()})")
            case Free(address):
                self.write(f"M.free({self.text(address)}, {self.edge_object()})")
            case Call(procedure, arguments, result) if procedure in self.program_code.program.procedures:
                assert self.code is not None
                site = self.code.call_site(procedure, edge, edges, result)
                self.write(f"return M.call({self.program_code.name_for(site, 'c')}, {self.parameters(procedure, arguments)})")
                return True
            case Call(procedure, _, result):
                self.write(f"M.note_external({'call of ' + procedure!r}, {self.edge_object()})")
                if result is not None:
                    self.assign(result, self.text(Input(-1, result.sort, InputKind.EXTERNAL, procedure, Determinant.FUNCTION)))
            case CallPointer(pointer, arguments, _):
                assert self.code is not None
                pointer_site = self.program_code.name_for(PointerSite(self.code, edge, edges), "p")
                values = "".join(self.text(argument) + ", " for argument in arguments)
                self.write(f"return M.call_pointer({pointer_site}, {self.text(pointer)}, ({values}))")
                return True
            case Report(_, arguments):
                values = "".join(self.text(argument) + ", " for argument in arguments)
                self.write(f"M.report({self.program_code.name_for(operation, 'r')}, ({values}), {self.edge_object()})")
            case ThreadOperation(name, _, _):
                self.write(f"raise Ended('unknown', {'thread operation ' + name!r}, {self.edge_object()})")
                return True
        return False

    # Statements

    def begin(self, edge: Edge, operation: Operation) -> None:
        """The following text belongs to this edge; inputs that occur in it more than once are read once."""
        self.edge, self.edge_name = edge, ""
        counts = Counter(input.index for expression in expressions_of(operation) for input in inputs(expression))
        self.several = {index for index, count in counts.items() if count > 1}
        for index in self.several:
            self.write(f"{_input_name(index)} = None")

    def write(self, line: str) -> None:
        self.lines.append(self.indent + line)

    def assign(self, target: Variable, text: str) -> None:
        place = self.place(target, short=True)
        local = local_name(place)
        self.write(f"{local} = {place} = {text}")
        self.held.add(local)

    def place(self, variable: Variable, short: bool = False) -> str:
        """Where a variable lives: `L[i]` or `G[i]`, or the same spelt as an attribute of the machine."""
        if self.code is not None and variable.name in self.code.slot:
            return f"{'L' if short else 'locals'}[{self.code.slot[variable.name]}]"
        return f"{'G' if short else 'globals'}[{self.program_code.global_slot[variable.name]}]"

    def exit(self, location: int, edges: tuple[Edge, ...]) -> str:
        assert self.code is not None
        return self.program_code.name_for(Exit(self.code, location, edges), "x")

    def edge_object(self) -> str:
        if not self.edge_name:
            self.edge_name = self.program_code.name_for(self.edge, "e")
        return self.edge_name

    def parameters(self, procedure: str, arguments: tuple[Expression, ...]) -> str:
        """A tuple of the values with which the parameters of `procedure` start."""
        texts = []
        for position, parameter in enumerate(self.program_code.program.procedures[procedure].parameters):
            value = coerce(arguments[position], parameter.sort) if position < len(arguments) else None
            if value is None:
                value = Input(-1 - position, parameter.sort, InputKind.UNDEFINED, f"argument {position + 1} of {procedure}")
            texts.append(self.text(value) + ", ")
        return f"({''.join(texts)})"

    def store(self, address: Expression, value: Expression) -> str:
        size = byte_size(value.sort)
        text = self.text(value)
        if isinstance(value.sort, Bool):
            text = f"int({text})"
        elif value.sort == EXTENDED:
            text = f"to_extended({text})"
        static = self.static_bytes(address, size)
        if static is None:
            return f"M.store({self.text(address)}, {text}, {size}, {self.edge_object()})"
        block, offset = static
        if size == 1:
            return f"B[{block}][{offset}] = {text}"
        return f"B[{block}][{offset}:{offset + size}] = ({text}).to_bytes({size}, 'little')"

    # Expressions

    def text(self, expression: Expression) -> str:
        """Python text for the value, to be evaluated at most once per edge."""
        match expression:
            case Variable(name, _, _):
                if name in self.operands:
                    return self.operands[name]
                place = self.place(expression, short=True)
                local = local_name(place)
                return local if local in self.held else place
            case Constant(sort, value):
                return str(bool(value)) if isinstance(sort, Bool) else str(value)
            case Apply(operator, sort, arguments, _):
                texts = [self.text(argument) for argument in arguments]
                return semantics.source(operator, sort, [argument.sort for argument in arguments], texts, self.program_code.names)
            case Load(sort, address, _):
                return self.load(sort, address)
            case Address(target, _):
                return self.address(target)
            case Input(index, sort):
                text = f"M.value({self.program_code.name_for(expression, 'i')}, {self.edge_object()})"
                if isinstance(sort, Bool):
                    text = f"({text} == 1)"
                if index in self.several:
                    name = _input_name(index)
                    return f"({name} if {name} is not None else ({name} := {text}))"
                return text

    def address(self, target: str) -> str:
        if self.code is not None and target in self.code.offset:
            offset = self.code.offset[target]
            return f"(L[0] + {offset})" if offset else "L[0]"
        return str(self.program_code.address(target))

    def load(self, sort: Sort, address: Expression) -> str:
        size = byte_size(sort)
        static = self.static_bytes(address, size)
        if static is None:
            text = f"M.load({self.text(address)}, {size}, {self.edge_object()})"
        else:
            block, offset = static
            text = f"B[{block}][{offset}]" if size == 1 else f"number(B[{block}][{offset}:{offset + size}], 'little')"
        return self.from_memory(sort, text)

    def from_memory(self, sort: Sort, text: str) -> str:
        """The value whose bytes are this number."""
        match sort:
            case Bool():
                return f"({text} != 0)"
            case BitVec(width) if width % 8:
                return f"({text} & {(1 << width) - 1})"
            case Float(15, 64):
                return f"from_extended({text}, {self.edge_object()})"
            case _:
                return text

    def static_bytes(self, address: Expression, size: int) -> tuple[int, int] | None:
        """Position and offset, if the address is known to lie in a static object: then no search is needed."""
        offset = 0
        if isinstance(address, Apply) and address.operator == "bvadd" and isinstance(address.arguments[1], Constant):
            offset, address = address.arguments[1].value, address.arguments[0]
        if not isinstance(address, Address) or (self.code is not None and address.target in self.code.offset):
            return None
        index = self.program_code.static_index.get(address.target)
        if index is None or offset + size > len(self.program_code.images[index]):
            return None
        return index, offset


_PROLOGUE = (("L", "locals"), ("G", "globals"), ("B", "static_blocks"))


def local_name(place: str) -> str:
    return ("v" if place[0] == "L" else "g") + place[2:-1]


def _input_name(index: int) -> str:
    return f"input_{index}" if index >= 0 else f"input_m{-index}"


def _from_extended(bits: int, edge: Edge) -> int:
    """No value stands for bits that the machine treats as none of its numbers: the run ends."""
    if not is_extended(bits):
        raise Ended("limit", NO_EXTENDED, edge)
    return extended_from_memory(bits)
