"""Values of assignments, left sides that read what is written, values that are records, _Generic, compound literals.

What an expression writes is private to its piece until it has been written, so that the pure expressions around it
cannot read it without a sequence point in between.
"""

from __future__ import annotations

from tests.gcc.generator.aggregates import Record, expose, mix_record, record
from tests.gcc.generator.expressions import condition, constant_initialiser, index, integer, value_for
from tests.gcc.generator.statements import mix, statements
from tests.gcc.generator.writer import BOOL, INT, INTEGERS, LLONG, UINT, ULLONG, Arithmetic, Place, Writer

_SMALL = tuple(each for each in INTEGERS if each is not BOOL)


def _update(writer: Writer, place: str, type_: Arithmetic, width: int = 0) -> str:
    """An expression that changes a place and whose value is used."""
    value = value_for(writer, type_, 1, width > 0)
    forms = [f"{place} = {value}", f"++{place}", f"{place}--", f"--{place}", f"{place}++"]
    if type_.is_float:
        return writer.pick([*forms, f"{place} {writer.pick(('+', '-', '*'))}= {value_for(writer, type_, 1)}"])
    operator = writer.pick(("+", "-", "*", "&", "|", "^"))
    return writer.pick([*forms, f"{place} {operator}= {integer(writer, 1).text}"])


def nested_left_sides(writer: Writer) -> None:
    """`a[a[i]] = e`, `*p->q++ = e`, `(*p->n = s).v`: the address is computed from what is written."""
    type_ = writer.pick(_SMALL)
    array, static = writer.name("g"), writer.chance(50)
    values = ", ".join(str(writer.below(4)) for _ in range(4))
    if static:
        writer.declare(f"static {type_} {array}[4] = {{{values}}};")
    with writer.block():
        if not static:
            writer.line(f"{type_} {array}[4] = {{{values}}};")
        for _ in range(writer.between(1, 4)):
            inner = writer.pick((str(writer.below(4)), f"{array}[{writer.below(4)}] & 3", f"{array}[{array}[1] & 3] & 3"))
            place = f"{array}[{array}[{inner}] & 3]"
            used = _update(writer, place, type_)
            if writer.chance(50):
                mix(writer, used, type_)
            else:
                other = writer.name("x")
                kept = writer.integer_type()
                writer.line(f"{kept} {other} = ({used});", cost=3)
                mix(writer, other, kept)
        mix(writer, f"{array}[0] + {array}[1] * 5 + {array}[2] * 25 + {array}[3] * 125", LLONG)
    _linked(writer)


def _linked(writer: Writer) -> None:
    """Records that point to themselves and into an array."""
    tag, type_ = f"struct {writer.name('s')}", writer.pick(_SMALL)
    writer.declare(f"{tag} {{ {tag} *n; {type_} *q; {type_} v; unsigned b : 5; }};")
    with writer.block():
        cells, one, two, pointer, out = (writer.name(stem) for stem in ("c", "s", "s", "p", "x"))
        writer.line(f"{type_} {cells}[4] = {{1, 2, 3, 4}};")
        writer.line(f"{tag} {one} = {{0, {cells}, 7, 3}}, {two} = {{&{one}, {cells} + 1, 9, 30}};", cost=4)
        writer.line(f"{one}.n = &{writer.pick((one, two))};")
        writer.line(f"{tag} *{pointer} = &{writer.pick((one, two))};")
        writer.line(f"long long {out} = 0;")
        forms = [
            f"{out} += (*{pointer}->q = {integer(writer, 1).text})",
            f"{out} += (*{pointer}->n->q += {integer(writer, 1).text})",
            f"{out} += ({pointer}->n->v = {integer(writer, 1).text})",
            f"{out} += ({pointer}->n->n->b += {integer(writer, 1).text})",
            f"{out} += (*{pointer}->n = {writer.pick((one, two))}).v",
            f"{out} += ({pointer} = {pointer}->n)->b",
            f"{out} += ++{pointer}->n->b",
            f"{out} += ({pointer}->n = &{writer.pick((one, two))})->v",
            f"{out} += (*({pointer}->n = &{writer.pick((one, two))}) = {writer.pick((one, two))}).b",
        ]
        for _ in range(writer.between(2, 5)):
            writer.line(f"{writer.pick(forms)};", cost=3)
        writer.line(f"{out} += (*{pointer}->q++ = {integer(writer, 1).text});", cost=3)
        mix(writer, out, LLONG)
        for each in (one, two):
            mix(writer, f"{each}.v + {each}.b * 3 + ({each}.n == &{one}) * 7 + ({each}.q - {cells}) * 11", LLONG)
        mix(writer, f"{cells}[0] + {cells}[1] * 3 + {cells}[2] * 9", LLONG)


