"""Puts a violation together with the ways of its operands, what guards it, and what surrounds it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from tests.checks.planted.drafts import Draft, Given, Lines, here, program
from tests.checks.planted.paths import PATHS
from tests.checks.planted.surroundings import FUNCTIONS, SETTINGS, distraction


@dataclass(frozen=True)
class Operand:
    type: str
    trigger: float
    stem: str = ""


@dataclass(frozen=True)
class Core:
    """An operation that may be a violation. `guard` and `site` are told the expressions that have the operands; the site is a
    violation for the triggers if the guard, which may be marked, lets them pass."""

    operands: Sequence[Operand]
    guard: Callable[[Sequence[str]], str]
    site: Callable[[Draft, Sequence[str]], Lines]
    moves: bool = True  # may operands go their ways before they are used?


@dataclass(frozen=True)
class Pair:
    kind: str
    seed: int
    violated: str
    repaired: str
    line: int  # of the violation
    inputs: tuple[Given, ...]
    watched: str = field(default="", compare=False)  # as compiled, where no sanitizer reports the violation
    watched_twin: str = field(default="", compare=False)


def composed(kind: str, seed: int, draft: Draft, core: Core, *, is_watched: bool = False) -> Pair:
    random = draft.random
    body = distraction(draft) if draft.chance(0.5) else []
    names = []
    for operand in core.operands:
        declaration, name = draft.reads(operand.type, operand.trigger, operand.stem)
        body.append(declaration)
        names.append(name)
    settings = random.choices(SETTINGS, k=draft.number(1, 2))
    used = list(draft.variables[-len(names) :]) if names else []
    draft.leave = "return;" if FUNCTIONS.intersection(settings) else "return 0;"
    code = _guarded(draft, core, names)
    for position, setting in enumerate(settings):
        outside = settings[position + 1 :]
        draft.leave = "return;" if FUNCTIONS.intersection(outside) else "return 0;"
        known = len(draft.variables)
        declarations, code = setting(draft, code, used)
        used += draft.variables[known:]
        body += declarations
    body += code
    if draft.chance(0.3):
        body += distraction(draft)
    (violated, line), (repaired, _) = program(draft, body, "violated"), program(draft, body, "repaired")
    assert line, f"{kind}, seed {seed}: no line is marked"
    seen = (program(draft, body, "watched")[0], program(draft, body, "watched twin")[0]) if is_watched else ("", "")
    return Pair(kind, seed, violated, repaired, line, tuple(draft.inputs), *seen)


def _guarded(draft: Draft, core: Core, names: Sequence[str]) -> Lines:
    """The guard is about the operands before or after they have moved."""
    moves: Lines = []
    values = []
    for operand, name in zip(core.operands, names, strict=True):
        path = draft.random.choice(PATHS) if core.moves else PATHS[0]
        lines, value = path(draft, name, operand.type)
        moves += lines
        values.append(value)
    site = core.site(draft, values)
    guard = core.guard(values if draft.chance(0.4) else names)
    looks_at_moved = any(value in guard for value in values if value not in names)
    match draft.number(0, 3) if guard else 4:
        case 0:
            return [*moves, f"if (!({guard})) {draft.leave}", *site]
        case 1:
            return [*moves, f"if ({guard}) {{", *site, "}"]
        case 2:
            return [*moves, f"__VERIFIER_assume({guard});", *site]
        case 3:
            early = [f"if (!({guard})) {{", draft.leave, "}"]
            return [*moves, *early, *site] if looks_at_moved else [*early, *moves, *site]
        case _:
            return [*moves, *site]


def draft_of(kind: str, seed: int) -> Draft:
    return Draft(Random(f"{kind} {seed}"))


def _test(draft: Draft, type_: str) -> str:
    """A function that says something about a value. (gcc computes products that are compared or cut off in other ways.)"""
    name = draft.fresh("is_large")
    draft.functions.append([f"static int {name}({type_} given) {{ return given > 10; }}"])
    return name


def result_of(draft: Draft, type_: str, expression: Callable[[Sequence[str]], str], values: Sequence[str]) -> Lines:
    """Statements in which C evaluates an expression of so many operands, all of them of one type."""
    value = expression(values)
    sink = draft.fresh("kept")
    draft.before.append(f"static {type_} {sink};")
    form = draft.number(0, 9)
    name = draft.fresh()
    if form == 0:
        return [here(f"{type_} {name} = {value};"), f"{sink} = {name};"]
    if form == 1:
        function = draft.fresh("use")
        draft.functions.append([f"static void {function}({type_} given) {{ {sink} = given; }}"])
        return [here(f"{function}({value});")]
    if form == 2:
        return [here(f"if ({_test(draft, type_)}({value})) {sink} = 1;")]
    if form == 3:
        return [here(f"{sink} = {sink} == 0 ? {value} : 1;")]
    if form == 4:
        return [here(f"if ({sink} == 0 && {_test(draft, type_)}({value})) {sink} = 2;")]
    if form == 5:
        return [here(f"{type_} {name}[3] = {{ 0, {value}, 1 }};"), f"{sink} = {name}[1];"]
    if form == 6:
        function, macro = draft.fresh("compute"), draft.fresh("calculated")
        letters = [draft.fresh(letter) for letter in "abc"[: len(values)]]
        parameters = ", ".join(f"{type_} {letter}" for letter in letters)
        draft.functions.append([f"static {type_} {function}({parameters}) {{", here(f"return {expression(letters)};"), "}"])
        return [f"{sink} = {function}({', '.join(values)});", f"{type_} {macro} = {sink};", f"if ({macro} == 5) {sink} = 0;"]
    if form == 7:
        return [
            here(f"switch ({_test(draft, type_)}({value})) {{"),
            "case 0:",
            f"{sink} = 1;",
            "break;",
            "default:",
            f"{sink} = 2;",
            "}",
        ]
    if form == 8:
        return [here(f"for ({type_} {name} = {value}; {name} == 5; {name} = 6) {{"), f"{sink} = {name};", "}"]
    return [here(f"{sink} = {value};")]
