"""C programs without undefined behaviour, from a seed.

`generate(random.Random(seed))` is the text of one program. It computes a checksum over all its globals and
intermediate results into the global variable `checksum`; compiled with `-DNATIVE` it also prints it. What a
program may contain is a set of features, so that a wrong one can be found by leaving others out.

    python -m tests.gcc.generate SEED [FEATURE,FEATURE,...]
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Collection

from tests.gcc.generator import aggregates, functions, memory, statements, values
from tests.gcc.generator.expressions import constant_initialiser
from tests.gcc.generator.statements import mix
from tests.gcc.generator.writer import Place, Writer

# pieces of a program, each with types, globals, functions and statements of its own
PIECES: dict[str, Callable[[Writer], None]] = {
    "calls": functions.calls,
    "structs": aggregates.structs,
    "unions": aggregates.unions,
    "bit_fields": aggregates.bit_fields,
    "initialisers": aggregates.initialisers,
    "layout": aggregates.layout,
    "flexible": aggregates.flexible,
    "pointers": memory.pointers,
    "arrays": memory.arrays,
    "variable_length": memory.variable_length,
    "heap": memory.heap,
    "alloca": memory.alloca,
    "moving_bytes": memory.moving_bytes,
    "strings": memory.strings,
    "address_initialisers": memory.address_initialisers,
    "recursion": functions.recursion,
    "varargs": functions.varargs,
    "function_pointers": functions.function_pointers,
    "static_locals": functions.static_locals,
    "old_style": functions.old_style,
    "type_of": functions.type_of,
    "floats": functions.floats_and_integers,
    "duff": statements.nested_switch,
    "nested_left_sides": values.nested_left_sides,
    "values_of_assignments": values.values_of_assignments,
    "values_of_records": values.values_of_records,
    "generic_selections": values.generic_selections,
    "nested_literals": values.nested_literals,
    "effects_in_arguments": values.effects_in_arguments,
}

# what expressions and statements may use
DETAILS = (
    "builtins",
    "casts",
    "comma",
    "compound_assignment",
    "compound_literals",
    "conditional",
    "designated",
    "division",
    "float_to_int",
    "generic",
    "goto",
    "logical",
    "long_double",
    "math",
    "packed",
    "qualifiers",
    "realloc",
    "representation",
    "sequenced",
    "shifts",
    "sizeof",
    "statement_expressions",
    "switch",
)

# `wide_bit_fields`, arithmetic on bit-fields wider than int, is asked for by name: gcc gives them types of their own width
FEATURES = frozenset(PIECES) | frozenset(DETAILS)

PREAMBLE = """unsigned long long checksum = 14695981039346656037uLL;
static void mix(unsigned long long value) { checksum = (checksum ^ value) * 1099511628211uLL + (checksum >> 47); }
#ifdef NATIVE
int printf(const char *, ...);
#define report() printf("%llx\\n", checksum)
#else
#define report() (void)0
#endif
"""


def generate(source: random.Random, features: Collection[str] = FEATURES, size: int = 4) -> str:
    """One program of about `size` pieces."""
    writer = Writer(source, frozenset(features))
    for _ in range(source.randint(1, 4)):
        type_ = writer.scalar_type()
        name = writer.name("g")
        writer.declare(f"{source.choice(('static ', ''))}{type_} {name} = {constant_initialiser(writer, type_)};")
        writer.add_global(Place(name, type_, direct=True))
    plain = list(writer.globals)
    for _ in range(source.randint(0, 3)):
        functions.helper_function(writer, pure=source.randrange(3) < 2)
    pieces = [name for name in PIECES if name in writer.features]
    for _ in range(source.randint(1, size)):
        if pieces and writer.affordable(100):
            PIECES[writer.pick(pieces)](writer)
        statements.statements(writer, source.randint(0, 2))
    for place in plain:
        mix(writer, place.text, place.type)
    headers = "".join(f"#include <{name}>\n" for name in writer.headers)
    body = "\n".join([*writer.declarations, "int main(void) {", *writer.lines, "    report();", "    return 0;", "}"])
    return headers + PREAMBLE + body + "\n"


def generate_from(seed: int, features: Collection[str] = FEATURES) -> str:
    return generate(random.Random(seed), features)


if __name__ == "__main__":
    print(generate_from(int(sys.argv[1]), sys.argv[2].split(",") if len(sys.argv) > 2 else FEATURES))
