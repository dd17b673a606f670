"""Pointers that lead nowhere, or no longer anywhere; blocks that are given back twice, wrongly, or never."""

from __future__ import annotations

from collections.abc import Callable

from tests.checks.planted.compose import Core, Operand
from tests.checks.planted.drafts import Draft, Lines, either, here
from tests.checks.planted.storage import a_block, an_array


def _one(value: int, site: Callable[[Draft, str], Lines], guard: Callable[[str], str] = lambda value: "") -> Core:
    """With one input, an int."""
    return Core((Operand("int", value),), lambda values: guard(values[0]), lambda draft, values: site(draft, values[0]))


def _allocated(draft: Draft, name: str, type_: str = "int", count: int = 1) -> Lines:
    draft.includes.add("stdlib.h")
    size = f"sizeof *{name}" if count == 1 else f"{count} * sizeof *{name}"
    return [f"{type_} *{name} = malloc({size});", f"if (!{name}) {draft.leave}"]


def _used(draft: Draft, pointer: str) -> str:
    """A statement that uses what an `int *` leads to."""
    kept = draft.fresh("kept")
    return draft.one_of(f"*{pointer} = 1;", f"int {kept} = *{pointer}; if ({kept} == 5) {kept} = 0;", f"{pointer}[0] ^= 1;")


def _list(draft: Draft) -> tuple[str, str]:
    """The tag of a structure, and a function that puts a node before a list."""
    draft.includes.add("stdlib.h")
    tag, push = draft.fresh("node"), draft.fresh("push")
    draft.before.append(f"struct {tag} {{ int value; struct {tag} *next; }};")
    draft.functions.append(
        [
            f"static struct {tag} *{push}(struct {tag} *rest, int value) {{",
            f"struct {tag} *made = malloc(sizeof *made);",
            "if (!made) exit(0);",
            "made->value = value;",
            "made->next = rest;",
            "return made;",
            "}",
        ]
    )
    return tag, push


def _freed(tag: str, name: str, rest: str) -> Lines:
    return [f"while ({name}) {{", f"struct {tag} *{rest} = {name}->next;", f"free({name});", f"{name} = {rest};", "}"]


# null


def not_found(draft: Draft) -> Core:
    """A search returns NULL."""
    count, key = draft.number(2, 5), draft.number(1, 30)

    def site(draft: Draft, value: str) -> Lines:
        find, pointer, k = draft.fresh("find"), draft.fresh("found"), draft.fresh("k")
        array = an_array(draft, "int", count)
        draft.functions.append(
            [
                f"static int *{find}(int *cells, int length, int key) {{",
                "for (int k = 0; k < length; k++) {",
                "if (cells[k] == key) return &cells[k];",
                "}",
                "return 0;",
                "}",
            ]
        )
        return [
            *array.before,
            f"for (int {k} = 0; {k} < {count}; {k}++) {array.base}[{k}] = {k} + {key};",
            f"int *{pointer} = {find}({array.base}, {count}, {value});",
            here(f"{either('', f'if ({pointer}) ')}{{ {_used(draft, pointer)} }}"),
            *array.after,
        ]

    return _one(draft.random.choice((key - 1, key + count)), site)


def chosen_null(draft: Draft) -> Core:
    """One of several pointers is NULL."""
    wanted = draft.number(1, 50)

    def site(draft: Draft, value: str) -> Lines:
        cell, pointer = draft.fresh("cell"), draft.fresh("chosen")
        condition = f"{value} == {wanted}"
        form = draft.number(0, 3)
        if form == 0:
            before = [f"int *{pointer} = {condition} ? 0 : &{cell};"]
        elif form == 1:
            before = [f"int *{pointer} = 0;", f"if (!({condition})) {pointer} = &{cell};"]
        elif form == 2:
            table = draft.fresh("places")
            before = [f"int *{table}[3] = {{ &{cell}, 0, &{cell} }};", f"int *{pointer} = {table}[{condition}];"]
        else:
            draft.before.append(f"static int *{pointer};")
            before = [f"if ({value} < {wanted} || {value} > {wanted}) {pointer} = &{cell};"]
        return [f"int {cell} = 3;", *before, here(_used(draft, pointer))]

    return _one(wanted, site, lambda value: either(f"{value} >= {wanted}", f"{value} > {wanted}"))


