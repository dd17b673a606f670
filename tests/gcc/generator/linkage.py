"""Random programs of two to four files, with linkage of every kind.

A symbol has a plan: which files define it, weakly, strongly, as an alias or only for themselves, and under which C names; every
file that sees it uses it in its own `step` function. `main` runs the steps; constructors and destructors add to the result.
Some plans do not link (two strong definitions): then drystone has to refuse the program, too.
"""

from __future__ import annotations

from random import Random


class _Program:
    def __init__(self, choose: Random) -> None:
        self.choose = choose
        self.count = choose.randint(2, 4)
        self.declarations: list[list[str]] = [[] for _ in range(self.count)]
        self.uses: list[list[str]] = [[] for _ in range(self.count)]
        self._numbers = 0

    def write(self) -> list[str]:
        plans = [
            self.strong_function, self.weak_function, self.static_function, self.undefined_weak, self.alias, self.labelled,
            self.renamed, self.inline, self.variable, self.weak_variable, self.static_variable, self.variable_alias,
            self.labelled_variable, self.typed_twice, self.thread_local, self.around_main, self.weak_pragma, self.cleaned,
        ]  # fmt: skip
        for _ in range(self.choose.randint(4, 10)):
            self.choose.choice(plans)()
        return [self._file(number) for number in range(self.count)]

    def _file(self, number: int) -> str:
        body = "\n  ".join(self.choose.sample(self.uses[number], len(self.uses[number])))
        lines = ["unsigned seen;" if number == 0 else "extern unsigned seen;", "#define GIVEN(x) __attribute__((x))"]
        lines += self.declarations[number]
        lines.append(f"void step{number}(void) {{\n  {body}\n}}")
        if number == 0:
            steps = [f"step{each}" for each in range(self.count)]
            lines += [f"void {step}(void);" for step in steps]
            lines.append(f"int main(void) {{ {' '.join(f'{step}();' for step in steps)} return 0; }}")
        return "\n".join(lines) + "\n"

    # pieces

    def name(self, start: str) -> str:
        self._numbers += 1
        return f"{start}{self._numbers}"

    def value(self) -> int:
        return self.choose.randint(1, 999)

    def files(self, least: int = 1) -> list[int]:
        return sorted(self.choose.sample(range(self.count), self.choose.randint(least, self.count)))

    def given(self, *attributes: str) -> str:
        """Attributes in one of the syntaxes in which they may stand in front of a declaration."""
        hidden = [f"__{each.partition('(')[0]}__{each[len(each.partition('(')[0]) :]}" for each in attributes]
        return self.choose.choice(
            [
                f"__attribute__(({', '.join(attributes)}))",
                f"__attribute__(({', '.join(hidden)}))",
                " ".join(f"GIVEN({each})" for each in attributes),
                f"[[{', '.join('gnu::' + each for each in attributes)}]]",
            ]
        )

    def declare(self, file: int, text: str) -> None:
        self.declarations[file].append(text)

    def use(self, file: int, text: str) -> None:
        self.uses[file].append(f"seen = seen * 31 + ({text});")

    def call(self, file: int, name: str, declared: bool = False) -> None:
        """A call of a function of another file: declared at file scope or in a block."""
        if not declared and self.choose.random() < 0.3:
            self.uses[file].append(f"{{ unsigned {name}(void); seen = seen * 31 + {name}(); }}")
            return
        if not declared:
            self.declare(file, f"{self.choose.choice(['', 'extern '])}unsigned {name}(void);")
        self.use(file, f"{name}()")

    def defined(self, name: str, before: str = "") -> str:
        counter = self.choose.random() < 0.3
        inside = f"static unsigned n = {self.value()}; return n++;" if counter else f"return {self.value()};"
        return f"{before} unsigned {name}(void) {{ {inside} }}".strip()

    # functions

    def strong_function(self) -> None:
        name = self.name("f")
        homes = self.choose.sample(range(self.count), 2 if self.choose.random() < 0.05 else 1)
        for file in range(self.count):
            if file in homes:
                self.declare(file, self.defined(name))
            if file in homes or self.choose.random() < 0.7:
                self.call(file, name, declared=file in homes)

    def weak_function(self) -> None:
        name = self.name("f")
        weak = self.files()
        strong = [file for file in range(self.count) if file not in weak][: self.choose.randint(0, 1)]
        for file in weak:
            if self.choose.random() < 0.3:
                self.declare(file, f"{self.given('weak')} unsigned {name}(void);\n{self.defined(name)}")
            else:
                self.declare(file, self.defined(name, self.given("weak")))
        for file in strong:
            self.declare(file, self.defined(name))
        for file in range(self.count):
            self.call(file, name, declared=file in weak + strong)

    def static_function(self) -> None:
        name = self.name("f")
        hidden = self.files()
        shown = [file for file in range(self.count) if file not in hidden][:1]
        for file in hidden:
            if self.choose.random() < 0.3:
                self.declare(file, f"static unsigned {name}(void);")
            self.declare(file, self.defined(name, self.choose.choice(["static", "static inline"])))
            self.call(file, name, declared=True)
        for file in shown:
            self.declare(file, self.defined(name))
        for file in range(self.count):
            if shown and file not in hidden:
                self.call(file, name, declared=file in shown)

    def undefined_weak(self) -> None:
        name = self.name("f")
        home = self.choose.choice([None, *range(self.count)])
        if home is not None:
            self.declare(home, self.defined(name))
        for file in self.files():
            if file != home:
                self.declare(file, f"{self.given('weak')} extern unsigned {name}(void);")
                self.use(file, f"{name} ? {name}() : 5")

    def weak_pragma(self) -> None:
        name = self.name("f")
        home, other = self.choose.sample(range(self.count), 2)
        target = ""
        if self.choose.random() < 0.3:
            base = self.name("f")
            self.declare(home, self.defined(base))
            target = f" = {base}"
        pragma = self.choose.choice([f"#pragma weak {name}{target}", f'_Pragma("weak {name}{target}")'])
        self.declare(home, f"{pragma}\n" + (f"unsigned {name}(void);" if target else self.defined(name)))
        if self.choose.random() < 0.5:
            self.declare(other, self.defined(name))
        else:
            self.declare(other, f"unsigned {name}(void);")
        for file in (home, other):
            self.call(file, name, declared=True)

    def alias(self) -> None:
        base, name = self.name("f"), self.name("f")
        home = self.choose.randrange(self.count)
        hidden, weak = self.choose.random() < 0.5, self.choose.random() < 0.4
        self.declare(home, self.defined(base, "static" if hidden else ""))
        attributes = [f'alias("{base}")', *(["weak"] if weak else [])]
        self.declare(home, f"{self.given(*attributes)} unsigned {name}(void);")
        if self.choose.random() < 0.3:
            base, name = name, self.name("f")
            self.declare(home, f'{self.given(f"""alias("{base}")""")} unsigned {name}(void);')
        self.call(home, name, declared=True)
        for file in range(self.count):
            if file != home and weak and self.choose.random() < 0.4:
                self.declare(file, self.defined(name))
                self.call(file, name, declared=True)
                weak = False
            elif file != home:
                self.call(file, name)

    def labelled(self) -> None:
        symbol = self.choose.choice([self.name("label"), self.name("label.")])
        home = self.choose.randrange(self.count)
        same = self.name("f")
        for file in range(self.count):
            name = self.choose.choice([same, self.name("f")])
            self.declare(file, f'unsigned {name}(void) __asm__("{symbol}");')
            if file == home:
                self.declare(file, self.defined(name))
            self.call(file, name, declared=True)

    def renamed(self) -> None:
        old, new = self.name("f"), self.name("f")
        home = self.choose.randrange(self.count)
        self.declare(home, self.defined(old) + "\n" + self.defined(new))
        for file in range(self.count):
            if file != home:
                if self.choose.random() < 0.6:
                    self.declare(file, f"#pragma redefine_extname {old} {new}")
                self.call(file, old)
            else:
                self.use(file, f"{old}() + 2 * {new}()")

    def inline(self) -> None:
        name, value = self.name("f"), self.value()
        home = self.choose.randrange(self.count)
        for file in self.files():
            if file != home:
                self.declare(file, f"inline unsigned {name}(void) {{ return {value}; }}")
                self.call(file, name, declared=True)
        self.declare(home, f"inline unsigned {name}(void) {{ return {value}; }}\nextern unsigned {name}(void);")
        self.call(home, name, declared=True)

    # variables

    def change(self, file: int, name: str) -> None:
        self.uses[file].append(f"{name} += {self.value()}; seen = seen * 31 + {name};")

    def variable(self) -> None:
        name = self.name("v")
        homes = self.choose.sample(range(self.count), 2 if self.choose.random() < 0.05 else 1)
        for file in range(self.count):
            if file in homes:
                forms = [f"unsigned {name};", f"unsigned {name} = {self.value()};", f"extern unsigned {name};\nunsigned {name};"]
                forms.append(f"unsigned {name};\nunsigned {name} = {self.value()};\nextern unsigned {name};")
                self.declare(file, self.choose.choice(forms))
                self.change(file, name)
            elif self.choose.random() < 0.3:
                self.uses[file].append(f"{{ extern unsigned {name}; {name}++; seen = seen * 31 + {name}; }}")
            else:
                self.declare(file, f"extern unsigned {name};")
                self.change(file, name)

    def weak_variable(self) -> None:
        name = self.name("v")
        weak = self.files()
        strong = [file for file in range(self.count) if file not in weak][: self.choose.randint(0, 1)]
        for file in range(self.count):
            value = self.choose.choice(["", f" = {self.value()}"])
            if file in weak:
                self.declare(file, f"{self.given('weak')} unsigned {name}{value};")
            elif file in strong:
                self.declare(file, f"unsigned {name}{value};")
            else:
                self.declare(file, f"{self.choose.choice(['', self.given('weak')])} extern unsigned {name};".strip())
            self.change(file, name)
            self.use(file, f"&{name} != 0")

    def static_variable(self) -> None:
        name = self.name("v")
        for file in range(self.count):
            self.declare(file, f"{'static' if file else self.choose.choice(['', 'static'])} unsigned {name} = {self.value()};")
            self.change(file, name)

    def variable_alias(self) -> None:
        base, name = self.name("v"), self.name("v")
        home = self.choose.randrange(self.count)
        hidden = self.choose.choice(["", "static "])
        self.declare(home, f"{hidden}unsigned {base} = {self.value()};")
        self.declare(home, f'{self.given(f"""alias("{base}")""")} extern unsigned {name};')
        for file in range(self.count):
            if file != home:
                self.declare(file, f"extern unsigned {name};")
            self.change(file, name)
        self.change(home, base)

    def labelled_variable(self) -> None:
        symbol = self.name("label")
        home = self.choose.randrange(self.count)
        for file in range(self.count):
            name = self.name("v")
            start = f" = {self.value()}" if file == home else ""
            self.declare(file, f'{"" if file == home else "extern "}unsigned {name} __asm__("{symbol}"){start};')
            self.change(file, name)

    def typed_twice(self) -> None:
        name = self.name("v")
        home = self.choose.randrange(self.count)
        for file in range(self.count):
            if file == home:
                self.declare(file, f"unsigned {name} = {self.value()};")
                self.change(file, name)
            else:
                self.declare(file, f"extern {self.choose.choice(['int', 'unsigned', 'unsigned char', 'float'])} {name}")
                is_bytes = "char" in self.declarations[file][-1]
                self.declarations[file][-1] += "[4];" if is_bytes else ";"
                self.uses[file].append(
                    f"{name}[0] ^= 3; seen = seen * 31 + {name}[1];" if is_bytes else f"seen = seen * 31 + *(unsigned *)&{name};"
                )

    def thread_local(self) -> None:
        name = self.name("v")
        home = self.choose.randrange(self.count)
        for file in range(self.count):
            storage = self.choice_of_thread_local()
            if file == home:
                self.declare(file, f"{storage} unsigned {name} = {self.value()};")
            else:
                self.declare(file, f"extern {storage} unsigned {name};")
            self.change(file, name)

    def choice_of_thread_local(self) -> str:
        return self.choose.choice(["_Thread_local", "__thread"])

    # code around main and around scopes

    def around_main(self) -> None:
        kind = self.choose.choice(["constructor", "constructor", "destructor"])
        for file in self.files():
            for _ in range(self.choose.randint(1, 2)):
                name = self.name("f")
                priority = self.choose.choice(["", "(200)", "(300)", "(65535)"])
                before = f"{self.given(kind + priority)} {self.choose.choice(['', 'static '])}void {name}(void)"
                body = f"{{ seen = seen * 31 + {self.value()}; }}"
                split = self.choose.random() < 0.3
                self.declare(file, f"{before};\nvoid {name}(void) {body}" if split else f"{before} {body}")

    def cleaned(self) -> None:
        name = self.name("f")
        file = self.choose.randrange(self.count)
        self.declare(file, f"static void {name}(unsigned *p) {{ seen = seen * 31 + *p; *p = 0; }}")
        cleanup = self.given(f"cleanup({name})")
        inner = self.choose.choice(
            ["if (i == 1) continue;", "if (i == 1) break;", "if (i == 2) goto out;", "if (i == 2) return;"]
        )
        label = f"out{self._numbers}"
        self.uses[file].append(
            f"for (unsigned i = 0; i < 3; i++) {{ {cleanup} unsigned x = i + {self.value()}; {inner.replace('out', label)} "
            f"{{ {cleanup} unsigned y = x * 2; seen += y; }} }} {label}: seen++;"
        )


def generate(seed: int) -> list[str]:
    """The files of one program; the first has `main` and `seen`."""
    return _Program(Random(f"linkage {seed}")).write()
