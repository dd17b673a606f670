"""Large-block encoding: an automaton with few locations whose edges are labelled with guarded commands.

Mertens 2014, chapter 3, after Beyer, Cimatti, Griggio, Keremoglu, Sebastiani 2009. Four rules are applied to the fixed point:

* *error sink*: error locations become one, and nothing leaves it (Figure 3.1). So do unknown locations, and halted ones.
* *sequence*: a location with one incoming edge goes; that edge is put before each of its outgoing ones (Figure 3.2).
* *choice*: parallel edges become one (Figure 3.3).
* *advanced sequence*: a location with several incoming edges goes; each is put before each outgoing one (Figure 3.4). It
  may add edges, so it is optional and capped.

A location with an edge to itself, a location where paths end, and the entry stay. Every rule lowers the pair (locations, edges)
of section 3.5 in lexicographic order.

Mertens searches all locations for the next rule; here a heap holds the locations to which one applies. The sequence rule
costs the out-degree of its location, so the smallest out-degree goes first: branches to many different places are then gathered
as in a balanced merge, n log n, where top-down or bottom-up might move the same edges again and again. Among equals, later
locations in reverse postorder go first, so inner diamonds are closed before what precedes them is put in front, and labels stay
small.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from enum import StrEnum

import msgspec

from drystone.ir.automaton import Mark, MarkKind, Procedure, Program
from drystone.large_blocks.guarded_commands import Choice, Label, Sequence, Single

MAX_GROWTH = 16
"""How many edges one application of the advanced sequence rule may add, before parallel ones are merged."""


class Rule(StrEnum):
    PRUNE = "prune"  # not in Mertens 2014: locations that no path enters, or on demand, that no path to a verdict leaves
    ERROR_SINK = "error sink"
    SEQUENCE = "sequence"
    CHOICE = "choice"
    ADVANCED_SEQUENCE = "advanced sequence"


Observer = Callable[[Rule, int, int], None]
"""Told after each application of a rule: the rule, and the numbers of locations and edges that are left."""


_Numbered = tuple[int, int, int]
"""A single edge: its position, source and target."""


class LargeEdge(msgspec.Struct, frozen=True, eq=False):
    source: int
    target: int
    label: Label


class Encoded(msgspec.Struct):
    """An encoded automaton. Its locations keep the numbers they have in `procedure`, the automaton it was made from.

    Labels name the edges they are made of by position in `procedure.edges` (`guarded.single_edges`).
    """

    procedure: Procedure
    entry: int
    locations: list[int]  # ascending
    edges: list[LargeEdge]  # by source and target; no two have both in common
    sinks: dict[MarkKind, int]  # of those marked locations that can be reached
    merged: dict[int, list[int]]  # per sink the locations it stands for

    def outgoing(self) -> dict[int, list[LargeEdge]]:
        """Edges by source location."""
        table: dict[int, list[LargeEdge]] = {}
        for edge in self.edges:
            table.setdefault(edge.source, []).append(edge)
        return table

    def mark(self, location: int) -> Mark | None:
        """The mark of a sink: that of the location it stands for, or their number."""
        merged = self.merged.get(location)
        if merged is None:
            return None
        mark = self.procedure.marks[merged[0]]
        return mark if len(merged) == 1 else Mark(mark.kind, f"any of {len(merged)}: {mark.what}, …", mark.origin)


def encode(
    program: Program,
    advanced: bool = False,
    max_growth: int = MAX_GROWTH,
    *,
    prune: bool = False,
    observe: Observer | None = None,
) -> Encoded:
    """The large-block encoding of a program of one procedure (`inline`); with the advanced sequence rule if so said.

    A path of the procedure from the entry to a kept location is exactly a sequence of single edges that a path of the encoded
    automaton goes through. With `prune` this holds for paths to error and unknown locations only: see `_leading_to_a_verdict`.
    """
    if len(program.procedures) != 1:
        raise ValueError(f"only a program of one procedure can be encoded, this has {len(program.procedures)}")
    encoder = _Encoder(program.procedures[program.entry], max_growth if advanced else None, observe or _ignore)
    encoder.start(prune)
    encoder.to_fixed_point()
    return encoder.result()


def _ignore(rule: Rule, locations: int, edges: int) -> None:
    pass


class _Encoder:
    """The automaton in change. There is one label per pair of locations: the choice rule is applied as parallel edges appear."""

    def __init__(self, procedure: Procedure, max_growth: int | None, observe: Observer) -> None:
        self.procedure = procedure
        self.max_growth = max_growth  # None: without the advanced sequence rule
        self.observe = observe
        self.locations = procedure.locations
        self.edges = len(procedure.edges)
        self.outgoing: dict[int, dict[int, Label]] = {}
        self.incoming: dict[int, dict[int, None]] = {}
        self.sinks: dict[MarkKind, int] = {}
        self.merged: dict[int, list[int]] = {}
        self.order: dict[int, int] = {}  # minus the position in reverse postorder
        self.sequences: list[tuple[int, int, int]] = []  # heap: out-degree, order, location
        self.advanced: list[tuple[int, int, int]] = []  # heap: in-degree times out-degree, order, location

    def start(self, prune: bool) -> None:
        """The sinks, what can be reached, and the first choices."""
        edges = self._with_sinks([(number, edge.source, edge.target) for number, edge in enumerate(self.procedure.edges)])
        successors: list[list[int]] = [[] for _ in range(self.procedure.locations)]
        for _, source, target in edges:
            successors[source].append(target)
        reached = _reverse_postorder(self.procedure.entry, successors)
        leading = self._leading_to_a_verdict(reached, successors) if prune else set(reached)
        kept = leading | {self.procedure.entry}
        edges = [edge for edge in edges if edge[1] in kept and edge[2] in leading]
        if (len(kept), len(edges)) != (self.locations, self.edges):
            self.locations, self.edges = len(kept), len(edges)
            self.observe(Rule.PRUNE, self.locations, self.edges)
        self.sinks = {kind: location for kind, location in self.sinks.items() if location in kept}
        entered = {self.procedure.entry} | {self.procedure.edges[number].target for number, _, _ in edges}
        for location in sorted(entered & self.procedure.marks.keys()):
            self.merged.setdefault(self.sinks[self.procedure.marks[location].kind], []).append(location)

        self.order = {location: -position for position, location in enumerate(reached) if location in kept}
        self.outgoing = {location: {} for location in self.order}
        self.incoming = {location: {} for location in self.order}
        for number, source, target in edges:
            self._connect(source, target, Single(number, self.procedure.edges[number].operation))
        for location in self.order:
            self._consider(location)

    def _with_sinks(self, edges: list[_Numbered]) -> list[_Numbered]:
        """The error sink rule, for every kind of marked location: the first of its kind stands for all, and nothing leaves it."""
        marks, entry = self.procedure.marks, self.procedure.entry
        representative: dict[int, int] = {}
        for location in sorted(marks, key=lambda location: (location != entry, location)):
            representative[location] = self.sinks.setdefault(marks[location].kind, location)
        remaining = [
            (number, source, representative.get(target, target)) for number, source, target in edges if source not in marks
        ]
        locations = self.locations - len(marks) + len(self.sinks)
        if (locations, len(remaining)) != (self.locations, self.edges):
            self.locations, self.edges = locations, len(remaining)
            self.observe(Rule.ERROR_SINK, self.locations, self.edges)
        return remaining

    def _leading_to_a_verdict(self, locations: list[int], successors: list[list[int]]) -> set[int]:
        """The locations from which an error or unknown location can be reached.

        Not in Mertens 2014, where automata keep their stop locations. A path that leaves these locations ends without an error,
        or never: dropping it loses no error path, and no other path changes, as each edge keeps its condition.
        """
        predecessors: dict[int, list[int]] = {location: [] for location in locations}
        for location in locations:
            for target in successors[location]:
                predecessors[target].append(location)
        stack = [self.sinks[kind] for kind in (MarkKind.ERROR, MarkKind.UNKNOWN) if self.sinks.get(kind) in predecessors]
        found = set(stack)
        while stack:
            for source in predecessors[stack.pop()]:
                if source not in found:
                    found.add(source)
                    stack.append(source)
        return found

    def to_fixed_point(self) -> None:
        """The sequence rule (with choice) as long as it applies, then the advanced one once, and so on (section 4.2)."""
        while True:
            location = self._next(self.sequences, self._sequence_cost)
            if location is not None:
                self._remove(location, Rule.SEQUENCE)
                continue
            location = self._next(self.advanced, self._advanced_cost)
            if location is None:
                return
            self._remove(location, Rule.ADVANCED_SEQUENCE)

    def _next(self, heap: list[tuple[int, int, int]], cost: Callable[[int], int | None]) -> int | None:
        """The first location to which the rule still applies as it did when it was noted; changes were noted again."""
        while heap:
            noted, _, location = heapq.heappop(heap)
            if location in self.outgoing and cost(location) == noted:
                return location
        return None

    def _consider(self, location: int) -> None:
        """Notes the location for the rules that apply to it; to be called whenever its degree has changed."""
        cost = self._sequence_cost(location)
        if cost is not None:
            heapq.heappush(self.sequences, (cost, self.order[location], location))
            return
        cost = self._advanced_cost(location)
        if cost is not None:
            heapq.heappush(self.advanced, (cost, self.order[location], location))

    def _can_go(self, location: int) -> bool:
        """Not the entry, not an end, not a loop of one edge."""
        outgoing = self.outgoing[location]
        return bool(outgoing) and location != self.procedure.entry and location not in outgoing

    def _sequence_cost(self, location: int) -> int | None:
        """The out-degree, where the sequence rule applies."""
        return len(self.outgoing[location]) if len(self.incoming[location]) == 1 and self._can_go(location) else None

    def _advanced_cost(self, location: int) -> int | None:
        """The number of new edges, where the advanced sequence rule applies and adds no more than the cap allows.

        Mertens 2014 asks for an out-degree above 1; then no rule would remove a join with one successor. 1 is allowed here.
        """
        ins, outs = len(self.incoming[location]), len(self.outgoing[location])
        if self.max_growth is None or ins < 2 or ins * outs - ins - outs > self.max_growth or not self._can_go(location):
            return None
        return ins * outs

    def _remove(self, location: int, rule: Rule) -> None:
        """Both sequence rules: every incoming edge is put before every outgoing one, and the location goes."""
        incoming, outgoing = self.incoming.pop(location), self.outgoing.pop(location)
        for target in outgoing:
            del self.incoming[target][location]
        befores = [(source, self.outgoing[source].pop(location)) for source in incoming]
        self.locations -= 1
        self.edges += len(incoming) * len(outgoing) - len(incoming) - len(outgoing)
        self.observe(rule, self.locations, self.edges)
        for source, before in befores:
            for target, after in outgoing.items():
                self._connect(source, target, Sequence(before, after))
        changed = dict.fromkeys(incoming) | dict.fromkeys(outgoing)
        for neighbour in changed:
            self._consider(neighbour)

    def _connect(self, source: int, target: int, label: Label) -> None:
        """An edge more; if it is parallel to another, the choice rule makes them one."""
        labels = self.outgoing[source]
        parallel = labels.get(target)
        if parallel is None:
            labels[target] = label
            self.incoming[target][source] = None
        else:
            labels[target] = Choice(parallel, label)
            self.edges -= 1
            self.observe(Rule.CHOICE, self.locations, self.edges)

    def result(self) -> Encoded:
        locations = sorted(self.outgoing)
        edges = [
            LargeEdge(source, target, self.outgoing[source][target])
            for source in locations
            for target in sorted(self.outgoing[source])
        ]
        return Encoded(self.procedure, self.procedure.entry, locations, edges, self.sinks, self.merged)


def _reverse_postorder(entry: int, successors: list[list[int]]) -> list[int]:
    """The locations that are reached from the entry, each before its successors but for edges that close a loop."""
    postorder: list[int] = []
    seen = {entry}
    stack = [(entry, iter(successors[entry]))]
    while stack:
        location, rest = stack[-1]
        for target in rest:
            if target not in seen:
                seen.add(target)
                stack.append((target, iter(successors[target])))
                break
        else:
            postorder.append(location)
            stack.pop()
    postorder.reverse()
    return postorder
