"""Inlining keeps the meaning: names, frames, recursion, pointers; and the interpreter sees no difference."""

from __future__ import annotations

import pytest

from drystone.ir.automaton import MarkKind, Procedure, Program
from drystone.ir.expressions import Address, Expression, Input, InputKind
from drystone.ir.operations import Assign, Assume, Call, CallPointer, Declare, Skip, Store, ThreadOperation
from drystone.ir.text import operation_text, path_texts
from drystone.logic.sorts import BOOL
from drystone.passes.inline import TooLarge, inline
from tests.building import POINTER, Builder, nondet, num, op, program, var
from tests.structure import structural_faults


def body(program: Program) -> Procedure:
    procedure = program.procedures[program.entry]
    assert list(program.procedures) == [program.entry]
    assert not structural_faults(procedure)
    assert not any(isinstance(edge.operation, (Call, CallPointer, ThreadOperation)) for edge in procedure.edges)
    return procedure


def operations(procedure: Procedure) -> list[str]:
    return [operation_text(edge.operation) for edge in procedure.edges]


def identity() -> Builder:
    f = Builder("f", (var("a"),), var("result"))
    local = f.local("x")
    f.chain(0, Assign(local, op("bvadd", var("a"), num(1))), Assign(var("result"), local), to=1)
    return f


def test_names_carry_the_call_path() -> None:
    g = Builder("g", (var("b"),), var("result"))
    g.edge(0, Call("f", (var("b"),), var("result")), 1, line=5)
    main = Builder("main")
    r = main.local("r")
    main.edge(main.edge(0, Call("g", (num(1),), r), line=12), Call("f", (r,), r), 1, line=12)
    procedure = body(inline(program(main, g, identity())))
    assert operations(procedure) == [
        "g@12.b := 1",
        "g@12.f@5.a := g@12.b",
        "g@12.f@5.x := g@12.f@5.a + 1",
        "g@12.f@5.result := g@12.f@5.x",
        "g@12.result := g@12.f@5.result",
        "r := g@12.result",
        "f@12.a := r",
        "f@12.x := f@12.a + 1",
        "f@12.result := f@12.x",
        "r := f@12.result",
    ]
    assert path_texts(procedure) == ["main", "main/g@12", "main/g@12/f@5", "main/f@12"]
    assert set(procedure.variables) == {"r", "g@12.b", "g@12.result"} | {
        f"{path}.{name}" for path in ("g@12.f@5", "f@12") for name in ("a", "x", "result")
    }


def test_two_calls_on_one_line_have_different_names() -> None:
    main = Builder("main")
    r = main.local("r")
    main.edge(main.edge(0, Call("f", (num(1),), r), line=3), Call("f", (r,), r), 1, line=3)
    procedure = body(inline(program(main, identity())))
    assert {"f@3.x", "f@3#2.x"} <= set(procedure.variables)


def test_a_local_of_the_entry_is_not_taken_for_a_global_by_a_callee() -> None:
    f = Builder("f")
    f.edge(0, Assign(var("x"), num(7)), 1)  # the global x
    main = Builder("main")
    local = main.local("x")
    main.chain(0, Assign(local, num(1)), Call("f", (), None), to=1)
    procedure = body(inline(program(main, f, variables={"x": 0})))
    assert [text for text in operations(procedure) if ":=" in text] == ["x%local := 1", "x := 7"]


def test_objects_of_a_callee_are_its_own() -> None:
    f = Builder("f")
    f.object("buf", 8)
    f.chain(0, Declare("buf"), Store(Address("buf", POINTER), num(1)), to=1)
    main = Builder("main")
    main.edge(main.edge(0, Call("f", (), None), line=3), Call("f", (), None), 1, line=4)
    procedure = body(inline(program(main, f)))
    assert list(procedure.objects) == ["f@3.buf", "f@4.buf"]
    assert "*(int32*)&f@4.buf := 1" in operations(procedure)


def test_missing_arguments_are_inputs_and_spare_ones_are_dropped() -> None:
    main = Builder("main")
    r = main.local("r")
    main.edge(main.edge(0, Call("f", (), r)), Call("f", (num(1), num(2)), r), 1)
    procedure = body(inline(program(main, identity())))
    bound = [
        edge.operation
        for edge in procedure.edges
        if isinstance(edge.operation, Assign) and edge.operation.target.name.endswith(".a")
    ]
    assert isinstance(bound[0].value, Input) and bound[0].value.kind is InputKind.UNDEFINED
    assert bound[1].value == num(1)


def test_an_input_read_by_two_arguments_stays_one_value() -> None:
    f = Builder("f", (var("a"), var("b")))
    f.edge(0, Skip(), 1)
    main = Builder("main")
    main.edge(0, Call("f", (nondet(), op("bvadd", nondet(), num(1))), None), 1)
    procedure = body(inline(program(main, f)))
    reads = [text for text in operations(procedure) if "nondet" in text]
    assert reads == ["f@1.%input0 := nondet(__VERIFIER_nondet_int)"]