def values_of_assignments(writer: Writer) -> None:
    """Chains over types of different widths; &&, ||, ?:, comma and ?: without its middle, over assignments."""
    with writer.block():
        types = [writer.scalar_type() for _ in range(3)]
        types = [INT if each.is_float else each for each in types]
        names = [writer.name("y") for _ in types]
        for name, type_ in zip(names, types, strict=True):
            writer.line(f"{type_} {name} = {constant_initialiser(writer, type_)};")
        x, y, z = names
        forms = [
            f"{x} = {y} = {z} = {integer(writer, 2).text}",
            f"{x} = {y} += {z} ^= {integer(writer, 1).text}",
            f"{x} = ({y} = {integer(writer, 1).text}) ? ({z} = {integer(writer, 1).text}) : ({z} -= 3)",
            f"({x} = {integer(writer, 1).text}, {y} = {x} + 1, {z} = {y} - {x})",
            f"({x} = {integer(writer, 1).text}) && ({y} = {x} | 1) && ({z} = {y})",
            f"({x} -= {integer(writer, 1).text}) || ({y} = {x} - 1)",
            f"({x} = {integer(writer, 1).text}) ?: ({y} = 5)",
            f"({{ {x} = {integer(writer, 1).text}; ({y} = {x}) + 1; }})",
        ]
        for _ in range(writer.between(2, 4)):
            mix(writer, writer.pick(forms), LLONG)
        for name, type_ in zip(names, types, strict=True):
            writer.add(Place(name, type_, direct=True))
        statements(writer, 2, 1)
        for name, type_ in zip(names, types, strict=True):
            mix(writer, name, type_)


def values_of_records(writer: Writer) -> None:
    """`(s = t).m`, `u = s = t`, records chosen by ?:, as arguments (variable ones too), in statement expressions."""
    type_ = record(writer, bit_fields=writer.has("bit_fields"))
    plain = Record(type_.name, tuple(each for each in type_.members if not each.width), type_.fields, {})
    one, two = writer.name("g"), writer.name("g")
    for name in (one, two):
        writer.declare(f"static {type_.name} {name} = {type_.initialiser(writer, static=True)};")
    function = writer.name("f")
    member = writer.pick(plain.members or type_.members)
    with writer.function(f"static {member.type} {function}({type_.name} p, int k)", pure=False) as cost:
        expose(writer, "p", type_)
        writer.line(f"{one} = p;")
        statements(writer, 1, 1)
        writer.line(f"return p{member.path};")
    with writer.block():
        local, third, array = writer.name("r"), writer.name("r"), writer.name("r")
        writer.line(f"{type_.name} {local} = {type_.initialiser(writer, static=False)}, {third}, {array}[2];", cost=5)
        writer.line(f"{third} = {array}[0] = {array}[1] = {local};", cost=4)
        expose(writer, local, type_)
        test = condition(writer, 1)
        forms = [
            f"({one} = {two}){member.path}",
            f"({third} = {one} = {local}){member.path}",
            f"({test} ? {one} : {local}){member.path}",
            f"({test} ? ({one} = {two}) : ({two} = {local})){member.path}",
            f"({array}[{index(writer, 2)}] = {writer.pick((one, two, local))}){member.path}",
            f"({two} = ({type_.name}){type_.initialiser(writer, static=False)}){member.path}",
            f"({integer(writer, 1).text}, {two}){member.path}",
            f"({{ {third} = {two}; {third}; }}){member.path}",
            f"(*({test} ? &{one} : &{two}) = {local}){member.path}",
        ]
        for _ in range(writer.between(2, 5)):
            mix(writer, writer.pick(forms), member.type)
        argument = writer.pick(
            (f"{two} = {local}", f"{test} ? {local} : {two}", f"({type_.name}){type_.initialiser(writer, False)}")
        )
        mix(writer, f"{function}({argument}, 2)", member.type)
        writer.cost += cost[0] * writer.weight
        if member.width:
            mix(writer, f"({local}{member.path} = {integer(writer, 2).text})", member.type)
        for name in (local, third):
            mix_record(writer, name, type_)
    mix_record(writer, one, type_)
    mix_record(writer, two, type_)
    _variable_records(writer, plain, one)


