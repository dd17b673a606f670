"""The soundness and precision criteria of Beyer, Kettl, Lemberger 2024, section 3, for random blocks, preconditions and states.

Blocks are the transformers of random automata over 3-bit variables. What holds of all states is asked by going through states: those
of a block's two variables, and the values of its inputs.
"""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest

from drystone.cpa.domains.predicates.abstraction import boolean_abstraction, merged
from drystone.engines.dss.messages import COORDINATOR, Kind, Message, Version, decode, encode, packed
from drystone.engines.dss.predicates.analysis import PredicateAnalysis, PredicateOptions
from drystone.engines.dss.preparation import ProgramBlock
from drystone.engines.dss.queries import Queries
from drystone.ir.automaton import MarkKind, Program
from drystone.ir.expressions import Apply, Expression, Variable, constant
from drystone.ir.operations import Assign
from drystone.logic import terms
from drystone.logic.evaluation import evaluate
from drystone.logic.sorts import BOOL, bitvec
from drystone.logic.terms import TRUE, Term
from drystone.memory.regions import Regions
from drystone.symbolic.execution import SymbolicProgram
from drystone.symbolic.transformers import ENTRY, Transformer, TransitionSystem
from tests.building import Builder, nondet, op, program
from tests.engines.dss.graphs import analysis

WIDTH = 3
SORT = bitvec(WIDTH)
X, Y = Variable("x", SORT), Variable("y", SORT)
x, y = terms.state("x", SORT), terms.state("y", SORT)
STATES = [{x: a, y: b} for a, b in product(range(2**WIDTH), repeat=2)]
SEEDS = range(60)


def expression(random: Random) -> Expression:
    one = random.choice((X, Y))
    other = random.choice((X, Y, constant(WIDTH, random.randrange(2**WIDTH)), constant(WIDTH, random.randrange(2**WIDTH))))
    return op(random.choice(("bvadd", "bvsub", "bvand", "bvor", "bvxor")), one, other)


def condition(random: Random) -> Apply:
    return op(
        random.choice(("=", "bvult", "bvsle")),
        expression(random),
        random.choice((X, Y, constant(WIDTH, random.randrange(2**WIDTH)))),
    )


def random_program(random: Random) -> Program:
    """A loop whose body branches, reads an input now and then, and may get to an error; both variables are live at its head."""
    main = Builder("main")
    for variable in (X, Y):
        main.local(variable.name, SORT)
    more = main.local("more", BOOL)
    head = main.chain(
        0, Assign(X, constant(WIDTH, random.randrange(2**WIDTH))), Assign(Y, constant(WIDTH, random.randrange(2**WIDTH)))
    )
    current = main.edge(head, Assign(more, nondet("more", BOOL)))
    for _ in range(random.randrange(1, 3)):
        yes, no = main.branch(current, condition(random))
        yes = main.edge(yes, Assign(random.choice((X, Y)), expression(random)))
        value = nondet("any", SORT) if random.random() < 0.4 else expression(random)
        main.edge(no, Assign(random.choice((X, Y)), value), yes)
        current = yes
    bad, good = main.branch(current, condition(random))
    main.mark(bad, MarkKind.ERROR)
    again, done = main.branch(good, more)
    main.edge(again, Assign(X, X), head)
    wrong, right = main.branch(done, op("=", X, Y))
    main.mark(wrong, MarkKind.ERROR)
    main.edge(right, Assign(X, X), 1)
    return program(main)


def random_block(random: Random) -> tuple[Transformer, int]:
    """What a loop does in one iteration, and where its head is."""
    automaton = random_program(random)
    system = TransitionSystem(SymbolicProgram(automaton, Regions(automaton), inductive=True))
    (head,) = system.cut_points
    return system.blocks[head], head


def random_predicate(random: Random) -> Term:
    one, other = random.choice(((x, y), (x, value(random)), (y, value(random))))
    operator = random.choice(("=", "bvult", "bvsle"))
    return terms.make(operator, BOOL, one, other)


def value(random: Random) -> Term:
    return terms.constant(SORT, random.randrange(2**WIDTH))


def holds(formulas: list[Term], state: dict[Term, int]) -> list[bool]:
    return [bool(each) for each in evaluate(formulas, state, 0)]


