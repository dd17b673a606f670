"""The checks: from cut points with given states, and whole runs."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

from drystone.frontend.load import FrontendOptions, load
from drystone.program.automaton import Program
from drystone.program.inline import inline
from drystone.program.interpreter import Interpreter
from drystone.program.regions import Regions
from drystone.program.scalarise import scalarise
from drystone.program.slicing import slice_program
from drystone.program.symbolic import State
from drystone.program.unrolling import Unrolling

from .comparison import Approximated, Difference, OutsideAssumptions, Subject
from .concrete import Concrete
from .inputs import PlacedInputs
from .states import RandomStates, reached_states


@dataclass
class Report:
    counts: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)


def prepared(program: Program, *, sliced: bool, max_edges: int = 50_000) -> Program:
    flat = inline(program, recursion_bound=3, max_edges=max_edges)
    flat = scalarise(flat, Regions(flat))
    return slice_program(flat).program if sliced else flat


def loaded(path: str, data_model: str) -> Program:
    return load([path], FrontendOptions(data_model=data_model)).program


def check_steps(program: Program, seed: int, report: Report, *, heads: int = 8, states: int = 4, max_order: int = 5_000) -> None:
    """Steps from cut points: with symbols, and with constants, against the interpreter."""
    subject = Subject(program)
    source = random.Random(seed)
    entry = program.procedures[program.entry].entry
    cut_points = subject.heads | {entry}
    every = list(range(len(subject.procedure.edges)))
    subject.symbolic._executed.update(every)  # a declaration in a step from an arbitrary state is not the first one
    reached: dict[int, list[Concrete]] = {}
    for salt in range(2):
        for location, state in reached_states(subject.concrete, subject.heads, PlacedInputs(seed + salt), 60):
            reached.setdefault(location, []).append(state)
    highest = max((base + len(block.content) for group in reached.values() for state in group for base, block in state.heap.items()), default=0)
    memory = subject.symbolic.memory
    memory._heap_next = max(memory._heap_next, highest + 4096 & ~4095)
    arbitrary = RandomStates(subject.concrete, source)
    chosen = sorted(cut_points)
    if len(chosen) > heads:
        preferred = [location for location in chosen if location in reached]
        chosen = source.sample(preferred, min(len(preferred), heads // 2))
        chosen += source.sample(sorted(cut_points - set(chosen)), heads - len(chosen))
    for location in chosen:
        order = subject.symbolic.order(location, cut_points)
        if len(order) > max_order:
            report.counts["too long"] += 1
            continue
        stamp = f"s{location}"
        transformer = subject.symbolic.step(location, subject.symbolic.symbolic(), order, cut_points, stamp)
        candidates = []
        for number in range(states):
            known = reached.get(location)
            if known and number % 2 == 0:
                state = source.choice(known)
                candidates.append(state if number % 4 == 0 else arbitrary.perturbed(state))
            else:
                candidates.append(arbitrary.random())
        for number, state in enumerate(candidates):
            inputs = PlacedInputs(seed * 7 + number)
            for way in ("symbols", "constants"):
                try:
                    if way == "symbols":
                        step = transformer
                    else:
                        start = subject.concrete_start(state, inputs, number % 2 == 0)
                        step = subject.symbolic.step(location, start, order, cut_points, stamp)
                    subject.compare_step(location, step, state, cut_points, inputs)
                    report.counts[f"steps with {way}"] += 1
                except OutsideAssumptions as reason:
                    report.counts[f"discarded: {reason}"] += 1
                    break
                except Approximated:
                    report.counts["discarded: approximated"] += 1
                except Difference as difference:
                    report.differences.append(f"step from {location} with {way}, seed {seed}, state {number}: {difference}")
    report.counts.update({f"step {kind}": count for kind, count in subject.counts.items()})


def check_run(
    program: Program, original: Program, seed: int, report: Report, *, sliced: bool, steps: int = 8, salts: int = 4, max_terms: int = 60_000
) -> None:
    """An unrolling from the start against the interpreter on the prepared and on the original program."""
    from drystone.logic.evaluation import evaluate
    from drystone.logic.terms import table_size

    subject = Subject(program)
    unrolling = Unrolling(subject.symbolic)
    begin = table_size()
    layers = []
    merged: list[dict[int, State]] = []
    while unrolling.states and unrolling.depth < steps and table_size() - begin < max_terms:
        before = len(unrolling.steps)
        unrolling.advance()
        layers.append(unrolling.steps[before:])
        merged.append({location: State(state.guard, state.environment.copy()) for location, state in unrolling.states.items()})
    plain = Interpreter(original)
    for salt in range(seed, seed + salts):
        stamped = salt % 2 == 1
        inputs = PlacedInputs(salt)
        try:
            end = _compare_run(subject, layers, merged, inputs, stamped, evaluate)
        except OutsideAssumptions as reason:
            report.counts[f"run discarded: {reason}"] += 1
            continue
        except Approximated:
            report.counts["run discarded: approximated"] += 1
            continue
        except Difference as difference:
            report.differences.append(f"run with seed {salt}: {difference}")
            continue
        report.counts["runs"] += 1
        if stamped or end is None:
            continue
        outcome = plain.run(PlacedInputs(salt), max_steps=200_000)
        if any("outside every object" in event.what for event in outcome.undefined) or outcome.kind in ("limit", "unknown") or end == "unknown":
            report.counts["not compared with the original"] += 1
            continue
        report.counts["runs of the original"] += 1
        same = outcome.kind == end if not sliced else (outcome.kind == "error") == (end == "error") or outcome.kind == "crash"
        if not same:
            report.differences.append(f"run with seed {salt}: the original program: {outcome.kind} {outcome.what}; symbolic: {end}")
    report.counts.update({f"run {kind}": count for kind, count in subject.counts.items()})


def _compare_run(subject, layers, merged, inputs, stamped, evaluate):  # type: ignore[no-untyped-def]
    """How the run ended; None: not within the steps."""
    found = [[(event, guard.term) for _, step in layer for event, guard in subject.events(step)] for layer in layers]
    guards = [term for layer in found for _, term in layer]
    live = [(depth, location, name) for depth, states in enumerate(merged) for location in states for name in subject.symbolic.live(location)]
    wanted = [merged[depth][location].environment[name] for depth, location, name in live]
    allocated = list(subject.allocations.items())
    everything = [*guards, *(term for _, term in allocated)]
    symbols = subject.values(everything, None, inputs, stamped)
    values = evaluate(everything, symbols)
    truth = iter(values)
    taken = [[event for event, _ in layer if next(truth)] for layer in found]
    bases = {key: next(truth) for key, _ in allocated}
    position = [0, subject.procedure.entry]

    def allocate(size, edge):  # type: ignore[no-untyped-def]
        key = f"{position[0]}.{position[1]}:{subject.concrete.index_of[edge.source]}"
        if key not in bases:
            raise Difference(f"the interpreter allocates at {edge}, the unrolling does not")
        return bases[key]

    def enter() -> None:
        inputs.stamp = f"{position[0]}.{position[1]}" if stamped else ""

    after = None
    ends = []
    enter()
    for end in subject.concrete.run(subject.procedure.entry, None, subject.heads, inputs, allocate, watched=False):
        depth = position[0]
        subject.expect(taken[depth], end)
        subject.counts[end.kind] += 1
        if end.kind != "cut":
            after = end.kind
            break
        ends.append(end)
        position[:] = [depth + 1, end.location]
        enter()
        if depth + 1 == len(layers):
            break
    inputs.stamp = ""
    on_the_way = [(depth, end, merged[depth][end.location]) for depth, end in enumerate(ends)]
    names = [(end, name, state.environment[name]) for _, end, state in on_the_way for name in subject.symbolic.live(end.location)]
    wanted = [term for _, _, term in names]
    values = evaluate(wanted, subject.values(wanted, None, inputs, stamped))
    for (end, name, _), value in zip(names, values, strict=True):
        try:
            subject.compare_value(name, value, end.state)
        except Difference as difference:
            raise Difference(f"at cut point {end.location}, step {ends.index(end)}: {difference}") from None
    return after
