"""Expressions of the intermediate program: typed, side-effect free, total.

Every expression has a `sort`. There is no C in here: signedness lives in the operators (`bvsdiv`,
`bvudiv`), conversions are explicit, pointers are bit-vectors, and an undefined C operation has been
turned by the front end into `ite(it is undefined, Input, operation)`.

The expressions are trees. The front end keeps their depth below `MAX_DEPTH` by putting deep operands
into temporary variables, so walking one by recursion is safe.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

import msgspec

from drystone.logic.sorts import BOOL, BitVec, Bool, Float, Sort, bitvec

MAX_DEPTH = 40


class InputKind(StrEnum):
    """Why a value is chosen by the environment."""

    NONDET = "nondet"  # __VERIFIER_nondet_T()
    UNINITIALISED = "uninitialised"  # a local, alloca or malloc before its first write
    UNDEFINED = "undefined"  # an operation the C standard leaves undefined: x/0, shift too far, ...
    EXTERNAL = "external"  # result of a function without a body, argv
    APPROXIMATED = "approximated"  # what the program determines, but drystone does not know: asm outputs, frame addresses, sin
    MACHINE = "machine"  # zero: an undefined operation gives what the machine gives, and a run that meets one says so
    CHOICE = "choice"  # a nondeterministic branch
    SCHEDULE = "schedule"  # which thread goes on


class Determinant(StrEnum):
    """What gives a value in the real program that drystone lets the environment choose."""

    NOTHING = "nothing"  # that could be named
    FUNCTION = "function"  # of this name: what a call of it returns
    NOT_NULL = "not null"  # whether the pointer that a call of the function returns is none
    ARGUMENT = "argument"  # the caller of the entry, by the parameter of this name
    OBJECT = "object"  # of this name, which is declared only: what it holds at the start
    LOCAL = "local"  # of this name, before its first write
    POINTEE = "pointee"  # the function whose pointer leads to this memory
    STRING = "string"  # which main is given
    IMPLEMENTATION = "implementation"  # a function of the library, the compiler, the system
    VOLATILE = "volatile"  # what the program has put into an object, unless something else changes it
    ORDER = "order"  # of the evaluation of operands: which one a compiler chooses
    PADDING = "padding"  # a compiled program has there what was on the stack: one that is built with zeros there shows nothing
    FRAME = "frame"  # where the compiler and the system put it, and who calls main: in a compiled program, the harness
    EXTERNAL = "external"  # a function without a body, the same for the same arguments: a stub would make it up


APPROXIMATED = frozenset(
    (Determinant.IMPLEMENTATION, Determinant.VOLATILE, Determinant.ORDER, Determinant.PADDING, Determinant.EXTERNAL)
)
"""Those that determine a value which drystone only approximates."""


def input_name(what: str, determinant: Determinant) -> str:
    """How an input is called, which is for people, and tells inputs of one place apart."""
    match determinant:
        case Determinant.NOTHING | Determinant.FUNCTION | Determinant.FRAME:
            return what
        case Determinant.NOT_NULL:
            return f"{what}() is not NULL"
        case Determinant.POINTEE:
            return f"{what}()"
        case Determinant.ARGUMENT | Determinant.STRING:
            return f"argument {what}"
        case Determinant.OBJECT:
            return f"extern {what}"
        case Determinant.LOCAL:
            return f"local {what}"
        case _:
            return f"approximated {what}"


class _Asked(Protocol):
    @property
    def kind(self) -> InputKind: ...
    @property
    def determinant(self) -> Determinant: ...


def is_approximated(input: _Asked) -> bool:
    """Does the real program determine the value, though drystone does not know it?"""
    return input.kind is InputKind.APPROXIMATED or input.determinant in APPROXIMATED


class Variable(msgspec.Struct, frozen=True, gc=False):
    """A scalar whose address is never taken. `name` is unique in the program or procedure that owns it."""

    name: str
    sort: Sort
    ctype: str = ""  # as written in C, for people; empty for temporaries


class Constant(msgspec.Struct, frozen=True, gc=False):
    sort: Sort
    value: int


class Input(msgspec.Struct, frozen=True, gc=False):
    """A value chosen anew by the environment each time its edge is taken; one `index` on one edge is one value."""

    index: int
    sort: Sort
    kind: InputKind
    what: str  # asked for it: "__VERIFIER_nondet_int", "x / y", "buf"
    determinant: Determinant = Determinant.NOTHING
    ctype: str = ""  # of the value in C, for people; empty where C has none

    @property
    def name(self) -> str:
        return input_name(self.what, self.determinant)


class Address(msgspec.Struct, frozen=True, gc=False):
    """The address of a memory object or of a function."""

    target: str
    sort: BitVec


class Load(msgspec.Struct, frozen=True, gc=False):
    """The value of `sort` at `address`, little-endian; `width / 8` bytes, rounded up (10 for `EXTENDED`)."""

    sort: Sort
    address: Expression
    depth: int


class Apply(msgspec.Struct, frozen=True, gc=False):
    operator: str
    sort: Sort
    arguments: tuple[Expression, ...]
    depth: int


Expression = Variable | Constant | Input | Address | Load | Apply

TRUE = Constant(BOOL, 1)
FALSE = Constant(BOOL, 0)

OPERATORS: dict[str, str] = {
    # Booleans
    "not": "Bool -> Bool",
    "and": "Bool Bool -> Bool; the second operand matters only if the first is true",
    "or": "Bool Bool -> Bool; the second operand matters only if the first is false",
    "ite": "Bool T T -> T; only the chosen arm matters",
    "=": "T T -> Bool; equality of bits (for floats use fp.eq)",
    # bit-vectors of one width
    "bvadd": "addition modulo 2^n",
    "bvsub": "subtraction modulo 2^n",
    "bvmul": "multiplication modulo 2^n",
    "scale": "bvmul of an index and an element size, where the product is a distance within one object",
    "bvudiv": "unsigned quotient; x/0 = 2^n - 1",
    "bvurem": "unsigned remainder; x%0 = x",
    "bvsdiv": "signed quotient, rounds to zero; x/0 = -1 for x >= 0, else 1; MIN/-1 = MIN",
    "bvsrem": "signed remainder, sign of the dividend; x%0 = x",
    "bvand": "bitwise and",
    "bvor": "bitwise or",
    "bvxor": "bitwise exclusive or",
    "bvshl": "shift left; 0 from the width on",
    "bvlshr": "logical shift right; 0 from the width on",
    "bvashr": "arithmetic shift right; all sign bits from the width on",
    "bvneg": "two's complement negation",
    "bvnot": "bitwise complement",
    "bvult": "unsigned <, Bool",
    "bvule": "unsigned <=, Bool",
    "bvslt": "signed <, Bool",
    "bvsle": "signed <=, Bool",
    # change of width, to the sort of the result
    "zero_extend": "to a larger width",
    "sign_extend": "to a larger width",
    "truncate": "the low bits",
    "position": "the address itself, in a question that the program does not ask: nobody learns its bits",
    "pointer": "the address itself, where C compares or subtracts pointers, not numbers: not of objects that have ended",
    "slot": "the number of the slot that an address lies in (logic/slots.py), in a question that the program does not ask",
    "slot_base": "where the object in that slot begins, likewise",
    "shadow": "where the flags of the bytes at an address lie, one for each of their bits: is it one that has a value?",
    # floats (round to nearest, ties to even, unless said otherwise)
    "fp.add": "IEEE addition",
    "fp.sub": "IEEE subtraction",
    "fp.mul": "IEEE multiplication",
    "fp.div": "IEEE division",
    "fp.fmod": "C fmod: exact remainder with the sign of the dividend",
    "fp.sqrt": "IEEE square root",
    "fp.neg": "flips the sign bit",
    "fp.abs": "clears the sign bit",
    "fp.eq": "IEEE ==, Bool",
    "fp.lt": "IEEE <, Bool",
    "fp.leq": "IEEE <=, Bool",
    "fp.isNaN": "Bool",
    "fp.isInfinite": "Bool",
    "fp.floor": "to an integral value, towards -oo",
    "fp.ceil": "to an integral value, towards +oo",
    "fp.trunc": "to an integral value, towards zero",
    "fp.round": "to an integral value, ties away from zero",
    "fp.rint": "to an integral value, ties to even",
    # conversions, to the sort of the result
    "fp.to_fp": "float to float",
    "fp.from_sbv": "signed integer to float",
    "fp.from_ubv": "unsigned integer to float",
    "fp.to_sbv": "float to signed integer, truncating; out of range: unspecified (the front end guards it)",
    "fp.to_ubv": "float to unsigned integer, truncating; out of range: unspecified (the front end guards it)",
    "fp.from_bits": "reinterprets a bit-vector of the float's width",
    "fp.to_bits": "reinterprets a float as a bit-vector",
}


def depth(expression: Expression) -> int:
    return expression.depth if isinstance(expression, (Load, Apply)) else 0


def apply(operator: str, sort: Sort, *arguments: Expression) -> Apply:
    """Builds the node as it is; `ir.simplify` has the constructors that fold constants."""
    deepest = 0
    for argument in arguments:
        if isinstance(argument, (Load, Apply)) and argument.depth > deepest:
            deepest = argument.depth
    return Apply(operator, sort, arguments, deepest + 1)


def load(sort: Sort, address: Expression) -> Load:
    return Load(sort, address, depth(address) + 1)


def byte_size(sort: Sort) -> int:
    """How many bytes a `Load` or `Store` of this sort touches."""
    match sort:
        case BitVec(width):
            return (width + 7) // 8
        case Float(15, 64):
            return 10
        case Float():
            return (sort.width + 7) // 8
        case Bool():
            return 1
        case _:
            raise TypeError(f"no bytes in memory for {sort}")


def constant(width: int, value: int) -> Constant:
    return Constant(bitvec(width), value & ((1 << width) - 1))
