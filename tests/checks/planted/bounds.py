"""Accesses outside of an object: off by one at both ends, far away, in loops, by sizes that were computed wrongly."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.checks.planted.compose import Core, Operand
from tests.checks.planted.drafts import Draft, Lines, either, here
from tests.checks.planted.storage import Array, a_declared_array, an_array

_ELEMENTS = ("int", "int", "char", "long", "short", "unsigned char")


def _element(draft: Draft) -> str:
    return draft.one_of(*_ELEMENTS)


def accessed(draft: Draft, array: Array, index: str, *, directly: bool = False) -> Lines:
    """A statement that reads or writes an element."""
    base, type_ = array.base, array.type
    sink = draft.fresh("kept")
    forms = [
        f"{base}[{index}] = 1;",
        f"{type_} {sink} = {base}[{index}]; if ({sink} == 9) {{ {sink} = 0; }}",
        f"{base}[{index}] ^= 3;",
        f"if ({base}[{index}] > 0) {base}[0] = 0;",
    ]
    if not directly:
        pointer, put = draft.fresh("at"), draft.fresh("put")
        forms += [
            f"*({base} + {index}) = 1;",
            f"({index})[{base}] = 2;",
            f"{type_} *{pointer} = &{base}[{index}]; *{pointer} = 3;",
            put,
        ]
    form = draft.random.choice(forms)
    if not directly and form == forms[-1]:
        draft.functions.append([f"static void {form}({type_} *start, long place) {{", here("start[place] = 4;"), "}"])
        return [f"{form}({base}, {index});"]
    return [here(form)]


def indexed(draft: Draft) -> Core:
    """An index at one of the ends."""
    count, type_ = draft.number(1, 9), draft.one_of("int", "int", "long", "short", "signed char", "unsigned", "unsigned char")
    is_low = type_ not in ("unsigned", "unsigned char") and draft.chance(0.4)
    low = "" if type_.startswith("unsigned") else f"{{i}} >= {either('-1', '0') if is_low else '0'} && "
    high = f"{{i}} < {count}" if is_low else f"{{i}} {either('<=', '<')} {count}"
    element = _element(draft)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        array = an_array(draft, element, count)
        return [*array.before, *accessed(draft, array, values[0]), *array.after]

    return Core((Operand(type_, -1 if is_low else count, "index"),), lambda values: (low + high).format(i=values[0]), site)


def unguarded(draft: Draft) -> Core:
    """One of the ends is not looked at."""
    count = draft.number(2, 9)
    is_low = draft.chance(0.5)
    element = _element(draft)
    trigger = draft.number(-3, -1) if is_low else count + draft.number(0, 3)

    def guard(values: Sequence[str]) -> str:
        low, high = f"{values[0]} >= 0", f"{values[0]} < {count}"
        return either(high, f"{high} && {low}") if is_low else either(low, f"{low} && {high}")

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        array = a_declared_array(draft, element, count)
        return [*array.before, *accessed(draft, array, values[0], directly=True), *array.after]

    return Core((Operand("int", trigger, "index"),), guard, site)


def far_away(draft: Draft) -> Core:
    """So far that there is another object, perhaps."""
    count, far = draft.number(2, 9), draft.number(12, 200)
    element = _element(draft)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        array, other = a_declared_array(draft, element, count), a_declared_array(draft, element, 32)
        order = [*array.before, *other.before] if draft.chance(0.5) else [*other.before, *array.before]
        return [*order, *accessed(draft, array, values[0], directly=True), f"{other.base}[0] = 1;", *array.after, *other.after]

    return Core(
        (Operand("int", far, "index"),),
        lambda values: f"{values[0]} >= 0 && {values[0]} < {either(str(far + 1), str(count))}",
        site,
    )


def filled(draft: Draft) -> Core:
    """A loop up to a bound that is an input."""
    count, element = draft.number(2, 7), _element(draft)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        array, k = an_array(draft, element, count), draft.fresh("k")
        loop = f"for (int {k} = 0; {k} < {values[0]}; {k}++) {{"
        if draft.chance(0.3):
            loop = f"for (int {k} = {values[0]} - 1; {k} >= 0; {k}--) {{"
        return [*array.before, loop, *accessed(draft, array, k), "}", *array.after]

    return Core(
        (Operand("int", count + 1, "length"),),
        lambda values: f"{values[0]} >= 0 && {values[0]} <= {either(str(count + 1), str(count))}",
        site,
    )


def walked(draft: Draft) -> Core:
    """By a pointer that goes from one end to the other."""
    count, element = draft.number(2, 7), _element(draft)
    is_down = draft.chance(0.4)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        array, pointer, last = an_array(draft, element, count), draft.fresh("p"), draft.fresh("end")
        lines = [f"{element} *{last} = {array.base} + {values[0]};"]
        if is_down:
            lines += [
                f"for ({element} *{pointer} = {last}; {pointer} != {array.base}; {pointer}--) {{",
                here(f"{either(f'*{pointer}', f'{pointer}[-1]')} = 1;"),
            ]
        else:
            compare = either("<=", "<")
            lines += [
                f"for ({element} *{pointer} = {array.base}; {pointer} {compare} {last}; {pointer}++) {{",
                here(f"*{pointer} = 1;"),
            ]
        return [*array.before, *lines, "}", *array.after]

    return Core((Operand("int", count, "length"),), lambda values: f"{values[0]} >= 0 && {values[0]} <= {count}", site)


def searched(draft: Draft) -> Core:
    """For a number that is not there."""
    count, key = draft.number(2, 6), draft.number(1, 50)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        array, k = an_array(draft, "int", count), draft.fresh("k")
        return [
            *array.before,
            f"{array.base}[{draft.number(0, count - 1)}] = {key};",
            f"int {k} = 0;",
            here(f"while ({either('', f'{k} < {count} && ')}{array.base}[{k}] != {values[0]}) {{"),
            f"{k}++;",
            "}",
            *array.after,
        ]

    return Core((Operand("int", key + 1, "key"),), lambda values: f"{values[0]} > 0", site)


def added_indices(draft: Draft) -> Core:
    count, element = draft.number(3, 9), _element(draft)
    first = draft.number(0, count - 1)

    def guard(values: Sequence[str]) -> str:
        a, b = values
        return f"{a} >= 0 && {b} >= 0 && {a} < {count} && {b} < {count} && {a} + {b} {either('<=', '<')} {count}"

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        array = an_array(draft, element, count)
        return [*array.before, *accessed(draft, array, f"({values[0]} + {values[1]})"), *array.after]

    return Core((Operand("int", max(1, first), "i"), Operand("int", count - max(1, first), "j")), guard, site)


def looked_up(draft: Draft) -> Core:
    """An element of one array is the index of another one."""
    count = draft.number(2, 6)
    places = [draft.number(0, count - 1) for _ in range(4)]
    wrong = draft.number(0, 3)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        array, order = an_array(draft, _element(draft), count), draft.fresh("order")
        shown = [str(place) for place in places]
        shown[wrong] = either(draft.one_of("-1", str(count)), "0")
        lines = [f"const int {order}[4] = {{ {', '.join(shown)} }};"]
        return [*array.before, *lines, *accessed(draft, array, f"{order}[{values[0]} & 3]"), *array.after]

    return Core((Operand("int", wrong + 4 * draft.number(0, 3), "turn"),), lambda values: f"{values[0]} >= 0", site)


def sized_wrongly(draft: Draft) -> Core:
    """The size in bytes for the number of elements, or an element too few."""
    count = draft.number(2, 5)
    element = draft.one_of("int", "long", "short")

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        array, k, many = a_declared_array(draft, element, count), draft.fresh("k"), draft.fresh("many")
        size = either(f"sizeof {array.base}", f"sizeof {array.base} / sizeof {array.base}[0]")
        return [
            *array.before,
            f"unsigned {many} = {size};",
            f"for (unsigned {k} = 0; {k} < {many}; {k}++) {{",
            here(f"{array.base}[{k}] = {values[0]} & 7;"),
            "}",
            *array.after,
        ]

    return Core((Operand("int", draft.number(-5, 5)),), lambda values: "", site)


def pushed(draft: Draft) -> Core:
    """A stack that is full, or empty."""
    count, is_pop = draft.number(2, 4), draft.chance(0.5)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        tag, push, pop, name, k = (draft.fresh(each) for each in ("stack", "push", "pop", "pile", "k"))
        full = either(f"s->top > {count}", f"s->top >= {count}") if not is_pop else f"s->top >= {count}"
        empty = either("s->top < 0", "s->top <= 0") if is_pop else "s->top <= 0"
        pushing, popping = "s->cells[s->top++] = value;", "return s->cells[--s->top];"
        draft.before.append(f"struct {tag} {{ int top; int cells[{count}]; }};")
        draft.functions.append(
            [
                f"static void {push}(struct {tag} *s, int value) {{",
                f"if ({full}) return;",
                here(pushing) if not is_pop else pushing,
                "}",
            ]
        )
        draft.functions.append(
            [f"static int {pop}(struct {tag} *s) {{", f"if ({empty}) return -1;", here(popping) if is_pop else popping, "}"]
        )
        return [
            f"struct {tag} {name} = {{ 0 }};",
            f"for (int {k} = 0; {k} < {values[0]}; {k}++) {push}(&{name}, {k});",
            f"for (int {k} = 0; {k} < {values[1]}; {k}++) {pop}(&{name});",
        ]

    return Core(
        (Operand("int", count + 1 - 2 * is_pop, "pushes"), Operand("int", count if is_pop else 1, "pops")),
        lambda values: f"{values[0]} >= 0 && {values[0]} <= {count + 1} && {values[1]} >= 0 && {values[1]} <= {count + 1}",
        site,
    )


def ring(draft: Draft) -> Core:
    count, element = draft.number(2, 5), _element(draft)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        array, head, k = an_array(draft, element, count), draft.fresh("head"), draft.fresh("k")
        return [
            *array.before,
            f"int {head} = 0;",
            f"for (int {k} = 0; {k} < {values[0]}; {k}++) {{",
            *accessed(draft, array, head),
            f"{head} = ({head} + 1) % {either(str(count + 1), str(count))};",
            "}",
            *array.after,
        ]

    return Core((Operand("int", count + 1, "rounds"),), lambda values: f"{values[0]} <= {count + 3}", site)


def as_large_as_said(draft: Draft) -> Core:
    """The size is an input, the last element is one less."""
    most, element = draft.number(3, 8), _element(draft)
    is_heap = draft.chance(0.6)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        name, k = draft.fresh("room"), draft.fresh("k")
        n = values[0]
        if is_heap:
            draft.includes.add("stdlib.h")
            before = [f"{element} *{name} = malloc({n} * sizeof *{name});", f"if (!{name}) {draft.leave}"]
        else:
            before = [f"{element} {name}[{n}];"]
        use = [f"for (int {k} = 0; {k} {either('<=', '<')} {n}; {k}++) {{", here(f"{name}[{k}] = 1;"), "}"]
        if draft.chance(0.4):
            use = [here(f"{name}[{n}{either('', ' - 1')}] = 1;")]
        return [*before, *use, *([f"free({name});"] if is_heap else [])]

    return Core(
        (Operand("int", draft.number(1, most), "size"),), lambda values: f"{values[0]} >= 1 && {values[0]} <= {most}", site
    )


def flexible(draft: Draft) -> Core:
    """The last member of a structure has as many elements as were allocated."""
    most, element = draft.number(2, 6), draft.one_of("char", "int")

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        draft.includes.add("stdlib.h")
        tag, name = draft.fresh("text"), draft.fresh("line")
        draft.before.append(f"struct {tag} {{ unsigned long length; {element} data[]; }};")
        size = f"{values[0]} * sizeof({element})"
        return [
            f"struct {tag} *{name} = malloc(sizeof *{name} + {size});",
            f"if (!{name}) {draft.leave}",
            f"{name}->length = {values[0]};",
            here(f"{name}->data[{name}->length{either('', ' - 1')}] = 0;"),
            f"free({name});",
        ]

    return Core((Operand("int", most, "length"),), lambda values: f"{values[0]} > 0 && {values[0]} <= {most}", site)


def record_behind_the_last(draft: Draft) -> Core:
    """An array of structures, and a member of one that is not there."""
    count = draft.number(2, 5)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        tag, name = draft.fresh("item"), draft.fresh("items")
        member = draft.one_of("size", "price", "flags.used")
        draft.before.append(f"struct {tag} {{ int size; long price; struct {{ char used; }} flags; }};")
        if draft.chance(0.5):
            draft.before.append(f"static struct {tag} {name}[{count}];")
            return [here(f"{name}[{values[0]}].{member} = 1;")]
        draft.includes.add("stdlib.h")
        pointer = draft.fresh("it")
        return [
            f"struct {tag} *{name} = calloc({count}, sizeof *{name});",
            f"if (!{name}) {draft.leave}",
            f"struct {tag} *{pointer} = {name} + {values[0]};",
            here(f"{pointer}->{member} = 1;"),
            f"free({name});",
        ]

    return Core(
        (Operand("int", count, "index"),), lambda values: f"{values[0]} >= 0 && {values[0]} {either('<=', '<')} {count}", site
    )


BOUNDS: tuple[Callable[[Draft], Core], ...] = (
    indexed,
    indexed,
    indexed,
    unguarded,
    far_away,
    filled,
    filled,
    walked,
    searched,
    added_indices,
    looked_up,
    sized_wrongly,
    pushed,
    ring,
    as_large_as_said,
    flexible,
    record_behind_the_last,
)
