"""Undefined operations, in the reading for executions, give what gcc's unoptimised code gives."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from drystone.concrete.interpreter import ListedInputs, ZeroInputs, interpret
from drystone.frontend.load import FrontendOptions, load
from drystone.frontend.options import MACHINE
from drystone.ir.expressions import is_approximated
from drystone.passes.readings import settled
from tests.gcc.compiler import build, missing, run

pytestmark = pytest.mark.gcc
DATA_MODELS = ("LP64", "ILP32")
INTEGERS = {
    "unsigned char": "B", "signed char": "b", "unsigned short": "H", "short": "h", "unsigned": "I", "int": "i",
    "unsigned long long": "Q", "long long": "q", "long": "l", "unsigned long": "L",
}  # fmt: skip
FLOATS = ("float", "double", "long double")
PROMOTED = ("int", "unsigned", "long", "unsigned long", "long long", "unsigned long long")


def conversions(chosen: random.Random) -> Iterator[str]:
    """Of floats around the ends of all ranges, of any size, and of those that are no numbers."""
    ends = [sign * (2.0**power) for power in (7, 8, 15, 16, 31, 32, 63, 64) for sign in (1, -1)]
    values = [str(end + step) for end in ends for step in (-1.5, -1, 0, 0.5, 1)] + [
        "1e300",
        "-1e30",
        "INF",
        "-INF",
        "NOT_A_NUMBER",
    ]
    values += [repr(chosen.uniform(-1, 1) * 2.0 ** chosen.randint(0, 70)) for _ in range(60)]
    for number, value in enumerate(values):
        source = FLOATS[number % 3]
        for target in INTEGERS:
            yield f"{{ {source} x = {value}; SAY(({target})x); }}"


def constants(chosen: random.Random) -> Iterator[str]:
    for value in ("1e20", "-1e20", "300.0", "-1.0", "5e9f", "-3e9", "70000.0L", "1e19L"):
        for target in INTEGERS:
            yield f"SAY(({target}){value});"
    for left, right in (("1", 40), ("5", 33), ("-5", 33), ("7u", 32), ("1ll", 64), ("-9ll", 70)):
        yield f"SAY({left} << {right}); SAY({left} >> {right});"


def shifts(chosen: random.Random) -> Iterator[str]:
    for left in INTEGERS:
        for right in ("int", "unsigned char", "long long", "unsigned", "signed char"):
            for operator in ("<<", ">>"):
                value, distance = (
                    chosen.randint(-(2**63), 2**63 - 1),
                    chosen.choice((32, 33, 40, 63, 64, 65, 100, 127, -1, -3, 2**32 + 5)),
                )
                yield f"{{ {left} x = {value}ll; {right} n = {distance}ll; SAY(x {operator} n); }}"
                yield f"{{ {left} x = {value}ll; {right} n = {distance}ll; x {operator}= n; SAY(x); }}"
                yield f"{{ {left} x = {value}ll; SAY(x {operator} {abs(distance) % 128}); }}"
    yield from (f"{{ int n = {n}; SAY(1 << n); SAY(1ll << n); SAY(-1u >> n); }}" for n in (32, 40, 64, 70, -1))


def quotients(chosen: random.Random) -> Iterator[str]:
    """What does not trap."""
    yield "{ int x = -2147483647 - 1; SAY(x / -1); SAY(x % -1); }"
    yield "{ int z = 0; SAY(0 / z); SAY(z / z); SAY(0 % z); SAY(z % z); SAY(1 / z); }"
    yield "{ long long x = -9223372036854775807ll - 1; SAY(x / -1); SAY(x % -1); }"


KINDS = {"conversions": conversions, "constants": constants, "shifts": shifts, "quotients": quotients}


def compared(statements: list[str], data_model: str, folder: Path) -> list[str]:
    """The statements for which gcc and the interpreter differ."""
    count = sum(text.count("SAY(") for text in statements)
    body = "\n".join(statements)
    text = f"""
    #define INF (1e308 * 10)
    #define NOT_A_NUMBER (INF - INF)
    unsigned long long out[{count}]; unsigned next;
    #define SAY(value) (out[next++] = (unsigned long long)(long long)(value))
    void all(void) {{ {body} }}
    """
    program, driver = folder / "program.c", folder / "driver.c"
    program.write_text(text + "int main(void) { all(); return 0; }\n")
    driver.write_text(
        text + "int printf(const char *, ...);\nint main(void) "
        f'{{ all(); for (unsigned i = 0; i < {count}; i++) printf("%llx\\n", out[i]); return 0; }}\n'
    )
    build([driver], folder / "binary", data_model)
    expected = [int(word, 16) for word in run(folder / "binary").output.split()]
    loaded = load([str(program)], FrontendOptions(data_model=data_model, undefined=MACHINE)).program
    for each in (loaded, settled(loaded)):
        outcome = interpret(each, ZeroInputs(), max_steps=1_000_000)
        assert outcome.kind == "returned", outcome.what
        assert all(map(is_approximated, outcome.inputs))
    said = [each for text in statements for each in [text] * text.count("SAY(")]
    actual = list(struct.unpack(f"<{count}Q", outcome.objects["out"]))
    return [f"{text}: gcc {a:x}, interpreter {b:x}" for text, a, b in zip(said, expected, actual, strict=True) if a != b]


@pytest.mark.parametrize("data_model", DATA_MODELS)
@pytest.mark.parametrize("kind", KINDS)
def test_they_give_what_the_machine_gives(kind: str, data_model: str, tmp_path: Path) -> None:
    if reason := missing(data_model):
        pytest.skip(reason)
    assert compared(list(KINDS[kind](random.Random(kind))), data_model, tmp_path) == []


TRAPS = [
    f"{{ {type_} x = 7, z = 0; x {operator}= z; }}" for type_ in PROMOTED for operator in "/%"
] + [
    "{ int x = -2147483647 - 1, y = -1; x = x / y; }", "{ int x = -2147483647 - 1, y = -1; x = x % y; }",
    "{ long x = (long)(1ul << (8 * sizeof x - 1)), y = -1; x = x / y; }", "{ int x = 3; x = x / 0; }", "{ int x = 3, z = 0; x = 5 + x / z; }",
    "{ int x = 3, z = 0; if (x / z > 7) x = 1; }", "{ int x = 3, z = 0; x = z || x / z; }", "{ char x = 3, z = 0; x %= z; }",
]  # fmt: skip
GO_ON = [
    "{ int x = 3, z = 0; x = z && x / z; }", "{ int x = 3, z = 0; x = z ? x / z : 1; }", "{ int x = 3, z = 0; x / z; }",
    "{ int x = 3, z = 0; x = x || x % z; }", "{ int x = 3, z = 0; while (z && x / z) x++; }", "{ int x = 3, z = 0; (void)(x++ + x / z); }",
    "{ long long x = -9223372036854775807ll - 1; x = x / -1; }",
]  # fmt: skip


@pytest.mark.parametrize("data_model", DATA_MODELS)
def test_traps_end_the_execution(data_model: str, tmp_path: Path) -> None:
    if reason := missing(data_model):
        pytest.skip(reason)
    cases = [*TRAPS, *GO_ON]
    if data_model == "ILP32":
        cases.append("{ long long x = -9223372036854775807ll - 1, y = -1; x = x / y; }")  # by a function, which wraps
    listed = "\n".join(f"case {number}: {text} break;" for number, text in enumerate(cases))
    source = tmp_path / "program.c"
    source.write_text(
        "extern int chosen(void);\n#ifdef NATIVE\nint atoi(const char *); static int given; int chosen(void) { return given; }\n#endif\n"
        f"int all(void) {{ switch (chosen()) {{ {listed} }} return 0; }}\n"
        "#ifdef NATIVE\nint main(int n, char **words) { given = atoi(words[1]); return all(); }\n#else\nint main(void) { return all(); }\n#endif\n"
    )
    build([source], tmp_path / "binary", data_model, flags=["-DNATIVE"])
    program = load([str(source)], FrontendOptions(data_model=data_model, undefined=MACHINE)).program
    for number, text in enumerate(cases):
        outcome = interpret(program, ListedInputs([number]))
        has_trapped = outcome.kind == "halt" and outcome.what.endswith(" traps")
        assert has_trapped == (run(tmp_path / "binary", [str(number)]).code == -8), text
        assert has_trapped == (text in TRAPS), text
        assert not has_trapped or outcome.undefined, text
