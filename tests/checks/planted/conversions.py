"""Conversions that change the value: of floating-point numbers that do not fit, and of integers without a cast."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.checks.planted.arithmetic import literal
from tests.checks.planted.compose import Core, Operand
from tests.checks.planted.drafts import TYPES, Draft, Lines, either, here, watched

_INTEGERS = ("signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long")


def truncated(draft: Draft) -> Core:
    """A number of floating point just outside of the integer type, or just inside."""
    source = draft.one_of("double", "double", "float")
    exact = 53 if source == "double" else 24
    targets = [name for name in _INTEGERS if (TYPES[name][2] + 1).bit_length() <= exact]
    target = draft.random.choice(targets)
    least, greatest = TYPES[target][1], TYPES[target][2]
    is_low = draft.chance(0.4)
    trigger = float(least - 1) if is_low else float(greatest + 1)
    low = f"{{v}} {either('>=', '>') if is_low else '>'} {least - 1}.0"
    high = f"{{v}} {either('<=', '<') if not is_low else '<'} {greatest + 1}.0"
    is_cast = draft.chance(0.6)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        return _stored(draft, target, f"({target}){values[0]}" if is_cast else values[0])

    return Core((Operand(source, trigger),), lambda values: f"{low} && {high}".format(v=values[0]), site)


def scaled(draft: Draft) -> Core:
    """A percentage of an integer, computed in floating point."""
    most = draft.number(2, 40)
    factor = 2_147_483_647 // most
    return Core(
        (Operand("int", most + 1),),
        lambda values: f"{values[0]} >= 0 && {values[0]} <= {either(str(most + 1), str(most))}",
        lambda draft, values: _stored(draft, "int", f"{draft.one_of('', '(int)')}({values[0]} * {factor}.0)"),
    )


def not_a_number(draft: Draft) -> Core:
    """Nothing compares with it."""
    target = draft.one_of("int", "long", "short")

    def guard(values: Sequence[str]) -> str:
        beyond = f"{values[0]} > 1000.0 || {values[0]} < -1000.0"
        return either(f"!({beyond})", f"{values[0]} == {values[0]} && !({beyond})")

    return Core((Operand("double", float("nan")),), guard, lambda draft, values: _stored(draft, target, f"({target}){values[0]}"))


def _stored(draft: Draft, target: str, value: str) -> Lines:
    name = draft.fresh()
    form = draft.number(0, 2)
    if form == 0:
        return [here(f"{target} {name} = {value};"), f"if ({name} == 9) {draft.leave}"]
    if form == 1:
        function = draft.fresh("use")
        draft.functions.append([f"static int {function}({target} given) {{ return given == 9; }}"])
        return [here(f"if ({function}({value})) {draft.leave}")]
    return [f"struct {{ {target} member; }} {name};", here(f"{name}.member = {value};"), f"if ({name}.member == 9) {draft.leave}"]


FLOATING = (truncated, truncated, scaled, not_a_number)


def narrowed(draft: Draft) -> Core:
    """An integer that does not fit into a type that is narrower, or has another sign."""
    source, target = draft.random.choice(
        [(a, b) for a in _INTEGERS for b in _INTEGERS if TYPES[a][1] < TYPES[b][1] or TYPES[a][2] > TYPES[b][2]]
    )
    ends = []
    if TYPES[source][1] < TYPES[target][1]:
        ends.append((TYPES[target][1], -1, ">="))
    if TYPES[source][2] > TYPES[target][2]:
        ends.append((TYPES[target][2], 1, "<="))
    chosen = draft.random.choice(ends)
    parts = []
    for bound, step, compare in ends:
        limit = literal(bound, _wide(source))
        beyond = literal(bound + step, _wide(source))
        parts.append(f"{{v}} {compare} {either(beyond, limit) if bound == chosen[0] else limit}")
    guard = " && ".join(parts)
    changes = f"({target}){{v}} != {{v}} || (({target}){{v}} < 0) != ({{v}} < 0)"

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        value = watched(changes.format(v=values[0]), values[0])
        form, name = draft.number(0, 2), draft.fresh("narrow")
        if form == 0:
            draft.functions.append(
                [f"static {target} {name}({source} given) {{", here(f"return {value.replace(values[0], 'given')};"), "}"]
            )
            return [f"if ({name}({values[0]}) == 9) {draft.leave}"]
        return _stored(draft, target, value)

    return Core((Operand(source, chosen[0] + chosen[1]),), lambda values: guard.format(v=values[0]), site)


def _wide(type_: str) -> str:
    return type_ if type_ in ("int", "unsigned", "long", "unsigned long") else "int"


def narrow_member(draft: Draft) -> Core:
    """A value for a bit-field."""
    bits, is_signed = draft.number(2, 20), draft.chance(0.5)
    least, greatest = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed else (0, (1 << bits) - 1)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        name = draft.fresh("packed")
        value = watched(f"{values[0]} > {greatest} || {values[0]} < {least}", values[0])
        return [
            f"struct {{ {'int' if is_signed else 'unsigned'} before : 3, member : {bits}; }} {name} = {{ 0, 0 }};",
            here(f"{name}.member = {value};"),
            f"if ({name}.member == 1) {draft.leave}",
        ]

    return Core(
        (Operand("int", greatest + 1),),
        lambda values: f"{values[0]} >= {least} && {values[0]} <= {either(str(greatest + 1), str(greatest))}",
        site,
    )


def compound_narrow(draft: Draft) -> Core:
    """`c += x` in a type narrower than int."""
    type_ = draft.one_of("signed char", "unsigned char", "short")
    greatest = TYPES[type_][2]
    start = draft.number(1, greatest - 1)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        name = draft.fresh("small")
        added = watched(f"{name} + {values[0]} > {greatest}", f"{name} += {values[0]}")
        return [f"{type_} {name} = {start};", here(f"{added};"), f"if ({name} == 1) {draft.leave}"]

    return Core(
        (Operand("int", greatest - start + 1),),
        lambda values: f"{values[0]} >= 0 && {values[0]} <= {either(str(greatest - start + 1), str(greatest - start))}",
        site,
    )


INTEGERS: tuple[Callable[[Draft], Core], ...] = (narrowed, narrowed, narrow_member, compound_narrow)
