"""The checks: from cut points with given states, and whole runs."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

from drystone.concrete.interpreter import Interpreter
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Edge, Program
from drystone.logic.evaluation import evaluate
from drystone.logic.terms import Term, table_size
from drystone.memory.regions import Regions
from drystone.passes.inline import inline
from drystone.passes.scalarise import scalarise
from drystone.passes.slicing import slice_program
from drystone.symbolic.states import State
from drystone.symbolic.unrolling import Unrolling
from tests.symbolic.comparison import Approximated, Difference, Event, Subject
from tests.symbolic.concrete import Concrete, End, OutsideAssumptions
from tests.symbolic.inputs import PlacedInputs
from tests.symbolic.states import RandomStates, reached_states


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
    subject = Subject(program, null_ends=seed % 4 != 0, inductive=True)
    source = random.Random(seed)
    entry = program.procedures[program.entry].entry
    cut_points = subject.heads | {entry}
    reached: dict[int, list[Concrete]] = {}
    for salt in range(2):
        for location, state in reached_states(subject.concrete, subject.heads, PlacedInputs(seed + salt), 60):
            reached.setdefault(location, []).append(state)
    heaps = [state.heap for group in reached.values() for state in group]
    highest = max((base + len(block.content) for heap in heaps for base, block in heap.items()), default=0)
    subject.heap = max(subject.symbolic.memory.heap, highest + 4096 & ~4095)
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
        allocations = dict(subject.allocations)  # of this step: those with constants have the same places
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
                        step, subject.allocations = transformer, dict(allocations)
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
    program: Program,
    original: Program,
    seed: int,
    report: Report,
    *,
    sliced: bool,
    steps: int = 8,
    runs: int = 4,
    max_terms: int = 60_000,
) -> None:
    """An unrolling from the start against the interpreter on the prepared and on the original program.

    With every other seed, inputs depend on the step in which they are read, which only the prepared program has.
    """
    subject = Subject(program, null_ends=seed % 4 != 0)
    unrolled = _Unrolled(subject, steps, max_terms)
    interpreter = Interpreter(original)
    for salt in range(seed, seed + runs):
        stamped = salt % 2 == 1
        try:
            end = unrolled.compare(PlacedInputs(salt), stamped)
        except (OutsideAssumptions, Approximated) as reason:
            report.counts[
                f"run discarded: {reason}" if isinstance(reason, OutsideAssumptions) else "run discarded: approximated"
            ] += 1
            continue
        except Difference as difference:
            report.differences.append(f"run with seed {salt}: {difference}")
            continue
        report.counts["runs"] += 1
        if stamped or end is None:
            continue
        outcome = interpreter.run(PlacedInputs(salt), max_steps=200_000)
        wild = any(event.what.endswith(("outside every object", "of freed memory")) for event in outcome.undefined)
        if wild or outcome.kind in ("limit", "unknown") or end == "unknown":
            continue
        report.counts["runs of the original"] += 1
        if sliced:  # it may go on where the original stops with a null dereference
            same = (outcome.kind == "error") == (end == "error") or outcome.kind == "crash"
        else:
            same = outcome.kind == end
        if not same:
            report.differences.append(
                f"run with seed {salt}: the original program: {outcome.kind} {outcome.what}; symbolic: {end}"
            )
    report.counts.update({f"run {kind}": count for kind, count in subject.counts.items()})


class _Unrolled:
    """Some steps from the start of the program, ready to be compared with runs."""

    def __init__(self, subject: Subject, steps: int, max_terms: int) -> None:
        self.subject = subject
        self.layers: list[list[tuple[Event, Term]]] = []  # per step, where control may go
        self.states: list[dict[int, State]] = []  # and the states at cut points after it
        unrolling = Unrolling(subject.symbolic)
        begin = table_size()
        while unrolling.states and unrolling.depth < steps and table_size() - begin < max_terms:
            taken = unrolling.advance()
            self.layers.append([(event, guard.term) for step in taken for event, guard in subject.events(step)])
            self.states.append({place: State(s.guard, s.environment.copy()) for place, s in unrolling.states.items()})

    def compare(self, inputs: PlacedInputs, stamped: bool) -> str | None:
        """How the run ended; None: not within the steps."""
        subject = self.subject
        guards = [term for layer in self.layers for _, term in layer]
        allocations = list(subject.allocations.values())
        everything = [*guards, *allocations]
        values = evaluate(everything, subject.values(everything, None, inputs, stamped))
        truth = iter(values)
        taken = [[event for event, _ in layer if next(truth)] for layer in self.layers]
        bases = dict(zip(subject.allocations, values[len(guards) :], strict=True))
        entry = subject.procedure.entry
        stamp = f"0.{entry}"

        def allocate(size: int, edge: Edge) -> int:
            key = f"{stamp}:{subject.concrete.index_of[edge.source]}"
            if key not in bases:
                raise Difference(f"the interpreter allocates at {edge}, the unrolling does not")
            return int(bases[key])  # type: ignore[arg-type]

        inputs.stamp = stamp if stamped else ""
        passed: list[End] = []
        ended = None
        for depth, end in enumerate(subject.concrete.run(entry, None, subject.heads, inputs, allocate, watched=False)):
            subject.expect(taken[depth], end)
            subject.counts[end.kind] += 1
            if end.kind != "cut":
                ended = end.kind
                break
            passed.append(end)
            if depth + 1 == len(self.layers):
                break
            stamp = f"{depth + 1}.{end.location}"
            inputs.stamp = stamp if stamped else ""
        inputs.stamp = ""
        self._compare_states(passed, inputs, stamped)
        return ended

    def _compare_states(self, passed: list[End], inputs: PlacedInputs, stamped: bool) -> None:
        wanted: list[tuple[int, str, Term]] = []
        for depth, end in enumerate(passed):
            environment = self.states[depth][end.location].environment
            wanted += [(depth, name, environment[name]) for name in self.subject.symbolic.live(end.location) or ()]
        found = [term for _, _, term in wanted]
        values = evaluate(found, self.subject.values(found, None, inputs, stamped))
        for (depth, name, _), value in zip(wanted, values, strict=True):
            try:
                self.subject.compare_value(name, value, passed[depth].state)
            except Difference as difference:
                raise Difference(f"after step {depth}, at location {passed[depth].location}: {difference}") from None


def check(program: Program, seed: int, **limits: int) -> Report:
    """All checks of one program as the front end made it, unsliced and sliced."""
    report = Report()
    for sliced in (False, True):
        ready = prepared(program, sliced=sliced, max_edges=limits.get("max_edges", 50_000))
        objects = (*ready.objects.values(), *ready.procedures[ready.entry].objects.values())
        if sum(object_.size for object_ in objects) > limits.get("max_bytes", 1 << 21):
            report.counts["too much memory"] += 1
            continue
        before = len(report.differences)
        check_steps(ready, seed, report, **{key: limits[key] for key in ("heads", "states", "max_order") if key in limits})
        check_run(
            ready,
            program,
            seed,
            report,
            sliced=sliced,
            **{key: limits[key] for key in ("steps", "runs", "max_terms") if key in limits},
        )
        what = "sliced: " if sliced else ""
        report.differences[before:] = [what + difference for difference in report.differences[before:]]
    return report
