"""Structs, unions, bit-fields, initialisers, layout."""

from __future__ import annotations

from dataclasses import dataclass

from tests.gcc.generator.expressions import constant_initialiser, index, integer, value_for
from tests.gcc.generator.statements import assignment, compound_assignment, increment, mix, statements
from tests.gcc.generator.writer import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    INTEGERS,
    LLONG,
    LONG,
    UCHAR,
    UINT,
    ULONG,
    USHORT,
    Arithmetic,
    Place,
    Writer,
)


@dataclass(frozen=True)
class Member:
    path: str  # from the object: ".a", ".in.b[1]"
    type: Arithmetic
    width: int = 0  # of a bit-field


@dataclass(frozen=True)
class Record:
    """A struct type; `members` are its scalars, `fields` what a brace-enclosed list initialises."""

    name: str
    members: tuple[Member, ...]
    fields: tuple[tuple[str, str | Arithmetic, int], ...]  # name, type or nested record's name, array length (0: none)
    nested: dict[str, Record]

    def initialiser(self, writer: Writer, static: bool, designated: bool = True) -> str:
        """A brace-enclosed list: all or a part of the fields, in order or designated."""
        parts = []
        designate = designated and writer.has("designated") and writer.chance(50)
        count = len(self.fields) if writer.chance(70) else writer.between(1, len(self.fields))
        for name, type_, length in self.fields[:count]:
            is_bit_field = any(member.width and member.path == f".{name}" for member in self.members)
            value = self._value(writer, type_, length, static, designate, is_bit_field)
            parts.append(f".{name} = {value}" if designate else value)
        if designate and writer.chance(40):
            parts.reverse()
        return "{" + ", ".join(parts) + "}"

    def _value(
        self, writer: Writer, type_: str | Arithmetic, length: int, static: bool, designate: bool, is_bit_field: bool
    ) -> str:
        def one() -> str:
            if isinstance(type_, str):
                return self.nested[type_].initialiser(writer, static)
            return constant_initialiser(writer, type_) if static else value_for(writer, type_, 1, is_bit_field)

        if not length:
            return one()
        if designate and writer.chance(50):
            return "{[" + str(writer.below(length)) + "] = " + one() + "}"
        return "{" + ", ".join(one() for _ in range(writer.between(1, length))) + "}"


def record(writer: Writer, attributes: str = "", nested: Record | None = None, bit_fields: bool = False) -> Record:
    """Declares a new struct type."""
    name = f"struct {writer.name('s')}"
    lines: list[str] = []
    members: list[Member] = []
    fields: list[tuple[str, str | Arithmetic, int]] = []
    inner = {nested.name: nested} if nested else {}
    for number in range(writer.between(1, 4)):
        field = f"m{number}"
        kind = writer.below(10)
        if nested and kind == 9:
            lines.append(f"{nested.name} {field};")
            members += [Member(f".{field}{each.path}", each.type, each.width) for each in nested.members]
            fields.append((field, nested.name, 0))
            nested = None
        elif kind >= 7:
            type_, length = writer.scalar_type(), writer.between(1, 3)
            lines.append(f"{type_} {field}[{length}];")
            members += [Member(f".{field}[{position}]", type_) for position in range(length)]
            fields.append((field, type_, length))
        elif bit_fields and kind >= 3:
            type_ = writer.pick(BIT_FIELD_TYPES)
            width = writer.between(1, type_.bits)
            lines.append(f"{type_} {field} : {width};")
            members.append(Member(f".{field}", type_, width))
            fields.append((field, type_, 0))
        else:
            type_ = writer.scalar_type()
            lines.append(f"{type_} {field};")
            members.append(Member(f".{field}", type_))
            fields.append((field, type_, 0))
    writer.declare(f"{name} {{ {' '.join(lines)} }}{attributes};")
    return Record(name, tuple(members), tuple(fields), inner)


def expose(writer: Writer, object_text: str, record_: Record, everywhere: bool = False, arrow: bool = False) -> None:
    """Puts the scalars of an object into the scope."""
    for member in record_.members:
        path = "->" + member.path[1:] if arrow else member.path
        place = Place(object_text + path, member.type, width=member.width)
        if everywhere:
            writer.add_global(place)
        else:
            writer.add(place)


def mix_record(writer: Writer, object_text: str, record_: Record) -> None:
    for member in record_.members:
        mix(writer, object_text + member.path, member.type)


