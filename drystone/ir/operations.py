"""What an edge of an automaton does: guarded commands over variables and memory objects.

Mertens 2014, section 4.3 (assignment and assumption); memory, calls and threads are added. An operation is
atomic and deterministic once its inputs are fixed.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from drystone.ir.expressions import Determinant, Expression, Variable, input_name


class Skip(msgspec.Struct, frozen=True, gc=False):
    """Nothing; `note` says what was there."""

    note: str = ""


class Assume(msgspec.Struct, frozen=True, gc=False):
    """Continue only if `condition` (a Bool without inputs) holds."""

    condition: Expression


class Assign(msgspec.Struct, frozen=True, gc=False):
    target: Variable
    value: Expression


class Store(msgspec.Struct, frozen=True, gc=False):
    """Write `value` at `address`; the sort of the value says how many bytes."""

    address: Expression
    value: Expression


class Copy(msgspec.Struct, frozen=True, gc=False):
    """Copy `size` bytes as if through a temporary (memmove); struct assignment and memcpy of a known size."""

    target: Expression
    source: Expression
    size: int


class Fill(msgspec.Struct, frozen=True, gc=False):
    """Set `size` bytes to `byte` (8 bits); memset of a known size, zeroing before an initialiser list."""

    target: Expression
    byte: Expression
    size: int


class Declare(msgspec.Struct, frozen=True, gc=False):
    """The lifetime of this procedure's object starts (again): its bytes are inputs now."""

    target: str


class Lifetime(StrEnum):
    HEAP = "heap"
    FRAME = "frame"  # alloca, variable length array: until the procedure returns


class Allocate(msgspec.Struct, frozen=True, gc=False):
    """`target` := base of a fresh object of `size` bytes; NULL where it does not fit the address space."""

    target: Variable
    size: Expression
    zeroed: bool
    lifetime: Lifetime
    what: str = ""  # asked for it: "malloc", "alloca", "get_device"
    align: int = 16  # a power of two, at least 16 unless it comes from outside
    determinant: Determinant = Determinant.NOTHING  # what gives the contents

    @property
    def name(self) -> str:
        return input_name(self.what, self.determinant)


class Reallocate(msgspec.Struct, frozen=True, gc=False):
    """`target` := a fresh object of `size` bytes that starts with the bytes of the one at `address` (NULL: none), which ends."""

    target: Variable
    address: Expression
    size: Expression


class Free(msgspec.Struct, frozen=True, gc=False):
    address: Expression


class Call(msgspec.Struct, frozen=True, gc=False):
    """Arguments are matched by position: missing ones are inputs, spare ones are dropped, `coerce`d to the parameter's sort."""

    procedure: str
    arguments: tuple[Expression, ...]
    result: Variable | None


class CallPointer(msgspec.Struct, frozen=True, gc=False):
    """A call through a function pointer. A pointer to no procedure of the program acts like an external function."""

    pointer: Expression
    arguments: tuple[Expression, ...]
    result: Variable | None


class ThreadAction(StrEnum):
    """What all that is modelled of threads is made of; locks and the like are C text over these (`frontend/models/threads.c`)."""

    CREATE = "create"  # a thread that runs a function with an argument; the result is its identifier
    JOIN = "join"  # wait until a thread has ended; the result is what its function has returned
    EXIT = "exit"  # the thread ends
    SELF = "self"  # the result is the identifier of this thread
    BEGIN = "atomic begin"  # from here on no other thread runs
    END = "atomic end"
    WAKES = "wakes"  # does the thread wake up though nobody has woken it? For proofs it may, in executions it does not


class ThreadOperation(msgspec.Struct, frozen=True, gc=False):
    """An operation on threads, `name`d in C. Without an `action` it is not modelled: an unknown location."""

    name: str
    arguments: tuple[Expression, ...]
    result: Variable | None
    action: ThreadAction | None = None


class Report(msgspec.Struct, frozen=True, gc=False):
    """What a library function does outside the program's state: it prints, or says with which status the program ends.

    Only the interpreter acts on it; inlining makes it a `Skip`. The arguments read no inputs. The result of such a function is an
    input that the `IMPLEMENTATION` determines: any value for all that reason about the program, what the function gives for
    the interpreter, where it can compute that (`concrete/output.py`).
    """

    name: str
    arguments: tuple[Expression, ...]


Operation = (
    Skip
    | Assume
    | Assign
    | Store
    | Copy
    | Fill
    | Declare
    | Allocate
    | Reallocate
    | Free
    | Call
    | CallPointer
    | ThreadOperation
    | Report
)


def assigned(operation: Operation) -> Variable | None:
    """The variable that it gives a value."""
    match operation:
        case Assign() | Allocate() | Reallocate():
            return operation.target
        case Call() | CallPointer() | ThreadOperation():
            return operation.result
        case _:
            return None