def behind_the_end(draft: Draft) -> Core:
    """The next of the last node."""
    most = draft.number(1, 3)

    def site(draft: Draft, value: str) -> Lines:
        (tag, push), name, walk, k, rest = (
            _list(draft),
            draft.fresh("head"),
            draft.fresh("walk"),
            draft.fresh("k"),
            draft.fresh("rest"),
        )
        return [
            f"struct {tag} *{name} = 0;",
            f"for (int {k} = 0; {k} < {most}; {k}++) {name} = {push}({name}, {k});",
            f"struct {tag} *{walk} = {name};",
            f"for (int {k} = 0; {k} < {value} && {walk}; {k}++) {walk} = {walk}->next;",
            here(f"{walk}->value = 7;"),
            *_freed(tag, name, rest),
        ]

    return _one(most, site, lambda value: f"{value} {either('<=', '<')} {most}")


def null_member(draft: Draft) -> Core:
    """A tree whose nodes have one child, or none."""
    wanted = draft.number(0, 1)

    def site(draft: Draft, value: str) -> Lines:
        tag, root, leaf = draft.fresh("tree"), draft.fresh("root"), draft.fresh("leaf")
        draft.before.append(f"struct {tag} {{ struct {tag} *child[2]; int key; }};")
        child = f"{root}.child[{value} & 1]"
        return [
            f"struct {tag} {leaf} = {{ {{ 0, 0 }}, 1 }};",
            f"struct {tag} {root} = {{ {{ {'0, &' + leaf if wanted == 0 else '&' + leaf + ', 0'} }}, 2 }};",
            here(f"{either('', f'if ({child}) ')}{child}->key = 3;"),
        ]

    return _one(2 * draft.number(0, 20) + wanted, site, lambda value: f"{value} >= 0")


def missing_letter(draft: Draft) -> Core:
    """What `strchr` returns."""
    word, letter = draft.one_of("drystone", "banana", "a"), draft.one_of("z", "q")

    def site(draft: Draft, value: str) -> Lines:
        draft.includes.add("string.h")
        text, found = draft.fresh("text"), draft.fresh("found")
        return [
            f'char {text}[] = "{word}";',
            f"char *{found} = strchr({text}, {value});",
            here(f"{either('', f'if ({found}) ')}*{found} = '-';"),
        ]

    return _one(ord(letter), site, lambda value: f"{value} >= 'a' && {value} <= 'z'")


NULL = (not_found, chosen_null, chosen_null, behind_the_end, null_member, missing_letter)


# use after free


def used_later(draft: Draft) -> Core:
    """In one branch it was given back."""
    wanted = draft.number(0, 40)

    def site(draft: Draft, value: str) -> Lines:
        array = a_block(draft, "int", draft.number(1, 3))
        done, alias = draft.fresh("done"), draft.fresh("alias")
        condition = f"{value} == {wanted}"
        pointer = array.base
        before: Lines = []
        if draft.chance(0.5):
            before, pointer = [f"int *{alias} = {array.base};"], alias
        return [
            *array.before,
            *before,
            f"int {done} = 0;",
            f"if ({condition}) {{",
            *array.after,
            f"{done} = 1;",
            "}",
            here(f"{either('', f'if (!{done}) ')}{{ {_used(draft, pointer)} }}"),
            f"if (!{done}) {{",
            *array.after,
            "}",
        ]

    return _one(wanted, site, lambda value: f"{value} >= 0")


def next_of_a_freed_node(draft: Draft) -> Core:
    most = draft.number(2, 4)

    def site(draft: Draft, value: str) -> Lines:
        (tag, push), name, k, rest = _list(draft), draft.fresh("head"), draft.fresh("k"), draft.fresh("rest")
        return [
            f"struct {tag} *{name} = 0;",
            f"for (int {k} = 0; {k} < {value}; {k}++) {name} = {push}({name}, {k});",
            f"while ({name}) {{",
            f"struct {tag} *{rest} = {name}->next;",
            f"free({name});",
            here(f"{name} = {either(f'{name}->next', rest)};"),
            "}",
        ]

    return _one(most, site, lambda value: f"{value} >= 1 && {value} <= {most}")


