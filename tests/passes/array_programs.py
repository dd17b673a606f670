"""Random programs about arrays whose elements are looked at one by one; every loop ends soon."""

from __future__ import annotations

import random

HEAD = """\
extern int nondet(void); extern void reach_error(void); extern void *memset(void *, int, unsigned long);
struct pair { int f; short g; };
"""
_ARRAYS = ("a", "b", "p")


def array_program(choose: random.Random) -> str:
    return _Writer(choose).program()


class _Writer:
    def __init__(self, choose: random.Random) -> None:
        self.choose = choose
        self.kind = choose.choice(("int", "unsigned", "long", "unsigned long", "short", "unsigned char", "signed char"))
        self.element = choose.choice(("int", "char", "unsigned short", "long"))
        self.depth = 0

    def program(self) -> str:
        is_global = self.choose.random() < 0.5
        size = self.choose.choice((4, 4, 4, 300))
        content = self.choose.choice(("", " = {0}", " = {1, 2, 3, 0}"))
        arrays = f"{self.element} a[{size}]{content}, b[4]{content}; struct pair p[4];"
        if is_global and self.choose.random() < 0.3:
            arrays = "extern " + f"{self.element} a[{size}], b[4]; struct pair p[4];"
        body = "".join(self.statement() for _ in range(self.choose.randint(3, 6)))
        last = f"  for (i = 0; i < 4; i++) {{ {self.check()} }}\n" if self.choose.random() < 0.6 else f"  {self.check()}\n"
        start = "" if is_global else "  " + arrays + "\n"
        part = self.choose.choice(("sizeof a", "2 * sizeof a[0]", f"{size // 4 * 3} * sizeof a[0]"))
        filled = f"  memset(a, {self.choose.choice('012')}, {part});\n" if self.choose.random() < 0.3 else ""
        swapped = "{ long t = *q; *q = *r; *r = t; }"
        passed = f"static void swap({self.element} *q, {self.element} *r) {swapped}\nstatic void set({self.element} *q, {self.kind} k, int v) {{ q[k] = v; }}\n"
        return (
            HEAD + (arrays + "\n" if is_global else "") + passed + f"int main(void) {{\n{start}  int x = nondet() & 3, y = 0;"
            f" {self.kind} i = 0, k = 1;\n{filled}{body}{last}  return 0; }}\n"
        )

    def statement(self) -> str:
        choose = self.choose
        match choose.randrange(10 if self.depth == 0 else 8):
            case 0 | 1:
                return f"  {self.place()} = {self.value()};\n"
            case 2:
                return f"  {choose.choice('xy')} = {self.place()};\n"
            case 3:
                return f"  if ({self.condition()}) {self.place()} = {self.value()}; else y = {self.value()};\n"
            case 4:
                return f"  set({choose.choice('ab')}, {self.index()}, {self.value()});\n"
            case 5:
                return f"  k = {self.index()};\n"
            case 6:
                saved = f"{self.element} *q = &{choose.choice('ab')}[{self.index()}]"
                return f"  {{ {saved}; k = {self.index()}; *q = {self.value()}; x = *q; }}\n"
            case 7:
                return f"  swap(&{choose.choice('ab')}[{self.index()}], &{choose.choice('ab')}[{self.index()}]);\n"
            case _:
                self.depth += 1
                body = "".join(self.statement() for _ in range(choose.randint(1, 2)))
                self.depth -= 1
                turns = choose.choice(("i = 0; i < 4; i++", "i = 1; i < 3; i++", "i = 3; i > 0; i--"))
                return f"  for ({turns}) {{\n  {body}  }}\n"

    def index(self) -> str:
        return self.choose.choice(("i & 3", "k", "x & 3", "0", "2", "(i + 1) & 3", "k * 3", "k * 12ul"))

    def place(self) -> str:
        array = self.choose.choice(_ARRAYS)
        field = self.choose.choice((".f", ".g")) if array == "p" else ""
        return f"{array}[{self.index()}]{field}"

    def value(self) -> str:
        return self.choose.choice(("0", "1", "2", "x", "y", self.place(), f"({self.place()} + 1) & 3"))

    def condition(self) -> str:
        return (
            f"{self.choose.choice(('x', 'y', self.place()))} {self.choose.choice(('==', '!=', '<'))} {self.choose.choice('0123')}"
        )

    def check(self) -> str:
        return f"if ({self.place()} {self.choose.choice(('==', '>', '!='))} {self.choose.choice(('0', '2', '3', 'y'))}) reach_error();"
