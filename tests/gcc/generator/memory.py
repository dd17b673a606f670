"""Pointers, arrays, strings, the heap, and the library functions that move bytes."""

from __future__ import annotations

from tests.gcc.generator.expressions import condition, constant_initialiser, index, integer, value_for
from tests.gcc.generator.statements import mix, statement, statements
from tests.gcc.generator.writer import BOOL, CHAR, INT, UCHAR, UINT, ULLONG, ULONG, Arithmetic, Place, Writer


def global_array(writer: Writer, type_: Arithmetic, length: int) -> str:
    name = writer.name("g")
    values = ", ".join(constant_initialiser(writer, type_) for _ in range(writer.between(1, length)))
    writer.declare(f"static {type_} {name}[{length}] = {{{values}}};")
    return name


def pointers(writer: Writer) -> None:
    """Pointer arithmetic, difference and comparison within an array; pointers to pointers; const and casts of them."""
    type_ = writer.scalar_type()
    length = writer.pick((4, 8))
    array = global_array(writer, type_, length)
    for position in range(length):
        writer.add_global(Place(f"{array}[{position}]", type_))
    with writer.block():
        first, second, double = writer.name("p"), writer.name("p"), writer.name("pp")
        writer.line(f"{type_} *{first} = {writer.pick((array, f'&{array}[0]', f'{array} + {writer.below(2)}'))};")
        start = writer.below(length - 2)
        writer.line(f"{type_} *{second} = &{array}[{length - 1}] - {start}, **{double} = &{first};")
        # from here on: first is array or array + 1, second at least array + 1
        writer.add(Place(f"(*{first})", type_))
        writer.add(Place(f"{second}[-1]", type_))
        writer.add(Place(f"(**{double})", type_))
        statements(writer, 2, 1)
        mix(writer, f"{second} - {first}", INT)
        for operator in writer.random.sample(("<", "<=", ">", ">=", "==", "!="), 2):
            mix(writer, f"{first} {operator} {second}", INT)
        mix(writer, f"({first} == 0) + 2 * !{second} + 4 * ({first} && {second})", INT)
        writer.line(f"*{double} = {second};")
        mix(writer, f"{first} == {second} ? {first} - {array} : 77", INT)
        form = writer.below(4)
        walker = writer.name("p")
        opening = (
            f"for ({type_} *{walker} = {array}; {walker} < {array} + {length}; {walker}++) {{",
            f"for ({type_} *{walker} = {array} + {length}; {walker}-- != {array};) {{",
            f"for (const {type_} *{walker} = {array}; {walker} - {array} < {length}; {walker} += 2) {{",
            f"for ({type_} *{walker} = {array} + {length - 1}; {walker} > {array}; --{walker}) {{",
        )[form]
        with writer.block(opening, times=length):
            writer.add(Place(f"(*{walker})", type_, writable=form != 2))
            statement(writer, 1)
            mix(writer, f"*{walker}", type_)
        if writer.has("representation") and not type_.is_float:
            bytes_ = writer.name("b")
            writer.line(f"unsigned char *{bytes_} = (unsigned char *)({array} + {writer.below(length)});")
            if type_ is not BOOL:
                writer.line(f"{bytes_}[{index(writer, 8)} % sizeof({type_})] ^= {integer(writer, 1).text};")
            mix(writer, f"{bytes_}[0] * 256 + {bytes_}[sizeof({type_}) - 1]", INT)
            mix(writer, f"({type_} *)(void *){bytes_} - {array}", INT)
            mix(writer, f"({array} + 1) == ({type_} *)((char *){array} + sizeof({type_}))", INT)
            mix(writer, f"(unsigned long)({array} + 3) - (unsigned long){array}", ULONG)
        if writer.chance(50):  # last, because *--second leaves no place for second[-1]
            writer.line(f"{second} = {array} + 1;")
            forms = (
                f"*{second}++",
                f"*--{second}",
                f"(*{second})++",
                f"{second}[1]",
                f"1[{second}]",
                f"*({second} + 1)",
                f"*(1 + {second})",
            )
            mix(writer, writer.pick(forms), type_)
            mix(writer, f"{second} - {array}", INT)


