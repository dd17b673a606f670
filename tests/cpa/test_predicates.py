"""Predicate abstraction: no state is lost, whatever the blocks are, and ways that meet are those that were taken."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.cpa.domains.predicates.abstraction import boolean_abstraction, cartesian_abstraction
from drystone.cpa.domains.predicates.analysis import PredicateAnalysis, PredicateOptions
from drystone.cpa.domains.predicates.blocks import Blocks, adjusted_blocks, every, is_blk
from drystone.cpa.domains.predicates.paths import Path as Ways
from drystone.cpa.domains.predicates.paths import Paths
from drystone.cpa.domains.predicates.states import Local, State
from drystone.cpa.encodings import ENCODINGS, kept_locations
from drystone.frontend.load import FrontendOptions, load
from drystone.logic import terms
from drystone.logic.evaluation import Value, evaluate
from drystone.logic.sorts import BOOL, Array, BitVec
from drystone.logic.terms import FALSE, TRUE, Term, make
from drystone.pipeline import PreparedProgram
from drystone.solvers.queries import Queries
from drystone.symbolic.execution import SymbolicProgram
from drystone.symbolic.transformers import ENTRY, Exit, TransitionSystem
from tests.explicit.generator import decided_program

SEEDS = range(6)
STATES = 40


def random_program(folder: Path, seed: int) -> SymbolicProgram:
    path = folder / f"{seed}.c"
    path.write_text(decided_program(seed).text)
    program = load([str(path)], FrontendOptions()).program
    return PreparedProgram(program).flat(recursion_bound=1, max_edges=20_000, sliced=True).symbolic(inductive=True)


def random_values(symbols: list[Term], chance: random.Random) -> dict[Term, Value]:
    """Small numbers, more often than not."""
    values: dict[Term, Value] = {}
    for symbol in symbols:
        if isinstance(symbol.sort, BitVec):
            values[symbol] = chance.choice([chance.randrange(4), chance.getrandbits(symbol.sort.width)])
        elif not isinstance(symbol.sort, Array):
            values[symbol] = bool(chance.getrandbits(1)) if symbol.sort == BOOL else 0
    return values


def random_predicates(symbolic: SymbolicProgram, location: int, chance: random.Random) -> list[Term]:
    """Comparisons of what is live at a location."""
    live = symbolic.live(location) or []
    words = [terms.state(name, sort) for name in live if isinstance(sort := symbolic.sorts[name], BitVec)]
    found = []
    for word in words:
        others = [each for each in words if each.sort == word.sort and each is not word]
        other = chance.choice([terms.constant(word.sort, chance.randrange(3)), *others])
        found.append(make(chance.choice(["=", "bvult", "bvsle"]), BOOL, word, other))
    return [each for each in dict.fromkeys(found) if each not in (TRUE, FALSE)][:4]


def all_ways(paths: Paths, symbolic: SymbolicProgram, heads: frozenset[int]) -> dict[tuple[int, int], Exit]:
    """From each head, and the entry, to each next one: step by step, merged where ways meet, in topological order."""
    found: dict[tuple[int, int], Exit] = {}
    for start in (ENTRY, *sorted(heads)):
        order = symbolic.order(symbolic.procedure.entry if start == ENTRY else start, heads)
        place = {location: number for number, location in enumerate(order)}
        waiting: dict[int, Ways] = {}
        following = paths.from_start(start).paths
        while True:
            for each in following:
                if each.location in heads:
                    before = waiting.get(-each.location - 1)
                    waiting[-each.location - 1] = each if before is None else paths.merged(before, each)
                else:
                    before = waiting.get(each.location)
                    waiting[each.location] = each if before is None else paths.merged(before, each)
            inner = [location for location in waiting if location >= 0]
            if not inner:
                break
            following = paths.after(waiting.pop(min(inner, key=place.__getitem__))).paths
        found.update({(start, way.location): way.exit for way in waiting.values()})
    return found


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("seed", SEEDS)
def test_merged_ways_are_those_of_the_transformers(tmp_path: Path, seed: int, encoding: str) -> None:
    """What steps along an encoding say together is what one step from head to head says."""
    symbolic, chance = random_program(tmp_path, seed), random.Random(seed)
    kept = kept_locations(symbolic.program, encoding)
    system = TransitionSystem(symbolic, given=kept.heads)
    ways = all_ways(Paths(symbolic, kept.locations), symbolic, system.heads)
    for block in system.all_blocks():
        for target, exit in block.exits.items():
            way = ways[block.start, target]
            names = sorted({*exit.values, *way.values})
            both = [terms.state(name, symbolic.sorts[name]) for name in names]
            asked = [exit.guard, way.guard, *(each.after(state) for state in both for each in (exit, way))]
            asked = [each for each in asked if not isinstance(each.sort, Array)]
            for _ in range(STATES):
                told = evaluate(asked, random_values(terms.free_symbols(asked), chance), 0)
                assert told[0] == told[1], (block.start, target)
                assert not told[0] or told[2::2] == told[3::2], (block.start, target, names)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_abstraction_loses_no_state(tmp_path: Path, seed: int) -> None:
    symbolic, chance = random_program(tmp_path, seed), random.Random(seed)
    system, queries = TransitionSystem(symbolic), Queries("test")
    for block in system.all_blocks():
        for target, exit in block.exits.items():
            predicates = random_predicates(symbolic, target, chance)
            before = [] if block.start == ENTRY else random_predicates(symbolic, block.start, chance)[:1]
            clauses = [terms.negate(terms.conjunction(predicates))] if predicates else []
            found = [
                boolean_abstraction(queries, before, exit, predicates, clauses, cap=100),
                boolean_abstraction(queries, before, exit, predicates, clauses, cap=1),
                cartesian_abstraction(queries, before, exit, predicates, clauses),
            ]
            images = [exit.after(terms.disjunction(each.cubes)) for each in found]
            given = [*before, exit.guard]
            for _ in range(STATES):
                values = random_values(terms.free_symbols([*given, *images]), chance)
                if all(evaluate(given, values, 0)):
                    assert all(evaluate(images, values, 0)), (block.start, target, [str(each) for each in predicates])
            boolean, *weaker = (terms.disjunction(each.cubes) for each in found)
            for other in weaker:
                assert not queries.is_satisfiable([boolean, terms.negate(other)]), "the Boolean one is the strongest"


def analysis(symbolic: SymbolicProgram, blocks: Blocks) -> PredicateAnalysis:
    return PredicateAnalysis(symbolic, blocks, PredicateOptions(), Deadline())


def diamond(folder: Path) -> SymbolicProgram:
    path = folder / "diamond.c"
    path.write_text(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"
        "int main(void) { int x = __VERIFIER_nondet_int(), y; if (x > 0) y = 1; else y = x; if (y > 1) reach_error(); return 0; }"
    )
    program = load([str(path)], FrontendOptions()).program
    return PreparedProgram(program).flat(recursion_bound=1, max_edges=1_000, sliced=True).symbolic(inductive=True)


def followed(domain: PredicateAnalysis) -> list[State]:
    """All states before any is merged."""
    found, waiting = list[State](), [domain.initial()]
    while waiting:
        state = waiting.pop()
        found.append(state)
        waiting += [domain.adjust(each, {}) for each in domain.transfer(state, {}) if not each.bad]
    return found


def test_states_after_the_same_abstraction_are_merged_and_cover_their_parts(tmp_path: Path) -> None:
    symbolic = diamond(tmp_path)
    domain = analysis(symbolic, adjusted_blocks(symbolic.program, "loops", "single"))
    states = followed(domain)
    first, second = next(
        (one, other) for one in states for other in states if one.location == other.location and one.path is not other.path
    )
    merged = domain.merge(second, first, {})
    assert merged not in (first, second)
    for part in (first, second):
        assert domain.merge(part, merged, {}) == merged
        assert domain.stop(part, [merged], {})
    assert not domain.stop(second, [first], {})


def test_a_state_after_another_abstraction_covers_nothing(tmp_path: Path) -> None:
    symbolic = diamond(tmp_path)
    domain = analysis(symbolic, adjusted_blocks(symbolic.program, "loops", "single"))
    state = next(each for each in followed(domain) if each.path is not None)
    condition = terms.state("c", BOOL)
    other = State(state.location, state.start, condition, state.path, state.length)
    assert domain.merge(state, other, {}) == other
    assert not domain.stop(state, [other], {}) and not domain.stop(other, [state], {})


def test_an_abstraction_is_covered_by_what_it_implies(tmp_path: Path) -> None:
    domain = analysis(symbolic := diamond(tmp_path), adjusted_blocks(symbolic.program, "edge", "single"))
    a, b = terms.state("a", BOOL), terms.state("b", BOOL)
    both, either = make("and", BOOL, a, b), make("or", BOOL, a, b)
    states = {each: State(3, 3, each) for each in (a, b, both, either, FALSE, TRUE)}
    assert domain.stop(states[both], [states[a]], {}) and not domain.stop(states[a], [states[both]], {})
    assert domain.stop(states[either], [states[a], states[b]], {}) and domain.stop(states[FALSE], [], {})
    assert domain.stop(states[a], [states[TRUE]], {}) and not domain.stop(states[TRUE], [states[a]], {})
    assert not domain.merges


def test_blocks() -> None:
    assert every("every:3") == 3 and every("every:0") is None and every("every:x") is None and every("loops") is None
    assert all(map(is_blk, ("edge", "loops", "function", "every:12"))) and not is_blk("every") and not is_blk("region")
    blocks = Blocks(frozenset({1, 2, 3}), frozenset({2}), frozenset({2}), most=4)
    assert blocks.ends(2, 1) and blocks.ends(3, 4) and not blocks.ends(3, 3) and not blocks.always
    assert Local() == Local((), ())


@pytest.mark.parametrize("seed", SEEDS)
def test_every_cycle_has_an_abstraction(tmp_path: Path, seed: int) -> None:
    """Otherwise path formulas would pass an edge twice."""
    program = random_program(tmp_path, seed).program
    procedure = program.procedures[program.entry]
    for encoding in (None, *ENCODINGS):
        kept = kept_locations(program, encoding)
        assert kept.heads <= kept.locations
        left = [edge for edge in procedure.edges if edge.source not in kept.heads and edge.target not in kept.heads]
        while True:  # edges from where nothing leads, until none is left
            targets = {edge.target for edge in left}
            fewer = [edge for edge in left if edge.source in targets]
            if len(fewer) == len(left):
                break
            left = fewer
        reached = {procedure.entry}
        for _ in range(procedure.locations):
            reached |= {edge.target for edge in procedure.edges if edge.source in reached}
        assert not [edge for edge in left if edge.source in reached], encoding