def _variable_records(writer: Writer, type_: Record, given: str) -> None:
    """Records among variable arguments."""
    if not type_.members or not writer.has("varargs"):
        return
    member, name = writer.pick(type_.members), writer.name("f")
    writer.helper("stdarg", "#include <stdarg.h>")
    with writer.function(f"static {member.type} {name}(int n, ...)", pure=False):
        writer.line("va_list list[1], *at = list;")
        writer.line("va_start(*at, n);")
        writer.line(f"{type_.name} first = va_arg(*at, {type_.name});")
        writer.line("unsigned number = va_arg(list[n & 0], unsigned);")
        writer.line("va_end(*at++);")
        writer.line("mix(number + (at - list));")
        writer.line(f"return first{member.path};")
    mix(writer, f"{name}(1, {given}, (unsigned)({integer(writer, 1).text}))", member.type)


_SPELLED = (
    ("int", ("int", "signed", "signed int")),
    ("unsigned", ("unsigned", "unsigned int", "int unsigned")),
    ("long", ("long", "long int", "int signed long")),
    ("unsigned long", ("unsigned long", "long unsigned int")),
    ("long long", ("long long", "long int long")),
    ("char", ("char",)),
    ("signed char", ("signed char", "char signed")),
    ("unsigned char", ("unsigned char",)),
    ("short", ("short", "signed short int")),
    ("_Bool", ("_Bool",)),
    ("float", ("float",)),
    ("double", ("double",)),
    ("long double", ("long double", "double long")),
)


def generic_selections(writer: Writer) -> None:
    """Over typedefs, enumerations, records, pointers to them with qualifiers, arrays, functions."""
    enumeration, tag, alias = writer.name("e"), f"struct {writer.name('s')}", writer.name("e")
    upper = enumeration.upper()
    low = writer.pick((0, -4))
    writer.declare(f"enum {enumeration} {{ {upper}_A = {low}, {upper}_B }};")
    writer.declare(f"{tag} {{ int m; }};")
    writer.declare(f"typedef {writer.pick(_SPELLED[2:])[0]} {alias};")  # not the type of the enumeration
    kinds = [(name, spellings) for name, spellings in _SPELLED]
    kinds += [(f"enum {enumeration} *", (f"enum {enumeration} *",)), (tag, (tag,)), (f"{tag} *", (f"{tag} *",))]
    kinds += [("const char *", ("const char *", "char const *")), ("char *", ("char *",)), (f"{alias} *", (f"{alias} *",))]
    kinds += [("int (*)[3]", ("int (*)[3]",)), ("int (*)(void)", ("int (*)(void)",)), ("void *", ("void *",))]
    for _ in range(writer.between(1, 3)):
        chosen = [kind for kind in kinds if writer.chance(40)] or kinds[:1]
        pointers_to_alias = [kind for kind in chosen if kind[0] == f"{alias} *"]
        if pointers_to_alias and any(kind[0] in ("char *",) for kind in chosen):
            chosen = [kind for kind in chosen if kind not in pointers_to_alias]
        writer.random.shuffle(chosen)
        parts = [f"{writer.pick(spellings)}: {number + 1}" for number, (_, spellings) in enumerate(chosen)]
        parts.insert(writer.below(len(parts) + 1), "default: 99")
        subject = writer.pick(kinds)[0]
        values = [f"*({subject} *)0" if "(*)" not in subject else f"({subject})0", f"({alias})1", f"&*({alias} *)0"]
        values += [
            f"{upper}_A",
            f"(enum {enumeration} *)0",
            f"*(enum {enumeration} *)0",
            f"*(const {tag} *)0",
            "(int[3]){0}",
            '"x"',
        ]
        values += ["(const int)1", "*(int const volatile *)0", "&(int[3]){1}", "1.0L", "1.f", "'a'", integer(writer, 1).text]
        value = writer.pick(values)
        if any(place.is_bit_field for place in writer.places()) and value == values[-1]:
            value = "1"  # gcc and clang have different types for bit-fields
        mix(writer, f"_Generic(({value}), {', '.join(parts)})", INT)


