"""Inputs that can be tried one by one: of an expression over a single input, all the values that it may have.

`nondet() % 5` has five values, though the input has 2^32. Each value comes with an input that gives it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from drystone.ir.expressions import Apply, Constant, Expression, Input, InputKind, Load, Variable
from drystone.logic.semantics import function
from drystone.logic.sorts import BitVec, Bool

MOST = 64  # values
_NARROW = 8  # bits of an input of which all values are looked at


def few_values(expression: Expression, most: int = MOST) -> Mapping[int, int] | None:
    """Every value of an expression in which all but one input is constant, and an input that gives it; None: it is another
    expression, there may be more values than `most`, or nobody needs to know them."""
    if isinstance(expression, Input) and expression.kind is InputKind.SCHEDULE:
        return None  # both sides of a branch on it are possible
    values = _values(expression, most)
    return values if values is not None and len(values) <= most else None


def over_inputs(expression: Expression, most: int = MOST) -> Iterator[Expression]:
    """The largest parts that are functions of one input, with few values."""
    if only_input(expression) is not None and few_values(expression, most) is not None:
        yield expression
    elif isinstance(expression, Load):
        yield from over_inputs(expression.address, most)
    elif isinstance(expression, Apply):
        for argument in expression.arguments:
            yield from over_inputs(argument, most)


def only_input(expression: Expression) -> Input | None:
    """The input that the expression is a function of, if there is exactly one, and neither variables nor memory."""
    match expression:
        case Input():
            return expression
        case Apply(_, _, arguments):
            found: Input | None = None
            for argument in arguments:
                if isinstance(argument, Constant):
                    continue
                inner = only_input(argument)
                if inner is None or (found is not None and found != inner):
                    return None
                found = inner
            return found
        case _:
            return None


def has_inputs(expression: Expression) -> bool:
    match expression:
        case Input():
            return True
        case Apply(_, _, arguments):
            return any(map(has_inputs, arguments))
        case Load(_, address):
            return has_inputs(address)
        case Variable() | Constant() | _:
            return False


def _values(expression: Expression, most: int) -> dict[int, int] | None:
    match expression:
        case Input(_, Bool()):
            return {0: 0, 1: 1}
        case Input(_, BitVec(width)) if width <= _NARROW:
            return {value: value for value in range(1 << width)}
        case Apply(operator, sort, arguments):
            places = [place for place, argument in enumerate(arguments) if not isinstance(argument, Constant)]
            if len(places) != 1:
                return None
            (place,) = places
            inner = _values(arguments[place], most)
            if inner is None:
                return _of_wide(operator, arguments, most) if place == 0 else None
            apply = function(operator, sort, tuple(argument.sort for argument in arguments))
            given = [argument.value if isinstance(argument, Constant) else 0 for argument in arguments]
            found: dict[int, int] = {}
            for value, chosen in inner.items():
                given[place] = value
                found.setdefault(apply(*given), chosen)
            return found
        case _:
            return None


def _of_wide(operator: str, arguments: tuple[Expression, ...], most: int) -> dict[int, int] | None:
    """An operator with few results, applied to an input of many values."""
    first = arguments[0]
    if not isinstance(first, Input) or not isinstance(first.sort, BitVec) or len(arguments) > 2:
        return None
    width = first.sort.width
    number = arguments[1].value if len(arguments) == 2 and isinstance(arguments[1], Constant) else 0
    if operator == "bvurem" and 0 < number <= most:
        return {value: value for value in range(number)}
    if operator == "bvsrem" and 0 < 2 * number - 1 <= most:
        remainders = (value & (1 << width) - 1 for value in range(1 - number, number))
        return {value: value for value in remainders}
    if operator == "bvand" and 1 << number.bit_count() <= most:
        return {value: value for value in _parts(number)}
    if operator == "=" and len(arguments) == 2:
        return {1: number, 0: number ^ 1}
    return None


def _parts(mask: int) -> list[int]:
    """All numbers that have ones only where the mask has some."""
    found, part = [0], mask
    while part:
        found.append(part)
        part = part - 1 & mask
    return found
