"""Programs as control-flow automata.

Kettl 2022, Definition 1, and Mertens 2014, Definition 3, with one structural rule that makes every automaton
deterministic up to inputs. A location has either

* no outgoing edge: the procedure's exit, or a location that carries a `Mark`; or
* one outgoing edge, with any operation; or
* two outgoing edges, `Assume(c)` and `Assume(not c)`, where c reads no input (and may be a constant).

So branches are exclusive and total by construction, and merging them never loses behaviour. A choice
of the environment is an assignment of an input to a Boolean variable, then a branch on that variable.
Tests hold every pass to the rule (tests/structure.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

import msgspec

from drystone.base.shown_files import shown_file
from drystone.ir import names
from drystone.ir.expressions import Apply, Expression, Input, Load, Variable
from drystone.ir.operations import Operation
from drystone.ir.source_types import SourceTypes
from drystone.logic.sorts import BitVec, bitvec


class Origin(msgspec.Struct, frozen=True, gc=False):
    """A range of source text. `file` indexes `Program.files`; -1 stands for what the tool added itself."""

    file: int
    line: int
    column: int
    end_line: int
    end_column: int


NOWHERE = Origin(-1, 0, 0, 0, 0)


class Edge(msgspec.Struct, frozen=True, gc=False):
    source: int
    target: int
    operation: Operation
    origin: Origin


class MarkKind(StrEnum):
    ERROR = "error"  # the property is violated here
    UNKNOWN = "unknown"  # the program goes on in a way that is not modelled; TRUE needs this unreachable
    HALT = "halt"  # exit, abort, a failed assumption of the program: the path ends


class ErrorKind(StrEnum):
    """What makes a location an error: a convention, or a check (`drystone.checks`, under the same name)."""

    CALL = "call"  # of reach_error, __VERIFIER_error
    ASSERTION = "assertion"
    LABEL = "label"
    DIVISION = "division"
    SHIFT = "shift"
    OVERFLOW = "overflow"
    UNSIGNED_OVERFLOW = "unsigned-overflow"
    CONVERSION = "conversion"
    NULL = "null"
    USE_AFTER_FREE = "use-after-free"
    STACK_USE_AFTER_RETURN = "stack-use-after-return"
    BOUNDS = "bounds"
    STRING = "string"
    POINTER_ARITHMETIC = "pointer-arithmetic"
    DOUBLE_FREE = "double-free"
    INVALID_FREE = "invalid-free"
    LEAK = "leak"
    CLEANUP = "cleanup"
    UNINITIALISED = "uninitialised"


CONVENTIONS = (ErrorKind.CALL, ErrorKind.ASSERTION, ErrorKind.LABEL)
"""Strongest first: in tasks of SV-COMP, errors are those of the strongest that is used."""


class Unmodelled(StrEnum):
    """What is not modelled at an unknown location: what a user can do about it depends on that."""

    CONSTRUCT = "construct"  # of the language, or another one
    BODY = "body"  # of a function that has none
    LIBRARY = "library"  # a function of the C library
    BUILTIN = "builtin"  # of a compiler
    ASSEMBLY = "assembly"
    VOLATILE = "volatile"  # what else changes an object
    RECURSION = "recursion"  # beyond a bound
    THREADS = "threads"


class Mark(msgspec.Struct, frozen=True):
    kind: MarkKind
    what: str  # for people: "reach_error()", "assertion x > 0", "recursion of f beyond 10 calls", "exit"
    origin: Origin
    convention: ErrorKind | None = None  # that makes it an error
    is_bound: bool = False  # the program goes on, but inlining has stopped here: with a larger bound, it would not
    unmodelled: Unmodelled = Unmodelled.CONSTRUCT  # of an unknown location
    name: str = ""  # of the function or object that this is about


DATA_RACE = Mark(MarkKind.ERROR, "data race", NOWHERE)
"""The only error of a program that is read for its data races: two threads are about to access something, wherever they are."""


class Frame(msgspec.Struct, frozen=True):
    """Which activation of which function a location belongs to; `parent` indexes `Procedure.frames`, -1 at the root."""

    function: str
    parent: int = -1
    call: Origin = NOWHERE


class OpenCall(msgspec.Struct, frozen=True, gc=False):
    """A call that has not come back."""

    function: str
    origin: Origin  # of the call


class ObjectKind(StrEnum):
    GLOBAL = "global"
    LOCAL = "local"
    LITERAL = "literal"
    EXTERNAL = "external"  # declared only: its contents are arbitrary at the start


class MemoryObject(msgspec.Struct, frozen=True):
    """A piece of memory with an address of its own.

    A global or literal starts with `content`, padded with zero bytes to `size`; each relocation puts an
    address (little-endian) at an offset. Locals and externals start with arbitrary bytes.
    """

    name: str
    size: int
    align: int
    kind: ObjectKind
    ctype: str = ""
    content: bytes = b""
    relocations: tuple[tuple[int, Expression], ...] = ()
    origin: Origin = NOWHERE
    block: tuple[int, ...] = ()  # of a local: the blocks of its function that it is declared in, by number, outermost first

    def may_live_with(self, other: MemoryObject) -> bool:
        """Of two locals in copies of procedures: not if neither copy is called by the other one, or their blocks are apart; but
        always if they belong to two threads."""
        if names.thread_of(self.name) != names.thread_of(other.name):
            return True
        mine, others = self.name.split(".")[:-1], other.name.split(".")[:-1]
        return _begin_alike(self.block, other.block) if mine == others else _begin_alike(mine, others)

    def may_follow(self, other: MemoryObject) -> bool:
        """Of two locals: may one lie where the other one lay? Also those of two threads: who begins late may get the stack of one
        that has ended."""
        return names.thread_of(self.name) != names.thread_of(other.name) or not self.may_live_with(other)


def _begin_alike(first: Sequence[object], second: Sequence[object]) -> bool:
    return all(one == other for one, other in zip(first, second, strict=False))


class Procedure(msgspec.Struct):
    """One automaton with its signature. After inlining there is a single procedure, without calls."""

    name: str
    parameters: tuple[Variable, ...]
    result: Variable | None
    variables: dict[str, Variable]  # everything local, parameters and result included
    objects: dict[str, MemoryObject]
    entry: int
    exit: int
    edges: list[Edge]
    marks: dict[int, Mark]
    locations: int  # they are 0 .. locations - 1
    frames: list[Frame]
    frame_of: list[int] | None = None  # per location; None: all in frame 0
    origin: Origin = NOWHERE

    def outgoing(self) -> list[list[Edge]]:
        """Edges by source location."""
        table: list[list[Edge]] = [[] for _ in range(self.locations)]
        for edge in self.edges:
            table[edge.source].append(edge)
        return table

    def call_path(self, location: int) -> list[str]:
        """Function names from the entry function down to this location's."""
        path: list[str] = []
        frame = self.frame_of[location] if self.frame_of is not None else 0
        while frame >= 0:
            path.append(self.frames[frame].function)
            frame = self.frames[frame].parent
        path.reverse()
        return path

    def open_calls(self, location: int) -> tuple[OpenCall, ...]:
        """The calls that have led to this location, outermost first."""
        calls: list[OpenCall] = []
        frame = self.frame_of[location] if self.frame_of is not None else 0
        while frame >= 0 and self.frames[frame].parent >= 0:
            calls.append(OpenCall(self.frames[frame].function, self.frames[frame].call))
            frame = self.frames[frame].parent
        return tuple(reversed(calls))


