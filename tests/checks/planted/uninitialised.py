"""Values that are used though nobody has written them: of variables, members, elements and blocks."""

from __future__ import annotations

from collections.abc import Callable

from tests.checks.planted.compose import Core, Operand
from tests.checks.planted.drafts import Draft, Lines, either, here


def _one(value: int, site: Callable[[Draft, str], Lines], guard: Callable[[str], str] = lambda value: "") -> Core:
    """With one input, an int."""
    return Core((Operand("int", value),), lambda values: guard(values[0]), lambda draft, values: site(draft, values[0]))


def _decides(draft: Draft, value: str) -> str:
    """A statement in which a value decides: valgrind reports no copies."""
    kept = draft.fresh("kept")
    draft.before.append(f"static int {kept};")
    limit = draft.number(1, 9)
    return draft.one_of(
        f"if ({value} > {limit}) {kept} = 1;",
        f"{kept} = {value} == {limit} ? 2 : 3;",
        f"while ({value} < -{limit}) {kept}++;",
        f"switch ({value}) {{ case {limit}: {kept} = 4; }}",
    )


def one_branch(draft: Draft) -> Core:
    """A variable gets its value in one branch only."""
    wanted = draft.number(2, 60)

    def site(draft: Draft, value: str) -> Lines:
        name, condition = draft.fresh(), f"{value} != {wanted}"
        form = draft.number(0, 3)
        if form == 0:
            way = [f"if ({condition}) {name} = {value};"]
        elif form == 1:
            way = [f"switch ({value}) {{", f"case {wanted}:", "break;", "default:", f"{name} = 7;", "}"]
        elif form == 2:
            way = [f"if (!({condition})) goto {name}_on;", f"{name} = 1;", f"{name}_on:;"]
        else:
            way = [f"for (int k = 0; k < ({condition}); k++) {name} = k;"]
        return [f"int {name};", *way, here(_decides(draft, name))]

    return _one(wanted, site, lambda value: either(f"{value} >= {wanted}", f"{value} > {wanted}"))


def out_parameter(draft: Draft) -> Core:
    """A function says that it has found nothing, and nobody asks."""
    wanted = draft.number(3, 40)

    def site(draft: Draft, value: str) -> Lines:
        find, name = draft.fresh("find"), draft.fresh("found")
        draft.functions.append(
            [
                f"static int {find}(int key, int *place) {{",
                f"if (key == {wanted}) return 0;",
                "*place = key + 1;",
                "return 1;",
                "}",
            ]
        )
        asks = either(f"{find}({value}, &{name});", f"if (!{find}({value}, &{name})) {name} = 0;")
        return [f"int {name};", asks, here(_decides(draft, name))]

    return _one(wanted, site)


def short_loop(draft: Draft) -> Core:
    """The last element of an array is left out."""
    count = draft.number(2, 6)

    def site(draft: Draft, value: str) -> Lines:
        array, k = draft.fresh("cells"), draft.fresh("k")
        form = draft.number(0, 3)
        if form == 0:
            before, after = [f"int {array}[{count}];"], []
        elif form == 1:
            draft.includes.add("stdlib.h")
            before, after = (
                [f"int *{array} = malloc({count} * sizeof *{array});", f"if (!{array}) {draft.leave}"],
                [f"free({array});"],
            )
        elif form == 2:
            before, after = [f"int {array}_room[2][{count}], *{array} = {array}_room[1];"], []
        else:
            draft.includes.add("alloca.h")
            before, after = [f"int *{array} = alloca({count} * sizeof *{array});"], []
        loop = f"for (int {k} = 0; {k} {either('<', '<=')} {count - 1}; {k}++) {array}[{k}] = {k};"
        return [*before, loop, here(_decides(draft, f"{array}[{value}]")), *after]

    return _one(count - 1, site, lambda value: f"{value} >= 0 && {value} < {count}")


def missing_member(draft: Draft) -> Core:
    """Of a structure, which may have been copied."""

    def site(draft: Draft, value: str) -> Lines:
        tag, name, other = draft.fresh("record"), draft.fresh("made"), draft.fresh("copy")
        bits = draft.one_of("", " : 5")
        draft.before.append(f"struct {tag} {{ char kind; int first{bits}, second{bits}; }};")
        form = draft.number(0, 3)
        copied, read = [f"struct {tag} {other} = {name};"], f"{other}.second"
        if form == 0:
            copied, read = [], f"{name}.second"
        elif form == 1:
            draft.includes.add("string.h")
            copied = [f"struct {tag} {other};", f"memcpy(&{other}, &{name}, sizeof {other});"]
        elif form == 2:
            copied, read = [f"struct {tag} *{other} = &{name};"], f"{other}->second"
        return [
            f"struct {tag} {name};",
            f"{name}.first = {value} & 7;",
            either("", f"{name}.second = 3;"),
            *copied,
            here(_decides(draft, read)),
        ]

    return _one(draft.number(0, 30), site)


def unset_node(draft: Draft) -> Core:
    """A list whose last node has no value."""
    count = draft.number(2, 3)

    def site(draft: Draft, value: str) -> Lines:
        draft.includes.add("stdlib.h")
        tag, head, k, made = draft.fresh("node"), draft.fresh("head"), draft.fresh("k"), draft.fresh("made")
        draft.before.append(f"struct {tag} {{ struct {tag} *next; int value; }};")
        return [
            f"struct {tag} *{head} = 0;",
            f"for (int {k} = 0; {k} < {count}; {k}++) {{",
            f"struct {tag} *{made} = malloc(sizeof *{made});",
            f"if (!{made}) exit(0);",
            f"{made}->next = {head};",
            f"if ({k} != {value}) {made}->value = {k};",
            f"{head} = {made};",
            "}",
            f"while ({head}) {{",
            f"struct {tag} *{made} = {head}->next;",
            here(_decides(draft, f"{head}->value")),
            f"free({head});",
            f"{head} = {made};",
            "}",
        ]

    return _one(count - 1, site, lambda value: f"{value} >= 0 && {either(f'{value} < {count}', f'{value} > {count}')}")


def grown_block(draft: Draft) -> Core:
    """What `realloc` adds has no value, what it takes along has."""
    count = draft.number(1, 3)

    def site(draft: Draft, value: str) -> Lines:
        draft.includes.add("stdlib.h")
        block, larger, k = draft.fresh("block"), draft.fresh("larger"), draft.fresh("k")
        return [
            f"int *{block} = {draft.one_of(f'calloc({count}, sizeof *{block})', f'malloc({count} * sizeof *{block})')};",
            f"if (!{block}) {draft.leave}",
            f"for (int {k} = 0; {k} < {count}; {k}++) {block}[{k}] = {k};",
            f"int *{larger} = realloc({block}, {2 * count} * sizeof *{larger});",
            f"if (!{larger}) exit(0);",
            either("", f"for (int {k} = {count}; {k} < {2 * count}; {k}++) {larger}[{k}] = {k};"),
            here(_decides(draft, f"{larger}[{value}]")),
            f"free({larger});",
        ]

    return _one(draft.number(count, 2 * count - 1), site, lambda value: f"{value} >= 0 && {value} < {2 * count}")


UNINITIALISED = (one_branch, one_branch, out_parameter, short_loop, short_loop, missing_member, unset_node, grown_block)