def structs(writer: Writer) -> None:
    """Nested structs, arrays of them, by value as parameter and result, assignment, `->`."""
    inner = record(writer)
    outer = record(writer, nested=inner, bit_fields=writer.has("bit_fields"))
    name = writer.name("g")
    writer.declare(f"static {outer.name} {name} = {outer.initialiser(writer, static=True)};")
    expose(writer, name, outer, everywhere=True)
    function = writer.name("f")
    parameter = writer.name("p")
    with writer.function(
        f"static {outer.name} {function}({outer.name} {parameter}, int k)", pure=False, parameters=[Place("k", INT)]
    ) as cost:
        expose(writer, parameter, outer)
        statements(writer, 2, 1)
        writer.line(f"return {parameter};")
    with writer.block():
        local, array, pointer = writer.name("s"), writer.name("a"), writer.name("p")
        writer.line(f"{outer.name} {local} = {outer.initialiser(writer, static=False)};", cost=5)
        writer.line(
            f"{outer.name} {array}[2] = {{{{0}}, {local}}};"
            if writer.chance(50)
            else f"{outer.name} {array}[2] = {{{local}, {name}}};",
            cost=3,
        )
        writer.line(f"{outer.name} *{pointer} = &{array}[{index(writer, 2)}];")
        expose(writer, local, outer)
        expose(writer, f"{array}[{index(writer, 2)}]", outer)
        expose(writer, pointer, outer, arrow=True)
        statements(writer, 3, 1)
        writer.line(
            f"{local} = {function}({writer.pick((local, f'*{pointer}', name, f'{array}[1]'))}, {integer(writer, 1).text});",
            cost=cost[0],
        )
        writer.line(f"{writer.pick((f'*{pointer}', name))} = {local};")
        member = writer.pick(outer.members)
        mix(writer, f"{function}({array}[0], 3){member.path}", member.type)
        writer.cost += cost[0] * writer.weight
        mix_record(writer, local, outer)
        mix_record(writer, f"{array}[1]", outer)
    mix_record(writer, name, outer)


def unions(writer: Writer) -> None:
    """Type punning through memory."""
    tag = f"union {writer.name('u')}"
    types = [writer.scalar_type() for _ in range(writer.between(1, 3))]
    types = [DOUBLE if each.bits == 80 and writer.has("floats") else each for each in types if each is not BOOL] or [INT]
    members = "".join(f" {each} m{number};" for number, each in enumerate(types))
    writer.declare(f"{tag} {{{members} unsigned char bytes[16]; struct {{ unsigned short low; short high; }} half; }};")
    name = writer.name("g")
    first = constant_initialiser(writer, types[0])
    writer.declare(
        f"static {tag} {name} = {writer.pick((f'{{{first}}}', f'{{.m{len(types) - 1} = 1}}', '{.bytes = {1, 2, 3}}'))};"
    )
    with writer.block():
        copy = writer.name("u")
        writer.line(f"{tag} {copy} = {name};")
        for variable in (copy, name):
            type_ = writer.pick([each for each in types if not each.is_float] or [UCHAR])
            number = types.index(type_) if type_ in types else -1
            target = f"{variable}.m{number}" if number >= 0 else f"{variable}.bytes[0]"
            writer.line(f"{target} = {value_for(writer, type_, 2)};")
            writer.line(f"{variable}.bytes[{writer.below(16)}] {writer.pick(('=', '^=', '+='))} {integer(writer, 1).text};")
            writer.line(f"{variable}.half.high -= {variable}.half.low;")
            for number, each in enumerate(types):
                mix(writer, f"{variable}.m{number}", each)
        floats = [(number, each) for number, each in enumerate(types) if each.is_float]
        if floats:  # the bits of a NaN are not fixed
            number, float_type = floats[0]
            value = writer.name("x")
            writer.line(f"{float_type} {value} = {value_for(writer, float_type, 2)};")
            writer.line(f"{name}.m{number} = {value} != {value} ? 0 : {value};")
        position = writer.name("i")
        writer.line(
            f"for (int {position} = 0; {position} < 16; {position}++) mix({name}.bytes[{position}] + {copy}.bytes[{position}]);",
            cost=120,
        )


BIT_FIELD_TYPES = tuple(each for each in INTEGERS) + (INT, UINT)


