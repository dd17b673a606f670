"""Functions: calls, recursion, varargs, pointers to functions, static locals."""

from __future__ import annotations

from tests.gcc.generator.expressions import condition, constant_initialiser, index, integer, value_for
from tests.gcc.generator.statements import declare_local, mix, statements
from tests.gcc.generator.writer import DOUBLE, INT, LLONG, UINT, ULLONG, Arithmetic, Function, Place, Writer


def helper_function(writer: Writer, pure: bool) -> Function:
    """Scalar parameters and result; a pure one touches nothing but its locals."""
    parameters = tuple(writer.scalar_type() for _ in range(writer.between(1, 3)))
    result = writer.scalar_type()
    name = writer.name("f")
    texts = [writer.name("a") for _ in parameters]
    places = [Place(text, type_, direct=True) for text, type_ in zip(texts, parameters, strict=True)]
    head = f"static {result} {name}({', '.join(f'{type_} {text}' for text, type_ in zip(texts, parameters, strict=True))})"
    with writer.function(head, pure, places) as cost:
        declare_local(writer)
        statements(writer, writer.between(1, 4), 2)
        if writer.chance(30):
            writer.line(f"if ({condition(writer, 1)}) return {value_for(writer, result, 1)};")
        writer.line(f"return {value_for(writer, result, 2)};")
    function = Function(name, parameters, result, pure, cost[0])
    writer.functions.append(function)
    return function


def calls(writer: Writer) -> None:
    """Statement-level calls of functions with effects."""
    effectful = [f for f in writer.functions if not f.is_pure and writer.affordable(f.cost)]
    if not effectful:
        return
    function = writer.pick(effectful)
    arguments = ", ".join(value_for(writer, each, 2) for each in function.parameters)
    mix(writer, f"{function.name}({arguments})", function.result)
    writer.cost += function.cost * writer.weight


def recursion(writer: Writer) -> None:
    """Direct and mutual recursion of bounded depth."""
    type_ = writer.pick((INT, UINT, LLONG, writer.integer_type()))
    name, other = writer.name("f"), writer.name("f")
    kind = writer.below(3)
    depth = writer.between(1, 6)
    if kind == 0:
        with writer.function(
            f"static {type_} {name}(int n, {type_} x)", True, [Place("n", INT, writable=False), Place("x", type_, direct=True)]
        ) as cost:
            writer.line(f"if (n <= 0) return {value_for(writer, type_, 1)};")
            statements(writer, 1, 1)
            writer.line(
                f"return {name}(n - {writer.between(1, 2)}, {value_for(writer, type_, 1)}) {writer.pick(('+', '^', '*'))} {integer(writer, 1).text};"
            )
        mix(writer, f"{name}({depth}, {value_for(writer, type_, 1)})", type_)
    elif kind == 1:
        with writer.function(f"static int {name}(int n)", True, [Place("n", INT, writable=False)]) as cost:
            writer.line("int local[2] = {n, 1};")
            writer.line(f"if (n < 2) return local[{index(writer, 2)}];")
            writer.line(f"local[1] = {name}(n - 1);")
            writer.line(f"return local[0] * 3 + local[1] - {name}(n - 2);")
        depth = min(depth, 5)
        mix(writer, f"{name}({depth})", INT)
        depth = 12
    else:
        writer.declare(f"static {type_} {other}(int n, {type_} *p);")
        with writer.function(
            f"static {type_} {name}(int n, {type_} *p)", True, [Place("n", INT, writable=False), Place("(*p)", type_)]
        ) as cost:
            writer.line(f"{type_} own = {value_for(writer, type_, 1)};")
            writer.line(f"if (n > 0) *p += {other}(n - 1, &own);")
            writer.line(f"return own ^ {integer(writer, 1).text};")
        writer.declare(f"static {type_} {other}(int n, {type_} *p) {{ *p ^= n; return n > 1 ? {name}(n - 2, p) : 3; }}")
        with writer.block():
            local = writer.name("x")
            writer.line(f"{type_} {local} = 5;")
            writer.line(f"{type_} {local}_r = {name}({depth}, &{local});")
            mix(writer, f"{local}_r", type_)
            mix(writer, local, type_)
    writer.cost += cost[0] * (depth + 1) * writer.weight


