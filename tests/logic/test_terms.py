"""Terms are interned, walks are loops, substitution and evaluation commute, packing gives back the same terms."""

from __future__ import annotations

import subprocess
import sys
from random import Random

import pytest

from drystone.logic.evaluation import ArrayValue, Evaluation, Value, evaluate, evaluate_one
from drystone.logic.packing import digest, pack, unpack
from drystone.logic.printing import c_text
from drystone.logic.smtlib import smtlib
from drystone.logic.sorts import BOOL, FLOAT32, Array, Float, bitvec
from drystone.logic.substitution import substitute
from drystone.logic.terms import (
    FALSE,
    TRUE,
    Term,
    atoms,
    concat,
    conjunction,
    conjuncts,
    constant,
    disjunction,
    equal,
    extract,
    free_symbols,
    has_inputs,
    input_symbol,
    ite,
    make,
    negate,
    select,
    size,
    state,
    store,
)
from drystone.logic.walks import reachable
from tests.logic.random_terms import Generator, random_environment
from tests.places import ROOT

WORD = bitvec(32)
MEMORY = Array(WORD, bitvec(8))
ARRAYS = (Array(bitvec(2), bitvec(3)), Array(bitvec(4), bitvec(8)))
FORMATS = (Float(3, 4), Float(5, 11))
x, y, z = (state(name, WORD) for name in "xyz")


def word(value: int) -> Term:
    return constant(WORD, value)


def random_terms(seed: int, amount: int) -> list[Term]:
    random = Random(seed)
    generate = Generator(random, (2, 3, 4, 7, 8, 16), FORMATS, ARRAYS)
    return [generate.term(random.choice([generate.sort(), *ARRAYS]), random.randrange(5)) for _ in range(amount)]


def test_equal_terms_are_one_object() -> None:
    assert make("bvadd", WORD, x, y) is make("bvadd", WORD, y, x)
    assert state("x", WORD) is x
    assert state("x", bitvec(8)) is not x
    assert input_symbol("x", WORD) is not x
    assert constant(WORD, -1) is word(0xFFFFFFFF)


def test_rewrites_that_the_design_names() -> None:
    one = word(1)
    assert equal(make("bvadd", WORD, x, one), make("bvadd", WORD, y, one)) is equal(x, y)
    assert concat(extract(x, 31, 16), extract(x, 15, 0)) is x
    memory = state("memory", MEMORY)
    value = constant(bitvec(8), 7)
    assert select(store(memory, make("bvadd", WORD, x, word(4)), value), x) is select(memory, x)
    assert select(store(memory, x, value), x) is value
    assert ite(state("p", BOOL), memory, memory) is memory
    f = state("f", FLOAT32)
    assert make("fp.eq", BOOL, f, f) is not TRUE  # a NaN is not equal to itself
    p, q = state("p", BOOL), state("q", BOOL)
    assert make("or", BOOL, make("and", BOOL, p, q), make("and", BOOL, p, negate(q))) is p
    assert make("bvule", BOOL, x, y) is negate(make("bvult", BOOL, y, x))
    assert make("scale", WORD, x, word(4)) is make("bvmul", WORD, x, word(4))


def test_conjunction_is_the_same_for_every_order() -> None:
    parts = [state(f"p{i}", BOOL) for i in range(9)]
    whole = conjunction(parts)
    assert conjunction([*reversed(parts), parts[3], TRUE]) is whole
    assert set(conjuncts(whole)) == set(parts)
    assert conjunction([*parts, negate(parts[4])]) is FALSE
    assert disjunction([*parts, negate(parts[4])]) is TRUE
    assert conjunction([]) is TRUE and disjunction([]) is FALSE
    assert set(atoms(make("or", BOOL, whole, equal(x, y)))) == {*parts, equal(x, y)}


def test_ids_grow_from_arguments_to_terms() -> None:
    for term in reachable(random_terms(1, 300)):
        assert all(argument.id < term.id for argument in term.arguments)


def test_symbols_are_found() -> None:
    term = make("bvadd", WORD, x, make("bvmul", WORD, y, input_symbol("n", WORD)))
    assert free_symbols(term) == [input_symbol("n", WORD), x, y]
    assert has_inputs(term) and not has_inputs(x)
    assert size(term) == 5


@pytest.mark.parametrize("seed", range(4))
def test_substituting_and_evaluating_commute(seed: int) -> None:
    random = Random(seed)
    generate = Generator(random, (2, 3, 4, 7, 8, 16), FORMATS, ARRAYS)
    for term in random_terms(seed, 150):
        symbols = free_symbols(term)
        mapping = {symbol: generate.term(symbol.sort, 2) for symbol in symbols if random.random() < 0.7}
        environment = random_environment(random, free_symbols([*mapping.values(), *symbols]))
        values = evaluate(list(mapping.values()), environment)
        inner = environment | dict(zip(mapping, values, strict=True))
        left, right = evaluate([substitute(term, mapping)], environment)[0], evaluate([term], inner)[0]
        if isinstance(left, ArrayValue) and isinstance(right, ArrayValue):
            assert all(left.at(i) == right.at(i) for i in range(16))
        else:
            assert left == right


