"""Initialiser lists: designators, ranges, left out braces, excess items, members and unions that are initialised again."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

_SCALARS = ["char", "short", "int", "unsigned", "long long", "unsigned char", "_Bool", "double"]
_PROGRAM = """unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() printf("%llx\\n", checksum)
#else
#define report() (void)0
#endif
static void mix(long long x) {{ checksum = checksum * 31 + x; }}
{types}
{outside}
int main(void) {{
{inside}
  report();
  return 0;
}}
"""


@dataclass
class _Type:
    kind: str  # scalar, bits, unnamed, array, struct or union
    name: str = ""
    count: int = 0  # of elements or bits
    members: list[tuple[str, _Type]] = field(default_factory=list)  # of an array: the element

    @property
    def named(self) -> list[tuple[str, _Type]]:
        return [each for each in self.members if each[1].kind != "unnamed"]


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.names = 0
        self.value = 0
        self.types: list[str] = []

    def type(self, depth: int) -> _Type:
        kind = self.random.random()
        if depth > 0 and (depth >= 3 or kind < 0.35):
            return _Type("scalar", self.random.choice(_SCALARS))
        if kind < 0.6:
            return _Type("array", count=self.random.randint(1, 4), members=[("", self.type(depth + 1))])
        if kind < 0.68:
            return _Type("array", count=self.random.randint(2, 5), members=[("", _Type("scalar", "char"))])
        self.names += 1
        made = _Type("union" if self.random.random() < 0.3 else "struct", f"e{self.names}")
        for _ in range(self.random.randint(1, 4)):
            made.members.append((f"m{len(made.members)}", self._member(depth)))
        if not made.named:
            made.members.append(("last", _Type("scalar", "int")))
        members = " ".join(f"{self.declared(each, name)};" for name, each in made.members)
        self.types.append(f"{made.kind} {made.name} {{ {members} }};")
        return made

    def _member(self, depth: int) -> _Type:
        kind = self.random.random()
        if kind < 0.2:
            return _Type("bits", self.random.choice(["int", "unsigned"]), self.random.randint(1, 12))
        if kind < 0.26:
            return _Type("unnamed", "unsigned", self.random.choice([0, 3, 5]))
        return self.type(depth + 1)

    def declared(self, type_: _Type, name: str) -> str:
        if type_.kind == "array":
            return self.declared(type_.members[0][1], f"{name}[{type_.count}]")
        if type_.kind in ("bits", "unnamed"):
            return f"{type_.name} {name if type_.kind == 'bits' else ''}:{type_.count}"
        return f"{type_.kind} {type_.name} {name}" if type_.kind != "scalar" else f"{type_.name} {name}"

    def number(self) -> str:
        self.value += 1
        return str(self.random.choice([self.value, self.value * 3, -self.value]))

    def designated(self, type_: _Type) -> tuple[str, _Type]:
        """A designation and what it names."""
        if type_.kind == "array":
            first = self.random.randrange(type_.count)
            text, inner = f"[{first}]", type_.members[0][1]
            if first + 1 < type_.count and self.random.random() < 0.3:
                text = f"[{first} ... {self.random.randint(first + 1, type_.count - 1)}]"
        else:
            name, inner = self.random.choice(type_.named)
            text = f".{name}"
        if inner.members and self.random.random() < 0.5:
            more, inner = self.designated(inner)
            text += more
        return text, inner

    def items(self, type_: _Type) -> str:
        """A list in braces for an aggregate or union."""
        items = []
        for _ in range(self.random.choice([0, 1, 1, 2, 2, 3, 4])):
            if self.random.random() < 0.45:
                text, inner = self.designated(type_)
                items.append(f"{text} = {self.initialiser(inner) if self.random.random() < 0.7 else self.number()}")
            else:
                either = [f"{{{self.number()}}}", f"{{{self.number()}, {self.number()}}}", "{}", f"{{{{{self.number()}}}}}"]
                items.append(self.number() if self.random.random() < 0.65 else self.random.choice(either))
        return "{" + ", ".join(items) + self.random.choice(["", ","] if items else [""]) + "}"

    def initialiser(self, type_: _Type) -> str:
        if not type_.members:
            return self.number() if self.random.random() < 0.9 else f"{{{self.number()}}}"
        element = type_.members[0][1]
        if type_.kind == "array" and element.name == "char" and self.random.random() < 0.5:
            return '"' + "abcd"[: self.random.randint(0, type_.count)] + '"'
        return self.items(type_)


def leaves(type_: _Type, path: str) -> list[str]:
    """The members outside of unions: what the other bytes of an automatic union are is open."""
    if type_.kind == "union":
        return []
    if type_.kind == "array":
        return [leaf for index in range(type_.count) for leaf in leaves(type_.members[0][1], f"{path}[{index}]")]
    if type_.members:
        return [leaf for name, each in type_.named for leaf in leaves(each, f"{path}.{name}")]
    return [path]


def initialiser_program(seed: int) -> str:
    """One object, static or automatic, and what its bytes or members are."""
    writer = _Writer(Random(seed))
    type_ = writer.type(0)
    text = f"{writer.declared(type_, 'g0')} = {writer.items(type_)};"
    types = "\n".join(writer.types)
    if seed % 2:
        mixed = " ".join(f"mix({leaf});" for leaf in ["sizeof g0", *leaves(type_, "g0")])
        return _PROGRAM.format(types=types, outside="", inside=f"  {text}\n  {mixed}")
    mixed = "  for (int i = 0; i < sizeof g0; i++) mix(((unsigned char *)&g0)[i]);"
    return _PROGRAM.format(types=types, outside=text, inside=mixed)