def moved_away(draft: Draft) -> Core:
    """`realloc` was given the block, a pointer to it is still there."""
    size = draft.number(1, 4)

    def site(draft: Draft, value: str) -> Lines:
        name, larger, old = draft.fresh("buffer"), draft.fresh("larger"), draft.fresh("start")
        draft.includes.add("stdlib.h")
        return [
            f"int *{name} = calloc({size}, sizeof *{name});",
            f"if (!{name}) {draft.leave}",
            f"int *{old} = {name};",
            f"int *{larger} = realloc({name}, {size + 5} * sizeof *{larger});",
            f"if (!{larger}) {{ free({name}); {draft.leave} }}",
            f"{either('', f'{old} = {larger};')}",
            here(f"{old}[{value}] = 1;"),
            f"free({larger});",
        ]

    return _one(0, site, lambda value: f"{value} >= 0 && {value} < {size}")


def freed_by_a_call(draft: Draft) -> Core:
    wanted = draft.number(0, 9)

    def site(draft: Draft, value: str) -> Lines:
        drop, name = draft.fresh("drop"), draft.fresh("owned")
        draft.includes.add("stdlib.h")
        tag, member = draft.fresh("owner"), draft.fresh("data")
        draft.before.append(f"struct {tag} {{ int *{member}; }};")
        draft.functions.append(
            [f"static void {drop}(struct {tag} *it) {{", f"free(it->{member});", either("", f"it->{member} = 0;"), "}"]
        )
        return [
            f"struct {tag} {name} = {{ malloc(sizeof(int)) }};",
            f"if (!{name}.{member}) {draft.leave}",
            f"*{name}.{member} = 1;",
            f"if ({value} > {wanted}) {drop}(&{name});",
            here(f"if ({name}.{member}) *{name}.{member} = 2;"),
            either("", f"{drop}(&{name});"),
        ]

    return _one(wanted + 1, site, lambda value: either(f"{value} > {wanted}", f"{value} > -99"))


def out_of_scope(draft: Draft) -> Core:
    """A variable of a block that has ended."""

    def site(draft: Draft, value: str) -> Lines:
        pointer, inner, outer = draft.fresh("p"), draft.fresh("inner"), draft.fresh("outer")
        return [
            f"int *{pointer}, {outer} = 1;",
            f"{pointer} = &{outer};",
            f"if ({value} > 0) {{",
            f"int {inner} = {value};",
            f"{pointer} = {either('&' + inner, '&' + outer)};",
            f"*{pointer} = 2;",
            "}",
            here(f"*{pointer} = 3;"),
        ]

    return _one(draft.number(1, 50), site)


USE_AFTER_FREE = (used_later, used_later, next_of_a_freed_node, moved_away, freed_by_a_call)


# double free


def freed_twice(draft: Draft) -> Core:
    wanted = draft.number(-20, 20)

    def site(draft: Draft, value: str) -> Lines:
        array = a_block(draft, "int", draft.number(1, 3))
        done = draft.fresh("done")
        again = array.after[0]
        return [
            *array.before,
            f"int {done} = 0;",
            f"if ({value} == {wanted}) {{",
            again,
            f"{done} = 1;",
            "}",
            here(f"{either('', f'if (!{done}) ')}{again}"),
        ]

    return _one(wanted, site)


def two_owners(draft: Draft) -> Core:
    """Two pointers to one block."""
    wanted = draft.number(1, 9)

    def site(draft: Draft, value: str) -> Lines:
        name, other = draft.fresh("first"), draft.fresh("second")
        return [
            *_allocated(draft, name),
            f"int *{other} = {name};",
            f"if ({value} != {wanted}) {{",
            f"{other} = malloc(sizeof *{other});",
            f"if (!{other}) {{ free({name}); {draft.leave} }}",
            "}",
            f"free({name});",
            here(f"{either('', f'if ({value} != {wanted}) ')}free({other});"),
        ]

    return _one(wanted, site)


def node_twice(draft: Draft) -> Core:
    """A list that is taken apart, and a node that was kept."""

    def site(draft: Draft, value: str) -> Lines:
        (tag, push), name, kept, k, rest = (
            _list(draft),
            draft.fresh("head"),
            draft.fresh("kept"),
            draft.fresh("k"),
            draft.fresh("rest"),
        )
        return [
            f"struct {tag} *{name} = {push}(0, 1), *{kept} = {name};",
            f"for (int {k} = 0; {k} < {value}; {k}++) {name} = {push}({name}, {k});",
            *_freed(tag, name, rest),
            here(f"{either(f'free({kept});', f'{kept} = 0;')}"),
        ]

    return _one(draft.number(0, 2), site, lambda value: f"{value} <= 2")


