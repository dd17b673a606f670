"""What is told of an execution that reaches the error."""

from __future__ import annotations

import msgspec


class Step(msgspec.Struct, frozen=True):
    """What happened on one source line before control went to another."""

    file: str | None  # None: drystone's own, like the start of the program
    line: int | None
    function: str
    depth: int  # open calls
    source: str  # the line's text
    operations: list[str]
    changes: dict[str, str]  # what was written, the values at the end of the step
    inputs: list[str]  # "__VERIFIER_nondet_int() = 3"
    thread: int | None = None  # in the order of their creation, the first one is 0; None: there are no others


class InputValue(msgspec.Struct, frozen=True):
    """An input in the order in which the execution reads it."""

    name: str
    kind: str
    value: str  # in C terms
    bits: str  # hexadecimal: the value exactly; bytes of memory in their order, without zeros at the end
    size: int  # in bits
    file: str | None
    line: int | None


class RaceAccess(msgspec.Struct, frozen=True):
    """One of the two accesses of a data race."""

    thread: int  # as in `Step`
    what: str  # "writes x", "atomically reads s.n"
    file: str | None
    line: int | None
    function: str


class Counterexample(msgspec.Struct, frozen=True):
    error: str
    file: str | None
    line: int | None
    function: str
    steps: list[Step]
    omitted_steps: int  # between the first and the last ones
    length: int  # edges
    inputs: list[InputValue]  # all of them
    given: list[str]  # by the caller, functions without a body, the standard input: "__VERIFIER_nondet_int() = 3", "s->len = 7"
    given_as_c: list[str]  # definitions of these functions, a call of the entry
    values: dict[str, str]  # of the variables in the failing condition, at the error
    undefined: list[str]  # "x / y at file:line": the execution relies on undefined behaviour
    external: list[str]  # calls of unknown code
    race: list[RaceAccess] = []  # if the error is a data race: the two accesses, of which neither is before the other
    replayed: bool = True


class NativeRun(msgspec.Struct, frozen=True):
    """What became of the attempt to reach the error natively (`counterexamples.native.replay`)."""

    reproduced: bool
    reason: str  # the compiler that built it, or why it was not reproduced
    compiler: str = ""
    contradicts: bool = False  # it had all that the execution has, and ended otherwise
    lacks: str = ""  # what this machine lacks for it, in words