def varargs(writer: Writer) -> None:
    """Arguments after default promotion, read back; va_copy, va_list as a parameter, structs by value."""
    writer.header("stdarg.h")
    name, inner = writer.name("f"), writer.name("f")
    double_code = (
        "if (code == 3) { double d = va_arg(ap, double); r += d > -1000 && d < 1000 ? (int)d : 9; }"
        if writer.float_types()
        else ";"
    )
    writer.declare(
        f"static long long {inner}(int n, const int *codes, va_list ap) {{\n"
        "    long long r = 0;\n"
        "    for (int i = 0; i < n; i++) {\n"
        "        int code = codes[i];\n"
        "        if (code == 0) r = r * 3 + va_arg(ap, int);\n"
        "        if (code == 1) r ^= va_arg(ap, unsigned);\n"
        "        if (code == 2) r += va_arg(ap, long long);\n"
        f"        {double_code}\n"
        "        if (code == 4) r -= *va_arg(ap, int *);\n"
        "        if (code == 5) r += va_arg(ap, unsigned long);\n"
        "    }\n    return r;\n}"
    )
    copy = writer.chance(40)
    writer.declare(
        f"static long long {name}(int n, const int *codes, ...) {{\n    va_list ap;\n    va_start(ap, codes);\n"
        + (
            f"    va_list again;\n    va_copy(again, ap);\n    long long first = {inner}(n > 1, codes, again);\n    va_end(again);\n"
            if copy
            else "    long long first = 0;\n"
        )
        + f"    long long r = {inner}(n, codes, ap);\n    va_end(ap);\n    return r ^ first;\n}}"
    )
    count = writer.between(0, 7)
    available = [0, 1, 2, 4, 5] + ([3] if writer.float_types() else [])
    codes = [writer.pick(available) for _ in range(count)]
    with writer.block():
        target, table = writer.name("x"), writer.name("a")
        writer.line(f"int {target} = {integer(writer, 1).text}, {table}[] = {{{', '.join(map(str, codes + [9]))}}};")
        arguments = []
        for code in codes:
            value = integer(writer, 1).text
            arguments.append(
                {
                    0: writer.pick(
                        (f"(int)({value})", "'c'", f"(short)({value})", f"(_Bool)({value})", f"(signed char)({value})")
                    ),
                    1: f"(unsigned)({value})",
                    2: f"(long long)({value})",
                    3: writer.pick(("2.5", "-3.75f", f"(double)({value})", f"(float)({value})")),
                    4: f"&{target}",
                    5: f"(unsigned long)({value})",
                }[code]
            )
        mix(writer, f"{name}({', '.join([str(count), table, *arguments])})", LLONG)
        writer.cost += 30 + count * 24


def function_pointers(writer: Writer) -> None:
    """Tables, arguments, members, results; comparison of function addresses."""
    type_ = writer.pick((INT, UINT, ULLONG, *writer.float_types()[:1]))
    names = [writer.name("f") for _ in range(writer.between(2, 3))]
    cost = 5
    for name in names:
        places = [Place("a", type_, direct=True), Place("b", INT, direct=True)]
        with writer.function(f"static {type_} {name}({type_} a, int b)", True, places) as costs:
            statements(writer, 1, 1)
            writer.line(f"return {value_for(writer, type_, 2)};")
        cost = max(cost, costs[0])
    table, apply, choose = writer.name("g"), writer.name("f"), writer.name("f")
    entries = ", ".join(writer.pick((name, f"&{name}")) for name in names)
    writer.declare(f"static {type_} (*{table}[])({type_}, int) = {{{entries}}};")
    writer.declare(
        f"static {type_} {apply}({type_} (*h)({type_}, int), {type_} x) {{ return h ? {writer.pick(('h', '(*h)', '(**h)'))}(x, 3) : 1; }}"
    )
    writer.declare(f"static {type_} (*{choose}(int k))({type_}, int) {{ return k > 1 ? {names[0]} : k == 1 ? {names[1]} : 0; }}")
    with writer.block():
        pointer, cell = writer.name("h"), writer.name("s")
        writer.line(f"{type_} (*{pointer})({type_}, int) = {table}[{index(writer, len(names))}];")
        writer.line(f"struct {{ int n; {type_} (*h)({type_}, int); }} {cell} = {{2, {writer.pick(names)}}};")
        x = value_for(writer, type_, 1)
        forms = (
            f"{pointer}({x}, 4)",
            f"(*{pointer})({x}, -2)",
            f"{cell}.h({x}, {cell}.n)",
            f"{apply}({writer.pick((pointer, *names, f'{cell}.h'))}, {x})",
            f"{apply}({choose}({index(writer, 3)}), {x})",
            f"{table}[{index(writer, len(names))}]({x}, 0)",
            f"({condition(writer, 1)} ? {names[0]} : {names[1]})({x}, 1)",
        )
        for _ in range(writer.between(2, 4)):
            mix(writer, writer.pick(forms), type_)
            writer.cost += (cost + 5) * writer.weight
        mix(writer, f"({pointer} == {names[0]}) + 2 * ({cell}.h != {table}[1]) + 4 * !{choose}({index(writer, 3)})", INT)


