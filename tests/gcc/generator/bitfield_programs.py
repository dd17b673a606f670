"""Programs that compute with bit-fields of all widths: gcc gives those that are wider than int types of their own."""

from __future__ import annotations

from random import Random

_WIDTHS = [1, 3, 7, 16, 31, 31, 32, 32, 33, 34, 40, 41, 47, 48, 55, 62, 63, 64]
_OTHERS = ["i", "u", "l", "ul", "ll", "ull", "c", "-1", "3", "7u", "5LL", "0x80000000u", "1"]
_PROGRAM = """unsigned long long checksum = 1;
#ifdef NATIVE
int printf(const char *, ...);
#define report() printf("%llx\\n", checksum)
#else
#define report() (void)0
#endif
static void mix(long long x) {{ checksum = checksum * 31 + x; }}
#define DIVIDE(a, b) ((b) == 0 || (b) == -1 ? 1 : (a) / (b) + (a) % (b))
struct S {{ {members} }} s;
int i = -5; unsigned u = 0xfffffff0u; long l = -100000; unsigned long ul = 123456789;
long long ll = -1LL << 40; unsigned long long ull = ~0ULL >> 3; char c = -7;
int main(void) {{
{statements}
  report();
  return 0;
}}
"""


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.fields = [f"s.f{number}" for number in range(8)]
        self.members = " ".join(self._member(number) for number in range(8))

    def _member(self, number: int) -> str:
        width, sign = self.random.choice(_WIDTHS), self.random.choice(["unsigned ", ""])
        return f"{sign}{'long long' if width > 32 else self.random.choice(['int', 'long long'])} f{number}:{width};"

    def expression(self, depth: int) -> str:
        choose = self.random.choice
        if depth == 0:
            return choose(self.fields * 2 + _OTHERS)
        kind = self.random.random()
        first = self.expression(depth - 1)
        if kind < 0.55:
            return f"({first} {choose('+-*&|^')} {self.expression(depth - 1)})"
        if kind < 0.62:
            return f"DIVIDE({first}, {self.expression(depth - 1)})"
        if kind < 0.68:
            return f"({first} {choose(['<<', '>>'])} {self.random.randint(0, 30)})"
        if kind < 0.75:
            return f"({choose('-~+')} {first})"
        if kind < 0.82:
            return f"({first} {choose(['<', '>', '==', '<=', '!=', '>='])} {self.expression(depth - 1)})"
        if kind < 0.87:
            return f"({self.expression(0)} ? {first} : {self.expression(depth - 1)})"
        if kind < 0.9:
            return f"({choose(['int', 'unsigned', 'long long', 'unsigned long'])})({first})"
        return f"(0, {first})" if kind < 0.93 else f"({first})"

    def statement(self) -> str:
        kind, choose = self.random.random(), self.random.choice
        field = choose(self.fields)
        if kind < 0.2:
            return f"  {field} {choose(['=', '+=', '-=', '*=', '&=', '|=', '^='])} {self.expression(1)}; mix({field});"
        if kind < 0.35:
            other = choose([each for each in [*self.fields, *_OTHERS] if each != field])
            return f"  mix(({field}{choose(['++', '--'])}) {choose(['+', '-', '*', '<', '>', '=='])} {other});"
        if kind < 0.4:
            return f"  mix((long long)((double)({choose(['++', '--'])}{field}) * 0.25));"
        if kind < 0.5:
            return f"  mix((long long)((double)({self.expression(2)}) / 4294967296.0));"
        if kind < 0.6:
            return f"  if ({self.expression(2)} < {self.expression(2)}) mix(77);"
        return f"  mix({self.expression(self.random.randint(1, 3))});"


def bitfield_program(seed: int) -> str:
    writer = _Writer(Random(seed))
    return _PROGRAM.format(members=writer.members, statements="\n".join(writer.statement() for _ in range(80)))