def bit_fields(writer: Writer) -> None:
    """All widths and types, zero-width and unnamed ones, mixed with other members; the layout byte by byte."""
    name = f"struct {writer.name('s')}"
    lines: list[str] = []
    members: list[Member] = []
    for number in range(writer.between(1, 7)):
        kind = writer.below(12)
        type_ = writer.pick(BIT_FIELD_TYPES)
        width = writer.between(1, type_.bits)
        if kind == 10:
            lines.append(f"{type_} : {writer.pick((0, width))};")
        elif kind == 11:
            plain = writer.integer_type()
            lines.append(f"{plain} m{number};")
            members.append(Member(f".m{number}", plain))
        else:
            lines.append(f"{type_} m{number} : {width};")
            members.append(Member(f".m{number}", type_, width))
    if not members:
        lines.append("int m9 : 5;")
        members.append(Member(".m9", INT, 5))
    attributes = writer.pick(("", "", "", " __attribute__((packed))")) if writer.has("packed") else ""
    writer.declare(f"{name} {{ {' '.join(lines)} }}{attributes};")
    variable = writer.name("g")
    values = ", ".join(constant_initialiser(writer, each.type) for each in members)
    writer.declare(f"static union {{ {name} s; unsigned char bytes[sizeof({name})]; }} {variable} = {{{{{values}}}}};")
    for member in members:
        writer.add_global(Place(f"{variable}.s{member.path}", member.type, width=member.width))
    with writer.block():
        local = writer.name("s")
        writer.line(f"{name} {local} = {{{values}}};", cost=4)
        for member in members:
            writer.add(Place(local + member.path, member.type, width=member.width))
        for _ in range(4):
            writer.pick((assignment, compound_assignment, increment))(writer)
        chosen = writer.pick(members).path
        value = integer(writer, 2).text
        used = writer.pick(
            (f"{local}{chosen} = {value}", f"{local}{chosen} += {value}", f"++{local}{chosen}", f"{local}{chosen}--")
        )
        mix(writer, used, INT)
        writer.line(f"{variable}.s{chosen} = {local}{writer.pick(members).path};")
        for member in members:
            mix(writer, local + member.path, member.type)
            mix(writer, f"{variable}.s{member.path}", member.type)
    mix(writer, f"sizeof({name})", ULONG)
    position = writer.name("i")
    writer.line(
        f"for (unsigned {position} = 0; {position} < sizeof {variable}.bytes; {position}++) mix({variable}.bytes[{position}]);",
        cost=60,
    )


def initialisers(writer: Writer) -> None:
    """Designators, ranges, nested braces and their omission, flexible lengths, compound literals."""
    inner = record(writer)
    array = writer.name("g")
    length = writer.between(2, 4)
    entries = [f"[{writer.below(length)}] = {inner.initialiser(writer, static=True)}" for _ in range(writer.between(1, 2))]
    writer.declare(f"static {inner.name} {array}[{length}] = {{{', '.join(entries)}}};")
    mix_record(writer, f"{array}[{index(writer, length)}]", inner)
    expose(writer, f"{array}[{writer.below(length)}]", inner, everywhere=True)
    ranges = writer.name("g")
    writer.declare(
        f"static {writer.pick(('short', 'unsigned', 'signed char'))} {ranges}[] = {{1, [3 ... 5] = -2, 9, [1] = {writer.below(99)}}};"
    )
    mix(writer, f"sizeof {ranges} + {ranges}[{index(writer, 4)}] * 3u + {ranges}[6]", UINT)
    flat, literal = writer.name("g"), '"ab"'
    last = writer.pick(("7, {8, 9}", "{7}", f"7, {literal}"))
    writer.declare(
        f"static struct {{ struct {{ int a, b[2]; }} x; short y[2][2]; char z[4]; }} {flat} = {{1, 2, 3, 4, {{5}}, 6, {last}}};"
    )
    mix(
        writer, f"{flat}.x.a + {flat}.x.b[1] * 3 + {flat}.y[0][1] * 7 + {flat}.y[1][0] * 11 + {flat}.z[0] * 13 + {flat}.z[1]", INT
    )
    if writer.has("compound_literals"):
        static, constant = writer.name("g"), writer.name("g")
        writer.declare(f"static {inner.name} {static} = ({inner.name}){inner.initialiser(writer, static=True)};")
        writer.declare(f"static int *{constant} = (int[]){{{writer.below(9)}, [2] = 5}};")
        mix_record(writer, static, inner)
        mix(writer, f"{constant}[{index(writer, 3)}]++", INT)
        mix(writer, f"{constant}[2]", INT)
        mix_record(
            writer,
            f"({inner.name}){inner.initialiser(writer, static=False)}",
            Record(inner.name, (writer.pick(inner.members),), (), {}),
        )
        pointer = writer.name("p")
        with writer.block():
            values = ", ".join(integer(writer, 1).text for _ in range(3))
            writer.line(f"int *{pointer} = (int[]){{{values}}};")
            writer.line(f"{pointer}[1] += {pointer}[{index(writer, 2)}];")
            mix(writer, f"{pointer}[0] ^ {pointer}[1] ^ {pointer}[2]", INT)
            local = writer.name("p")
            writer.line(f"{inner.name} *{local} = &({inner.name}){inner.initialiser(writer, static=False)};", cost=4)
            mix_record(writer, f"(*{local})", inner)


