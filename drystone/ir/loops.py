"""Where loops begin: cut points that every cycle of an automaton contains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drystone.ir.automaton import Procedure


def loop_heads(procedure: Procedure, given: frozenset[int] = frozenset()) -> frozenset[int]:
    """The given locations and targets of back edges of a depth-first search around them: every cycle contains one."""
    successors: list[list[int]] = [[] for _ in range(procedure.locations)]
    for edge in procedure.edges:
        successors[edge.source].append(edge.target)
    return cycle_heads(procedure.entry, successors, given)


def cycle_heads(entry: int, successors: Sequence[Sequence[int]], given: frozenset[int] = frozenset()) -> frozenset[int]:
    """The same for any graph."""
    open_, heads = 1, set(given)
    colour = [0] * len(successors)
    for start in (entry, *sorted(given)):
        if colour[start] != 0:
            continue
        colour[start] = open_
        stack: list[tuple[int, Iterator[int]]] = [(start, iter(successors[start]))]
        while stack:
            location, remaining = stack[-1]
            for target in remaining:
                if target in given:
                    continue
                if colour[target] == 0:
                    colour[target] = open_
                    stack.append((target, iter(successors[target])))
                    break
                if colour[target] == open_:
                    heads.add(target)
            else:
                colour[location] = 2
                stack.pop()
    return frozenset(heads)
