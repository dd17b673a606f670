"""Where arrays live: on the stack, on the heap, in globals, in structures, in unions, in other arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.checks.planted.drafts import Draft, Lines


@dataclass(frozen=True)
class Array:
    before: Lines  # declares it; all of its elements are zero
    base: str  # has the elements: `base[0]`
    type: str
    count: int
    after: Lines  # gives it back
    is_declared: bool  # as an array, so that its bounds are those of a type


def local(draft: Draft, type_: str, count: int) -> Array:
    name = draft.fresh("cells")
    return Array([f"{type_} {name}[{count}] = {{ 0 }};"], name, type_, count, [], True)


def static(draft: Draft, type_: str, count: int) -> Array:
    name = draft.fresh("table")
    return Array([f"static {type_} {name}[{count}];"], name, type_, count, [], True)


def at_file_scope(draft: Draft, type_: str, count: int) -> Array:
    name = draft.fresh("store")
    draft.before.append(f"static {type_} {name}[{count}];")
    return Array([], name, type_, count, [], True)


def on_the_heap(draft: Draft, type_: str, count: int) -> Array:
    draft.includes.add("stdlib.h")
    name = draft.fresh("block")
    return Array(
        [f"{type_} *{name} = calloc({count}, sizeof *{name});", f"if (!{name}) {draft.leave}"],
        name,
        type_,
        count,
        [f"free({name});"],
        False,
    )


def filled_on_the_heap(draft: Draft, type_: str, count: int) -> Array:
    draft.includes |= {"stdlib.h", "string.h"}
    name = draft.fresh("block")
    return Array(
        [
            f"{type_} *{name} = malloc({count} * sizeof({type_}));",
            f"if (!{name}) {draft.leave}",
            f"memset({name}, 0, {count} * sizeof({type_}));",
        ],
        name,
        type_,
        count,
        [f"free({name});"],
        False,
    )


def behind_a_member(draft: Draft, type_: str, count: int) -> Array:
    draft.includes.add("stdlib.h")
    tag, name = draft.fresh("vector"), draft.fresh("list")
    draft.before.append(f"struct {tag} {{ int length; {type_} *items; }};")
    return Array(
        [
            f"struct {tag} {name} = {{ {count}, calloc({count}, sizeof({type_})) }};",
            f"if (!{name}.items) {draft.leave}",
        ],
        f"{name}.items",
        type_,
        count,
        [f"free({name}.items);"],
        False,
    )


def as_a_member(draft: Draft, type_: str, count: int) -> Array:
    tag, name = draft.fresh("packet"), draft.fresh("message")
    draft.before.append(f"struct {tag} {{ {type_} length; {type_} data[{count}]; }};")
    return Array([f"struct {tag} {name} = {{ 0 }};"], f"{name}.data", type_, count, [], True)


def in_a_block_of_records(draft: Draft, type_: str, count: int) -> Array:
    draft.includes.add("stdlib.h")
    tag, name = draft.fresh("record"), draft.fresh("entry")
    draft.before.append(f"struct {tag} {{ {type_} key; {type_} data[{count}]; }};")
    return Array(
        [f"struct {tag} *{name} = calloc(1, sizeof *{name});", f"if (!{name}) {draft.leave}"],
        f"{name}->data",
        type_,
        count,
        [f"free({name});"],
        True,
    )


def in_a_union(draft: Draft, type_: str, count: int) -> Array:
    name = draft.fresh("view")
    return Array(
        [f"union {{ {type_} cells[{count}]; char first; }} {name} = {{ {{ 0 }} }};"], f"{name}.cells", type_, count, [], True
    )


def last_row(draft: Draft, type_: str, count: int) -> Array:
    name, rows = draft.fresh("grid"), draft.number(1, 3)
    return Array([f"{type_} {name}[{rows}][{count}] = {{ {{ 0 }} }};"], f"{name}[{rows - 1}]", type_, count, [], True)


def of_variable_length(draft: Draft, type_: str, count: int) -> Array:
    name, size, k = draft.fresh("room"), draft.fresh("size"), draft.fresh("k")
    return Array(
        [f"int {size} = {count};", f"{type_} {name}[{size}];", f"for (int {k} = 0; {k} < {size}; {k}++) {name}[{k}] = 0;"],
        name,
        type_,
        count,
        [],
        False,
    )


def from_alloca(draft: Draft, type_: str, count: int) -> Array:
    draft.includes |= {"alloca.h", "string.h"}
    name = draft.fresh("scratch")
    return Array(
        [f"{type_} *{name} = alloca({count} * sizeof({type_}));", f"memset({name}, 0, {count} * sizeof({type_}));"],
        name,
        type_,
        count,
        [],
        False,
    )


def through_a_pointer(draft: Draft, type_: str, count: int) -> Array:
    inner = local(draft, type_, count) if draft.chance(0.5) else at_file_scope(draft, type_, count)
    name = draft.fresh("view")
    return Array([*inner.before, f"{type_} *{name} = {inner.base};"], name, type_, count, [], False)


def through_a_table(draft: Draft, type_: str, count: int) -> Array:
    """A pointer in an array of pointers."""
    inner, other = local(draft, type_, count), local(draft, type_, 2)
    name = draft.fresh("rows")
    return Array(
        [*inner.before, *other.before, f"{type_} *{name}[2] = {{ {other.base}, {inner.base} }};"],
        f"{name}[1]",
        type_,
        count,
        [],
        False,
    )


def grown(draft: Draft, type_: str, count: int) -> Array:
    draft.includes.add("stdlib.h")
    name, larger, k = draft.fresh("buffer"), draft.fresh("larger"), draft.fresh("k")
    return Array(
        [
            f"{type_} *{name} = malloc({draft.number(1, 2 * count)} * sizeof({type_}));",
            f"if (!{name}) {draft.leave}",
            f"{type_} *{larger} = realloc({name}, {count} * sizeof({type_}));",
            f"if (!{larger}) {{ free({name}); {draft.leave} }}",
            f"for (int {k} = 0; {k} < {count}; {k}++) {larger}[{k}] = 0;",
        ],
        larger,
        type_,
        count,
        [f"free({larger});"],
        False,
    )


STORAGE: tuple[Callable[[Draft, str, int], Array], ...] = (
    local,
    static,
    at_file_scope,
    on_the_heap,
    filled_on_the_heap,
    behind_a_member,
    as_a_member,
    in_a_block_of_records,
    in_a_union,
    last_row,
    of_variable_length,
    from_alloca,
    through_a_pointer,
    through_a_table,
    grown,
)


def an_array(draft: Draft, type_: str, count: int) -> Array:
    return draft.random.choice(STORAGE)(draft, type_, count)


def a_block(draft: Draft, type_: str, count: int) -> Array:
    return draft.random.choice((on_the_heap, filled_on_the_heap, behind_a_member, grown))(draft, type_, count)


def a_declared_array(draft: Draft, type_: str, count: int) -> Array:
    return draft.random.choice((local, static, at_file_scope, as_a_member, in_a_block_of_records, last_row))(draft, type_, count)
