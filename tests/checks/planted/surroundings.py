"""What stands around a violation: branches, loops and calls that lead to it, and code that has nothing to do with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.checks.planted.drafts import Draft, Lines

Parameters = Sequence[tuple[str, str]]
"""Types and names of the variables that code uses."""
Setting = Callable[[Draft, Lines, Parameters], tuple[Lines, Lines]]
"""Of code: what reads the inputs that it takes to get there, and the statements that lead there."""


def bare(draft: Draft, code: Lines, used: Parameters) -> tuple[Lines, Lines]:
    return [], code


def in_a_block(draft: Draft, code: Lines, used: Parameters) -> tuple[Lines, Lines]:
    return [], ["{", *code, "}"]


def in_a_branch(draft: Draft, code: Lines, used: Parameters) -> tuple[Lines, Lines]:
    wanted = draft.number(-3, 9)
    declaration, mode = draft.reads("int", wanted, "mode")
    condition = draft.one_of(f"{mode} == {wanted}", f"{mode} > {wanted - 1} && {mode} <= {wanted}", f"!({mode} != {wanted})")
    return [declaration], [f"if ({condition}) {{", *code, "}"]


def in_an_else(draft: Draft, code: Lines, used: Parameters) -> tuple[Lines, Lines]:
    declaration, mode = draft.reads("unsigned char", draft.number(10, 200), "mode")
    return [declaration], [f"if ({mode} < 10) {{", f"{draft.leave}", "} else {", *code, "}"]


def in_a_switch(draft: Draft, code: Lines, used: Parameters) -> tuple[Lines, Lines]:
    wanted = draft.number(0, 3)
    declaration, mode = draft.reads("int", wanted, "choice")
    others = [number for number in range(4) if number != wanted]
    lines = [f"switch ({mode}) {{"]
    for number in sorted(others)[:2]:
        lines += [f"case {number}:", "break;"]
    return [declaration], [*lines, f"case {wanted}: {{", *code, "break;", "}", "default:", "break;", "}"]


def in_a_loop(draft: Draft, code: Lines, used: Parameters) -> tuple[Lines, Lines]:
    """In one of its rounds."""
    rounds, counter = draft.number(2, 5), draft.fresh("i")
    wanted = draft.number(0, rounds - 1)
    return [], [
        f"for (int {counter} = 0; {counter} < {rounds}; {counter}++) {{",
        f"if ({counter} == {wanted}) {{",
        *code,
        "}",
        "}",
    ]


def in_a_counted_loop(draft: Draft, code: Lines, used: Parameters) -> tuple[Lines, Lines]:
    """After so many rounds as an input says."""
    wanted = draft.number(2, 6)
    declaration, bound = draft.reads("int", wanted, "rounds")
    counter, least = draft.fresh("done"), draft.number(1, wanted)
    return [declaration], [
        f"int {counter} = 0;",
        f"while ({counter} < {bound} && {counter} < 8) {{",
        f"{counter}++;",
        "}",
        f"if ({counter} >= {least}) {{",
        *code,
        "}",
    ]


def in_a_function(draft: Draft, code: Lines, used: Parameters) -> tuple[Lines, Lines]:
    name = draft.fresh("work")
    _define(draft, name, code, used)
    return [], [f"{name}({_arguments(used)});"]


def in_a_callback(draft: Draft, code: Lines, used: Parameters) -> tuple[Lines, Lines]:
    name, other, table = draft.fresh("act"), draft.fresh("idle"), draft.fresh("actions")
    parameters = _parameters(used)
    _define(draft, name, code, used)
    draft.functions.append([f"static void {other}({parameters}) {{", *(f"(void){each};" for _, each in used), "}"])
    draft.functions.append([f"static void (*const {table}[2])({parameters}) = {{ {other}, {name} }};"])
    declaration, mode = draft.reads("unsigned char", 2 * draft.number(0, 100) + 1, "which")
    return [declaration], [f"{table}[{mode} & 1]({_arguments(used)});"]


def in_a_recursion(draft: Draft, code: Lines, used: Parameters) -> tuple[Lines, Lines]:
    name, depth = draft.fresh("visit"), draft.number(1, 4)
    before = ["if (remaining > 0) {", f"{name}({_arguments([*used, ('int', 'remaining - 1')])});", "return;", "}"]
    _define(draft, name, [*before, *code], [*used, ("int", "remaining")])
    return [], [f"{name}({_arguments([*used, ('int', str(depth))])});"]


SETTINGS: tuple[Setting, ...] = (
    bare,
    in_a_block,
    in_a_branch,
    in_an_else,
    in_a_switch,
    in_a_loop,
    in_a_counted_loop,
    in_a_function,
    in_a_callback,
    in_a_recursion,
)
FUNCTIONS = frozenset((in_a_function, in_a_callback, in_a_recursion))
"""Settings that move code into a function of its own, which returns nothing."""


def _define(draft: Draft, name: str, code: Lines, used: Parameters) -> None:
    draft.functions.append([f"static void {name}({_parameters(used)}) {{", *code, "}"])


def _parameters(used: Parameters) -> str:
    return ", ".join(f"{type_} {name}" for type_, name in used) or "void"


def _arguments(used: Parameters) -> str:
    return ", ".join(name for _, name in used)


# what has nothing to do with it


def _sums_up(draft: Draft) -> Lines:
    size, numbers, counter, total = draft.number(3, 7), draft.fresh("numbers"), draft.fresh("k"), draft.fresh("sum")
    return [
        f"int {numbers}[{size}], {total} = 0;",
        f"for (int {counter} = 0; {counter} < {size}; {counter}++) {{",
        f"{numbers}[{counter}] = {counter} * {draft.number(1, 9)};",
        f"{total} += {numbers}[{counter}];",
        "}",
        f"if ({total} < 0) return 1;",
    ]


def _counts_letters(draft: Draft) -> Lines:
    text, letter, count = draft.fresh("text"), draft.fresh("letter"), draft.fresh("vowels")
    word = draft.one_of("banana", "drystone", "onion", "a", "")
    return [
        f'const char *{text} = "{word}";',
        f"int {count} = 0;",
        f"for (const char *{letter} = {text}; *{letter} != 0; {letter}++) {{",
        f"if (*{letter} == 'a' || *{letter} == 'o') {count}++;",
        "}",
    ]


def _chooses(draft: Draft) -> Lines:
    trigger = draft.number(-20, 20)
    declaration, value = draft.reads("int", trigger)
    other = draft.fresh()
    return [
        declaration,
        f"int {other} = 0;",
        f"if ({value} > {draft.number(-9, 9)} && {value} < 100) {other} = {value} - 1;",
        f"else if ({value} < -100) {other} = -100;",
    ]


def _keeps_state(draft: Draft) -> Lines:
    tag, state, name = draft.fresh("state"), draft.fresh("machine"), draft.fresh("advance")
    draft.before.append(f"struct {tag} {{ int ticks; enum {{ {name}_OFF, {name}_ON }} mode; }};")
    draft.functions.append(
        [
            f"static void {name}(struct {tag} *it) {{",
            f"it->ticks = (it->ticks + 1) % {draft.number(2, 9)};",
            f"it->mode = it->ticks == 0 ? {name}_ON : {name}_OFF;",
            "}",
        ]
    )
    return [f"struct {tag} {state} = {{ 0, {name}_OFF }};", f"{name}(&{state});", f"{name}(&{state});"]


def _borrows_memory(draft: Draft) -> Lines:
    draft.includes.add("stdlib.h")
    pointer, size = draft.fresh("spare"), draft.number(1, 16)
    return [
        f"char *{pointer} = malloc({size});",
        f"if ({pointer}) {{",
        f"{pointer}[{draft.number(0, size - 1)}] = 'x';",
        "}",
        f"free({pointer});",
    ]


def _divides(draft: Draft) -> Lines:
    declaration, value = draft.reads("unsigned char", draft.number(1, 99))
    quotient = draft.fresh("quotient")
    return [declaration, f"int {quotient} = {value} ? 1000 / {value} : 0;", f"if ({quotient} > 1000) return 1;"]


_DISTRACTIONS: tuple[Callable[[Draft], Lines], ...] = (
    _sums_up,
    _counts_letters,
    _chooses,
    _keeps_state,
    _borrows_memory,
    _divides,
)


def distraction(draft: Draft) -> Lines:
    return draft.random.choice(_DISTRACTIONS)(draft)
