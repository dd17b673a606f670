"""Labels of an encoded automaton: guarded commands over single edges, with their weakest preconditions.

Mertens 2014, Figures 4.1 and 4.2: a label is a single edge, `S1; S2` or `S1 □ S2`. The rules of large-block encoding put one
label into many others, so labels are shared: they form a graph, never copied, compared by identity, and walked
without recursion. As a tree a label can be exponentially larger than it is; `unfold` is the form to compute on: the
acyclic automaton of all that a label does, in which a shared beginning exists once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from drystone.ir.expressions import TRUE, Expression, Input, Load
from drystone.ir.nodes import Nodes, subexpressions
from drystone.ir.operations import Assign, Assume, Operation, Skip
from drystone.ir.text import operation_text

# These are tracked by the garbage collector because only then Python frees a deep one without a deep C stack.


class Single(msgspec.Struct, frozen=True, eq=False):
    """One edge of the single encoding: its position in `Procedure.edges` and what it does."""

    edge: int
    operation: Operation


class Sequence(msgspec.Struct, frozen=True, eq=False):
    """First `first`, then `second`."""

    first: Label
    second: Label


class Choice(msgspec.Struct, frozen=True, eq=False):
    """Either `left` or `right`."""

    left: Label
    right: Label


Label = Single | Sequence | Choice


class NotOverVariables(Exception):
    """A weakest precondition was asked of an operation or condition that reads or writes memory."""


class Step(msgspec.Struct, frozen=True, gc=False):
    """Of an unfolded label: from point to point, by a single edge or, where paths meet, by nothing."""

    source: int
    single: Single | None
    target: int


class Unfolded(msgspec.Struct):
    """Labels that start at one place, as an acyclic automaton. Every step leads to a greater point; 0 is the start."""

    points: int
    steps: list[Step]
    ends: list[int]  # per label the point it ends at


def unfold(labels: Iterable[Label]) -> Unfolded:
    """The paths of labels with a common start.

    A label met again at the same point is the same piece: the result has a step per distinct pair of a single edge and a point at
    which it starts. Without the advanced sequence rule those are the edges between the kept locations (each removed location
    was entered by one label only); that rule copies what follows the location it removes, once per predecessor.
    """
    steps: list[Step] = []
    ends: list[int] = []
    done: dict[tuple[int, int], int] = {}  # by identity of the label, alive through `labels`, and start: its end
    points = 1
    for root in labels:
        stack: list[tuple[Label, int]] = [(root, 0)]
        while stack:
            label, start = stack[-1]
            key = (id(label), start)
            if key in done:
                stack.pop()
                continue
            if isinstance(label, Single):
                steps.append(Step(start, label, points))
                done[key] = points
                points += 1
            elif isinstance(label, Sequence):
                middle = done.get((id(label.first), start))
                if middle is None:
                    stack.append((label.first, start))
                    continue
                end = done.get((id(label.second), middle))
                if end is None:
                    stack.append((label.second, middle))
                    continue
                done[key] = end
            else:
                left, right = done.get((id(label.left), start)), done.get((id(label.right), start))
                if left is None or right is None:
                    stack += [(arm, start) for arm, end in ((label.right, right), (label.left, left)) if end is None]
                    continue
                steps += [Step(left, None, points), Step(right, None, points)]
                done[key] = points
                points += 1
            stack.pop()
        ends.append(done[id(root), 0])
    return Unfolded(points, steps, ends)


def nodes_of(label: Label) -> Iterator[Label]:
    """The label and everything in it, each once."""
    seen = {id(label)}
    stack: list[Label] = [label]
    while stack:
        node = stack.pop()
        yield node
        for part in _parts(node):
            if id(part) not in seen:
                seen.add(id(part))
                stack.append(part)


def single_edges(label: Label) -> list[int]:
    """The positions in `Procedure.edges` of the single edges that a label is made of, ascending."""
    return sorted({node.edge for node in nodes_of(label) if isinstance(node, Single)})


def first_edge(label: Label) -> int:
    """The single edge that a label begins with (its leftmost alternative)."""
    while not isinstance(label, Single):
        label = label.first if isinstance(label, Sequence) else label.left
    return label.edge


def _parts(label: Label) -> tuple[Label, ...]:
    if isinstance(label, Single):
        return ()
    return (label.first, label.second) if isinstance(label, Sequence) else (label.left, label.right)


# Weakest preconditions


def wp(label: Label, condition: Expression, *, max_nodes: int = 200_000) -> Expression:
    """The states from which every execution of the label that completes ends in `condition` (Figure 4.2).

    `wp(x := e, Q) = Q[e/x]`, `wp([b], Q) = b ⇒ Q`, `wp(S1; S2, Q) = wp(S1, wp(S2, Q))`, `wp(S1 □ S2, Q) = wp(S1, Q) ∧ wp(S2, Q)`,
    evaluated backwards over the unfolded label, so that a beginning shared by alternatives is passed once: wp(S, P) ∧ wp(S, Q) is
    wp(S, P ∧ Q).

    Inputs of the result are to be read as "for all": each has an index of its own (`input_of_edge`). The result shares equal
    parts and may be deeper than `MAX_DEPTH`: it must be walked without recursion. Substitution visits only nodes that
    contain the variable, but a branch that assigns still doubles the nodes that do, so the worst case is exponential, as it is in
    Figure 4.2 itself; `nodes.TooManyNodes` is raised beyond `max_nodes` distinct nodes. (Transformers, which merge values by
    `ite`, are the form for large labels.)

    Raises `NotOverVariables` for memory operations, loads and calls.
    """
    if any(True for _ in _inputs(condition)):
        raise ValueError("the condition of a weakest precondition must not read inputs")
    unfolded = unfold([label])
    nodes = Nodes(max_nodes)
    leaving: list[list[Step]] = [[] for _ in range(unfolded.points)]
    for step in unfolded.steps:
        leaving[step.source].append(step)
    conditions: list[Expression] = [TRUE] * unfolded.points  # a point from which the end is not reached demands nothing
    conditions[unfolded.ends[0]] = nodes.imported(_over_variables(condition, "the condition"))
    for point in range(unfolded.points - 1, -1, -1):
        for step in leaving[point]:
            before = conditions[step.target]
            if step.single is not None:
                before = _single_wp(nodes, step.single, before)
            conditions[point] = nodes.conjunction(conditions[point], before)
    return conditions[0]


def _single_wp(nodes: Nodes, single: Single, condition: Expression) -> Expression:
    match single.operation:
        case Skip():
            return condition
        case Assume(guard):
            imported = nodes.imported(_over_variables(guard, operation_text(single.operation)))
            return nodes.implication(imported, condition)
        case Assign(target, value):
            _over_variables(value, operation_text(single.operation))
            imported = nodes.imported(value, lambda input: input_of_edge(input, single.edge))
            return nodes.substituted(condition, target.name, imported)
        case operation:
            raise NotOverVariables(f"no weakest precondition of `{operation_text(operation)}`: it is not about variables only")


def input_of_edge(input: Input, edge: int) -> Input:
    """An input of one edge as an input of a whole label: labels have no loops, so an edge reads each of its inputs once."""
    return msgspec.structs.replace(input, index=(edge << 16) + input.index)


def _over_variables(expression: Expression, what: str) -> Expression:
    if any(isinstance(part, Load) for part in subexpressions(expression)):
        raise NotOverVariables(f"no weakest precondition of `{what}`: it reads memory")
    return expression


def _inputs(expression: Expression) -> Iterator[Input]:
    return (part for part in subexpressions(expression) if isinstance(part, Input))


# Text


def label_text(label: Label, max_length: int | None = None) -> str:
    """On one line: `[x < 3]; x := x + 1 □ [x >= 3]`. What occurs more than once gets a name, `… where @1 = {…}`, so the text is
    as large as the label, not as its tree. Cut off, with an ellipsis, beyond `max_length`."""
    pieces: list[str] = []
    length = 0
    for piece in _tokens(label):
        pieces.append(piece)
        length += len(piece)
        if max_length is not None and length > max_length:
            return "".join(pieces)[: max_length - 2] + " …"
    return "".join(pieces)


def label_lines(label: Label, width: int) -> Iterator[str]:
    """The same text on lines of about `width` characters, indented by the nesting of choices."""
    line, opened, depth = "", "", 0
    for token in _tokens(label):
        if token in ("(", "{"):
            opened += token
            continue
        piece = opened + token
        starts_line = token == _WHERE or token.startswith(_DEFINITION)
        if line.strip() and (starts_line or len(line) + len(piece) > width) and token not in (")", "}", _THEN, _OR):
            yield line.rstrip()
            line = "  " * min(depth, width // 6)
        line += piece if line.strip() else piece.lstrip()
        depth += len(opened) - (token in (")", "}"))
        opened = ""
    yield line.rstrip()


_THEN, _OR, _WHERE, _DEFINITION = "; ", " □ ", " where", " @"


def _tokens(label: Label) -> Iterator[str]:
    """The text in pieces: operations, separators, brackets, names of shared parts and then their definitions."""
    uses: dict[int, int] = {}
    for node in nodes_of(label):
        for part in _parts(node):
            uses[id(part)] = uses.get(id(part), 0) + 1
    named: dict[int, int] = {}
    waiting: list[Label] = []  # to be defined

    def body(root: Label, inside_choice: bool) -> Iterator[str]:
        stack: list[str | tuple[Label, bool]] = [(root, inside_choice)]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                yield item
                continue
            node, in_choice = item
            if isinstance(node, Single):
                yield operation_text(node.operation)
            elif node is not root and uses[id(node)] > 1:
                if id(node) not in named:
                    named[id(node)] = len(named) + 1
                    waiting.append(node)
                yield f"@{named[id(node)]}"
            elif isinstance(node, Sequence):
                stack += [(node.second, False), _THEN, (node.first, False)]
            elif in_choice:
                stack += [(node.right, True), _OR, (node.left, True)]
            else:
                stack += [")", (node.right, True), _OR, (node.left, True), "("]

    yield from body(label, True)
    for position, node in enumerate(waiting):  # grows while it is walked
        if position == 0:
            yield _WHERE
        yield f"{_DEFINITION}{named[id(node)]} = "
        yield "{"
        yield from body(node, True)
        yield "}"