def inputs_of(formulas: list[Term]) -> list[dict[Term, int]]:
    """All values of the inputs in the formulas."""
    symbols = [symbol for symbol in terms.free_symbols(formulas) if symbol.operator == "input"]
    ranges = [range(2 if symbol.sort == BOOL else 2**WIDTH) for symbol in symbols]
    return [dict(zip(symbols, values, strict=True)) for values in product(*ranges)]


def successors(block: Transformer, head: int, state: dict[Term, int]) -> set[tuple[int, int]]:
    """The states at the head after one iteration."""
    way = block.exits.get(head)
    if way is None:
        return set()
    formulas = [way.guard, way.after(x), way.after(y)]
    found = set()
    for inputs in inputs_of(formulas):
        guard, new_x, new_y = evaluate(formulas, {**state, **inputs}, 0)
        assert isinstance(new_x, int) and isinstance(new_y, int)
        if guard:
            found.add((new_x, new_y))
    return found


def actor_of(block: Transformer, head: int, **options: Any) -> PredicateAnalysis:
    """A block whose only predecessor is the block `before`."""
    return analysis(ProgramBlock("b1", block, 1), ("before",), (head,), PredicateOptions(**options))


def post_message(sender: str, location: int, cubes: list[Term], version: int = 1) -> Message:
    message = Message(
        kind=Kind.BLOCKPOSTCONDITION, sender=sender, location=location, terms=packed(cubes), content=Version(version)
    )
    return decode(encode(message))


START = Message(kind=Kind.START, sender=COORDINATOR)


@pytest.mark.parametrize("cap", (64, 1))
def test_postconditions_lose_no_state(cap: int) -> None:
    """Soundness of pack_post: every state that leaves the block is a state of the postcondition, of the Cartesian one, too."""
    for seed in SEEDS:
        random = Random(seed)
        block, head = random_block(random)
        if head not in block.exits:
            continue
        precondition = [random_predicate(random) for _ in range(random.randrange(3))]
        actor = actor_of(block, head, max_cubes=cap)
        actor.refine(head, [random_predicate(random) for _ in range(random.randrange(4))])
        sent = actor.receive([post_message("before", head, precondition)])
        (post,) = [message for message in sent if message.kind is Kind.BLOCKPOSTCONDITION]
        formula = terms.disjunction(post.conjuncts())
        for state in STATES:
            if any(holds(precondition, state)):
                for after in successors(block, head, state):
                    assert holds([formula], dict(zip((x, y), after, strict=True)))[0], seed


def test_boolean_abstraction_is_the_strongest_postcondition_over_the_predicates() -> None:
    for seed in SEEDS:
        random = Random(seed)
        block, head = random_block(random)
        way = block.exits.get(head)
        if way is None:
            continue
        before = random_predicate(random)
        predicates = list(dict.fromkeys(random_predicate(random) for _ in range(3)))
        found = boolean_abstraction(Queries("b"), [before], way, predicates, [], cap=64)
        reached = {
            tuple(holds(predicates, dict(zip((x, y), after, strict=True))))
            for state in STATES
            if holds([before], state)[0]
            for after in successors(block, head, state)
        }
        formula = terms.disjunction(found.cubes)
        for state in STATES:
            assert holds([formula], state)[0] == (tuple(holds(predicates, state)) in reached), seed


def test_unpack_post_is_precise_for_what_pack_post_packs() -> None:
    """The precondition of the next block is the postcondition, no state more, no state less; several are joined."""
    for seed in SEEDS:
        random = Random(seed)
        block, head = random_block(random)
        first, second = ([random_predicate(random) for _ in range(random.randrange(3))] for _ in range(2))
        actor = analysis(ProgramBlock("b1", block, 1), ("p", "q"), (head,), PredicateOptions())
        actor.receive([post_message("p", head, first), post_message("q", head, second)])
        for state in STATES:
            assert holds([actor.precondition], state)[0] == any(holds([*first, *second], state)), seed


def test_the_newest_postcondition_counts() -> None:
    block, head = random_block(Random(1))
    actor = actor_of(block, head)
    is_three, is_four = (terms.equal(x, terms.constant(SORT, each)) for each in (3, 4))
    actor.receive([post_message("before", head, [is_four], version=2)])
    actor.receive([post_message("before", head, [is_three], version=1)])
    assert actor.precondition is is_four


