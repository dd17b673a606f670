"""The interpreter on small programs built by hand: values, memory, calls, inputs, how runs end."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drystone.concrete.interpreter import (
    Interpreter,
    KeyedInputs,
    ListedInputs,
    Outcome,
    RecordedInputs,
    SeededInputs,
    ZeroInputs,
    interpret,
)
from drystone.ir.automaton import MarkKind, MemoryObject, ObjectKind, Program
from drystone.ir.expressions import Address, Constant, Expression, Input, InputKind, Variable, apply, constant, load
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
    Skip,
    Store,
    ThreadOperation,
)
from drystone.ir.simplify import make
from drystone.logic.floats import arithmetic
from drystone.logic.sorts import BOOL, EXTENDED, FLOAT32, FLOAT64, Sort, bitvec
from tests.building import INT, Builder, nondet, num, op, program, var
from tests.structure import structural_faults


def straight(
    *operations: Operation, result: Sort | None = None, pointer_width: int = 32, objects: dict[str, int] | None = None
) -> Program:
    """A program that is one chain of operations; result and pointers p, q are its variables, `objects` its local objects."""
    main = Builder("main", result=Variable("r", result) if result else None)
    for operation in operations:
        for target in (getattr(operation, "target", None), getattr(operation, "result", None)):
            if isinstance(target, Variable):
                main.variables[target.name] = target
    for name, size in (objects or {}).items():
        main.object(name, size)
    main.chain(0, *operations, to=1)
    built = program(main)
    return msgspec.structs.replace(built, pointer_width=pointer_width)


def run(built: Program, *values: int | float | bytes) -> Outcome:
    for procedure in built.procedures.values():
        assert structural_faults(procedure) == []
    return interpret(built, ListedInputs(values), record_path=True)


def summing_loop() -> Program:
    """n = nondet; i = s = 0; while (i < n) { s += i; i++; } if (s == 10) error; return s"""
    main = Builder("main", result=var("s"))
    n, i, s = main.local("n"), main.local("i"), var("s")
    head = main.chain(0, Assign(n, nondet()), Assign(i, num(0)), Assign(s, num(0)))
    inside, after = main.branch(head, op("bvslt", i, n))
    main.chain(inside, Assign(s, op("bvadd", s, i)), Assign(i, op("bvadd", i, num(1))), to=head)
    bad, good = main.branch(after, op("=", s, num(10)))
    main.mark(bad)
    main.edge(good, Skip(), 1)
    return program(main)


def test_a_loop_computes_its_sum() -> None:
    outcome = run(summing_loop(), 4)
    assert (outcome.kind, outcome.result, outcome.locals["i"]) == ("returned", 6, 4)
    assert outcome.steps == len(outcome.path) == 3 + 4 * 3 + 1 + 1 + 1


def test_the_path_is_connected_and_ends_at_the_error() -> None:
    built = summing_loop()
    outcome = run(built, 5)
    assert outcome.kind == "error" and outcome.what == "reach_error()" and outcome.origin.line == 99
    path = outcome.path
    assert path[0].source == 0 and path[-1].target in built.procedures["main"].marks
    assert all(one.target == other.source for one, other in pairwise(path))


def test_negative_numbers_are_given_as_such() -> None:
    assert run(summing_loop(), -3).result == 0


def test_the_limit_of_steps_ends_a_run() -> None:
    outcome = interpret(summing_loop(), ListedInputs([1_000_000]), max_steps=500)
    assert outcome.kind == "limit" and 500 <= outcome.steps < 510 and outcome.path == ()


@pytest.mark.parametrize("kind", list(MarkKind))
def test_marks_end_a_run(kind: MarkKind) -> None:
    main = Builder("main")
    main.mark(main.edge(0, Skip()), kind, "here")
    outcome = run(program(main))
    assert (outcome.kind, outcome.what, outcome.steps) == (kind.value, "here", 1)


def test_a_failed_assumption_blocks_before_its_edge() -> None:
    outcome = run(straight(Assign(var("x"), num(1)), Assume(op("=", var("x"), num(2)))))
    assert (outcome.kind, outcome.steps, outcome.origin.line) == ("blocked", 1, 2)


def test_thread_operations_are_unknown() -> None:
    outcome = run(straight(ThreadOperation("pthread_create", (), None)))
    assert outcome.kind == "unknown" and "pthread_create" in outcome.what


# Inputs


def test_inputs_are_recorded_and_can_be_replayed() -> None:
    x, y, z = var("x"), var("y"), var("z")
    main = Builder("main", result=z)
    main.variables |= {"x": x, "y": y}
    uninitialised = Input(0, INT, InputKind.UNINITIALISED, "local x")
    main.chain(0, Assign(x, uninitialised), Assign(y, nondet()), Assign(z, op("bvxor", x, y)), to=1)
    built = program(main)
    first = interpret(built, SeededInputs(7))
    assert [entry.kind for entry in first.inputs] == [InputKind.UNINITIALISED, InputKind.NONDET]
    assert interpret(built, RecordedInputs(first.inputs)).result == first.result
    assert interpret(built, SeededInputs(7)).inputs == first.inputs
    assert interpret(built, SeededInputs(7, zero_uninitialised=True)).inputs[0].value == 0
    assert run(built, 5).result == 5  # only the nondeterministic call is the user's
    keyed = KeyedInputs({(0, 0, "local x"): [12]})
    assert interpret(built, keyed).result == 12


def test_one_input_on_an_edge_is_one_value_and_anew_each_time() -> None:
    x, y = var("x"), var("y")
    twice = op("bvadd", nondet(), nondet())  # the same index: the same value
    outcome = run(
        straight(Assign(x, twice), Assign(y, twice), Assign(var("r"), op("bvadd", op("bvmul", x, num(100)), y)), result=INT), 3, 4
    )
    assert outcome.result == 608
    assert len(outcome.inputs) == 2


def test_only_inputs_that_matter_are_read() -> None:
    undefined = Input(1, INT, InputKind.UNDEFINED, "x / y")
    x, y = var("x"), var("y")
    quotient = apply("ite", INT, op("=", y, num(0)), undefined, op("bvsdiv", x, y))
    built = straight(Assign(x, num(7)), Assign(y, nondet()), Assign(var("r"), quotient), result=INT)
    fine, bad = run(built, 2), run(built, 0)
    assert fine.result == 3 and fine.undefined == () and len(fine.inputs) == 1
    assert [(event.what, event.origin.line) for event in bad.undefined] == [("x / y", 3)]


def test_a_branch_on_a_choice() -> None:
    main = Builder("main", result=var("r"))
    choice = main.local("c", BOOL)
    left, right = main.branch(main.edge(0, Assign(choice, Input(0, BOOL, InputKind.CHOICE, "choice"))), choice)
    main.edge(left, Assign(var("r"), num(1)), 1)
    main.edge(right, Assign(var("r"), num(2)), 1)
    assert run(program(main), 1).result == 1
    assert run(program(main), 0).result == 2


# Memory


def pointer(built_width: int, name: str = "p") -> Variable:
    return Variable(name, bitvec(built_width))


@pytest.mark.parametrize("width", [32, 64])
def test_local_objects_keep_what_is_stored(width: int) -> None:
    buffer = Address("buf", bitvec(width))
    second = apply("bvadd", bitvec(width), buffer, constant(width, 1))
    outcome = run(
        straight(
            Declare("buf"),
            Store(buffer, num(0x11223344)),
            Store(second, constant(8, 0xAA)),
            Assign(var("r"), load(INT, buffer)),
            result=INT,
            pointer_width=width,
            objects={"buf": 4},
        )
    )
    assert outcome.result == 0x1122AA44 and outcome.undefined == ()


@given(
    st.sampled_from([bitvec(8), bitvec(24), bitvec(32), bitvec(64), bitvec(128), FLOAT32, FLOAT64, EXTENDED, BOOL, bitvec(5)]),
    st.integers(0, 2**128 - 1),
    st.sampled_from([32, 64]),
    st.integers(0, 12),
)
def test_load_gives_what_store_took(sort: Sort, bits: int, width: int, offset: int) -> None:
    value = Constant(sort, bits & ((1 << (1 if sort == BOOL else sort.width)) - 1))  # type: ignore[union-attr]
    p = pointer(width)
    place = apply("bvadd", bitvec(width), p, constant(width, offset))
    outcome = run(
        straight(
            Allocate(p, constant(width, 32), True, Lifetime.HEAP, "calloc"),
            Store(place, value),
            Assign(Variable("r", sort), load(sort, place)),
            result=sort,
            pointer_width=width,
        )
    )
    assert outcome.result == value.value and outcome.undefined == ()


def test_extended_values_have_the_x87_format_in_memory() -> None:
    buffer = Address("buf", bitvec(32))
    one = Constant(EXTENDED, arithmetic(EXTENDED).from_integer(1))
    outcome = run(
        straight(
            Declare("buf"),
            Store(buffer, one),
            Assign(Variable("r", bitvec(80)), load(bitvec(80), buffer)),
            result=bitvec(80),
            objects={"buf": 16},
        )
    )
    assert outcome.result == 0x3FFF8000000000000000


def test_copy_moves_overlapping_bytes_and_fill_sets_them() -> None:
    p = pointer(32)
    two = apply("bvadd", bitvec(32), p, constant(32, 2))
    outcome = run(
        straight(
            Allocate(p, num(8), True, Lifetime.HEAP, "calloc"),
            Store(p, num(0x04030201)),
            Copy(two, p, 4),
            Fill(p, constant(8, 0xEE), 1),
            Assign(Variable("r", bitvec(64)), load(bitvec(64), p)),
            result=bitvec(64),
        )
    )
    assert outcome.result == 0x0000_0403_0201_02EE


def test_null_dereference_is_a_crash_in_the_middle_of_a_segment() -> None:
    p = pointer(32)
    outcome = run(straight(Assign(p, num(4)), Assign(var("x"), num(1)), Assign(var("r"), load(INT, p)), Skip(), result=INT))
    assert (outcome.kind, outcome.what, outcome.steps, len(outcome.path)) == ("crash", "null dereference", 3, 3)
    assert outcome.origin.line == 3 and outcome.locals["x"] == 1


def test_wild_accesses_go_on_and_are_noted() -> None:
    p = pointer(32)
    built = straight(Assign(p, num(0x70000000)), Store(p, num(5)), Assign(var("r"), load(INT, p)), result=INT)
    outcome = run(built)
    assert outcome.result == 5
    assert {(event.what, event.origin.line) for event in outcome.undefined} == {
        ("write outside every object", 2),
        ("read outside every object", 3),
    }
    unknown = straight(
        Assign(p, num(0x70000000)),
        Assign(var("x"), load(INT, p)),
        Assign(var("r"), op("bvsub", load(INT, p), var("x"))),
        result=INT,
    )
    assert interpret(unknown, SeededInputs(3)).result == 0  # once read, a byte keeps its value


@pytest.mark.parametrize("lifetime", list(Lifetime))
def test_reading_across_the_end_of_an_object(lifetime: Lifetime) -> None:
    p = pointer(32)
    last = apply("bvadd", bitvec(32), p, constant(32, 2))
    outcome = run(straight(Allocate(p, num(4), True, lifetime), Store(p, num(-1)), Assign(var("r"), load(INT, last)), result=INT))
    assert outcome.result == 0xFFFF and len(outcome.undefined) == 1


@pytest.mark.parametrize("lifetime", list(Lifetime))
def test_writing_across_the_end_of_an_object_keeps_its_size(lifetime: Lifetime) -> None:
    p = pointer(32)
    last = apply("bvadd", bitvec(32), p, constant(32, 1))
    built = straight(Allocate(p, num(4), True, lifetime), Store(last, num(-1)), Assign(var("r"), load(INT, p)), result=INT)
    outcome = run(built)
    assert outcome.result == 0xFFFFFF00 and [event.what for event in outcome.undefined] == ["write outside every object"]


def test_freed_memory_is_wild_and_free_twice_is_noted() -> None:
    p = pointer(64)
    allocate = Allocate(p, constant(64, 4), True, Lifetime.HEAP, "malloc")
    good = run(straight(allocate, Free(p), Free(Constant(bitvec(64), 0)), pointer_width=64))
    assert good.undefined == ()
    bad = run(straight(allocate, Free(p), Assign(var("r"), load(INT, p)), Free(p), result=INT, pointer_width=64))
    assert len(bad.undefined) == 2


@pytest.mark.parametrize("width", [32, 64])
def test_allocations_are_distinct_aligned_and_may_fail(width: int) -> None:
    def allocate(name: str, size: int) -> Operation:
        return Allocate(pointer(width, name), constant(width, size), False, Lifetime.HEAP, "malloc")

    outcome = run(straight(allocate("a", 0), allocate("b", 0), allocate("c", 5), allocate("d", 1 << 31), pointer_width=width))
    a, b, c, d = (outcome.locals[name] for name in "abcd")
    assert d == 0 and 0 not in (a, b, c) and a % 16 == b % 16 == c % 16 == 0
    assert b >= a + 16 and c >= b + 16


def test_declare_starts_a_new_life_at_the_same_address() -> None:
    buffer = Address("buf", bitvec(32))
    built = straight(
        Declare("buf"), Store(buffer, num(5)), Declare("buf"), Assign(var("r"), load(INT, buffer)), result=INT, objects={"buf": 4}
    )
    outcome = run(built)
    assert outcome.result == 0 and [entry.name for entry in outcome.inputs] == ["local buf", "local buf"]
    assert len({interpret(built, SeededInputs(seed)).result for seed in range(5)}) > 1


def test_globals_literals_and_externals_start_as_told() -> None:
    word = bitvec(32)
    main = Builder("main", result=var("r"))
    through = load(INT, load(word, Address("table", word)))
    external = load(INT, Address("device", word))
    main.chain(
        0, Assign(var("r"), op("bvadd", op("bvadd", through, var("g")), external)), Store(Address("word", word), num(9)), to=1
    )
    built = msgspec.structs.replace(
        program(main, variables={"g": 100}),
        pointer_width=32,
        objects={
            "word": MemoryObject("word", 8, 4, ObjectKind.GLOBAL, content=b"\x07"),
            "table": MemoryObject("table", 4, 4, ObjectKind.GLOBAL, relocations=((0, Address("word", word)),)),
            "device": MemoryObject("device", 4, 4, ObjectKind.EXTERNAL),
        },
    )
    outcome = run(built, b"\x00\x10\x00\x00")
    assert outcome.result == 107 + 4096 and outcome.globals == {"g": 100}
    assert bytes(outcome.objects["word"]) == b"\x09" + bytes(7)
    assert run(built).result == 107  # a second run finds the initial bytes again


# Calls


def factorial() -> Program:
    """main: r = fact(nondet); fact(n): if (n == 0) 1 else n * fact(n - 1), with the argument in memory"""
    main = Builder("main", result=var("r"))
    main.chain(0, Assign(main.local("n"), nondet()), Call("fact", (var("n"),), var("r")), to=1)
    fact = Builder("fact", (var("n"),), var("f"))
    fact.object("copy", 4)
    copy = Address("copy", bitvec(64))
    stored = fact.chain(0, Declare("copy"), Store(copy, var("n")))
    zero, more = fact.branch(stored, op("=", var("n"), num(0)))
    fact.edge(zero, Assign(var("f"), num(1)), 1)
    fact.chain(
        more,
        Call("fact", (op("bvsub", var("n"), num(1)),), fact.local("t")),
        Assign(var("f"), op("bvmul", load(INT, copy), var("t"))),
        to=1,
    )
    return program(main, fact)


def test_recursion_with_local_objects() -> None:
    outcome = run(factorial(), 5)
    assert outcome.result == 120 and outcome.undefined == ()


def test_recursion_is_not_limited_by_pythons_stack() -> None:
    outcome = interpret(factorial(), ListedInputs([50_000]))
    assert outcome.kind == "returned" and outcome.undefined == ()


def test_an_address_of_an_ended_activation_is_wild() -> None:
    word = bitvec(64)
    main = Builder("main", result=var("r"))
    p = main.local("p", word)
    main.chain(0, Call("leak", (), p), Assign(var("r"), load(INT, p)), to=1)
    leak = Builder("leak", (), Variable("a", word))
    leak.object("gone", 4)
    leak.chain(0, Declare("gone"), Assign(Variable("a", word), Address("gone", word)), to=1)
    assert len(run(program(main, leak)).undefined) == 1


def test_arguments_are_coerced_missing_ones_are_undefined() -> None:
    main = Builder("main", result=var("r"))
    main.edge(0, Call("f", (constant(64, 0x1_0000_0005),), var("r")), 1)
    f = Builder("f", (var("a"), var("b")), Variable("s", bitvec(64)))
    f.edge(0, Assign(Variable("s", bitvec(64)), apply("zero_extend", bitvec(64), op("bvadd", var("a"), var("b")))), 1)
    outcome = run(program(main, f))
    assert outcome.result == 5 and [event.what for event in outcome.undefined] == ["argument 2 of f"]


def pointer_program(target: Expression) -> Program:
    word = bitvec(64)
    main = Builder("main", result=var("r"))
    p = main.local("p", word)
    main.chain(
        0, Assign(p, target), CallPointer(p, (constant(8, 7),), var("r")), Assign(var("r"), op("bvadd", var("r"), num(1))), to=1
    )
    double = Builder("double", (var("x"),), var("y"))
    double.edge(0, Assign(var("y"), op("bvmul", var("x"), num(2))), 1)
    return program(main, double, functions={"double": "double", "printf": None})


def test_calls_through_pointers() -> None:
    word = bitvec(64)
    known = run(pointer_program(Address("double", word)))
    assert known.result == 15 and known.external == ()
    body_less = run(pointer_program(Address("printf", word)), 40)
    assert body_less.result == 41 and "printf" in body_less.external[0].what
    nothing = run(pointer_program(constant(64, 123_456_789)), 50)
    assert nothing.result == 51 and "no function" in nothing.external[0].what


def test_parameters_of_the_entry_are_inputs() -> None:
    main = Builder("main", (var("argc"),), var("r"))
    main.edge(0, Assign(var("r"), var("argc")), 1)
    outcome = run(program(main), 3)
    assert outcome.result == 3 and outcome.inputs[0].kind is InputKind.EXTERNAL


# Values


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_generated_code_computes_what_constant_folding_computes(a: int, b: int) -> None:
    x, y = var("x"), var("y")
    for operator in [
        "bvadd",
        "bvsub",
        "bvmul",
        "bvudiv",
        "bvurem",
        "bvsdiv",
        "bvsrem",
        "bvshl",
        "bvlshr",
        "bvashr",
        "bvslt",
        "bvsle",
    ]:
        plain = op(operator, x, y)
        half = op(operator, x, num(b))  # the text with a known second operand
        for expression in (plain, half):
            outcome = value_on_inputs(expression, a, b)
            expected = make(operator, expression.sort, num(a), num(b))
            assert isinstance(expected, Constant) and outcome == expected.value, operator


def value_on_inputs(expression: Expression, a: int, b: int) -> int | None:
    second = msgspec.structs.replace(nondet(), index=1)
    sort = expression.sort
    return run(
        straight(Assign(var("x"), nondet()), Assign(var("y"), second), Assign(Variable("r", sort), expression), result=sort), a, b
    ).result


def test_floats_compute_in_their_format() -> None:
    f = arithmetic(FLOAT64)
    value = Variable("x", FLOAT64)
    third = apply("fp.div", FLOAT64, value, Constant(FLOAT64, f.from_python(3.0)))
    outcome = run(
        straight(
            Assign(value, Input(0, FLOAT64, InputKind.NONDET, "double")), Assign(Variable("r", FLOAT64), third), result=FLOAT64
        ),
        1.0,
    )
    assert outcome.result is not None and f.to_python(outcome.result) == 1.0 / 3.0


def test_one_interpreter_serves_many_runs() -> None:
    interpreter = Interpreter(summing_loop())
    assert [interpreter.run(ListedInputs([n])).result for n in (0, 3, 4)] == [0, 3, 6]
    assert interpreter.run(ZeroInputs()).kind == "returned"


def test_long_and_bushy_code_is_cut_into_segments() -> None:
    """A chain of 1000 comparisons, each with a body of its own: longer, deeper and larger than any segment."""
    main = Builder("main", result=var("r"))
    n = main.local("n")
    at = main.edge(0, Assign(n, nondet()))
    for case in range(1000):
        hit, at = main.branch(at, op("=", n, num(case)))
        main.chain(hit, Skip(), Assign(var("r"), num(2 * case)), to=1)
    for bit in range(20):  # and nested to a depth of 20
        at, other = main.branch(at, op("=", op("bvand", op("bvlshr", n, num(bit)), num(1)), num(1)))
        main.edge(other, Assign(var("r"), num(bit)), 1)
    main.edge(at, Assign(var("r"), load(INT, Constant(bitvec(64), 0))), 1)
    built = program(main)
    for case in (0, 11, 59, 60, 500, 999):
        outcome = run(built, case)
        assert outcome.result == 2 * case and outcome.steps == len(outcome.path) == case + 4
    assert run(built, 0b1011111 << 12 | 0xFFF).result == 17
    crash = run(built, -1)
    assert crash.kind == "crash" and crash.steps == len(crash.path) == 1 + 1000 + 20 + 1
    assert all(one.target == other.source for one, other in pairwise(crash.path))
