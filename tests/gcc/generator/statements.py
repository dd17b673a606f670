"""Statements and control flow over the places in scope."""

from __future__ import annotations

from collections.abc import Callable

from tests.gcc.generator.expressions import arithmetic, condition, index, integer, value_for
from tests.gcc.generator.writer import BOOL, DOUBLE, FLOAT, INT, LDOUBLE, UINT, Arithmetic, Place, Writer

DEPTH = 3


def mix(writer: Writer, text: str, type_: Arithmetic) -> None:
    """Adds a value to the checksum."""
    if writer.inside_pure:
        return
    writer.line(f"{mixer(writer, type_)}({text});", cost=4)


def mixer(writer: Writer, type_: Arithmetic) -> str:
    if not type_.is_float:
        return "mix"
    name = {FLOAT: "mix_float", DOUBLE: "mix_double", LDOUBLE: "mix_long_double"}[type_]
    writer.helper(name, MIXERS[name])
    return name


MIXERS = {
    "mix_float": """static void mix_float(float x) {
    union { float f; unsigned u; } bits;
    bits.f = x;
    mix(x != x ? 0x7fc00000u : bits.u);
}""",
    "mix_double": """static void mix_double(double x) {
    union { double d; unsigned long long u; } bits;
    bits.d = x;
    mix(x != x ? 0x7ff8000000000000uLL : bits.u);
}""",
    "mix_long_double": """static void mix_long_double(long double x) {
    union { long double l; struct { unsigned long long fraction; unsigned short exponent; } u; } bits;
    bits.l = x;
    mix(x != x ? 1 : bits.u.fraction);
    mix(x != x ? 0x7fff : bits.u.exponent);
}""",
}


def declare_local(writer: Writer, type_: Arithmetic | None = None, direct: bool = True) -> Place:
    type_ = type_ or writer.scalar_type()
    name = writer.name("x")
    qualifier = "volatile " if writer.has("qualifiers") and writer.chance(4) else ""
    writer.line(f"{qualifier}{type_} {name} = {value_for(writer, type_, 2)};")
    return writer.add(Place(name, type_, direct=direct))


def statements(writer: Writer, count: int, depth: int = DEPTH) -> None:
    for _ in range(count):
        statement(writer, depth)


def statement(writer: Writer, depth: int = DEPTH) -> None:
    """One statement; compound ones only while `depth` and the cost allow."""
    simple: list[Callable[[Writer], None]] = [assignment, compound_assignment, increment, assignment, mix_something]
    compound: list[Callable[[Writer, int], None]] = [branch, loop]
    if writer.has("sequenced"):
        simple.append(sequenced_effects)
    if writer.has("goto"):
        compound.append(jump)
    if writer.has("switch"):
        compound.append(switch)
    if depth > 0 and writer.affordable(80) and writer.chance(35):
        writer.pick(compound)(writer, depth - 1)
    else:
        writer.pick(simple)(writer)


def mix_something(writer: Writer) -> None:
    if writer.inside_pure:
        assignment(writer)
        return
    value = arithmetic(writer, 2)
    mix(writer, value.text, value.type)


def _target(writer: Writer, floats: bool | None = None) -> Place:
    places = writer.places(writable=True, floats=floats)
    return writer.pick(places) if places else declare_local(writer, INT if not floats else DOUBLE)


def assignment(writer: Writer) -> None:
    target = _target(writer)
    writer.line(f"{target.text} = {value_for(writer, target.type, 3, target.is_bit_field)};")