@pytest.mark.parametrize("seed", range(4))
def test_what_an_evaluation_remembers_does_not_change(seed: int) -> None:
    random = Random(seed)
    terms = random_terms(seed, 150)
    environment = random_environment(random, free_symbols(terms))
    evaluation = Evaluation()
    for _ in range(150):
        asked = random.choices(terms, k=random.randrange(1, 4))
        assert evaluation.values(asked, environment.__getitem__) == evaluate(asked, environment)


def test_a_store_on_an_array_that_was_asked_for_leaves_it_alone() -> None:
    memory = state("memory", MEMORY)
    longer = store(memory, x, constant(bitvec(8), 7))
    environment: dict[Term, Value] = {memory: ArrayValue(0, {3: 4}), x: 3}
    evaluation = Evaluation()
    values = [evaluation.values([term], environment.__getitem__)[0] for term in (memory, longer, memory)]
    assert values == [ArrayValue(0, {3: 4}), ArrayValue(0, {3: 7}), ArrayValue(0, {3: 4})]


def test_substitution_is_simultaneous() -> None:
    term = make("bvsub", WORD, x, y)
    assert substitute(term, {x: y, y: x}) is make("bvsub", WORD, y, x)
    assert substitute([term, x], {x: y}) == [word(0), y]


def test_stores_do_not_change_the_environment() -> None:
    memory = state("memory", MEMORY)
    value = ArrayValue(0, {3: 4})
    environment = {memory: value}
    one, two = store(memory, word(1), constant(bitvec(8), 1)), store(memory, word(2), constant(bitvec(8), 2))
    chosen = ite(equal(select(memory, word(3)), constant(bitvec(8), 4)), one, two)
    results = evaluate(
        [memory, one, two, chosen, select(one, word(3)), store(chosen, word(9), constant(bitvec(8), 9))], environment
    )
    assert results[:3] == [(0, {3: 4}), (0, {3: 4, 1: 1}), (0, {3: 4, 2: 2})]
    assert results[3:] == [(0, {3: 4, 1: 1}), 4, (0, {3: 4, 1: 1, 9: 9})]
    assert value.entries == {3: 4}


def test_a_symbol_without_a_value_is_an_error_or_the_default() -> None:
    with pytest.raises(KeyError, match="'x'"):
        evaluate([x], {})
    assert evaluate([x, select(state("memory", MEMORY), x)], {}, 0) == [0, 0]


def test_packing_gives_back_the_same_terms() -> None:
    terms = random_terms(3, 400)
    assert unpack(pack(terms)) == terms
    assert unpack(pack(terms, compress=True)) == terms
    huge = constant(bitvec(128), 1 << 127 | 5)
    assert unpack(pack([huge, state("0x5", bitvec(128)), TRUE, huge])) == [huge, state("0x5", bitvec(128)), TRUE, huge]
    assert unpack(pack([])) == []


def test_bytes_that_are_no_terms_are_rejected() -> None:
    data = pack(random_terms(3, 20))
    for broken in (b"", b"x", data[:-3], data[:1], b"\0\x90", b"\0" + bytes(40)):
        with pytest.raises(ValueError, match=r"no packed terms"):
            unpack(broken)


def test_terms_do_not_depend_on_what_was_made_before() -> None:
    """In another process, where terms get other ids, texts other hashes, and a solver has seen other terms first."""
    program = (
        "import sys\n"
        "from tests.logic.test_terms import random_terms\nfrom drystone.logic.packing import digest\n"
        "from drystone.solvers import make_solver\n"
        "if sys.argv[1] != '0':\n"
        "    solver = make_solver('z3')\n"
        "    for term in random_terms(int(sys.argv[1]), 400): solver.translate(term)\n"
        "print(digest(random_terms(5, 200)))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", program, argument],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": argument},
            cwd=ROOT,
        ).stdout
        for argument in ("0", "17", "18")
    ]
    assert len({*runs, digest(random_terms(5, 200)) + "\n"}) == 1


def test_a_rule_at_its_bound_leaves_the_whole_as_it_was() -> None:
    """Otherwise an inner part would stay unsimplified only if the whole was made first."""
    memory = state("bounded", MEMORY)
    arrays = [memory]
    for i in range(1, 520):
        arrays.append(store(arrays[-1], make("bvadd", WORD, x, word(i)), constant(bitvec(8), i)))
    assert select(arrays[-1], x).arguments[0] is arrays[-1]
    assert select(arrays[300], x) is select(memory, x)
    chain = x
    chains = [chain]
    for i in range(40):
        chains.append(ite(state(f"bounded {i}", BOOL), word(i), make("bvadd", WORD, chains[-1], word(1))))
    assert equal(chains[-1], word(100)).operator == "="
    assert equal(chains[30], word(90)).operator == "="
    assert equal(chains[10], word(100)).operator != "="


