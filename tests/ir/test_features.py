"""What `info` counts."""

from __future__ import annotations

from drystone.ir.expressions import Address, apply, constant, load
from drystone.ir.features import features
from drystone.ir.operations import Assign, CallPointer, Skip, Store, ThreadOperation
from drystone.logic.sorts import FLOAT64, bitvec
from tests.building import POINTER, Builder, num, op, program, var


def test_loops_are_counted_by_their_heads() -> None:
    main = Builder("main")
    inside, outside = main.branch(0, op("bvslt", var("x"), num(3)))
    inner, after = main.branch(inside, op("bvslt", var("y"), num(3)))
    main.edge(inner, Skip(), inside)
    main.edge(after, Skip(), 0)
    main.edge(outside, Skip(), 1)
    found = features(program(main))
    assert [(place.function, place.origin.line) for place in found.loops] == [("main", 1), ("main", 3)]


def test_only_addresses_that_vary_are_pointers() -> None:
    main = Builder("main")
    pointer = main.local("p", POINTER)
    fixed = op("bvadd", Address("a", POINTER), constant(64, 4))
    main.chain(
        0,
        Store(fixed, num(1)),
        Store(pointer, load(bitvec(32), fixed)),
        Assign(main.local("x"), load(bitvec(32), load(POINTER, pointer))),
        to=1,
    )
    assert features(program(main)).pointers == 3


def test_floats_threads_pointer_calls_and_errors() -> None:
    main = Builder("main")
    d = main.local("d", FLOAT64)
    end = main.chain(
        0,
        Assign(d, apply("fp.add", FLOAT64, d, d)),
        ThreadOperation("pthread_create", (), None),
        CallPointer(var("p", POINTER), (), None),
    )
    main.mark(end)
    found = features(program(main))
    assert (found.floats, found.pointer_calls) == (1, 1)
    assert [place.what for place in found.threads] == ["pthread_create"]
    assert [place.what for place in found.errors] == ["reach_error()"]