def compound_assignment(writer: Writer) -> None:
    if not writer.has("compound_assignment"):
        assignment(writer)
        return
    target = _target(writer)
    if target.type.is_float:
        writer.line(f"{target.text} {writer.pick(('+', '-', '*', '/'))}= {arithmetic(writer, 2).text};")
        return
    kind = writer.below(9)
    if target.width > 32 and not writer.has("wide_bit_fields"):
        kind = min(kind, 6)
    if kind <= 5:
        writer.line(f"{target.text} {('+', '-', '*', '&', '|', '^')[kind]}= {integer(writer, 2).text};")
    elif kind == 6:
        writer.line(f"{target.text} {writer.pick(('/', '%'))}= {writer.between(1, 30)};")
    elif kind == 7:
        width = min(target.width, 32) or target.type.promoted.bits
        writer.line(f"{target.text} {writer.pick(('<<', '>>'))}= {integer(writer, 1).text} & {width - 1};")
    elif writer.float_types() and target.type is not BOOL and writer.has("float_to_int"):
        # the result is nearer to zero, so in range
        writer.line(
            f"{target.text} {writer.pick(('*= 0.5', '/= 2.0f', '*= 0.75', '/= -8.0' if target.type.signed else '/= 8.0'))};"
        )
    else:
        writer.line(f"{target.text} += {integer(writer, 2).text};")


def increment(writer: Writer) -> None:
    target = _target(writer)
    operator = writer.pick(("++", "--"))
    others = [p for p in writer.places(writable=True, direct=True, floats=target.type.is_float) if p.text != target.text]
    if others and target.direct and writer.chance(50):
        used = writer.pick((f"{target.text}{operator}", f"{operator}{target.text}"))
        writer.line(f"{writer.pick(others).text} = {used};")
        return
    writer.line(writer.pick((f"{target.text}{operator};", f"{operator}{target.text};")))


def sequenced_effects(writer: Writer) -> None:
    """Side effects inside one expression, where C fixes their order: comma, &&, ||, ?:, full expressions."""
    places = writer.places(writable=True, direct=True, floats=False)
    if len(places) < 2:
        assignment(writer)
        return
    first, second = writer.pick(places), writer.pick(places)
    if first.text == second.text:
        increment(writer)
        return
    a, b = first.text, second.text
    value = integer(writer, 1).text
    kind = writer.below(7)
    forms = (
        f"{a} = {value}, {b} += {a};",
        f"{b} = ({a}++, {a} + {value});",
        f"{b} = {a}++ > 3 && --{a} != 5;",
        f"{b} = ++{a} || ({a} = {value});",
        f"{b} = {a}-- ? {a} : ({a} += 2, {value});",
        f"{b} = {a} = {value};",
        f"{condition(writer, 1)} ? ({a} += {value}) : ({b} ^= 5);",
    )
    writer.line(forms[kind])


def branch(writer: Writer, depth: int) -> None:
    with writer.block(f"if ({condition(writer, 2)}) {{"):
        statements(writer, writer.between(1, 2), depth)
    if writer.chance(40):
        with writer.block("else {"):
            statements(writer, writer.between(1, 2), depth)


def _loop_body(writer: Writer, depth: int) -> None:
    statements(writer, writer.between(1, 3), depth)
    if writer.chance(25):
        writer.line(f"if ({condition(writer, 1)}) {writer.pick(('break', 'continue'))};")
        statement(writer, depth)


def loop(writer: Writer, depth: int) -> None:
    times = writer.between(1, 5)
    counter = writer.name("i")
    kind = writer.below(6)
    type_ = writer.pick((INT, UINT, writer.integer_type())) if kind < 2 else INT
    type_ = INT if type_ is BOOL else type_
    visible = Place(counter, type_, writable=False)
    if kind == 0:
        with writer.block(f"for ({type_} {counter} = 0; {counter} < {times}; {counter}++) {{", times=times):
            writer.add(visible)
            _loop_body(writer, depth)
    elif kind == 1:
        step = writer.between(1, 3)
        opening = f"for ({type_} {counter} = {times * step}; {counter} >= {step}; {counter} -= {step}) {{"
        with writer.block(opening, times=times):
            writer.add(visible)
            _loop_body(writer, depth)
    elif kind == 2:
        with writer.block():
            writer.line(f"int {counter} = {times};")
            with writer.block(f"while ({counter}-- > 0) {{", times=times):
                writer.add(visible)
                _loop_body(writer, depth)
    elif kind == 3:
        with writer.block():
            writer.line(f"int {counter} = 0;")
            closing = f"}} while (++{counter} < {times} && {condition(writer, 1)});"
            with writer.block("do {", closing, times=times):
                writer.add(visible)
                _loop_body(writer, depth)
    elif kind == 4:
        other = writer.name("j")
        opening = f"for (int {counter} = 0, {other} = {times + 2}; {counter} < {other} && {counter} < {times}; ++{counter}, --{other}) {{"
        with writer.block(opening, times=times):
            writer.add(visible)
            writer.add(Place(other, INT, writable=False))
            _loop_body(writer, depth)
    else:
        with writer.block():
            writer.line(f"int {counter} = 0;")
            with writer.block("for (;;) {", times=times):
                writer.line(f"if (++{counter} > {times}) break;")
                writer.add(visible)
                _loop_body(writer, depth)


