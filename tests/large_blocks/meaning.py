"""What the tests believe an encoded automaton to mean, written as plainly as possible and apart from the code under test.

Labels are executed by backtracking over their alternatives; paths are compared location by location.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product

from drystone.ir.automaton import Edge, MarkKind, Procedure
from drystone.ir.expressions import Apply, Constant, Expression, Input, Variable
from drystone.ir.nodes import subexpressions
from drystone.ir.operations import Assign, Assume, Skip
from drystone.large_blocks.encoding import Encoded, LargeEdge, Rule
from drystone.large_blocks.guarded_commands import Choice, Label, Sequence, Single, unfold
from drystone.logic import semantics

State = tuple[tuple[str, int], ...]


def value(expression: Expression, state: Mapping[str, int], inputs: Callable[[Input], int]) -> int:
    """Without recursion and without visiting a shared part twice: weakest preconditions are deep and shared."""
    known: dict[int, int] = {}
    stack = [expression]
    while stack:
        node = stack[-1]
        match node:
            case Variable():
                known[id(node)] = state[node.name]
            case Constant():
                known[id(node)] = node.value
            case Input():
                known[id(node)] = inputs(node)
            case Apply():
                missing = [part for part in node.arguments if id(part) not in known]
                if missing:
                    stack += missing
                    continue
                function = semantics.function(node.operator, node.sort, tuple(part.sort for part in node.arguments))
                known[id(node)] = function(*[known[id(part)] for part in node.arguments])
            case _:
                raise AssertionError(node)
        stack.pop()
    return known[id(expression)]


def inputs_of(expression: Expression) -> list[Input]:
    return sorted({part for part in subexpressions(expression) if isinstance(part, Input)}, key=lambda part: part.index)


def no_input(input: Input) -> int:
    raise AssertionError(f"reads {input}")


def executions(label: Label, state: State, position: int, listed: list[int] | None) -> Iterator[tuple[State, int]]:
    """All ways to get through a label: the state after it and how many inputs were read by then.

    Inputs are those listed, then zeros; None: all values of each.
    """
    match label:
        case Sequence(first, second):
            for middle, read in executions(first, state, position, listed):
                yield from executions(second, middle, read, listed)
        case Choice(left, right):
            yield from executions(left, state, position, listed)
            yield from executions(right, state, position, listed)
        case Single(_, Skip()):
            yield state, position
        case Single(_, Assume(condition)):
            if value(condition, dict(state), no_input):
                yield state, position
        case Single(_, Assign(target, assigned)):
            asked = inputs_of(assigned)
            for given in all_values(asked) if listed is None else [[at(listed, position + k) for k in range(len(asked))]]:
                chosen = dict(zip(asked, given, strict=True))
                result = value(assigned, dict(state), chosen.__getitem__)
                yield (
                    tuple(sorted({**dict(state), target.name: result}.items())),
                    position + (len(asked) if listed is not None else 0),
                )
        case _:
            raise AssertionError(label)


def at(listed: list[int], position: int) -> int:
    return listed[position] if position < len(listed) else 0


def all_values(inputs: list[Input]) -> Iterator[tuple[int, ...]]:
    return product(*[range(1 << item.sort.width) for item in inputs])  # type: ignore[union-attr]


def reached_sinks(encoded: Encoded, state: State, listed: list[int]) -> set[int]:
    """The locations without outgoing edges that the encoded automaton reaches on these inputs; complete, as states are few."""
    outgoing = encoded.outgoing()
    start = (encoded.entry, state, 0)
    seen, stack, found = {start}, [start], set()
    while stack:
        location, state, position = stack.pop()
        if location not in outgoing:
            found.add(location)
        for edge in outgoing.get(location, []):
            for after, read in executions(edge.label, state, position, listed):
                successor = (edge.target, after, min(read, len(listed)))
                if successor not in seen:
                    seen.add(successor)
                    stack.append(successor)
    return found


def leaf_sequences(label: Label) -> list[tuple[int, ...]]:
    match label:
        case Single(edge):
            return [(edge,)]
        case Sequence(first, second):
            return [left + right for left in leaf_sequences(first) for right in leaf_sequences(second)]
        case Choice(left, right):
            return leaf_sequences(left) + leaf_sequences(right)


def tree_size(label: Label) -> int:
    """How many leaves the label has as a tree; shared parts are counted once per use, but visited once."""
    sizes: dict[int, int] = {}
    stack = [label]
    while stack:
        node = stack[-1]
        if isinstance(node, Single):
            sizes[id(node)] = 1
        else:
            parts = (node.first, node.second) if isinstance(node, Sequence) else (node.left, node.right)
            missing = [part for part in parts if id(part) not in sizes]
            if missing:
                stack += missing
                continue
            sizes[id(node)] = sizes[id(parts[0])] + sizes[id(parts[1])]
        stack.pop()
    return sizes[id(label)]


class Falling:
    """An observer: the measure of section 3.5 falls with every application of a rule."""

    def __init__(self, procedure: Procedure) -> None:
        self.measure = (procedure.locations, len(procedure.edges))
        self.applied: list[Rule] = []

    def __call__(self, rule: Rule, locations: int, edges: int) -> None:
        a, b = self.measure
        assert locations <= a and (locations < a or edges < b), (rule, self.measure, locations, edges)
        self.measure = (locations, edges)
        self.applied.append(rule)


class Paths:
    """The paths of an encoded automaton over single edges, as a deterministic walk."""

    def __init__(self, encoded: Encoded) -> None:
        self.encoded = encoded
        self.sink_of = {location: sink for sink, merged in encoded.merged.items() for location in merged}
        self._walks: dict[int, tuple[list[dict[int, int]], dict[int, int]]] = {}
        self._outgoing = encoded.outgoing()

    def walk(self, location: int) -> tuple[list[dict[int, int]], dict[int, int]]:
        """Of the labels that leave a location: per point the single edges that go on and where to; per end the location there.

        Asserts that no two ways through the labels take the same edges.
        """
        if location not in self._walks:
            edges: list[LargeEdge] = self._outgoing.get(location, [])
            unfolded = unfold([edge.label for edge in edges])
            steps: list[dict[int, int]] = [{} for _ in range(unfolded.points)]
            ends = {end: edge.target for end, edge in zip(unfolded.ends, edges, strict=True)}
            assert len(ends) == len(edges)
            for step in sorted(unfolded.steps, key=lambda step: -step.source):  # what follows a point is known before it
                own = steps[step.source]
                if step.single is not None:
                    assert step.single.edge not in own
                    own[step.single.edge] = step.target
            for step in sorted(unfolded.steps, key=lambda step: -step.target):
                if step.single is None:  # paths meet: what goes on there goes on here
                    assert not steps[step.source].keys() & steps[step.target].keys()
                    steps[step.source] |= steps[step.target]
                    if step.target in ends:
                        assert ends.setdefault(step.source, ends[step.target]) == ends[step.target]
            self._walks[location] = steps, ends
        return self._walks[location]

    def assert_same_as_procedure(self, live: set[int] | None = None) -> None:
        """Every leaf sequence of a label is a path of the procedure, and every path between kept locations is in a label.

        `live`: the edges that count, if not all.
        """
        procedure = self.encoded.procedure
        leaving: list[set[int]] = [set() for _ in range(procedure.locations)]
        for number, edge in enumerate(procedure.edges):
            if edge.source not in procedure.marks and (live is None or number in live):
                leaving[edge.source].add(number)
        for kept in self.encoded.locations:
            steps, ends = self.walk(kept)
            place = {0: kept}
            stack = [0]
            while stack:
                point = stack.pop()
                if point in ends:
                    assert place[point] == ends[point] and not steps[point]
                    continue
                assert steps[point].keys() == leaving[place[point]]
                for number, target in steps[point].items():
                    there = self.sink_of.get(procedure.edges[number].target, procedure.edges[number].target)
                    if target not in place:
                        place[target] = there
                        stack.append(target)
                    assert place[target] == there

    def follow(self, path: tuple[Edge, ...]) -> tuple[int, bool]:
        """Where the encoded automaton is after a path of the procedure, and whether it stands at a location of its own."""
        number_of = {id(edge): number for number, edge in enumerate(self.encoded.procedure.edges)}
        location, point = self.encoded.entry, 0
        for edge in path:
            steps, ends = self.walk(location)
            point = steps[point][number_of[id(edge)]]
            if point in ends:
                location, point = ends[point], 0
        return location, point == 0

    def sink(self, kind: MarkKind) -> int | None:
        return self.encoded.sinks.get(kind)
