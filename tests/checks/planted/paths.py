"""Ways on which a value comes from where it was read to where it is used: through memory, calls, pointers."""

from __future__ import annotations

from collections.abc import Callable

from tests.checks.planted.drafts import Draft, Lines

Path = Callable[[Draft, str, str], tuple[Lines, str]]
"""Of a variable and its type: statements, and the expression that has the value after them."""


def directly(draft: Draft, value: str, type_: str) -> tuple[Lines, str]:
    return [], value


def through_a_local(draft: Draft, value: str, type_: str) -> tuple[Lines, str]:
    name = draft.fresh()
    return [f"{type_} {name} = {value};"], name


def through_a_global(draft: Draft, value: str, type_: str) -> tuple[Lines, str]:
    name = draft.fresh()
    draft.before.append(f"static {type_} {name};")
    return [f"{name} = {value};"], name


def through_a_member(draft: Draft, value: str, type_: str) -> tuple[Lines, str]:
    tag, variable, member = draft.fresh("record"), draft.fresh(), draft.fresh()
    draft.before.append(f"struct {tag} {{ char tag; {type_} {member}; long rest; }};")
    lines = [f"struct {tag} {variable} = {{ 'a', {value}, 0 }};"]
    if draft.chance(0.5):
        return lines, f"{variable}.{member}"
    pointer = draft.fresh("self")
    return [*lines, f"struct {tag} *{pointer} = &{variable};"], f"{pointer}->{member}"


def through_an_array(draft: Draft, value: str, type_: str) -> tuple[Lines, str]:
    name, size = draft.fresh(), draft.number(2, 6)
    index = draft.number(0, size - 1)
    return [f"{type_} {name}[{size}] = {{0}};", f"{name}[{index}] = {value};"], draft.one_of(
        f"{name}[{index}]", f"*({name} + {index})"
    )


def through_nested_arrays(draft: Draft, value: str, type_: str) -> tuple[Lines, str]:
    name, row, column = draft.fresh("grid"), draft.number(0, 1), draft.number(0, 2)
    draft.before.append(f"static {type_} {name}[2][3];")
    return [f"{name}[{row}][{column}] = {value};"], f"{name}[{row}][{column}]"


def through_pointers_in_an_array(draft: Draft, value: str, type_: str) -> tuple[Lines, str]:
    cell, table, other = draft.fresh("cell"), draft.fresh("table"), draft.fresh("other")
    position = draft.number(0, 1)
    order = (cell, other) if position == 0 else (other, cell)
    return [
        f"{type_} {cell} = {value}, {other} = 1;",
        f"{type_} *{table}[2] = {{ &{order[0]}, &{order[1]} }};",
    ], f"*{table}[{position}]"


def through_a_union(draft: Draft, value: str, type_: str) -> tuple[Lines, str]:
    name = draft.fresh("box")
    return [
        f"union {{ {type_} value; unsigned char bytes[sizeof({type_})]; }} {name};",
        f"{name}.value = {value};",
    ], f"{name}.value"


def through_the_heap(draft: Draft, value: str, type_: str) -> tuple[Lines, str]:
    draft.includes.add("stdlib.h")
    pointer, copy = draft.fresh("cell"), draft.fresh()
    return [
        f"{type_} *{pointer} = malloc(sizeof *{pointer});",
        f"if (!{pointer}) {draft.leave}",
        f"*{pointer} = {value};",
        f"{type_} {copy} = *{pointer};",
        f"free({pointer});",
    ], copy


def through_a_call(draft: Draft, value: str, type_: str) -> tuple[Lines, str]:
    name = draft.fresh("same")
    draft.functions.append([f"static {type_} {name}({type_} given) {{ return given; }}"])
    return [], f"{name}({value})"


def through_a_result_parameter(draft: Draft, value: str, type_: str) -> tuple[Lines, str]:
    name, variable = draft.fresh("fetch"), draft.fresh()
    draft.functions.append([f"static void {name}({type_} given, {type_} *result) {{ *result = given; }}"])
    return [f"{type_} {variable};", f"{name}({value}, &{variable});"], variable


def through_a_recursion(draft: Draft, value: str, type_: str) -> tuple[Lines, str]:
    name = draft.fresh("descend")
    draft.functions.append(
        [f"static {type_} {name}({type_} given, int depth) {{ return depth <= 0 ? given : {name}(given, depth - 1); }}"]
    )
    return [], f"{name}({value}, {draft.number(1, 4)})"


def through_memcpy(draft: Draft, value: str, type_: str) -> tuple[Lines, str]:
    draft.includes.add("string.h")
    source, target = draft.fresh("source"), draft.fresh("target")
    return [
        f"{type_} {source} = {value}, {target};",
        f"memcpy(&{target}, &{source}, sizeof {target});",
    ], target


def through_a_function_pointer(draft: Draft, value: str, type_: str) -> tuple[Lines, str]:
    name, pointer = draft.fresh("get"), draft.fresh("getter")
    draft.functions.append([f"static {type_} {name}({type_} given) {{ return given; }}"])
    return [f"{type_} (*{pointer})({type_}) = {name};"], f"{pointer}({value})"


def through_a_returned_record(draft: Draft, value: str, type_: str) -> tuple[Lines, str]:
    tag, name = draft.fresh("pair"), draft.fresh("make")
    draft.before.append(f"struct {tag} {{ {type_} key; {type_} value; }};")
    draft.functions.append([f"static struct {tag} {name}({type_} value) {{ struct {tag} made = {{ 0, value }}; return made; }}"])
    return [], f"{name}({value}).value"


def through_a_list(draft: Draft, value: str, type_: str) -> tuple[Lines, str]:
    tag, head, tail = draft.fresh("link"), draft.fresh("head"), draft.fresh("tail")
    draft.before.append(f"struct {tag} {{ struct {tag} *next; {type_} value; }};")
    return [
        f"struct {tag} {tail} = {{ 0, {value} }};",
        f"struct {tag} {head} = {{ &{tail}, 0 }};",
    ], f"{head}.next->value"


PATHS: tuple[Path, ...] = (
    directly,
    directly,
    through_a_local,
    through_a_global,
    through_a_member,
    through_an_array,
    through_nested_arrays,
    through_pointers_in_an_array,
    through_a_union,
    through_the_heap,
    through_a_call,
    through_a_result_parameter,
    through_a_recursion,
    through_memcpy,
    through_a_function_pointer,
    through_a_returned_record,
    through_a_list,
)