def jump(writer: Writer, depth: int) -> None:
    """Forward and bounded backward gotos, into and out of blocks."""
    kind = writer.below(4)
    label = writer.name("label")
    if kind == 0:
        writer.line(f"if ({condition(writer, 2)}) goto {label};")
        with writer.block():
            statements(writer, 2, depth)
        writer.line(f"{label}: ;")
    elif kind == 1:
        times = writer.between(1, 4)
        counter = writer.name("n")
        with writer.block():
            writer.line(f"int {counter} = 0;")
            writer.add(Place(counter, INT, writable=False))
            with writer.block(f"{label}: {{", times=times):
                statements(writer, 2, depth)
            writer.line(f"if (++{counter} < {times}) goto {label};", cost=times)
    elif kind == 2:  # out of two loops
        counter, other = writer.name("i"), writer.name("i")
        with writer.block(f"for (int {counter} = 0; {counter} < 3; {counter}++) {{", times=3):
            with writer.block(f"for (int {other} = 0; {other} < 3; {other}++) {{", times=3):
                writer.add(Place(counter, INT, writable=False))
                writer.add(Place(other, INT, writable=False))
                writer.line(f"if ({condition(writer, 1)}) goto {label};")
                statement(writer, 0)
        writer.line(f"{label}: ;")
    else:  # into a block
        writer.line(f"if ({condition(writer, 1)}) goto {label};")
        with writer.block(f"if ({condition(writer, 1)}) {{"):
            with writer.block():
                statement(writer, 0)
            writer.line(f"{label}: ;")
            statement(writer, depth)


def switch(writer: Writer, depth: int) -> None:
    """Fall-through, ranges, several labels, default anywhere, values wider than int."""
    selector = integer(writer, 1)
    kind = writer.below(3)
    text = (f"{selector.text} & 7", f"(signed char)({selector.text})", selector.text)[kind]
    arms: list[str] = []
    low = writer.pick((0, 0, -3))
    for _ in range(writer.between(1, 4)):
        if writer.chance(25):
            high = low + writer.between(1, 3)
            arms.append(f"case {low} ... {high}:")
        elif writer.chance(20):
            high = low + 1
            arms.append(f"case {low}: case {high}:")
        else:
            high = low
            arms.append(f"case {low}:")
        low = high + writer.between(1, 2)
    if writer.chance(60):
        arms.insert(writer.between(0, len(arms)), "default:")
    with writer.block(f"switch ({text}) {{"):
        for arm in arms:
            writer.line(arm, cost=0)
            with writer.block():
                statements(writer, writer.between(1, 2), depth - 1)
            if writer.chance(60):
                writer.line("break;")


def nested_switch(writer: Writer) -> None:
    """A loop entered through a switch (Duff's device)."""
    counter, place = writer.name("n"), writer.name("d")
    with writer.block():
        writer.line(f"int {counter} = 2, {place} = 0;")
        writer.line(f"switch ({index(writer, 4)}) {{")
        writer.line(f"case 0: do {{ {place} += 1; {place} *= 3;", cost=6)
        writer.line(f"case 3: {place} += 5;", cost=2)
        writer.line(f"case 2: {place} ^= 9;", cost=2)
        writer.line(f"case 1: {place}++; }} while (--{counter} > 0);", cost=4)
        writer.line("}")
        mix(writer, place, INT)