def test_a_result_that_may_be_missing_is_not_the_one_of_the_call_before() -> None:
    f = Builder("f", (var("a"),), var("result"))
    yes, no = f.branch(0, op("=", var("a"), num(0)))
    f.edge(yes, Assign(var("result"), num(1)), 1)
    f.edge(no, Skip(), 1)
    main = Builder("main")
    main.edge(0, Call("f", (num(1),), main.local("r")), 1)
    assert "f@1.result := undefined(result of f)" in operations(body(inline(program(main, f))))


def countdown() -> Builder:
    f = Builder("f", (var("n"),), var("result"))
    done, more = f.branch(0, op("=", var("n"), num(0)))
    f.edge(done, Assign(var("result"), num(0)), 1)
    f.chain(
        more,
        Call("f", (op("bvsub", var("n"), num(1)),), f.local("t")),
        Assign(var("result"), op("bvadd", var("t"), num(1))),
        to=1,
    )
    return f


@pytest.mark.parametrize("bound", [1, 2, 5])
def test_recursion_ends_in_an_unknown_location(bound: int) -> None:
    main = Builder("main")
    main.edge(0, Call("f", (num(3),), main.local("r")), 1)
    procedure = body(inline(program(main, countdown()), recursion_bound=bound))
    (mark,) = procedure.marks.values()
    assert mark.kind is MarkKind.UNKNOWN and mark.what == f"recursion of f beyond {bound} calls"
    assert len([frame for frame in procedure.frames if frame.function == "f"]) == bound


def test_code_after_a_call_that_never_returns_is_dropped() -> None:
    f = Builder("f")
    f.edge(0, Skip(), f.edge(0, Skip()))
    f.edges.pop()
    f.edge(2, Skip(), 0)
    main = Builder("main")
    main.chain(0, Call("f", (), None), Assign(main.local("r"), num(1)), to=1)
    assert "r := 1" not in operations(body(inline(program(main, f))))


def test_thread_operations_are_unknown_locations() -> None:
    main = Builder("main")
    main.edge(0, ThreadOperation("pthread_create", (), None), 1)
    (mark,) = body(inline(program(main))).marks.values()
    assert (mark.kind, mark.what) == (MarkKind.UNKNOWN, "thread operation pthread_create")


def pointer_program(*targets: str) -> Program:
    """A call through p, which is one of the addresses by choice."""
    main = Builder("main")
    pointer, choice = main.local("p", POINTER), main.local("c", BOOL)
    value: Expression = Address(targets[0], POINTER)
    for name in targets[1:]:
        value = op("ite", choice, value, Address(name, POINTER))
    main.chain(0, Assign(pointer, value), CallPointer(pointer, (num(1),), main.local("r")), to=1)
    none = Builder("none")
    none.edge(0, Skip(), 1)
    return program(main, none, identity(), functions={"none": "none", "f": "f", "printf": None})


def test_a_pointer_call_branches_over_the_functions_that_fit_first() -> None:
    inlined = inline(pointer_program("none", "f"))
    procedure = body(inlined)
    guards = [text for text in operations(procedure) if text.startswith("[")]
    assert guards == ["[p == &f]", "[p != &f]", "[p == &none]", "[p != &none]"]
    assert "r := external(call through a pointer to no function)" in operations(procedure)
    assert [item.kind for item in inlined.approximations] == ["function pointer"]


def test_points_to_information_restricts_the_functions() -> None:
    procedure = body(inline(pointer_program("none", "printf")))
    assert [text for text in operations(procedure) if text.startswith("[")] == ["[p == &none]", "[p != &none]"]


def test_a_pointer_from_an_input_is_read_once() -> None:
    main = Builder("main")
    main.edge(0, CallPointer(Input(0, POINTER, InputKind.EXTERNAL, "get"), (num(1),), main.local("r")), 1)
    procedure = body(inline(program(main, identity(), functions={"f": "f"})))
    assert operations(procedure)[0] == "%callee@1 := external(get)"
    assert len([text for text in operations(procedure) if "external(get)" in text]) == 1


def test_explosion_names_the_function() -> None:
    procedures = [Builder(f"f{number}") for number in range(20)]
    for number, builder in enumerate(procedures[:-1]):
        builder.chain(0, Call(f"f{number + 1}", (), None), Call(f"f{number + 1}", (), None), to=1)
    procedures[-1].edge(0, Skip(), 1)
    with pytest.raises(TooLarge, match="more than 5000 edges") as caught:
        inline(program(*procedures), max_edges=5_000)
    assert caught.value.function.startswith("f") and caught.value.edges == 5_000


def test_copies_share_what_names_nothing_local() -> None:
    shared = op("bvadd", var("g"), num(1))
    f = Builder("f")
    f.edge(0, Assign(var("g"), shared), 1)
    main = Builder("main")
    main.chain(0, Call("f", (), None), Call("f", (), None), to=1)
    procedure = body(inline(program(main, f, variables={"g": 0})))
    values = [edge.operation.value for edge in procedure.edges if isinstance(edge.operation, Assign)]
    assert values[0] is shared and values[1] is shared


def test_assumptions_keep_the_branch_structure_in_callees() -> None:
    main = Builder("main")
    main.edge(0, Call("f", (num(3),), main.local("r")), 1)
    procedure = body(inline(program(main, countdown()), recursion_bound=3))
    assumptions = [edge.operation for edge in procedure.edges if isinstance(edge.operation, Assume)]
    assert len(assumptions) == 6