def failed_growth(draft: Draft) -> Core:
    """The old block after `realloc`."""

    def site(draft: Draft, value: str) -> Lines:
        name, larger = draft.fresh("buffer"), draft.fresh("larger")
        return [
            *_allocated(draft, name, "char", 4),
            f"char *{larger} = realloc({name}, {value});",
            f"if (!{larger}) {{ free({name}); {draft.leave} }}",
            f"{larger}[0] = 'x';",
            f"free({larger});",
            here(either(f"free({name});", f"{name} = 0;")),
        ]

    return _one(draft.number(5, 64), site, lambda value: f"{value} > 4 && {value} <= 64")


DOUBLE_FREE = (freed_twice, freed_twice, two_owners, node_twice, failed_growth)


# invalid free


def not_the_start(draft: Draft) -> Core:
    """A place inside of a block."""
    count = draft.number(2, 6)

    def site(draft: Draft, value: str) -> Lines:
        name, moved = draft.fresh("block"), draft.fresh("moved")
        return [
            *_allocated(draft, name, draft.one_of("int", "char", "long"), count),
            f"__typeof__({name}) {moved} = {name} + {value};",
            f"*{moved} = 1;",
            here(f"free({moved});"),
        ]

    return _one(draft.number(1, count - 1), site, lambda value: f"{value} >= 0 && {value} {either(f'< {count}', '< 1')}")


def walked_on(draft: Draft) -> Core:
    """The pointer to the block has moved."""
    count = draft.number(2, 5)

    def site(draft: Draft, value: str) -> Lines:
        name, walk = draft.fresh("text"), draft.fresh("start")
        return [
            *_allocated(draft, name, "char", count),
            f"char *{walk} = {name};",
            f"for (int k = 0; k < {value}; k++) *{name}++ = 'a';",
            here(f"free({either(name, walk)});"),
        ]

    return _one(draft.number(1, count), site, lambda value: f"{value} > 0 && {value} <= {count}")


def never_allocated(draft: Draft) -> Core:
    """A local, a global, a literal, an array, what `alloca` returned."""
    wanted = draft.number(0, 20)

    def site(draft: Draft, value: str) -> Lines:
        name, pointer = draft.fresh("cell"), draft.fresh("owned")
        form = draft.number(0, 3)
        if form == 0:
            before, place = [f"int {name}[2] = {{ 0 }};"], f"&{name}[{draft.number(0, 1)}]"
        elif form == 1:
            draft.before.append(f"static int {name};")
            before, place = [], f"&{name}"
        elif form == 2:
            draft.includes.add("alloca.h")
            before, place = [f"int *{name} = alloca(sizeof *{name});"], name
        else:
            before, place = [], '(int *)"text"'
        return [
            *before,
            *_allocated(draft, pointer),
            f"if ({value} == {wanted}) {{",
            f"free({pointer});",
            f"{pointer} = {either(place, '0')};",
            "}",
            here(f"free({pointer});"),
        ]

    return _one(wanted, site)


INVALID_FREE = (not_the_start, walked_on, never_allocated, never_allocated)


# leaks


def left_early(draft: Draft) -> Core:
    """A function returns without giving back its block."""
    wanted = draft.number(-9, 9)

    def site(draft: Draft, value: str) -> Lines:
        draft.includes.add("stdlib.h")
        name = draft.fresh("measure")
        draft.functions.append(
            [
                f"static int {name}(int given) {{",
                f"int *scratch = malloc({draft.number(1, 5)} * sizeof *scratch);",
                "if (!scratch) return -1;",
                "scratch[0] = given;",
                f"if (given == {wanted}) {{",
                either("", "free(scratch);"),
                "return 0;",
                "}",
                "free(scratch);",
                "return 1;",
                "}",
            ]
        )
        return [here(f"if ({name}({value}) == 5) {draft.leave}")]

    return _one(wanted, site)


def overwritten(draft: Draft) -> Core:
    """The only pointer to a block gets another value."""
    most = draft.number(1, 3)

    def site(draft: Draft, value: str) -> Lines:
        draft.includes.add("stdlib.h")
        name, k = draft.fresh("latest"), draft.fresh("k")
        return [
            f"char *{name} = 0;",
            f"for (int {k} = 0; {k} < {value}; {k}++) {{",
            either("", f"free({name});"),
            here(f"{name} = malloc({draft.number(1, 30)});"),
            "}",
            f"free({name});",
            f"{name} = 0;",
        ]

    return _one(most + 1, site, lambda value: f"{value} <= {most + 1}")