def nested_literals(writer: Writer) -> None:
    """Compound literals inside compound literals, static and automatic ones, in loops, changed after they were made."""
    inner, outer = f"struct {writer.name('s')}", f"struct {writer.name('s')}"
    type_ = writer.pick(_SMALL)
    writer.declare(f"{inner} {{ {type_} a; short b; }};")
    writer.declare(f"{outer} {{ {inner} *p; {type_} k; {inner} v; }};")

    def literal(static: bool) -> str:
        def value() -> str:
            return constant_initialiser(writer, type_) if static else integer(writer, 1).text

        def small() -> str:
            forms = (f"{{{value()}, {writer.below(99)}}}", f"{{.b = {writer.below(99)}, .a = {value()}}}", f"{{{value()}}}")
            return f"({inner}){writer.pick(forms)}"

        pointer = writer.pick((f"&{small()}", f"({inner}[]){{{{1, 2}}, {{{value()}, 4}}}}", f"({inner}[2]){{[1] = {{3}}}} + 1"))
        lasts = [f", {value()}, {{{value()}}}", "", f", .v = {{{value()}}}, .v.b = 3"]
        if not static:  # gcc takes no record for a constant inside a compound literal
            lasts += [f", {value()}, {small()}", f", .v = {small()}, .k = 3"]
        last = writer.pick(lasts)
        return f"{{{pointer}{last}}}"

    static, table = writer.name("g"), writer.name("g")
    writer.declare(f"static {outer} *{static} = &({outer}){literal(True)};")
    writer.declare(f"static {outer} *{table}[2] = {{[1] = &({outer}){literal(True)}, [0] = ({outer}[1]){{{literal(True)}}}}};")
    for path in (static, f"{table}[{index(writer, 2)}]"):
        mix(writer, f"{path}->p->a + {path}->p->b * 3 + {path}->k * 5 + {path}->v.a * 7 + {path}->v.b", LLONG)
    writer.line(f"{static}->p->a += {integer(writer, 1).text};")
    writer.add_global(Place(f"{static}->p->a", type_))
    with writer.block():
        count, local = writer.name("i"), writer.name("p")
        with writer.block(f"for (int {count} = 0; {count} < 3; {count}++) {{", times=3):
            writer.line(f"{outer} *{local} = &({outer}){literal(False)};", cost=6)
            writer.line(f"{local}->k += {count}; {local}->p->b++;", cost=2)
            mix(writer, f"{local}->k + {local}->p->a * 3 + {local}->p->b * 5 + {local}->v.a * 7 + {local}->v.b", LLONG)
        mix(writer, f"(({inner}){{{integer(writer, 1).text}, 2}}).a", type_)
        mix(writer, f"++({type_}){{{integer(writer, 1).text}}}", type_)
        mix(writer, f"({type_}[3]){{{integer(writer, 1).text}, [2] = 8}}[{index(writer, 3)}]", type_)
    mix(writer, f"{static}->p->a ^ {static}->p->b", ULLONG)


def effects_in_arguments(writer: Writer) -> None:
    """Effects in arguments of builtins that pass a value on or ignore one."""
    with writer.block():
        name = writer.name("y")
        writer.line(f"unsigned {name} = {integer(writer, 1).text};")
        forms: tuple[str, ...] = (f"__builtin_expect({name}++, 3)", f"__builtin_expect(({name} += 2), {writer.below(9)}) + 1")
        forms += (f"(__builtin_prefetch(({name}++, &{name})), {name})", f"__builtin_constant_p({name}++) + {name}")
        forms += (f"sizeof({name}++) + {name}", f"__builtin_choose_expr(1, {name}++, 2.0)", f"__builtin_popcount({name} <<= 1)")
        for _ in range(writer.between(1, 3)):
            mix(writer, writer.pick(forms), UINT)
        mix(writer, name, UINT)