def test_violation_conditions_lead_to_the_error_and_are_found_if_there_are_any() -> None:
    """Precision of pack_vcond: from each of its states the block gets to the error or the condition behind it, for some inputs.

    Soundness: there is one if a state of the precondition gets there. What it leaves out is found after it has been refuted.
    """
    for seed in SEEDS:
        random = Random(seed)
        block, head = random_block(random)
        precondition = random_predicate(random)
        behind = [random_predicate(random)]
        goals = [block.violation]
        messages = [post_message("before", head, [precondition])]
        if head in block.exits:
            goals.append(block.exits[head].pre(behind[0]))
            vcond = Message(kind=Kind.ERRORCONDITION, sender="after", location=head, id="after#1", terms=packed(behind))
            messages.append(decode(encode(vcond)))
        target = terms.disjunction(goals)
        inputs = inputs_of([target])
        leads = [any(holds([target], {**state, **each})[0] for each in inputs) for state in STATES]
        expected = any(lead and holds([precondition], state)[0] for state, lead in zip(STATES, leads, strict=True))
        actor = actor_of(block, head)
        told = [Message.conjuncts(each) for each in actor.receive([*messages, START]) if each.kind is Kind.ERRORCONDITION]
        assert bool(told) == expected, seed
        left = precondition
        for version in range(2, 200):
            for cube in told:
                assert not terms.has_inputs(cube)
                formula = terms.conjunction(cube)
                for state, lead in zip(STATES, leads, strict=True):
                    assert lead or not holds([formula], state)[0], seed
                left = terms.conjunction([left, terms.negate(formula)])
            if not told:
                break
            sent = actor.receive([post_message("before", head, [left], version), START])
            told = [Message.conjuncts(each) for each in sent if each.kind is Kind.ERRORCONDITION]
        assert not told
        for state, lead in zip(STATES, leads, strict=True):
            assert not (lead and holds([left], state)[0]), seed


def test_refuted_violation_conditions_are_excluded_by_the_postcondition() -> None:
    for cap in (64, 1):
        for seed in SEEDS:
            random = Random(seed)
            block, head = random_block(random)
            if head not in block.exits:
                continue
            precondition = terms.conjunction([random_predicate(random), random_predicate(random)])
            behind = [random_predicate(random), random_predicate(random)]
            vcond = Message(kind=Kind.ERRORCONDITION, sender="after", location=head, id="after#1", terms=packed(behind))
            sent = actor_of(block, head, max_cubes=cap).receive([post_message("before", head, [precondition]), vcond])
            formula = terms.disjunction(
                [cube for each in sent if each.kind is Kind.BLOCKPOSTCONDITION for cube in each.conjuncts()]
            )
            refuted = any(each.kind is Kind.ERRORCONDITIONUNREACHABLE for each in sent)
            reached = {after for state in STATES if holds([precondition], state)[0] for after in successors(block, head, state)}
            gets_there = any(all(holds(behind, dict(zip((x, y), after, strict=True)))) for after in reached)
            assert refuted != gets_there
            if refuted:
                assert not any(all(holds([formula, *behind], state)) for state in STATES), seed


def test_a_violation_at_the_entry_is_a_counterexample() -> None:
    automaton = random_program(Random(0))
    system = TransitionSystem(SymbolicProgram(automaton, Regions(automaton), inductive=True))
    (head,) = system.cut_points
    actor = analysis(ProgramBlock("entry", system.initial, 1), (), (head,), PredicateOptions())
    anything = Message(kind=Kind.ERRORCONDITION, sender="after", location=head, id="after#1", terms=packed([TRUE]))
    assert system.initial.start == ENTRY
    assert Kind.RESULT in {message.kind for message in actor.receive([anything, START])}


def test_merging_cubes_keeps_what_they_say() -> None:
    for seed in range(100):
        random = Random(seed)
        width = random.randrange(1, 6)
        everything = list(product((False, True), repeat=width))
        cubes = random.sample(everything, random.randrange(len(everything) + 1))
        joined = merged(cubes)
        assert len(joined) <= len(cubes)
        for signs in everything:
            covered = any(all(c is None or c == s for c, s in zip(cube, signs, strict=True)) for cube in joined)
            assert covered == (signs in cubes)
