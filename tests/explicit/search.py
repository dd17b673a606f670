"""Decides a program completely: a breadth-first search over its concrete states, with every choice of the environment.

A state is a point of the program, the points to which open calls return, and the contents of all cells.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.explicit.machine import (
    Arbitrary,
    Choices,
    End,
    Enter,
    Forget,
    Jump,
    Leave,
    Machine,
    Memory,
    Select,
    Set,
    Test,
)
from tests.explicit.syntax import Check


class TooManyStates(Exception):
    pass


State = tuple[int, tuple[int, ...], Memory]
Chosen = tuple[str, int]
"""An input: "" or the name of an uninitialised variable, and the value."""


@dataclass
class Enumeration:
    """Everything that executions of a program do."""

    states: int
    errors: dict[Check, tuple[Chosen, ...]]  # that can be reached, each with the inputs of a shortest execution
    ends: set[tuple[str, Check | None, Memory]]  # how executions end, with the values of the globals
    terminates: bool  # no execution is infinite
    observed: dict[Check, set[Memory]] = field(default_factory=dict)  # what is in memory at a check

    @property
    def is_safe(self) -> bool:
        return not self.errors


def _successors(machine: Machine, state: State) -> Iterator[tuple[State, tuple[Chosen, ...]]]:
    """One step; none from an end."""
    at, stack, memory = state
    instruction = machine.code[at]
    if isinstance(instruction, Arbitrary):
        yield from _without_value(instruction, state)
        return
    given: list[int] | None = []
    while given is not None:
        choices = Choices(given)
        match instruction:
            case Set(cell, value, type_, next_):
                target, number = cell(memory, choices), value(memory, choices)
                after = next_, stack, _with(memory, target, type_.wrap(number) if type_ is not None else number)
            case Jump(next_):
                after = next_, stack, memory
            case Test(condition, yes, no):
                after = (yes if condition(memory, choices) else no), stack, memory
            case Select(value, targets, default):
                after = targets.get(value(memory, choices), default), stack, memory
            case Forget(cell_, next_):
                after = next_, stack, _with(memory, cell_, None)
            case Enter(entry, arguments, next_):
                contents = list(memory)
                for cell_, value, type_ in arguments:
                    number = value(memory, choices)
                    contents[cell_] = type_.wrap(number) if type_ is not None else number
                after = entry, (*stack, next_), tuple(contents)
            case Leave(result, type_, cell_, cells):
                contents = list(memory)
                if result is not None:
                    number = result(memory, choices)
                    contents[cell_] = type_.wrap(number) if type_ is not None else number
                contents[cells.start : cells.stop] = [None] * len(cells)
                after = stack[-1], stack[:-1], tuple(contents)
            case _:
                return
        yield after, tuple(("", choice) for choice, _ in choices.taken)
        given = choices.following()


def _without_value(instruction: Arbitrary, state: State) -> Iterator[tuple[State, tuple[Chosen, ...]]]:
    _, stack, memory = state
    for number in range(instruction.possibilities**instruction.count):
        contents = list(memory)
        chosen = []
        for offset in range(instruction.count):
            number, value = divmod(number, instruction.possibilities)
            contents[instruction.first + offset] = value
            chosen.append((instruction.name, value))
        yield (instruction.next, stack, tuple(contents)), tuple(chosen)


def _with(memory: Memory, cell: int, value: int | None) -> Memory:
    return (*memory[:cell], value, *memory[cell + 1 :])


def enumerate_states(machine: Machine, limit: int) -> Enumeration:
    """All states; raises `TooManyStates` beyond the limit."""
    start: State = (machine.entry, (), machine.initial)
    origin: dict[State, tuple[State, tuple[Chosen, ...]] | None] = {start: None}
    successors: dict[State, list[State]] = {}
    queue = deque([start])
    result = Enumeration(0, {}, set(), True)
    while queue:
        state = queue.popleft()
        instruction = machine.code[state[0]]
        if isinstance(instruction, End):
            result.ends.add((instruction.how, instruction.check, state[2][: machine.global_cells]))
            if instruction.check is not None and instruction.check not in result.errors:
                result.errors[instruction.check] = _inputs(origin, state)
        elif isinstance(instruction, Test) and instruction.check is not None:
            result.observed.setdefault(instruction.check, set()).add(state[2])
        following = successors[state] = []
        for after, chosen in _successors(machine, state):
            following.append(after)
            if after not in origin:
                origin[after] = (state, chosen)
                queue.append(after)
        if len(origin) > limit:
            raise TooManyStates
    result.states = len(origin)
    result.terminates = _is_acyclic(successors)
    return result


def _inputs(origin: dict[State, tuple[State, tuple[Chosen, ...]] | None], state: State) -> tuple[Chosen, ...]:
    steps: list[tuple[Chosen, ...]] = []
    before = origin[state]
    while before is not None:
        state, chosen = before
        steps.append(chosen)
        before = origin[state]
    return tuple(choice for chosen in reversed(steps) for choice in chosen)


def _is_acyclic(successors: dict[State, list[State]]) -> bool:
    incoming = dict.fromkeys(successors, 0)
    for following in successors.values():
        for after in following:
            incoming[after] += 1
    ready = [state for state, count in incoming.items() if count == 0]
    removed = 0
    while ready:
        state = ready.pop()
        removed += 1
        for after in successors[state]:
            incoming[after] -= 1
            if incoming[after] == 0:
                ready.append(after)
    return removed == len(successors)