class Approximation(msgspec.Struct, frozen=True):
    """A construct whose meaning is assumed, over- or under-approximated; every result lists the ones it relied on."""

    kind: str  # "external function", "asm", "evaluation order", ...
    what: str
    origin: Origin
    name: str = ""  # of the function that it is about
    assumed: str = ""  # about this function: `what` without the name


class Program(msgspec.Struct):
    """What the rest of drystone reasons about. Holds only what the entry reaches."""

    entry: str
    procedures: dict[str, Procedure]
    variables: dict[str, Variable]  # globals that are plain variables
    initial: dict[str, Expression]  # their initial values (constants, addresses, or an Input for externals)
    objects: dict[str, MemoryObject]  # globals in memory, literals, externals
    functions: dict[str, str | None]  # functions whose address is taken -> their procedure, or None if undefined
    pointer_width: int
    files: list[str]
    approximations: list[Approximation]
    exposed: frozenset[str] = frozenset()  # objects that numbers may point to, also if the program does not show it any more
    frees: bool = False  # it gives allocations back, also if it does not show it any more
    makes_pointers: bool = True  # from numbers: a pointer may have the address of an object that has ended
    excluded_callees: dict[Origin, frozenset[str]] = {}  # by types, of calls through pointers that come from outside
    types: SourceTypes = SourceTypes()  # for people only
    has_threads: bool = False  # it may create some: what it does depends on a schedule
    thread_locals: frozenset[str] = frozenset()  # variables of which each thread has one of its own
    synchronising: frozenset[str] = frozenset()  # procedures whose accesses are atomic: the library's operations on locks
    has_slots: bool = False  # objects lie in slots (logic/slots.py): checks of memory find them by their addresses
    data_race: Mark | None = None  # the only error, at no location of its own; None: errors are the marked locations

    @property
    def pointer(self) -> BitVec:
        return bitvec(self.pointer_width)

    def place(self, origin: Origin) -> tuple[str | None, int | None]:
        """File and line; None for what the tool added itself."""
        return (shown_file(self.files[origin.file]), origin.line) if origin.file >= 0 else (None, None)

    def identify(self, mark: Mark) -> str:
        """Names a mark from run to run."""
        return identity(self.files, mark.what, mark.origin)

    def where(self, origin: Origin) -> str:
        """`file:line`, for people."""
        return f"{shown_file(self.files[origin.file])}:{origin.line}" if origin.file >= 0 else "(added by drystone)"


def identity(files: Sequence[str], what: str, origin: Origin) -> str:
    """What is said of a place, and the place."""
    place = f"{shown_file(files[origin.file])}:{origin.line}:{origin.column}" if origin.file >= 0 else "-"
    return f"{place} {what}"


def inputs(expression: Expression) -> Iterator[Input]:
    """The inputs an expression reads."""
    match expression:
        case Input():
            yield expression
        case Load():
            yield from inputs(expression.address)
        case Apply():
            for argument in expression.arguments:
                yield from inputs(argument)
        case _:
            pass
