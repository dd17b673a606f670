"""The witness of a violation, from the replayed execution: the inputs that it reads, the branches that it takes, its end."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator

from drystone.concrete.inputs import Consumed, RecordedInputs
from drystone.counterexamples.known_objects import shown_name
from drystone.counterexamples.replay import Replayed
from drystone.counterexamples.steps import Execution, Moment
from drystone.counterexamples.values import is_unsigned
from drystone.frontend.clang import kinds
from drystone.frontend.options import FrontendOptions
from drystone.ir.automaton import Edge, Origin, Program, inputs
from drystone.ir.expressions import Input, InputKind
from drystone.ir.features import expressions_of
from drystone.ir.operations import Assign, Assume
from drystone.ir.source_types import is_pointer
from drystone.logic.sorts import BitVec, Bool, Float
from drystone.witnesses.form import Location, Task, Waypoint, Witness
from drystone.witnesses.syntax import Element, Syntax

_MOST_BRANCHES = 1_000
"""Of a long execution, the last branches are left out: the inputs decide them."""
_MOST_INPUTS = 20_000
_FLOATS = {32: ("<I", "<f"), 64: ("<Q", "<d")}
_PURE = (InputKind.NONDET, InputKind.EXTERNAL)


class NotTold(Exception):
    """Why there is no witness."""


def violation_witness(program: Program, replayed: Replayed, options: FrontendOptions, task: Task) -> Witness:
    """Raises `NotTold`."""
    if program.has_threads:
        raise NotTold("the program has threads, whose order witnesses of version 2.0 cannot tell")
    telling = _Telling(program, options, task.files)
    waypoints: list[Waypoint] = []
    unread = sum(map(_is_told, replayed.inputs))
    branches = told = 0
    execution = Execution(program, RecordedInputs(replayed.inputs))
    most = 3 * replayed.outcome.steps + 1_000
    for moment in execution.moments(most, plain=range(most)):
        for waypoint in telling.waypoints(moment):
            branches += waypoint.type == "branching"
            told += waypoint.type != "branching"
            waypoints.append(waypoint)
        if told > _MOST_INPUTS:
            raise NotTold(f"the execution reads more than {_MOST_INPUTS} inputs")
        unread -= sum(map(_is_told, moment.inputs))
        telling.are_branches_told = branches < _MOST_BRANCHES
        if unread <= 0 and not telling.are_branches_told and telling.is_complete:
            break  # nothing else would be told
    waypoints.append(telling.target(replayed.error.origin))
    return Witness(task, tuple((each,) for each in waypoints))


class _Telling:
    def __init__(self, program: Program, options: FrontendOptions, files: tuple[str, ...]) -> None:
        self.program, self.options, self.files = program, options, files
        self._syntax: dict[int, Syntax | None] = {}
        self.are_branches_told = True
        self._branches: dict[int, Waypoint | None] = {}  # by the edge
        self._before: Moment | None = None
        self._unordered: list[int] = []  # depths of callers that call several functions in a statement
        self._waiting: tuple[Moment, Element, list[str]] | None = None  # values to be assumed at the next statement

    def syntax(self, origin: Origin) -> Syntax | None:
        if origin.file not in self._syntax:
            path = self.program.files[origin.file] if origin.file >= 0 else ""
            self._syntax[origin.file] = Syntax(path, self.options) if path in self.files else None
        return self._syntax[origin.file]

    def waypoints(self, moment: Moment) -> Iterator[Waypoint]:
        self._note_call(moment)
        if moment.is_inside_library or moment.is_return:
            return
        origin, operation = moment.edge.origin, moment.edge.operation
        is_branch = isinstance(operation, Assume) and self.are_branches_told and not self._unordered
        syntax = self.syntax(origin)
        if syntax is None:
            return
        if self._waiting is not None or moment.inputs:
            span = _span(syntax, origin)
            yield from self._assumed(moment, syntax, span)
            for entry in moment.inputs:
                yield from self._returned(moment.edge, entry, syntax, span)
            if isinstance(operation, Assign):
                self._note_uninitialised(moment, syntax, span)
        if is_branch:
            if id(moment.edge) not in self._branches:
                self._branches[id(moment.edge)] = self._branch(moment.edge, syntax, _span(syntax, origin), moment.function)
            branch = self._branches[id(moment.edge)]
            yield from [branch] if branch is not None else []

    def _note_call(self, moment: Moment) -> None:
        """C leaves open which of several calls in an expression comes first, so a validator need not find branches of the one
        before those of the other."""
        before, self._before = self._before, moment
        while self._unordered and moment.depth <= self._unordered[-1]:
            self._unordered.pop()
        if before is None or moment.depth <= before.depth:
            return
        syntax = self.syntax(before.at.origin)
        statement = syntax.statement_around(*_span(syntax, before.at.origin)) if syntax is not None else None
        if syntax is not None and statement is not None:
            calls = [each for each in syntax.calls(statement.start, statement.end) if each.statement is statement]
            if sum(each.name in self.program.procedures for each in calls) > 1:
                self._unordered.append(before.depth)

    # inputs that functions return

    def _returned(self, edge: Edge, entry: Consumed, syntax: Syntax, span: tuple[int, int]) -> Iterator[Waypoint]:
        if entry.kind not in _PURE or isinstance(entry.value, bytes) or entry.sort is None:
            return
        calls = syntax.calls(*span, entry.what)
        sites = sorted({each.index for each in _inputs_at(self.program, edge.origin) if each.what == entry.what})
        if len(calls) != len(sites) or entry.index not in sites:
            return
        call = calls[sites.index(entry.index)]
        text = _constant(entry)
        if text is not None and syntax.text[call.end - 1 : call.end] == b")":
            yield Waypoint("function_return", self._location(syntax, call.end - 1, call.function), f"\\result == {text}")

    # variables without a value

    @property
    def is_complete(self) -> bool:
        """Is nothing waiting for a place where it can be told?"""
        return self._waiting is None

    def _note_uninitialised(self, moment: Moment, syntax: Syntax, span: tuple[int, int]) -> None:
        operation = moment.edge.operation
        assert isinstance(operation, Assign)
        given = [each for each in moment.inputs if each.kind is InputKind.UNINITIALISED and each.value]
        name = shown_name(operation.target.name)
        if len(given) != 1 or not isinstance(operation.value, Input) or not name.isidentifier():
            return
        text, statement = _constant(given[0]), syntax.statement_around(*span)
        if text is not None and statement is not None and statement.kind == kinds.DECL_STMT:
            before = self._waiting[2] if self._waiting is not None and self._waiting[1] is statement else []
            self._waiting = moment, statement, [*before, f"{name} == {text}"]

    def _assumed(self, moment: Moment, syntax: Syntax, span: tuple[int, int]) -> Iterator[Waypoint]:
        """At the next statement of the block, where they are in scope."""
        if self._waiting is None:
            return
        before, declaration, values = self._waiting
        if moment.depth < before.depth:
            self._waiting = None
        if (moment.depth, moment.function) != (before.depth, before.function):
            return
        statement = syntax.statement_around(*span)
        while statement is not None and statement.parent is not declaration.parent:
            statement = statement.parent
        if statement is not None and statement is not declaration and statement.kind != kinds.DECL_STMT:
            self._waiting = None
            yield Waypoint("assumption", self._location(syntax, statement.start, statement.function), " && ".join(values))

    # branches

    def _branch(self, edge: Edge, syntax: Syntax, span: tuple[int, int], function: str) -> Waypoint | None:
        """Of a condition that one edge decides: what `&&` combines may take several."""
        found = next((each for each in syntax.around(*span) if each.keyword and syntax.condition_of(each) == span), None)
        keyword = syntax.keyword_at(found) if found is not None and found.kind != kinds.SWITCH_STMT else None
        procedure = self.program.procedures.get(function)
        if found is None or keyword is None or procedure is None:
            return None
        pair = [each for each in procedure.edges if each.origin == edge.origin and isinstance(each.operation, Assume)]
        if len(pair) != 2:
            return None
        is_then = (edge == pair[0]) != found.is_negated  # `!c` branches on c, the other way round
        return Waypoint("branching", self._location(syntax, keyword, found.function), "true" if is_then else "false")

    # the end

    def target(self, origin: Origin) -> Waypoint:
        syntax = self.syntax(origin)
        if syntax is None:
            raise NotTold("the error is in no file of the program")
        statement = syntax.statement_around(*_span(syntax, origin))
        if statement is None:
            raise NotTold("the error is in no function of the program")
        return Waypoint("target", self._location(syntax, statement.start, statement.function))

    def _location(self, syntax: Syntax, offset: int, function: str) -> Location:
        return Location(syntax.path, *syntax.position(offset), function)


def _is_told(entry: Consumed) -> bool:
    """Could there be a waypoint about this input?"""
    is_value = entry.kind is InputKind.UNINITIALISED and entry.value != 0
    return (entry.kind in _PURE or is_value) and not isinstance(entry.value, bytes)


def _span(syntax: Syntax, origin: Origin) -> tuple[int, int]:
    return syntax.offset(origin.line, origin.column), syntax.offset(origin.end_line, origin.end_column)


def _inputs_at(program: Program, origin: Origin) -> Iterator[Input]:
    for procedure in program.procedures.values():
        for edge in procedure.edges:
            if edge.origin == origin:
                for expression in expressions_of(edge.operation):
                    yield from inputs(expression)


def _constant(entry: Consumed) -> str | None:
    """The value as a C constant."""
    if is_pointer(entry.ctype) or isinstance(entry.value, bytes):
        return None
    if isinstance(entry.sort, Bool):
        return str(entry.value)
    if isinstance(entry.sort, Float) and entry.sort.width in _FLOATS:
        packed, unpacked = _FLOATS[entry.sort.width]
        (number,) = struct.unpack(unpacked, struct.pack(packed, entry.value))
        return repr(number) if math.isfinite(number) else None  # C has no constants for others
    if not isinstance(entry.sort, BitVec) or entry.sort.width > 64:
        return None
    width, value = entry.sort.width, entry.value
    if is_unsigned(entry.ctype):
        return f"{value}{'UL' if value >> 32 else 'U' if value >> 31 else ''}"
    value -= (value >> width - 1) << width
    if value == -1 << 63:
        return f"(-{(1 << 63) - 1}L - 1)"
    if value == -1 << 31:
        return f"(-{(1 << 31) - 1} - 1)"
    return f"{value}{'L' if not -1 << 31 < value < 1 << 31 else ''}"