def arrays(writer: Writer) -> None:
    """Multi-dimensional arrays, their rows as pointers, array parameters."""
    type_ = writer.scalar_type()
    rows, columns = writer.between(2, 3), writer.between(2, 4)
    name = writer.name("g")
    nested = ", ".join(
        "{" + ", ".join(constant_initialiser(writer, type_) for _ in range(writer.between(1, columns))) + "}" for _ in range(rows)
    )
    writer.declare(f"static {type_} {name}[{rows}][{columns}] = {{{nested}}};")
    for _ in range(2):
        writer.add_global(Place(f"{name}[{writer.below(rows)}][{writer.below(columns)}]", type_))
    function = writer.name("f")
    header = f"static {type_} {function}({type_} a[][{columns}], int k)"
    with writer.function(header, pure=False, parameters=[Place("k", INT)]) as cost:
        writer.add(Place(f"a[1][{writer.below(columns)}]", type_))
        writer.add(Place(f"(*a)[{writer.below(columns)}]", type_))
        statements(writer, 2, 1)
        writer.line(f"return a[{index(writer, rows)}][{index(writer, columns)}];")
    with writer.block():
        i, j, row = writer.name("i"), writer.name("j"), writer.name("row")
        with writer.block(f"for (int {i} = 0; {i} < {rows}; {i}++) {{", times=rows):
            with writer.block(f"for (int {j} = {columns} - 1; {j} >= 0; {j}--) {{", times=columns):
                writer.add(Place(i, INT, writable=False))
                writer.add(Place(j, INT, writable=False))
                writer.line(f"{name}[{i}][{j}] = {value_for(writer, type_, 2)};")
        writer.line(f"{type_} (*{row})[{columns}] = {name} + 1;")
        writer.add(Place(f"(*{row})[{writer.below(columns)}]", type_))
        writer.add(Place(f"{row}[-1][{writer.below(columns)}]", type_))
        statements(writer, 2, 1)
        mix(writer, f"{function}({name}, {integer(writer, 1).text})", type_)
        writer.cost += cost[0] * writer.weight
        mix(writer, f"{row} - {name} + (&{name}[1][1] - {name}[1]) + sizeof {name} + sizeof *{row}", ULONG)
        with writer.block(f"for (int {i} = 0; {i} < {rows * columns}; {i}++) {{", times=rows * columns):
            mix(writer, f"{name}[{i} / {columns}][{i} % {columns}]", type_)


def variable_length(writer: Writer) -> None:
    """Variable length arrays, their sizeof, rows of them, as parameters."""
    type_ = writer.scalar_type()
    function = writer.name("f")
    writer.declare(
        f"static {type_} {function}(int n, int m, {type_} a[n][m]) {{\n    {type_} r = 0;\n"
        f"    for (int i = 0; i < n; i++) r {'^' if not type_.is_float else '+'}= a[i][m - 1];\n    return r;\n}}"
    )
    with writer.block():
        size, array, i = writer.name("n"), writer.name("a"), writer.name("i")
        writer.line(f"int {size} = {index(writer, 4)} + 1;")
        writer.line(f"{type_} {array}[{size}];")
        with writer.block(f"for (int {i} = 0; {i} < {size}; {i}++) {{", times=4):
            writer.add(Place(i, INT, writable=False))
            writer.line(f"{array}[{i}] = {value_for(writer, type_, 2)};")
        writer.add(Place(f"{array}[{size} - 1]", type_))
        writer.add(Place(f"(*{array})", type_))
        statements(writer, 2, 1)
        mix(writer, f"sizeof {array} + sizeof {array}[0]", ULONG)
        mix(writer, f"{array}[{size} / 2]", type_)
        if writer.chance(60):
            other, columns = writer.name("a"), writer.between(1, 3)
            writer.line(f"{type_} {other}[{size}][{size} + {columns}];")
            with writer.block(f"for (int {i} = 0; {i} < {size} * ({size} + {columns}); {i}++) {{", times=28):
                writer.line(f"{other}[{i} / ({size} + {columns})][{i} % ({size} + {columns})] = {i} * 3;")
            mix(writer, f"{function}({size}, {size} + {columns}, {other})", type_)
            mix(writer, f"sizeof {other} + sizeof {other}[0] + (&{other}[{size} - 1] - {other})", ULONG)