def static_locals(writer: Writer) -> None:
    """A function that remembers; static arrays; the same name in two scopes."""
    type_ = writer.scalar_type()
    name = writer.name("f")
    with writer.function(f"static {type_} {name}(int k)", False, [Place("k", INT, direct=True)]) as cost:
        writer.line(f"static {type_} x = {constant_initialiser(writer, type_)};")
        writer.line("static unsigned char seen[3];")
        writer.add(Place("x", type_, direct=True))
        writer.line(f"seen[{index(writer, 3)}] += 1;")
        with writer.block():
            writer.line("static int x = 40;")
            writer.line("x += 2; mix(x);", cost=4)
        statements(writer, 2, 1)
        mix(writer, "seen[0] + seen[1] * 10 + seen[2] * 100", INT)
        writer.line("return x;")
    for _ in range(3):
        mix(writer, f"{name}({integer(writer, 1).text})", type_)
        writer.cost += cost[0] * writer.weight


def old_style(writer: Writer) -> None:
    """K&R definitions (arguments are promoted), shadowing, extern declarations inside a function."""
    name = writer.name("f")
    writer.declare(
        f"int {name}(a, b, c) char a; short b; {'float' if writer.float_types() else 'int'} c; {{ return a * 3 + b + (c > 1 ? 5 : 2); }}"
    )
    with writer.block():
        mix(
            writer,
            f"{name}((char)({integer(writer, 1).text}), (short)({integer(writer, 1).text}), {'1.5f' if writer.float_types() else '2'})",
            INT,
        )
        variable = writer.name("x")
        writer.line(f"int {variable} = {integer(writer, 1).text};")
        with writer.block():
            writer.line(f"unsigned char {variable} = {integer(writer, 1).text};")
            mix(writer, variable, INT)
            with writer.block():
                writer.line("extern unsigned long long checksum;")
                writer.line("checksum ^= 3;")
        mix(writer, variable, INT)


def type_of(writer: Writer) -> None:
    """typeof, typedefs, enums, nested anonymous members."""
    tag, low = writer.name("e"), writer.pick((0, -5, 7))
    first = tag.upper()
    writer.declare(f"enum {tag} {{ {first}_A = {low}, {first}_B, {first}_C = {writer.pick((9, 300, '1 << 4'))} }};")
    variable = writer.name("g")
    type_: Arithmetic = INT if low < 0 else UINT
    writer.declare(f"static enum {tag} {variable} = {first}_B;")
    writer.add_global(Place(variable, type_, direct=True))
    writer.line(f"{variable} = {condition(writer, 1)} ? {first}_A : {first}_C;")
    mix(writer, f"{variable} + {first}_B - 20 < 0", INT)
    with writer.block():
        local, alias = writer.name("x"), writer.name("t")
        writer.line(f"typedef {writer.integer_type()} {alias};")
        writer.line(f"__typeof__(+{integer(writer, 2).text}) {local} = {integer(writer, 1).text};")
        mix(writer, f"{local} + sizeof {local} + sizeof({alias})", ULLONG)
        anonymous = writer.name("s")
        writer.line(
            f"struct {{ int a; union {{ short b; struct {{ char c, d; }}; }}; {alias} e; }} {anonymous} = {{1, {{2}}, {writer.below(2)}}};"
        )
        writer.line(f"{anonymous}.d = {integer(writer, 1).text};")
        mix(writer, f"{anonymous}.b", INT)
        mix(writer, f"{anonymous}.e + sizeof {anonymous}", INT)


def floats_and_integers(writer: Writer) -> None:
    """Values next to the borders of float formats and integer types."""
    if not writer.float_types():
        return
    with writer.block():
        type_, wide = writer.pick(writer.float_types()), writer.pick((LLONG, ULLONG, INT, UINT))
        x, n = writer.name("x"), writer.name("n")
        border = writer.pick(("16777217", "9007199254740993", "4294967295", "9223372036854775807", "33554435", "1"))
        writer.line(f"{wide} {n} = {border}uLL {writer.pick(('+', '-', '^'))} {integer(writer, 1).text};")
        writer.line(f"{type_} {x} = {n};")
        mix(writer, x, type_)
        mix(
            writer,
            f"({writer.pick(writer.float_types())}){n} * {writer.pick(('0.1', '3', '1e10f'))} / {writer.pick(('3.0f', '0.7', '10'))}",
            DOUBLE,
        )
        mix(writer, f"({x} == {n}) + 2 * ({x} < {n}) + 4 * ({x} > {n} - 1)", INT)
        writer.line(f"{x} = {x} / {writer.pick(('0.0f', '3.0f', '-0.0', '1e300', '1e-300'))};")
        mix(writer, x, type_)
        mix(writer, f"({x} == {x}) + 2 * !{x} + 4 * ({x} > 1e30) + 8 * ({x} && 1)", INT)
        writer.add(Place(x, type_, direct=True))
        statements(writer, 2, 1)
        mix(writer, x, type_)
