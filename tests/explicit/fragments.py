"""The pieces random programs are made of: loops that keep a relation between their variables."""

from __future__ import annotations

from collections.abc import Callable

from tests.explicit.syntax import (
    BOOL,
    INT,
    SCHAR,
    SHORT,
    UCHAR,
    UNSIGNED,
    Address,
    Assign,
    Binary,
    Block,
    Break,
    Continue,
    Declare,
    DoWhile,
    Element,
    Expression,
    For,
    Goto,
    If,
    Label,
    Number,
    PointerValue,
    Read,
    Scalar,
    Statement,
    Switch,
    Through,
    Unary,
    Variable,
    While,
    nested,
)
from tests.explicit.writer import Writer, masked


def _loop(writer: Writer, body: list[Statement], counter: Variable | None, limit: Expression | None) -> list[Statement]:
    """A loop of some form; with a counter it ends when that gets to the limit, otherwise whenever the environment likes."""
    chance = writer.chance
    if counter is None and chance.random() < 0.45:
        counter, limit = writer.counter(4), Number(chance.randint(3, 12))
    if counter is None or limit is None:
        match chance.randrange(3):
            case 0:
                return [While(writer.nondet(1), Block(body))]
            case 1:
                return [DoWhile(Block(body), writer.nondet(1))]
            case _:
                return [While(Number(1), Block([If(writer.nondet(1), Block([Break()])), *body]))]
    goes_on = Binary("<", Read(Scalar(counter)), limit)
    leaves = any(isinstance(each, Break | Continue) for statement in body for each in nested(statement))
    match chance.randrange(4 if leaves else 5):
        case 0 | 1:
            return [For(Assign(Scalar(counter), Number(0)), goes_on, writer.step(counter), Block(body))]
        case 2:
            return [While(goes_on, Block([*body, writer.step(counter)]))]
        case 3:
            return [DoWhile(Block([*body, writer.step(counter)]), goes_on)]
        case _:
            head, end = writer.name("L"), writer.name("L")
            return [
                Label(head),
                If(Unary("!", goes_on), Block([Goto(end)])),
                *body,
                writer.step(counter),
                Goto(head),
                Label(end),
            ]


def _also(writer: Writer, in_loop: bool = True) -> list[Statement]:
    """Something else, sometimes."""
    if writer.chance.random() < 0.65:
        return []
    writer.loops += in_loop
    found = [writer.statement(1)]
    writer.loops -= in_loop
    return found


def _checked(writer: Writer) -> list[Statement]:
    return [writer.check()] if writer.chance.random() < 0.35 else []


def lockstep(writer: Writer) -> list[Statement]:
    """Two numbers that change together, wrapping around."""
    chance = writer.chance
    bits = chance.choice((3, 4, 4, 5))
    x, y = writer.counter(bits), writer.counter(bits)
    by = chance.choice((1, 1, 2, 3))
    body: list[Statement] = [writer.step(x, 1, bits), *_also(writer), writer.step(y, by, bits), *_checked(writer)]
    if chance.random() < 0.3:
        body = [If(writer.nondet(1), Block(body), Block([writer.step(x, -1, bits), writer.step(y, -by, bits)]))]
    return [*_loop(writer, body, None, None), writer.check()]


def counted(writer: Writer) -> list[Statement]:
    """A sum that the number of rounds bounds or determines."""
    chance = writer.chance
    i, total = writer.counter(5), writer.counter(7)
    limit = Number(chance.randint(2, 14))
    added = writer.nondet(1) if chance.random() < 0.6 else Number(chance.choice((1, 2, 3)))
    body = [Assign(Scalar(total), Binary("+", Read(Scalar(total)), added)), *_checked(writer)]
    return [*_loop(writer, body, i, limit), writer.check()]


def transfer(writer: Writer) -> list[Statement]:
    """What leaves one place gets to another."""
    x, y = writer.counter(4), writer.counter(4)
    whole = writer.chance.randint(2, 7)
    give = If(Binary(">", Read(Scalar(x)), Number(0)), Block([writer.step(x, -1), *_also(writer), writer.step(y)], closed=True))
    take = If(Binary(">", Read(Scalar(y)), Number(0)), Block([writer.step(y, -1), writer.step(x)], closed=True))
    body: list[Statement] = [If(writer.nondet(1), Block([give]), Block([take])), *_checked(writer)]
    start = [Assign(Scalar(x), Number(whole)), Assign(Scalar(y), Number(0))]
    return [*start, *_loop(writer, body, None, None), writer.check()]


