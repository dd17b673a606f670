"""The readable form of expressions, operations and programs."""

from __future__ import annotations

import struct

import pytest

from drystone.ir.expressions import Address, Constant, Expression, Input, InputKind, apply, constant, load
from drystone.ir.operations import Allocate, Assign, Assume, Call, CallPointer, Declare, Lifetime, Operation, Skip, Store
from drystone.ir.text import expression_text, operation_text, program_text
from drystone.logic.sorts import EXTENDED, FLOAT32, FLOAT64, bitvec
from tests.building import POINTER, Builder, nondet, num, op, program, var

X, Y, Z = var("x"), var("y"), var("z")
D = var("d", FLOAT64)


def double(value: float) -> Constant:
    return Constant(FLOAT64, int.from_bytes(struct.pack("<d", value), "little"))


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (op("bvadd", op("bvmul", X, Y), Z), "x * y + z"),
        (op("bvmul", op("bvadd", X, Y), Z), "(x + y) * z"),
        (op("bvsub", X, op("bvsub", Y, Z)), "x - (y - z)"),
        (op("bvsub", op("bvsub", X, Y), Z), "x - y - z"),
        (op("bvslt", X, num(-1)), "x < -1"),
        (op("bvult", X, num(-1)), "x <u 4294967295"),
        (op("not", op("bvslt", X, Y)), "x >= y"),
        (op("not", op("=", X, Y)), "x != y"),
        (op("not", op("fp.lt", D, double(1.5))), "!(d < 1.5)"),
        (op("=", D, D), "same_bits(d, d)"),
        (op("and", op("or", op("=", X, Y), op("=", Y, Z)), op("=", X, Z)), "(x == y || y == z) && x == z"),
        (op("=", op("bvand", X, num(1)), num(0)), "(x & 1) == 0"),
        (op("bvand", op("bvand", X, Y), op("bvadd", Y, Z)), "x & y & (y + z)"),
        (op("bvneg", op("bvneg", X)), "- -x"),
        (op("bvneg", num(-1)), "- -1"),
        (apply("ite", bitvec(32), op("=", X, Y), Z, num(0)), "x == y ? z : 0"),
        (op("bvadd", apply("ite", bitvec(32), op("=", X, Y), Z, num(0)), X), "(x == y ? z : 0) + x"),
        (apply("sign_extend", bitvec(64), X), "(int64)x"),
        (apply("zero_extend", bitvec(64), op("bvadd", X, Y)), "(uint64)(x + y)"),
        (apply("truncate", bitvec(8), X), "(int8)x"),
        (apply("fp.from_ubv", FLOAT64, X), "(double)(uint32)x"),
        (apply("fp.sqrt", FLOAT64, D), "sqrt(d)"),
        (load(bitvec(32), var("p", POINTER)), "*(int32*)p"),
        (load(bitvec(32), op("bvadd", var("p", POINTER), constant(64, 8))), "*(int32*)(p + 8)"),
        (load(FLOAT64, Address("a", POINTER)), "*(double*)&a"),
        (nondet(), "nondet(__VERIFIER_nondet_int)"),
        (Input(1, bitvec(32), InputKind.UNDEFINED, "x / y"), "undefined(x / y)#1"),
        (Constant(FLOAT32, 0x3FC00000), "1.5f"),
        (Constant(FLOAT64, 0x7FF << 52), "inf"),
        (double(-0.0), "-0.0"),
        (Constant(EXTENDED, 0x3FFF << 63), "0x8000000000000000p-63"),
    ],
)
def test_expressions_read_as_c_with_few_parentheses(expression: Expression, text: str) -> None:
    assert expression_text(expression) == text


@pytest.mark.parametrize(
    ("operation", "text"),
    [
        (Assume(op("bvslt", X, num(3))), "[x < 3]"),
        (Assign(X, op("bvadd", Y, num(1))), "x := y + 1"),
        (Store(var("p", POINTER), num(3)), "*(int32*)p := 3"),
        (Call("f", (X, num(2)), Y), "y := f(x, 2)"),
        (CallPointer(var("p", POINTER), (X,), None), "(*p)(x)"),
        (Declare("buf"), "declare buf"),
        (Allocate(var("p", POINTER), constant(64, 8), True, Lifetime.HEAP, "calloc"), "p := allocate zeroed 8 bytes (calloc)"),
        (Skip(), "skip"),
    ],
)
def test_operations_are_guarded_commands(operation: Operation, text: str) -> None:
    assert operation_text(operation) == text


def test_a_program_shows_globals_signatures_edges_and_marks() -> None:
    main = Builder("main", (var("argc"),), var("result"))
    yes, no = main.branch(0, op("bvslt", var("argc"), var("g")))
    main.mark(yes)
    main.edge(no, Assign(var("result"), num(0)), 1)
    text = program_text(program(main, variables={"g": 7}))
    for part in (
        "global g: int32 := 7",
        "procedure main(argc: int32) -> result: int32",
        "[argc < g]  -> 2",
        "ERROR reach_error()",
        "// test.c:3",
        "1: (exit)",
    ):
        assert part in text, text