def only_the_first(draft: Draft) -> Core:
    """Of a list, the nodes behind the first are lost."""
    most = draft.number(1, 3)

    def site(draft: Draft, value: str) -> Lines:
        (tag, push), build, k, rest = _list(draft), draft.fresh("build"), draft.fresh("k"), draft.fresh("rest")
        draft.functions.append(
            [
                f"static void {build}(int length) {{",
                f"struct {tag} *head = 0;",
                f"for (int {k} = 0; {k} < length; {k}++) head = {push}(head, {k});",
                f"{either('if', 'while')} (head) {{",
                f"struct {tag} *{rest} = head->next;",
                "free(head);",
                f"head = {rest};",
                "}",
                "head = 0;",
                "}",
            ]
        )
        return [here(f"{build}({value});")]

    return _one(most + 1, site, lambda value: f"{value} <= {most + 1}")


def owned_by_a_member(draft: Draft) -> Core:
    """A structure is given back, the block of its member is not."""

    def site(draft: Draft, value: str) -> Lines:
        draft.includes.add("stdlib.h")
        tag, name, run = draft.fresh("owner"), draft.fresh("object"), draft.fresh("run")
        draft.before.append(f"struct {tag} {{ int size; char *data; }};")
        draft.functions.append(
            [
                f"static void {run}(int size) {{",
                f"struct {tag} *{name} = malloc(sizeof *{name});",
                f"if (!{name}) return;",
                f"{name}->size = size;",
                f"{name}->data = size > 0 ? malloc(size) : 0;",
                either("", f"free({name}->data);"),
                f"free({name});",
                f"{name} = 0;",
                "}",
            ]
        )
        return [here(f"{run}({value});")]

    return _one(draft.number(1, 40), site, lambda value: f"{value} <= 40")


LEAK = (left_early, overwritten, only_the_first, owned_by_a_member)


# the stack


def returned_address(draft: Draft) -> Core:
    """Of a local variable of a function that has returned."""
    wanted = draft.number(0, 9)

    def site(draft: Draft, value: str) -> Lines:
        name, pointer, after = draft.fresh("lend"), draft.fresh("lent"), draft.fresh("after")
        form = draft.number(0, 2)
        storage = either("", "static ")
        if form == 0:
            draft.functions.append(
                [
                    f"static int *{name}(int given) {{",
                    f"{storage}int inner;",
                    "inner = given;",
                    "int *result = &inner;",
                    "return result;",
                    "}",
                ]
            )
            before = [f"int *{pointer} = {name}({value});"]
        elif form == 1:
            draft.functions.append(
                [
                    f"static void {name}(int **result, int given) {{",
                    f"{storage}int inner[2];",
                    "inner[1] = given;",
                    "*result = &inner[1];",
                    "}",
                ]
            )
            before = [f"int *{pointer} = 0;", f"{name}(&{pointer}, {value});"]
        else:
            holder = draft.fresh("holder")
            draft.before.append(f"static int *{holder};")
            draft.functions.append(
                [f"static void {name}(int given) {{", f"{storage}int inner;", "inner = given;", f"{holder} = &inner;", "}"]
            )
            before, pointer = [f"{name}({value});"], holder
        return [
            *before,
            here(f"if ({value} == {wanted}) {{ {_used(draft, pointer)} }}"),
            f"int {after} = 0;",
            f"if ({after}) {draft.leave}",
        ]

    return _one(wanted, site)


def kept_in_a_record(draft: Draft) -> Core:
    """A structure that outlives what its member leads to."""

    def site(draft: Draft, value: str) -> Lines:
        tag, start, name = draft.fresh("cursor"), draft.fresh("start"), draft.fresh("it")
        draft.before.append(f"struct {tag} {{ int *at; int left; }};")
        draft.functions.append(
            [
                f"static struct {tag} {start}(int length) {{",
                f"{either('', 'static ')}int cells[4];",
                f"struct {tag} made = {{ cells, length }};",
                "cells[0] = length;",
                "return made;",
                "}",
            ]
        )
        return [f"struct {tag} {name} = {start}({value});", here(f"if ({name}.left > 0) *{name}.at = 1;")]

    return _one(draft.number(1, 30), site)


STACK = (returned_address, returned_address, kept_in_a_record, out_of_scope)