def saturating(writer: Writer) -> list[Statement]:
    x = writer.counter(4)
    most = writer.chance.randint(3, 11)
    by = writer.chance.choice((1, 2, 3))
    up = If(Binary("<", Read(Scalar(x)), Number(most)), Block([writer.step(x, by)], closed=True))
    down = If(writer.nondet(1), Block([Assign(Scalar(x), Number(0))]))
    return [*_loop(writer, [up, *_also(writer), down, *_checked(writer)], None, None), writer.check()]


def modes(writer: Writer) -> list[Statement]:
    """A machine with a few modes; a flag tells which ones."""
    chance = writer.chance
    mode, flag = writer.counter(2, chance.choice((UCHAR, INT))), writer.counter(1, chance.choice((UCHAR, BOOL)))
    cases: list[tuple[tuple[int, ...], Block]] = []
    for at in range(chance.choice((3, 4))):
        to = chance.randrange(4)
        moved: list[Statement] = [
            Assign(Scalar(mode), Number(to)),
            Assign(Scalar(flag), Number(to & 1 if chance.random() < 0.8 else 1)),
        ]
        if chance.random() < 0.5:
            moved = [If(writer.nondet(1), Block(moved))]
        if chance.random() < 0.85:
            moved.append(Break())
        cases.append(((at,), Block(moved)))
    body: list[Statement] = [Switch(masked(Read(Scalar(mode)), 2), cases), *_also(writer), *_checked(writer)]
    return [*_loop(writer, body, None, None), writer.check()]


def nest(writer: Writer) -> list[Statement]:
    """A loop in a loop; a third variable counts the rounds."""
    chance = writer.chance
    i, j, total = writer.counter(3), writer.counter(3), writer.counter(6)
    inner_limit: Expression = Number(chance.randint(1, 4)) if chance.random() < 0.6 else Read(Scalar(i))
    inner = _loop(writer, [writer.step(total), *_also(writer)], j, inner_limit)
    again = Assign(Scalar(j), Number(0))
    body = [again, *inner, *_checked(writer)]
    return [*_loop(writer, body, i, Number(chance.randint(1, 4))), writer.check()]


def greatest(writer: Writer) -> list[Statement]:
    """An array is filled, and the greatest element kept."""
    chance = writer.chance
    size = chance.choice((2, 3))
    array = writer.local(chance.choice((UCHAR, SCHAR, INT)), 2, 0, size)
    writer.protected.add(array)
    i, best = writer.counter(3), writer.counter(2)
    element = Element(array, Read(Scalar(i)))
    value = writer.nondet(1 if size == 3 else 2) if array.type is not SCHAR else writer.nondet(1)
    body: list[Statement] = [
        Assign(element, value),
        If(Binary(">", Read(element), Read(Scalar(best))), Block([Assign(Scalar(best), Read(element))], closed=True)),
    ]
    loop = For(Assign(Scalar(i), Number(0)), Binary("<", Read(Scalar(i)), Number(size)), writer.step(i), Block(body, closed=True))
    return [loop, *_also(writer, in_loop=False), writer.check()]


def walk(writer: Writer) -> list[Statement]:
    """A pointer goes through an array."""
    chance = writer.chance
    size = chance.choice((2, 3, 4))
    array = writer.local(chance.choice((UCHAR, INT)), 2, chance.randrange(2), size)
    writer.protected.add(array)
    total = writer.counter(4)
    pointer = Variable(writer.name("p"), array.type, 2, is_pointer=True)
    writer.prologue += [Declare(pointer), Assign(PointerValue(pointer), Address(array))]
    here = Through(pointer)
    stored = writer.nondet(1) if chance.random() < 0.7 else Binary("^", masked(Read(here), 1), Number(1))
    body: list[Statement] = [Assign(here, stored), Assign(Scalar(total), masked(Binary("+", Read(Scalar(total)), Read(here)), 4))]
    loop = For(
        Assign(PointerValue(pointer), Address(array)),
        Binary("!=", PointerValue(pointer), Address(array, Number(size), sum=True)),
        Assign(PointerValue(pointer), Binary("+", PointerValue(pointer), Number(1)), f"{pointer.name}++"),
        Block(body, closed=True),
    )
    return [loop, Assign(PointerValue(pointer), Address(array)), *_also(writer, in_loop=False), writer.check()]