def heap(writer: Writer) -> None:
    """malloc, calloc, realloc, free; a linked list."""
    writer.header("stdlib.h")
    type_ = writer.scalar_type()
    length = writer.between(1, 5)
    if writer.chance(50):
        with writer.block():
            pointer = writer.name("p")
            if writer.chance(50):
                writer.line(f"{type_} *{pointer} = calloc({length}, sizeof({type_}));", cost=3)
                mix(writer, f"{pointer}[{length - 1}]", type_)
            else:
                writer.line(f"{type_} *{pointer} = malloc({length} * sizeof *{pointer});", cost=3)
                for position in range(length):
                    writer.line(f"{pointer}[{position}] = {value_for(writer, type_, 1)};")
            writer.add(Place(f"{pointer}[{writer.below(length)}]", type_))
            statements(writer, 2, 1)
            if writer.has("realloc") and writer.chance(50):
                writer.line(f"{pointer} = realloc({pointer}, {length + 3} * sizeof({type_}));", cost=8)
                writer.line(f"{pointer}[{length + 2}] = {pointer}[0];")
                mix(writer, f"{pointer}[{length + 2}]", type_)
            mix(writer, f"{pointer}[{index(writer, length)}]", type_)
            mix(writer, f"{pointer} != 0", INT)
            writer.line(f"free({pointer});")
        return
    tag = f"struct {writer.name('s')}"
    writer.declare(f"{tag} {{ {type_} value; {tag} *next; }};")
    with writer.block():
        head, node, i = writer.name("p"), writer.name("p"), writer.name("i")
        writer.line(f"{tag} *{head} = 0, *{node};")
        with writer.block(f"for (int {i} = 0; {i} < {length}; {i}++) {{", times=length):
            writer.add(Place(i, INT, writable=False))
            writer.line(f"{node} = malloc(sizeof *{node});", cost=3)
            writer.line(f"{node}->value = {value_for(writer, type_, 2)}, {node}->next = {head}, {head} = {node};", cost=3)
        writer.add(Place(f"{head}->value", type_))
        statement(writer, 1)
        with writer.block(f"for ({node} = {head}; {node}; {node} = {node}->next) {{", times=length):
            mix(writer, f"{node}->value", type_)
        with writer.block(f"while (({node} = {head})) {{", times=length):
            writer.line(f"{head} = {head}->next; free({node});", cost=2)


def alloca(writer: Writer) -> None:
    writer.header("alloca.h")
    type_ = writer.scalar_type()
    with writer.block():
        pointer, size, i = writer.name("p"), writer.name("n"), writer.name("i")
        writer.line(f"int {size} = {index(writer, 4)} + 1;")
        writer.line(f"{type_} *{pointer} = {writer.pick(('alloca', '__builtin_alloca'))}({size} * sizeof *{pointer});", cost=3)
        with writer.block(f"for (int {i} = 0; {i} < {size}; {i}++) {{", times=4):
            writer.add(Place(i, INT, writable=False))
            writer.line(f"{pointer}[{i}] = {value_for(writer, type_, 1)};")
        writer.add(Place(f"{pointer}[{size} - 1]", type_))
        statements(writer, 2, 1)
        mix(writer, f"*{pointer}", type_)
        mix(writer, f"{pointer}[{size} - 1]", type_)


def moving_bytes(writer: Writer) -> None:
    """memcpy, memmove, memset, memcmp."""
    writer.header("string.h")
    type_ = writer.pick((UCHAR, CHAR, INT, UINT, ULLONG))
    length = writer.pick((4, 6))
    first, second = global_array(writer, type_, length), global_array(writer, type_, length)
    n = writer.between(1, length)
    forms = (
        f"memcpy({first}, {second}, {n} * sizeof *{first});",
        f"memset({first}, {integer(writer, 1).text}, {n});",
        f"memmove({first} + 1, {first}, {length - 1} * sizeof *{first});",
        f"memmove({first}, {first} + 1, {length - 1} * sizeof *{first});",
        f"memcpy({first} + 1, {second}, ({index(writer, length)}) * sizeof *{first});",
        f"memset({second}, {writer.below(300)}, ({index(writer, length)}) * sizeof *{second});",
        f"memcpy(&{first}[{writer.below(length)}], &{second}[{writer.below(length)}], sizeof({type_}));",
    )
    for _ in range(writer.between(1, 3)):
        writer.line(writer.pick(forms), cost=25)
        if writer.chance(40):
            writer.line(f"{second}[{index(writer, length)}] = {value_for(writer, type_, 1)};")
    # the sign of the result is fixed, not its size
    mix(writer, f"memcmp({first}, {second}, {writer.pick((n, 'sizeof ' + first))}) < 0", INT)
    writer.cost += 40
    mix(writer, f"!memcmp({first}, {second}, {n})", INT)
    for position in range(length):
        mix(writer, f"{first}[{position}]", type_)
    if writer.float_types() and writer.has("representation"):
        float_type = writer.pick(writer.float_types()[:2])
        with writer.block():
            value, bits = writer.name("x"), writer.name("b")
            writer.line(f"{float_type} {value} = {value_for(writer, float_type, 2)}; unsigned long long {bits} = 0;")
            writer.line(f"if ({value} == {value}) memcpy(&{bits}, &{value}, sizeof {value});", cost=10)
            mix(writer, bits, ULLONG)


TEXTS = ("hello", "", "a", "drystone", "tab\\tq\\0x", "\\\\\\x7f\\377z", 'con" "cat', "zz", "\\u00e9t\\U0001F600")


