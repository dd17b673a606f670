"""Violation conditions: what one of them says of another, and what is left of their inputs."""

from __future__ import annotations

from itertools import product
from random import Random

from drystone.engines.dss.messages import COORDINATOR, Kind, Message, Step
from drystone.engines.dss.postconditions.violations import ViolationCondition, ViolationConditions
from drystone.engines.dss.predicates.analysis import PredicateAnalysis, PredicateOptions
from drystone.engines.dss.preparation import ProgramBlock
from drystone.ir.automaton import MarkKind
from drystone.ir.expressions import Expression, Variable, constant
from drystone.ir.operations import Assign
from drystone.logic import terms
from drystone.logic.evaluation import evaluate
from drystone.logic.sorts import BOOL, bitvec
from drystone.logic.terms import Term
from drystone.memory.regions import Regions
from drystone.symbolic.execution import SymbolicProgram
from drystone.symbolic.transformers import Transformer, TransitionSystem
from tests.building import Builder, nondet, op, program
from tests.engines.dss.graphs import analysis

SORT = bitvec(3)
X, Y = Variable("x", SORT), Variable("y", SORT)
x, y = terms.state("x", SORT), terms.state("y", SORT)
STATES = [{x: a, y: b} for a, b in product(range(8), repeat=2)]


def literal(random: Random) -> Term:
    one, other = random.choice(((x, y), (x, terms.constant(SORT, random.randrange(8))), (y, terms.constant(SORT, 3))))
    atom = terms.make(random.choice(("=", "bvult", "bvsle")), BOOL, one, other)
    return terms.negate(atom) if random.random() < 0.5 else atom


def condition(literals: list[Term], id: str = "b#1") -> ViolationCondition:
    return ViolationCondition(id, "b", tuple(literals), (Step("b", id),))


def states(literals: list[Term]) -> set[tuple[int, int]]:
    return {(state[x], state[y]) for state in STATES if all(evaluate(literals, state, 0))}


def test_what_is_covered_is_among_the_states_that_are_known() -> None:
    """Nothing is dropped that is not refuted with what is kept: all states that were added are still there."""
    dropped = 0
    for seed in range(200):
        random = Random(seed)
        known = ViolationConditions()
        added: set[tuple[int, int]] = set()
        for number in range(8):
            cube = list(dict.fromkeys(literal(random) for _ in range(random.randrange(1, 4))))
            covered = known.cover(cube)
            before = set().union(*(states(list(each.literals)) for each in known))
            assert not covered or states(cube) <= before
            assert known.add(condition(cube, f"b#{number}")) != covered
            dropped += covered
            added |= states(cube)
        assert set().union(*(states(list(each.literals)) for each in known)) == added
    assert dropped > 50


def test_a_weaker_condition_takes_the_place_of_stronger_ones() -> None:
    is_three, is_less = terms.equal(x, terms.constant(SORT, 3)), terms.make("bvult", BOOL, y, x)
    known = ViolationConditions()
    assert known.add(condition([is_three, is_less], "b#1"))
    assert known.add(condition([is_less], "b#2")) and [each.id for each in known] == ["b#2"]
    assert not known.add(condition([is_less, is_three], "b#3")) and len(known) == 1
    assert known.cover([is_three, is_less]) and not known.cover([is_three])


def reads_an_input(operator: str, *bounds: Expression) -> tuple[Transformer, int]:
    """A loop with z = any(); an error if the operator holds between x and z, and between z and the bound."""
    main = Builder("main")
    z = main.local("z", SORT)
    for variable in (X, Y):
        main.local(variable.name, SORT)
    head = main.chain(0, Assign(X, constant(3, 0)), Assign(Y, constant(3, 0)))
    current = main.edge(head, Assign(z, nondet("any", SORT)))
    for condition_ in (op(operator, X, z), *(op("bvult", z, bound) for bound in bounds)):
        current, good = main.branch(current, condition_)
        main.edge(good, Assign(X, op("bvadd", X, Y)), head)
    main.mark(current, MarkKind.ERROR)
    automaton = program(main)
    system = TransitionSystem(SymbolicProgram(automaton, Regions(automaton), inductive=True))
    (place,) = system.cut_points
    return system.blocks[place], place


def told(actor: PredicateAnalysis) -> list[list[Term]]:
    sent = actor.receive([Message(kind=Kind.START, sender=COORDINATOR)])
    return [message.conjuncts() for message in sent if message.kind is Kind.ERRORCONDITION]


def test_inputs_are_projected_away_and_not_merely_given_a_value() -> None:
    """So the same input, read again, is the same condition: inputs are matched by where they are read."""
    block, head = reads_an_input("bvule", Y)
    cubes = []
    for seed in range(4):
        actor = analysis(ProgramBlock("b1", block, 1), ("before",), (head,), PredicateOptions(seed=seed))
        (cube,) = told(actor)
        assert not terms.has_inputs(cube)
        assert states(cube) == {(a, b) for a, b in product(range(8), repeat=2) if a < b}  # all from which it is reached
        cubes.append(cube)
    known = ViolationConditions()
    assert [known.add(condition(cube)) for cube in cubes] == [True, False, False, False]


def test_inputs_that_an_equality_determines_are_replaced() -> None:
    block, head = reads_an_input("=", constant(3, 5))
    actor = analysis(ProgramBlock("b1", block, 1), ("before",), (head,), PredicateOptions())
    (cube,) = told(actor)
    assert states(cube) == {(a, b) for a, b in product(range(8), repeat=2) if a < 5}
