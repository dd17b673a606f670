"""The text of a pair of programs while it is put together: what both have, and where they differ.

Parts of lines may be marked: `either` has one text in the program with the violation and another one in its twin, `watched` asks a
question in the compiled program alone (of violations that no sanitizer of gcc reports), and `here` marks the line of the violation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal

Side = Literal["violated", "repaired", "watched", "watched twin"]
Lines = list[str]

_EITHER = re.compile("\1([^\1\2\3]*)\2([^\1\2\3]*)\3")
_WATCHED = re.compile("\4([^\4\5\6]*)\5([^\4\5\6]*)\6")
_HERE = "\7"

TYPES: dict[str, tuple[str, int, int]] = {
    "signed char": ("char", -(1 << 7), (1 << 7) - 1),
    "unsigned char": ("uchar", 0, (1 << 8) - 1),
    "short": ("short", -(1 << 15), (1 << 15) - 1),
    "unsigned short": ("ushort", 0, (1 << 16) - 1),
    "int": ("int", -(1 << 31), (1 << 31) - 1),
    "unsigned": ("uint", 0, (1 << 32) - 1),
    "long": ("long", -(1 << 63), (1 << 63) - 1),
    "unsigned long": ("ulong", 0, (1 << 64) - 1),
    "long long": ("longlong", -(1 << 63), (1 << 63) - 1),
}
"""Of inputs: the end of the name of the function that gives one, and the range."""
FLOATS = {"float": "float", "double": "double"}

_NAMES = (
    "alpha beta gamma delta width height depth weight first last left right upper lower near far total part share rate level "
    "score price stock order batch queue cycle phase angle speed force power signal sample pixel frame sector track block page "
    "token field digit symbol letter node edge path step round pass turn move stage scale ratio bound limit count amount volume"
).split()


def either(violated: str, repaired: str) -> str:
    return f"\1{violated}\2{repaired}\3"


def watched(condition: str, expression: str) -> str:
    """The expression is a violation where the condition holds: the compiled program asks before it is evaluated."""
    return f"\4{condition}\5{expression}\6"


def here(line: str) -> str:
    return line + _HERE


@dataclass(frozen=True)
class Given:
    """An input of the program, in the order in which it reads them, and the value for which the violation occurs."""

    type: str
    trigger: float  # an int, or what a floating-point number is


@dataclass
class Draft:
    random: Random
    includes: set[str] = field(default_factory=set)
    before: Lines = field(default_factory=list)  # at file scope, before the functions
    functions: list[Lines] = field(default_factory=list)
    inputs: list[Given] = field(default_factory=list)
    variables: list[tuple[str, str]] = field(default_factory=list)  # types and names of those that got the inputs
    names: set[str] = field(default_factory=set)
    leave: str = "return 0;"  # ends the function in which code stands

    def fresh(self, stem: str = "") -> str:
        """A name that the program does not have yet."""
        if not stem:
            stem = self.random.choice(_NAMES)
        name, number = stem, 1
        while name in self.names:
            number += 1
            name = f"{stem}{number}"
        self.names.add(name)
        return name

    def reads(self, type_: str, trigger: float, name: str = "") -> tuple[str, str]:
        """The declaration of a variable that is an input, and its name."""
        self.inputs.append(Given(type_, trigger))
        name = self.fresh(name)
        self.variables.append((type_, name))
        return f"{type_} {name} = __VERIFIER_nondet_{TYPES[type_][0] if type_ in TYPES else FLOATS[type_]}();", name

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def number(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def one_of(self, *texts: str) -> str:
        return self.random.choice(texts)


def program(draft: Draft, body: Sequence[str], side: Side) -> tuple[str, int]:
    """The text of one side, and the line of the violation."""
    lines = ["/* A generated program. */", *(f"#include <{name}>" for name in sorted(draft.includes))]
    lines += [f"extern {result} {name}({parameter});" for result, name, parameter in _declared(draft)]
    if side.startswith("watched"):
        lines[-1] += " extern void violation(void);"
    lines += ["", *draft.before, ""]
    for function in draft.functions:
        lines += [*function, ""]
    lines += ["int main(void) {", *body, "return 0;", "}"]
    rendered = _indented([_rendered(line, side) for line in lines])
    place = next((number for number, line in enumerate(rendered, 1) if _HERE in line), 0)
    return "\n".join(line.replace(_HERE, "") for line in rendered) + "\n", place


def _declared(draft: Draft) -> list[tuple[str, str, str]]:
    used = sorted({given.type for given in draft.inputs})
    found = [(type_, f"__VERIFIER_nondet_{TYPES[type_][0] if type_ in TYPES else FLOATS[type_]}", "void") for type_ in used]
    return [*found, ("void", "__VERIFIER_assume", "int")]


def _rendered(line: str, side: Side) -> str:
    line = _EITHER.sub(r"\1" if side in ("violated", "watched") else r"\2", line)
    while _WATCHED.search(line):
        line = _WATCHED.sub(r"((\1) ? violation() : (void)0, (\2))" if side.startswith("watched") else r"(\2)", line)
    return line


def _indented(lines: Sequence[str]) -> Lines:
    depth, result = 0, list[str]()
    for line in lines:
        inner = line.strip()
        shown = depth - (1 if inner.startswith("}") else 0)
        result.append("    " * shown + inner if inner and not inner.startswith("#") else inner)
        depth += inner.count("{") - inner.count("}")
    return result