def layout(writer: Writer) -> None:
    """sizeof, offsetof, _Alignof; packed and aligned."""
    writer.header("stddef.h")
    inner = record(writer)
    attributes = ("", "", " __attribute__((packed))", " __attribute__((aligned(16)))", " __attribute__((packed, aligned(2)))")
    outer = record(writer, writer.pick(attributes) if writer.has("packed") else "", nested=inner)
    for each in (inner, outer):
        mix(writer, f"sizeof({each.name}) * 100 + _Alignof({each.name})", ULONG)
        field = writer.pick(each.fields)[0]
        mix(writer, f"offsetof({each.name}, {field}) + sizeof((({each.name} *)0)->{field})", ULONG)
    variable = writer.name("g")
    writer.declare(f"static {outer.name} {variable} = {outer.initialiser(writer, static=True)};")
    expose(writer, variable, outer, everywhere=True)
    statements(writer, 2, 0)
    mix_record(writer, variable, outer)
    types = ", ".join(f"_Alignof({each})" for each in (UCHAR, USHORT, LONG, LLONG, DOUBLE, FLOAT))
    with writer.block():
        name = writer.name("a")
        writer.line(f"int {name}[] = {{{types}, _Alignof(long double), sizeof(long double), sizeof(void *)}};")
        mix(writer, f"{name}[{index(writer, 8)}]", INT)
        mix(writer, f"sizeof {name} / sizeof *{name}", ULONG)
        if writer.has("packed"):
            tag = writer.name("s")
            type_ = writer.pick((LONG, LLONG, *(writer.float_types() or (UINT,))))
            writer.line(
                f"struct {tag} {{ char c; {type_} v; short t; }} __attribute__((packed)) {tag} = {{1, {value_for(writer, type_, 1)}, 3}};"
            )
            mix(writer, f"{tag}.v", type_)
            writer.line(f"{tag}.v = {value_for(writer, type_, 1)}; {tag}.t += 4;", cost=2)
            mix(writer, f"{tag}.v", type_)
            mix(writer, f"sizeof {tag} + {tag}.t + {tag}.c", ULONG)


def flexible(writer: Writer) -> None:
    """A flexible array member at the end of a struct on the heap."""
    writer.header("stdlib.h")
    tag = f"struct {writer.name('s')}"
    type_ = writer.integer_type()
    writer.declare(f"{tag} {{ {writer.integer_type()} n; {type_} tail[]; }};")
    length = writer.between(1, 4)
    with writer.block():
        pointer, position = writer.name("p"), writer.name("i")
        writer.line(f"{tag} *{pointer} = malloc(sizeof({tag}) + {length} * sizeof({type_}));", cost=3)
        writer.line(f"{pointer}->n = {writer.below(2)};")
        with writer.block(f"for (int {position} = 0; {position} < {length}; {position}++) {{", times=length):
            writer.add(Place(position, INT, writable=False))
            writer.line(f"{pointer}->tail[{position}] = {value_for(writer, type_, 2)};")
        writer.add(Place(f"{pointer}->tail[{writer.below(length)}]", type_))
        statements(writer, 2, 0)
        mix(writer, f"{pointer}->tail[{length - 1}] + {pointer}->n + sizeof({tag})", ULONG)
        writer.line(f"free({pointer});")
