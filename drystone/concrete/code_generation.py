"""Compiles a program to Python functions, one per *segment*, when a run first comes there.

A segment is a tree of edges: from its head it follows straight lines and both sides of branches, up to
joins, calls and ends. Its function runs the operations and returns the `Exit` it left by, which
knows the edges that were taken and the function to run next. So a run is a short loop
(`concrete.interpreter`), and steps and path cost one addition and one reference per segment.

What operations look like in the generated text is told in `concrete.generated_text`, where everything lies in
`concrete.layout`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from drystone.concrete.flat_memory import Ended
from drystone.concrete.generated_text import START, Namespace, TextWriter
from drystone.concrete.layout import FrameLayout, Layout
from drystone.ir.automaton import Edge, Procedure, Program
from drystone.ir.expressions import (
    Constant,
    Determinant,
    Expression,
    Input,
    InputKind,
    Variable,
)
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
    Reallocate,
    Report,
    Skip,
    Store,
    ThreadOperation,
)
from drystone.ir.simplify import coerce

LONGEST_SEGMENT = 60  # edges along one way through it
LARGEST_SEGMENT = 300  # edges in all
DEEPEST_NESTING = 12


class Machine(Protocol):
    """What the code runs on. The generated text uses the rest of it, too: `concrete.interpreter.Machine` has it all."""

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
            function = self.caller.program_code.layout.function_at.get(address)
            name = self.caller.program_code.program.functions.get(function) if function is not None else None
            if name is None or name not in self.caller.program_code.program.procedures:
                return None
            operation = self.edge.operation
            assert isinstance(operation, CallPointer)
            known = self.caller.pointer_call(operation, name, self.edge, self.edges)
            self.targets[address] = known
        return known


class ProgramCode:
    """A program and the code of its procedures, as far as runs have needed it."""

    def __init__(
        self, program: Program, longest_segment: int = LONGEST_SEGMENT, tight: bool = False, merges: bool = True
    ) -> None:
        """With segments of one edge, every state between two edges can be looked at. `tight`, `merges`: see `AddressSpace`."""
        self.program = program
        self.longest_segment = longest_segment
        self.layout = Layout(program, tight, merges)
        self.namespace = Namespace()
        self.procedures: dict[str, ProcedureCode] = {}
        self.initial_globals = self._initial_globals()

    def procedure(self, name: str) -> ProcedureCode:
        code = self.procedures.get(name)
        if code is None:
            code = self.procedures[name] = ProcedureCode(self, self.program.procedures[name])
        return code

    def _initial_globals(self) -> Callable[[Machine], list[int]]:
        writer = TextWriter(self.layout, None, self.namespace)
        for name, variable in self.program.variables.items():
            value = self.program.initial.get(name, Constant(variable.sort, 0))
            writer.begin(START, Assign(variable, value))
            writer.lines.append(f"G.append({writer.text(value)})")
        return self.namespace.function("initial(M)", ["G = []", *writer.lines, "return G"])  # type: ignore[return-value]


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
        self.frame = FrameLayout(procedure, program_code.layout.space)

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
                value = Input(-1, result.sort, InputKind.UNDEFINED, f"result of {name}", ctype=result.ctype)
            writer.begin(edge, Skip())
            text = writer.text(value)
            receive = self.program_code.namespace.function("receive(M, r)", [f"M.{writer.place(result)} = {text}"])  # type: ignore[assignment]
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
        adapt = self.program_code.namespace.function(f"adapt({', '.join(['M', *writer.operands])})", [f"return {text}"])
        return adapt, self.call_site(name, edge, edges, operation.result)  # type: ignore[return-value]


def _ending(kind: str, what: str) -> Callable[[Machine], Exit]:
    def end(machine: Machine) -> Exit:
        raise Ended(kind, what)

    return end


def _leave(machine: Machine) -> Exit:
    return machine.leave()


class Writer(TextWriter):
    """Writes the text of one segment."""

    def __init__(self, program_code: ProgramCode, code: ProcedureCode) -> None:
        super().__init__(program_code.layout, code.frame, program_code.namespace)
        self.program_code, self.code = program_code, code
        self.size = 0  # edges written

    def segment(self, head: int) -> Callable[[Machine], Exit]:
        self._tree(head, ())
        text = "\n".join(self.lines)
        prologue = [f"{name} = M.{attribute}" for name, attribute in _PROLOGUE if f"{name}[" in text]
        return self.program_code.namespace.function(f"segment_{head}(M)", prologue + self.lines)  # type: ignore[return-value]

    def _tree(self, location: int, edges: tuple[Edge, ...]) -> None:
        """Writes the operations from `location` on, after `edges`. The first arm of a branch is nested, the second follows."""
        code = self.code
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
                by = self.namespace.name_for(determinant, "d")
                self.assign(target, f"M.{function}({size_text}, {zeroed}, {what!r}, {self.edge_object()}, {align}, {by})")
            case Reallocate(target, address, size_expression):
                self.assign(target, f"M.reallocate({self.text(address)}, {self.text(size_expression)}, {self.edge_object()})")
            case Free(address):
                self.write(f"M.free({self.text(address)}, {self.edge_object()})")
            case Call(procedure, arguments, result) if procedure in self.program_code.program.procedures:
                site = self.code.call_site(procedure, edge, edges, result)
                self.write(f"return M.call({self.namespace.name_for(site, 'c')}, {self.parameters(procedure, arguments)})")
                return True
            case Call(procedure, _, result):
                self.write(f"M.note_external({'call of ' + procedure!r}, {self.edge_object()})")
                if result is not None:
                    given = Input(-1, result.sort, InputKind.EXTERNAL, procedure, Determinant.FUNCTION, result.ctype)
                    self.assign(result, self.text(given))
            case CallPointer(pointer, arguments, _):
                pointer_site = self.namespace.name_for(PointerSite(self.code, edge, edges), "p")
                values = "".join(self.text(argument) + ", " for argument in arguments)
                self.write(f"return M.call_pointer({pointer_site}, {self.text(pointer)}, ({values}))")
                return True
            case Report(_, arguments):
                values = "".join(self.text(argument) + ", " for argument in arguments)
                self.write(f"M.report({self.namespace.name_for(operation, 'r')}, ({values}), {self.edge_object()})")
            case ThreadOperation(_, arguments, result):
                values = "".join(self.text(argument) + ", " for argument in arguments)
                text = f"M.thread_operation({self.namespace.name_for(edge, 'e')}, ({values}))"
                if result is not None:
                    self.assign(result, text)
                else:
                    self.write(text)
        return False

    def exit(self, location: int, edges: tuple[Edge, ...]) -> str:
        return self.namespace.name_for(Exit(self.code, location, edges), "x")

    def parameters(self, procedure: str, arguments: tuple[Expression, ...]) -> str:
        """A tuple of the values with which the parameters of `procedure` start."""
        texts = []
        for position, parameter in enumerate(self.program_code.program.procedures[procedure].parameters):
            value = coerce(arguments[position], parameter.sort) if position < len(arguments) else None
            if value is None:
                what = f"argument {position + 1} of {procedure}"
                value = Input(-1 - position, parameter.sort, InputKind.UNDEFINED, what, ctype=parameter.ctype)
            texts.append(self.text(value) + ", ")
        return f"({''.join(texts)})"


_PROLOGUE = (("L", "locals"), ("G", "globals"), ("B", "static_blocks"))