def two_entries(writer: Writer) -> list[Statement]:
    """A loop that is entered at two places."""
    chance = writer.chance
    bits = chance.choice((2, 3, 4))
    x, y = writer.counter(bits), writer.counter(bits)
    first, second = writer.name("L"), writer.name("L")
    again = (
        Binary("&&", Binary("<", Read(Scalar(x)), Number((1 << bits) - 2)), writer.nondet(1))
        if chance.random() < 0.6
        else writer.nondet(1)
    )
    return [
        If(writer.nondet(1), Block([writer.step(x, 1, bits), Goto(second)])),
        Label(first),
        writer.step(x, 1, bits),
        *_also(writer, in_loop=False),
        Label(second),
        writer.step(y, chance.choice((1, 1, 2)), bits),
        *_checked(writer),
        If(again, Block([Goto(first)])),
        writer.check(),
    ]


def alternating(writer: Writer) -> list[Statement]:
    """A flag changes with every round, a number with every other one."""
    chance = writer.chance
    flag, x = writer.counter(1, chance.choice((UCHAR, BOOL, INT))), writer.counter(3)
    toggled = Unary("!", Read(Scalar(flag))) if chance.random() < 0.5 else Binary("^", Read(Scalar(flag)), Number(1))
    body: list[Statement] = [
        Assign(Scalar(flag), toggled),
        If(
            Binary("!=", Read(Scalar(flag)), Number(0)),
            Block([writer.step(x, chance.choice((1, 3)), 3)]),
            Block([writer.step(x, 1, 3)]),
        ),
        *_checked(writer),
        *_also(writer),
    ]
    return [*_loop(writer, body, None, None), writer.check()]


def swinging(writer: Writer) -> list[Statement]:
    """A signed number that goes up and down, or changes its sign."""
    chance = writer.chance
    x = writer.counter(4, chance.choice((SCHAR, INT, SHORT)))
    way = writer.counter(2, SCHAR)
    most = chance.randint(1, 5)
    at = Read(Scalar(x))
    if chance.random() < 0.4:
        body: list[Statement] = [Assign(Scalar(x), Unary("-", at))]
        start: list[Statement] = [Assign(Scalar(x), Number(chance.choice((-3, 2, 5))))]
    else:
        start = [Assign(Scalar(way), Number(1))]
        body = [
            Assign(Scalar(x), Binary("+", at, Read(Scalar(way)))),
            If(
                Binary("||", Binary(">=", at, Number(most)), Binary("<=", at, Number(-most))),
                Block([Assign(Scalar(way), Unary("-", Read(Scalar(way))))], closed=True),
            ),
        ]
        return [*start, *_closed_loop(writer, [*body, *_checked(writer)]), writer.check()]
    return [*start, *_loop(writer, [*body, *_also(writer), *_checked(writer)], None, None), writer.check()]


def _closed_loop(writer: Writer, body: list[Statement]) -> list[Statement]:
    """No jump into it: the variables would get beyond their bounds."""
    return [While(writer.nondet(1), Block(body, closed=True))]


def forever(writer: Writer) -> list[Statement]:
    """A loop that is not left."""
    chance = writer.chance
    bits = chance.choice((2, 3, 4))
    x, y = writer.counter(bits), writer.counter(bits)
    body: list[Statement] = [
        writer.step(x, chance.choice((1, 2, 3)), bits),
        Assign(Scalar(y), masked(Binary("-", Read(Scalar(y)), Read(Scalar(x))), bits)),
        *_also(writer),
        writer.check(),
    ]
    if chance.random() < 0.3:
        body.insert(0, If(writer.condition(1), Block([chance.choice((Continue, Break))()])))
    return (
        [While(Number(1), Block(body))]
        if chance.random() < 0.6
        else [If(writer.condition(1), Block([While(Number(1), Block(body))])), writer.check()]
    )


def without_value(writer: Writer) -> list[Statement]:
    """An uninitialised variable says how often."""
    u = writer.local(writer.chance.choice((UCHAR, UNSIGNED, INT)), 2, None)
    writer.protected.add(u)
    i, x = writer.counter(3), writer.counter(4)
    body: list[Statement] = [writer.step(x, writer.chance.choice((1, 2)), 4), *_checked(writer), *_also(writer)]
    return [*_loop(writer, body, i, masked(Read(Scalar(u)), 2)), writer.check()]


FRAGMENTS: tuple[Callable[[Writer], list[Statement]], ...] = (
    lockstep, counted, transfer, saturating, modes, nest, greatest, walk, two_entries, alternating, swinging, forever, without_value,
)  # fmt: skip