def strings(writer: Writer) -> None:
    """String literals as arrays and pointers, str functions, escapes, wide characters."""
    writer.header("string.h")
    text, other = writer.pick(TEXTS), writer.pick(TEXTS)
    name = writer.name("g")
    writer.declare(
        f'static {writer.pick(("char", "unsigned char", "signed char"))} {name}[{writer.pick(("12", "12", "16"))}] = "{text}";'
    )
    pointer = writer.name("g")
    writer.declare(f'static const char *{pointer} = "{other}";')
    with writer.block():
        local = writer.name("c")
        writer.line(f'char {local}[] = "{writer.pick(TEXTS)}", *{local}_p = (char *){name};')
        mix(writer, f"sizeof {local} + strlen({local})", ULONG)
        mix(writer, f"strlen({pointer}) * 10 + strlen({local}_p)", ULONG)
        signs = (
            f"strcmp({local}, {pointer})",
            f"strncmp({local}_p, {pointer}, {writer.below(4)})",
            f"strcmp({pointer}, {local}_p)",
        )
        for sign in signs:
            mix(writer, f"{sign} < 0", INT)
            mix(writer, f"{sign} == 0", INT)
        mix(writer, f'*{pointer} + "literal"[{index(writer, 8)}] + sizeof "{other}"', INT)
        buffer = writer.name("c")
        writer.line(f"char {buffer}[64];")
        writer.line(f"strcpy({buffer}, {local});", cost=15)
        if writer.chance(50):
            writer.line(writer.pick((f"strcat({buffer}, {pointer});", f"strncat({buffer}, {pointer}, 2);")), cost=30)
        if writer.chance(40):
            writer.line(f"strncpy({local}_p, {buffer}, {writer.between(1, 12)});", cost=30)
        if writer.chance(50):
            found = writer.name("p")
            writer.line(
                f"char *{found} = {writer.pick(('strchr', 'strrchr'))}({buffer}, {writer.pick((chr(39) + 'a' + chr(39), '0', chr(39) + 'l' + chr(39)))});",
                cost=15,
            )
            mix(writer, f"{found} ? {found} - {buffer} : 99", INT)
        i = writer.name("i")
        writer.line(f"for (char *{i} = {buffer}; *{i}; {i}++) mix(*{i});", cost=60)
        writer.line(f"for (int {i} = 0; {i} < 12; {i}++) mix({name}[{i}]);", cost=60)
        if writer.chance(30):
            writer.line(f"{local}[0] = {integer(writer, 1).text};")
            mix(writer, f"{local}[0]", CHAR)
            mix(writer, 'sizeof u"ab" + u"x\\u00e9"[1] + U"z\\U0001F600"[1] + sizeof u8"\\u00e9" + (u"\\xffff"[0] > 0)', ULONG)
            writer.header("wchar.h")
            mix(writer, 'sizeof(wchar_t) + L"wide"[2] + sizeof L"ab" + L\'x\'', ULONG)


def address_initialisers(writer: Writer) -> None:
    """Static objects that start with addresses: of elements, members, literals, functions, each other."""
    type_ = writer.scalar_type()
    array = global_array(writer, type_, 4)
    table, tag, cell = writer.name("g"), f"struct {writer.name('s')}", writer.name("g")
    places = [f"&{array}[{writer.below(4)}]" for _ in range(2)] + [f"{array} + {writer.below(4)}", "0"]
    writer.declare(f"static {type_} *{table}[4] = {{{', '.join(places)}}};")
    writer.declare(f"{tag} {{ {writer.integer_type()} pad; const char *text; {tag} *other; {type_} **slot; int *field; }};")
    writer.declare(f"extern {tag} {cell};")
    member = writer.name("g")
    writer.declare(f"static struct {{ char c; int v[3]; }} {member} = {{1, {{2, 3, 4}}}};")
    fields = [
        f'.text = "{writer.pick(("zero", "one"))}" + 1',
        f".other = &{cell}",
        f".slot = {table} + {writer.below(3)}",
        f".field = &{member}.v[1]",
    ]
    writer.declare(f"{tag} {cell} = {{.pad = 1, {', '.join(fields)}}};")
    for text, kind in (
        (f"(*{table}[{writer.below(3)}])", type_),
        (f"(**{cell}.slot)", type_),
        (f"(*{cell}.field)", INT),
        (f"{cell}.other->other->field[1]", INT),
    ):
        writer.add_global(Place(text, kind))
    statements(writer, 2, 1)
    mix(writer, f"{cell}.text[1] + ({cell}.other == &{cell}) * 2 + !{table}[3]", INT)
    mix(writer, f"*{table}[{index(writer, 2)}]", type_)
    for position in range(4):
        mix(writer, f"{array}[{position}]", type_)
    mix(writer, f"({condition(writer, 1)} ? {table}[0] : {table}[1]) - {array}", INT)
