"""Random small programs, repeatable by their seed, each decided completely.

A program is a few fragments one after the other, or inside each other: loops that keep a relation (`fragments`) and arbitrary statements.
It is written with checks whose conditions are still open. The search tells which values get to each check; then a condition
is chosen that never holds there (though it could, were the values of the variables independent), or one that holds
rarely. So half of the programs are safe, and what makes them safe is a relation between variables that some loop keeps.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import lru_cache

from tests.explicit import syntax
from tests.explicit.fragments import FRAGMENTS
from tests.explicit.machine import Choices, Machine, Memory
from tests.explicit.search import Enumeration, TooManyStates, enumerate_states
from tests.explicit.syntax import (
    Binary,
    Check,
    Element,
    Expression,
    Function,
    Number,
    Place,
    Read,
    Scalar,
    Source,
    Unary,
    Variable,
    nested,
)
from tests.explicit.writer import Writer

MOST_STATES = 12_000
_CANDIDATES = 60
_SAMPLE = 150


@dataclass(frozen=True)
class Decided:
    """A program and the truth about it."""

    seed: int
    text: str
    source: Source
    enumeration: Enumeration
    lines: dict[Check, int]

    @property
    def reachable_lines(self) -> set[int]:
        """Where errors are reached."""
        return {self.lines[check] for check in self.enumeration.errors}

    @property
    def uninitialised(self) -> list[Variable]:
        statements = (statement for function in self.source.functions for statement in nested(function.body))
        declared = (statement.variable for statement in statements if isinstance(statement, syntax.Declare))
        return [variable for variable in declared if variable.initial is None and not variable.is_pointer]


@lru_cache(maxsize=2_000)
def decided_program(seed: int) -> Decided:
    """The program of this seed; what has too many states is not taken."""
    for attempt in range(200):
        found = _attempt(seed, random.Random(f"{seed} {attempt}"))
        if found is not None:
            return found
    raise AssertionError("no small program was found")


def _attempt(seed: int, chance: random.Random) -> Decided | None:
    source = _Generator(chance).source()
    try:
        machine = Machine(source)
        _choose_conditions(machine, enumerate_states(machine, MOST_STATES), chance, unsafe=chance.random() < 0.5)
        enumeration = enumerate_states(Machine(source), MOST_STATES)
    except TooManyStates:
        return None
    if enumeration.states < 12:
        return None
    enumeration.observed.clear()
    return Decided(seed, source.text(), source, enumeration, source.error_lines())


def unsafe_sibling(seed: int) -> Decided | None:
    """The program of this seed, if safe, with the condition of one check changed so that it is not; the shape stays, if possible."""
    decided = decided_program.__wrapped__(seed)  # a copy: it will be changed
    if not decided.enumeration.is_safe:
        return None
    chance = random.Random(f"sibling {seed}")
    machine = Machine(decided.source)
    observed = enumerate_states(machine, MOST_STATES).observed
    checks = [check for check in machine.checks if observed.get(check)]
    if not checks:
        return None
    check = chance.choice(checks)
    memories = sorted(observed[check], key=repr)
    candidates = [_similar(check.condition, chance) for _ in range(3 * _CANDIDATES)]
    if not any(_holds(machine, candidate, memories) for candidate in candidates):
        candidates = [_condition(check.scope, chance) for _ in range(_CANDIDATES)]
    check.condition = _rarely(machine, candidates, memories, check.scope, chance)
    enumeration = enumerate_states(Machine(decided.source), MOST_STATES)
    if enumeration.is_safe:
        return None
    return Decided(seed, decided.source.text(), decided.source, enumeration, decided.source.error_lines())


def _similar(condition: Expression, chance: random.Random) -> Expression:
    """With other numbers and comparisons."""
    match condition:
        case Number(value):
            return Number(value + chance.choice((-1, 0, 0, 1, 2, 3)))
        case Unary(operator, operand):
            return Unary(operator, _similar(operand, chance))
        case Binary("==" | "!=" | "<" | ">" | "<=" | ">=" as operator, left, right):
            if chance.random() < 0.4:
                operator = chance.choice(("==", "!=", "<", ">", "<=", ">="))
            return Binary(operator, _similar(left, chance), _similar(right, chance))
        case Binary("&&" | "||" | "+" | "-" | "^" as operator, left, right):
            return Binary(operator, _similar(left, chance), _similar(right, chance))
        case _:
            return condition


class _Generator:
    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.writer = Writer(chance)

    def source(self) -> Source:
        chance, writer = self.chance, self.writer
        for _ in range(chance.choice((0, 1, 1, 2))):
            writer.global_variable()
        if chance.random() < 0.4:
            writer.global_array()
        for _ in range(chance.choice((0, 0, 1, 1, 2))):
            writer.function()
        main = Function("main", syntax.INT, [])
        with writer.body_of(main):
            for _ in range(chance.choice((1, 1, 2))):
                writer.local_variable()
            if chance.random() < 0.35:
                writer.local_array()
            if chance.random() < 0.3:
                writer.pointer()
            for _ in range(chance.choice((1, 1, 2, 2, 3))):
                if chance.random() < 0.7:
                    writer.add(*chance.choice(FRAGMENTS)(writer))
                else:
                    writer.add(*writer.statements(chance.randint(1, 4), 2))
                if chance.random() < 0.4:
                    writer.add(writer.check())
            if not any(isinstance(statement, Check) for statement in nested(main.body)) or chance.random() < 0.5:
                writer.add(writer.check())
            if chance.random() < 0.35:
                writer.add_jumps()
            writer.add(syntax.Return(Number(0)))
        return Source(writer.globals, [*writer.functions, main])


# conditions


def _choose_conditions(machine: Machine, enumeration: Enumeration, chance: random.Random, unsafe: bool) -> None:
    checks = list(machine.checks)
    broken = set(chance.sample(checks, min(len(checks), chance.choice((1, 1, 2))))) if unsafe else set()
    for check in checks:
        candidates = [_condition(check.scope, chance) for _ in range(_CANDIDATES)]
        observed = sorted(enumeration.observed.get(check, ()), key=repr)
        choose = _rarely if check in broken else _never
        check.condition = choose(machine, candidates, observed, check.scope, chance)


def _holds(machine: Machine, condition: Expression, memories: list[Memory]) -> int:
    evaluator = machine.value(condition)
    return sum(1 for memory in memories if evaluator(memory, Choices([])))


def _rarely(
    machine: Machine, candidates: list[Expression], observed: list[Memory], scope: tuple[Variable, ...], chance: random.Random
) -> Expression:
    """One of those that hold for the fewest of these values, but for some."""
    sample = chance.sample(observed, min(len(observed), 4 * _SAMPLE))
    counted = [(_holds(machine, candidate, sample), position) for position, candidate in enumerate(candidates)]
    holding = sorted(pair for pair in counted if pair[0] > 0)
    if not holding:
        return candidates[0]
    return candidates[chance.choice(holding[:6])[1]]


def _never(
    machine: Machine, candidates: list[Expression], observed: list[Memory], scope: tuple[Variable, ...], chance: random.Random
) -> Expression:
    """One of those that hold for none of these values, but would for many if the variables took their values independently."""
    if not observed:
        return candidates[0]
    mixed = [_mixed(machine, observed, scope, chance) for _ in range(_SAMPLE)]
    rated: list[tuple[int, int]] = []
    for position, candidate in enumerate(candidates):
        if _holds(machine, candidate, observed[:20]) == 0 and _holds(machine, candidate, observed) == 0:
            rated.append((-_holds(machine, candidate, mixed), position))
    if not rated:
        return Number(0)
    rated.sort()
    return candidates[chance.choice(rated[:6])[1]]


def _mixed(machine: Machine, observed: list[Memory], scope: tuple[Variable, ...], chance: random.Random) -> Memory:
    """One of these with every variable changed, perhaps, to a value of another one or to any other value."""
    contents = list(chance.choice(observed))
    for variable in scope:
        for offset in range(variable.size or 1):
            cell = machine.cell[variable] + offset
            if chance.random() < 0.4:
                contents[cell] = chance.choice(observed)[cell]
            elif chance.random() < 0.3:
                contents[cell] = variable.type.wrap(chance.getrandbits(variable.bits) - (1 if variable.type.signed else 0))
    return tuple(contents)


def _condition(scope: tuple[Variable, ...], chance: random.Random) -> Expression:
    def read(variable: Variable) -> Expression:
        place: Place = Scalar(variable)
        if variable.size:
            place = Element(variable, _index(variable.size))
        value: Expression = Read(place)
        return Binary("&", value, Number((1 << variable.bits) - 1)) if variable.initial is None else value

    def _index(size: int) -> Expression:
        scalars = [each for each in scope if not each.size and not each.type.signed]
        if scalars and chance.random() < 0.4 and size in (2, 4):
            return Binary("&", Read(Scalar(chance.choice(scalars))), Number(size - 1))
        return Number(chance.randrange(size))

    def number(variable: Variable) -> Number:
        low = -(1 << (variable.bits - 1)) if variable.type.signed else 0
        return Number(low + chance.randrange(1 << variable.bits))

    def comparison() -> Expression:
        x, y = chance.choice(scope), chance.choice(scope)
        match chance.randrange(8):
            case 0:
                return Binary(chance.choice(("==", "!=")), read(x), number(x))
            case 1:
                return Binary(chance.choice(("<", ">", ">=", "<=")), read(x), number(x))
            case 2 | 3:
                return Binary(chance.choice(("==", "!=", "<", ">")), read(x), read(y))
            case 4:
                total = Binary(chance.choice("+-"), read(x), read(y))
                return Binary(chance.choice(("==", "!=", ">")), total, number(chance.choice((x, y))))
            case 5:
                masked = Binary(
                    "&", chance.choice((read(x), Binary(chance.choice("+^-"), read(x), read(y)))), Number(chance.choice((1, 3)))
                )
                return Binary(chance.choice(("==", "!=")), masked, Number(chance.choice((0, 1))))
            case 6:
                scaled = Binary("*", read(x), Number(chance.choice((2, 3))))
                return Binary(chance.choice(("==", "!=", "<")), scaled, Binary("+", read(y), Number(chance.randrange(3))))
            case _:
                return Binary("==", Binary("%", read(x), Number(chance.choice((2, 3, 5)))), Number(chance.randrange(3)))

    result = comparison()
    if chance.random() < 0.45:
        result = Binary("&&", result, comparison())
    if chance.random() < 0.1:
        result = Binary("||", result, Binary("&&", comparison(), comparison()))
    if chance.random() < 0.1:
        result = Unary("!", Unary("!", result))
    return result