def test_deep_terms_are_walked_by_loops() -> None:
    depth = 100_000
    term, memory = x, state("memory", MEMORY)
    for i in range(depth // 2):
        term = make("bvadd", WORD, make("bvmul", WORD, term, y), x)
        memory = store(memory, make("bvmul", WORD, x, word(i)), constant(bitvec(8), i))
    assert size(term) > depth
    assert substitute(term, {x: y, y: x}) is not term
    assert evaluate_one(term, {x: 1, y: 1}) == depth // 2 + 1
    assert len(evaluate([memory], {x: 1, memory_symbol(): ArrayValue(0, {})})[0].entries) == depth // 2  # type: ignore[union-attr]
    assert unpack(pack([term, memory])) == [term, memory]
    assert "more)" in c_text(term)
    assert smtlib([equal(term, x)]).count("define-fun") > 1000
    assert free_symbols([term]) == [x, y]


def memory_symbol() -> Term:
    return state("memory", MEMORY)


PATTERNS = {
    "reset counter": lambda i, t: ite(state(f"c{i}", BOOL), word(0), make("bvadd", WORD, t, word(1))),
    "alternating": lambda i, t: make("bvxor", WORD, make("bvadd", WORD, t, word(3)), word(5)),
    "turning": lambda i, t: make("bvsub", WORD, word(i), t),
    "complement": lambda i, t: make("bvneg", WORD, make("bvnot", WORD, t)),
    "sum": lambda i, t: make("bvadd", WORD, t, state(f"s{i}", WORD)),
    "choice": lambda i, t: ite(state(f"c{i}", BOOL), word(i), t),
    "shift": lambda i, t: make("bvlshr", WORD, make("bvshl", WORD, t, word(1)), word(1)),
    "narrow": lambda i, t: make("zero_extend", WORD, make("truncate", bitvec(31), make("bvadd", WORD, t, x))),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_no_rule_recurses_along_a_chain(name: str) -> None:
    """Unrolled loops give chains of the same few operators; comparing their ends must not follow them by recursion."""
    left, right = x, y
    for i in range(3000):
        left, right = PATTERNS[name](i, left), PATTERNS[name](i, right)
    memory = store(state("memory", MEMORY), left, constant(bitvec(8), 1))
    for term in (left, right, make("bvsub", WORD, left, right), make("bvmul", WORD, left, word(12))):
        for operator in ("=", "bvult", "bvsle"):
            make(operator, BOOL, term, word(7))
            make(operator, BOOL, left, term)
        select(memory, term)
        extract(term, 15, 8)
        make("truncate", bitvec(8), term)


def test_boolean_chains_do_not_recurse() -> None:
    guard, other = state("g", BOOL), state("h", BOOL)
    for i in range(3000):
        p = state(f"p{i}", BOOL)
        guard = make("or", BOOL, make("and", BOOL, guard, p), make("and", BOOL, other, negate(p)))
        other = make("and", BOOL, other, make("or", BOOL, p, negate(guard)))
    assert evaluate_one(make("and", BOOL, guard, negate(other)), {}, 0) == 0


def test_c_text() -> None:
    p = state("p", BOOL)
    memory = state("memory", MEMORY)
    for term, text in [
        (make("bvmul", WORD, make("bvadd", WORD, x, y), z), None),
        (make("bvsub", WORD, x, make("bvsub", WORD, y, z)), "x - (y - z)"),
        (make("bvsub", WORD, make("bvsub", WORD, x, y), z), "x - y - z"),
        (negate(equal(x, word(0xFFFFFFFF))), "x != -1"),
        (make("bvsle", BOOL, x, y), "y >= x"),
        (make("bvult", BOOL, x, y), "x <u y"),
        (negate(make("and", BOOL, p, equal(x, y))), None),
        (ite(p, x, y), "p ? x : y"),
        (select(memory, make("bvadd", WORD, x, word(4))), "memory[x + 4]"),
        (store(memory, x, constant(bitvec(8), 200)), "memory{x: -56}"),
        (extract(x, 15, 8), "x[15:8]"),
        (make("sign_extend", bitvec(64), input_symbol("n", WORD)), "s64(?n)"),
        (make("fp.lt", BOOL, state("f", FLOAT32), constant(FLOAT32, 0x3FC00000)), "f < 1.5"),
    ]:
        assert text is None or c_text(term) == text
        assert repr(term) == c_text(term)
    shared = x
    for _ in range(40):
        shared = make("bvmul", WORD, shared, make("bvadd", WORD, shared, y))
    assert len(c_text(shared)) < 8000
