"""Random programs with recursion that ends, small enough to be run on all their inputs."""

from __future__ import annotations

import random

_HEAD = "extern void reach_error(void); extern unsigned char any(void);\ntypedef unsigned char u8;\nu8 g, h;\n"
INPUTS = 256


class RecursiveProgram:
    """One or two procedures that call each other with a smaller first argument; an assertion about what comes out."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        names = ["f", "k"][: self.random.randint(1, 2)]
        declared = "".join(f"u8 {name}(u8 d, u8 x);\n" for name in names)
        self.text = _HEAD + declared + "".join(self._procedure(name, names) for name in names) + self._main()

    def _procedure(self, name: str, names: list[str]) -> str:
        choose = self.random
        lines = [f"  if (d == 0{choose.choice(('', f' || {self._condition()}'))}) {{ {self._effect()} return {self._value()}; }}"]
        lines.append("  u8 r = x, s = 0;")
        for _ in range(choose.randint(1, 3)):
            target = choose.choice("rs")
            call = f"{target} = {choose.choice(names)}(d - 1, {self._value('rs')});"
            lines.append(f"  {choose.choice((call, f'if ({self._condition()}) {call}'))} {self._effect()}")
        if choose.random() < 0.2:
            lines.append(f"  if ({self._condition('rs')} && {self._condition('rs')}) reach_error();")
        if choose.random() < 0.2:
            lines.append("  for (u8 i = 0; i < 2; i++) s += r;")
        lines.append(f"  return {self._value('rs')};")
        return f"u8 {name}(u8 d, u8 x) {{\n" + "\n".join(lines) + "\n}\n"

    def _main(self) -> str:
        choose = self.random
        lines = [f"  u8 n = any(); g = {choose.choice(('0', '3', 'n & 1'))};"]
        lines.append(f"  u8 r = f(n & {choose.choice((3, 7))}, {choose.choice(('0', '1', 'n >> 3', 'n >> 6'))});")
        fact = choose.choice((f"r == {choose.randint(0, 8)}", f"r > {choose.randint(0, 200)}", f"g > {choose.randint(0, 9)}",
                              "r & 1", f"g == {choose.randint(0, 4)}", "g != h", f"r + g == {choose.randint(0, 9)}"))  # fmt: skip
        lines.append(f"  if ({fact}) reach_error();")
        return "int main(void) {\n" + "\n".join(lines) + "\n  return 0;\n}\n"

    def _value(self, more: str = "") -> str:
        choose = self.random
        a, b = choose.choice(["x", "d", "x", *more, *more]), choose.choice(["1", "2", "x", "d", "g", *more])
        return choose.choice(
            (a, a, f"{a} + {b}", f"{a} - {b}", f"({a} & {b})", f"({a} | {b})", f"{choose.randint(0, 9)}", f"{a} * 2")
        )

    def _condition(self, more: str = "") -> str:
        choose = self.random
        left = choose.choice(["x", "d", "g", *more])
        return f"{left} {choose.choice(('<', '>', '==', '!='))} {choose.choice(('0', '1', '3', '9', 'd', 'x'))}"

    def _effect(self) -> str:
        return self.random.choice(("", "", "", "g++;", "g--;", "g = x;", "h = g;", "h++;"))
