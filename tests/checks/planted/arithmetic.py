"""Violations of arithmetic: divisions by zero, shifts, results that do not fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.checks.planted.compose import Core, Operand, result_of
from tests.checks.planted.drafts import TYPES, Draft, Lines, either, here, watched

_SIGNED = ("int", "int", "long", "long long")
_UNSIGNED = ("unsigned", "unsigned", "unsigned long")


def _bits(type_: str) -> int:
    return (TYPES[type_][2] - TYPES[type_][1] + 1).bit_length() - 1


def literal(number: int, type_: str = "int") -> str:
    """A constant of a type, as C writes it."""
    ending = {"long": "L", "long long": "LL", "unsigned": "U", "unsigned long": "UL"}.get(type_, "")
    if type_ in ("int", "long", "long long") and number == TYPES[type_][1]:
        return f"(-{-(number + 1)}{ending} - 1)"
    return f"{number}{ending}" if number >= 0 else f"(-{-number}{ending})"


def _result(type_: str, expression: Callable[[Sequence[str]], str]) -> Callable[[Draft, Sequence[str]], Lines]:
    return lambda draft, values: result_of(draft, type_, expression, values)


# division


def quotient(draft: Draft) -> Core:
    type_ = draft.one_of("int", "unsigned", "long", "unsigned long", "short", "unsigned char", "long long")
    operator = draft.one_of("/", "%")
    wide = "int" if type_ in ("short", "unsigned char") else type_
    zero = draft.number(-4, 9) if type_ in _SIGNED else 0  # the divisor is zero for this value
    divisor: Callable[[str], str] = (lambda b: f"({b} - {literal(zero, wide)})") if zero else (lambda b: b)
    limit = zero + draft.number(20, 90)
    low = f"{{b}} >= {literal(zero - draft.number(0, 1) * (zero > 0), wide)} && " if type_ in ("short", *_SIGNED) else ""

    def guard(values: Sequence[str]) -> str:
        a, b = values
        bound = f"{b} <= {literal(limit, wide)}"
        other = either(f"{b} != {literal(zero + 1, wide)}", f"{b} != {literal(zero, wide)}")
        return f"{a} >= 0 && {low.format(b=b)}{bound} && {other}" if low else f"{bound} && {other}"

    return Core(
        (Operand(type_, draft.number(0, 90)), Operand(type_, zero, "divisor")),
        guard,
        _result(wide, lambda values: f"({values[0]} {operator} {divisor(values[1])})"),
    )


def compound_quotient(draft: Draft) -> Core:
    type_, operator = draft.one_of("int", "unsigned", "short", "long"), draft.one_of("/", "%")
    lines = draft.number(0, 1)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        total = draft.fresh("total")
        start = draft.number(100, 9999)
        dividing = f"{total} {operator}= {values[0]};"
        if lines:
            return [f"{type_} {total} = {start};", here(f"for (int n = 0; n < 2; n++) {dividing}")]
        return [f"{type_} {total} = {start};", here(dividing), f"if ({total} == 7) {draft.leave}"]

    return Core(
        (Operand(type_, 0),),
        lambda values: either(f"{values[0]} >= 0", f"{values[0]} > 0"),
        site,
    )


def average(draft: Draft) -> Core:
    """Of the numbers that pass a test, of which there may be none."""
    size, bound = draft.number(2, 4), draft.number(10, 50)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        numbers, count, total, k = draft.fresh("numbers"), draft.fresh("count"), draft.fresh("total"), draft.fresh("k")
        mean = draft.fresh("mean")
        cells = ", ".join(values)
        return [
            f"int {numbers}[{size}] = {{ {cells} }}, {count} = 0, {total} = 0;",
            f"for (int {k} = 0; {k} < {size}; {k}++) {{",
            f"if ({numbers}[{k}] > 0 && {numbers}[{k}] < {bound}) {{",
            f"{count}++;",
            f"{total} += {numbers}[{k}];",
            "}",
            "}",
            here(f"int {mean} = {either('', f'{count} == 0 ? 0 : ')}{total} / {count};"),
            f"if ({mean} > {bound}) {draft.leave}",
        ]

    triggers = [draft.random.choice((0, -1, -7, bound, bound + 5)) for _ in range(size)]
    return Core([Operand("int", trigger) for trigger in triggers], lambda values: "", site)


def remainder_by_length(draft: Draft) -> Core:
    """Of a text that may be empty."""
    draft.includes.add("string.h")
    size = draft.number(3, 6)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        text, place, k = draft.fresh("text"), draft.fresh("place"), draft.fresh("k")
        return [
            f"char {text}[{size}];",
            f"for (int {k} = 0; {k} < {size - 1}; {k}++) {text}[{k}] = {k} < {values[0]} ? 'a' : 0;",
            f"{text}[{size - 1}] = 0;",
            here(f"unsigned long {place} = 100 {draft.one_of('/', '%')} strlen({text});"),
            f"if ({place} == 50) {draft.leave}",
        ]

    return Core((Operand("int", draft.number(-2, 0)),), lambda values: either(f"{values[0]} < 100", f"{values[0]} > 0"), site)


DIVISION = (quotient, quotient, quotient, compound_quotient, average, remainder_by_length)


# shifts


def far_shift(draft: Draft) -> Core:
    """The amount is at an end of what is allowed."""
    type_ = draft.one_of("unsigned", "unsigned long", "int", "long")
    amount = draft.one_of("int", "unsigned", "unsigned char", "long")
    operator = ">>" if type_ in ("int", "long") else draft.one_of("<<", ">>")
    bits = _bits(type_)
    is_negative = amount in ("int", "long") and draft.chance(0.5)
    upper = f"{{s}} {either('<=', '<')} {bits}" if not is_negative else f"{{s}} < {bits}"
    lower = "" if amount not in ("int", "long") else f"{{s}} >= {either('-1', '0') if is_negative else '0'} && "

    def expression(values: Sequence[str]) -> str:
        return f"({values[0]} {operator} {values[1]})"

    return Core(
        (Operand(type_, draft.number(1, 99)), Operand(amount, -1 if is_negative else bits, "shift")),
        lambda values: (lower + upper).format(s=values[1]),
        lambda draft, values: (
            result_of(draft, type_, expression, values) if amount == type_ else _kept(draft, type_, expression(values))
        ),
    )


def _kept(draft: Draft, type_: str, expression: str) -> Lines:
    """A statement for an expression whose operands have several types."""
    name = draft.fresh()
    return [here(f"{type_} {name} = {expression};"), f"if ({name} == 17) {draft.leave}"]


def shifted_negative(draft: Draft) -> Core:
    type_, amount = draft.one_of("int", "long", "short", "signed char"), draft.number(1, 4)
    wide = type_ if type_ in ("int", "long") else "int"
    limit = 100
    return Core(
        (Operand(type_, -1),),
        lambda values: f"{values[0]} >= {either('-1', '0')} && {values[0]} <= {limit}",
        _result(wide, lambda values: f"({values[0]} << {amount})"),
    )


def rotation(draft: Draft) -> Core:
    """By no bits: the other half is shifted by all."""
    type_ = draft.one_of("unsigned", "unsigned long")
    bits = _bits(type_)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        name, (value, amount) = draft.fresh("rotated"), values
        left, right = ("<<", ">>") if draft.chance(0.5) else (">>", "<<")
        return [
            here(f"{type_} {name} = {value} {left} {amount} | {value} {right} ({bits} - {amount});"),
            f"if ({name} == 3) {draft.leave}",
        ]

    return Core(
        (Operand(type_, draft.number(0, 1 << 20)), Operand("int", 0, "turn")),
        lambda values: f"{values[1]} {either('>=', '>')} 0 && {values[1]} < {bits}",
        site,
    )


def mask(draft: Draft) -> Core:
    """Of bits from one to another."""
    type_ = draft.one_of("unsigned", "unsigned long")
    bits = _bits(type_)
    low = draft.number(0, 5)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        name, (first, last) = draft.fresh("mask"), values
        one = literal(1, type_)
        return [
            here(f"{type_} {name} = (({one} << ({last} - {first} + 1)) - 1) << {first};"),
            f"if ({name} == 6) {draft.leave}",
        ]

    return Core(
        (Operand("int", low, "low"), Operand("int", low + bits - 1, "high")),
        lambda values: (
            f"{values[0]} >= 0 && {values[0]} <= {low} && {values[1]} >= {values[0]} && {values[1]} < 100"
            f" && {values[1]} - {values[0]} < {either(str(bits), str(bits - 1))}"
        ),
        site,
    )


def growing_shift(draft: Draft) -> Core:
    """The amount grows in a loop."""
    type_, step = draft.one_of("unsigned", "unsigned long"), draft.number(7, 12)
    rounds = -(-_bits(type_) // step)  # the first amount that is too far comes in this round

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        total, amount, k = draft.fresh("packed"), draft.fresh("amount"), draft.fresh("k")
        return [
            f"{type_} {total} = 0;",
            f"int {amount} = 0;",
            f"for (int {k} = 0; {k} < {values[0]}; {k}++) {{",
            here(f"{total} |= {literal(1, type_)} << {amount};"),
            f"{amount} += {step};",
            "}",
            f"if ({total} == 5) {draft.leave}",
        ]

    return Core(
        (Operand("int", rounds + 1, "rounds"),),
        lambda values: f"{values[0]} <= {either(str(rounds + 1), str(rounds))}",
        site,
    )


SHIFT = (far_shift, far_shift, shifted_negative, rotation, mask, growing_shift)


# results that do not fit


def _range_of(type_: str) -> tuple[int, int]:
    return TYPES[type_][1], TYPES[type_][2]


def bounded_sum(draft: Draft, types: Sequence[str] = _SIGNED) -> Core:
    """Two numbers below bounds whose sum is the greatest number, or one more."""
    type_ = draft.random.choice(types)
    least, greatest = _range_of(type_)
    is_low = least < 0 and draft.chance(0.4)
    part = draft.number(1, 1 << draft.number(4, 30))
    first, second = (part, greatest - part) if not is_low else (-part, least + part)
    step = -1 if is_low else 1
    compare = ">=" if is_low else "<="
    other = "{a} >= 0 && {b} >= 0 && " if not is_low and least < 0 else "{a} <= 0 && {b} <= 0 && " if is_low else ""
    bound = either(literal(first + step, type_), literal(first, type_))
    guard = other + f"{{a}} {compare} {bound} && {{b}} {compare} {literal(second, type_)}"

    def expression(values: Sequence[str]) -> str:
        return watched(f"__builtin_add_overflow_p({values[0]}, {values[1]}, ({type_})0)", f"{values[0]} + {values[1]}")

    return Core(
        (Operand(type_, first + step), Operand(type_, second)),
        lambda values: guard.format(a=values[0], b=values[1]),
        _result(type_, expression),
    )


def bounded_difference(draft: Draft, types: Sequence[str] = _SIGNED) -> Core:
    type_ = draft.random.choice(types)
    least, _ = _range_of(type_)
    part = draft.number(0, 1 << draft.number(1, 30))
    if least == 0:  # of unsigned numbers, the second one may be larger by one
        smaller = draft.number(0, 1000)
        operands = (Operand(type_, smaller), Operand(type_, smaller + 1))
        guard = f"{{b}} < {literal(5000, type_)} && {{a}} {either('+ 1 >=', '>=')} {{b}} && {{a}} < {literal(9000, type_)}"
    else:
        operands = (Operand(type_, least + part), Operand(type_, part + 1))
        guard = (
            f"{{a}} >= {literal(least + part, type_)} && {{a}} <= 0 && {{b}} >= 0 && "
            f"{{b}} <= {either(literal(part + 1, type_), literal(part, type_))}"
        )

    def expression(values: Sequence[str]) -> str:
        return watched(f"__builtin_sub_overflow_p({values[0]}, {values[1]}, ({type_})0)", f"{values[0]} - {values[1]}")

    return Core(operands, lambda values: guard.format(a=values[0], b=values[1]), _result(type_, expression))


def bounded_product(draft: Draft, types: Sequence[str] = _SIGNED) -> Core:
    """Of two variables, or of one and a constant."""
    type_ = draft.random.choice(types)
    least, greatest = _range_of(type_)
    factor = draft.number(3, 1 << draft.number(3, 15))
    most = greatest // factor
    at_least_zero = [f"{{{letter}}} >= 0 && " for letter in "ab"] if least < 0 else ["", ""]

    def expression(a: str, b: str) -> str:
        return watched(f"__builtin_mul_overflow_p({a}, {b}, ({type_})0)", f"{a} * {b}")

    bound = f"{{a}} <= {either(literal(most + 1, type_), literal(most, type_))}"
    if draft.chance(0.5):
        constant = literal(factor, type_)
        return Core(
            (Operand(type_, most + 1),),
            lambda values: (at_least_zero[0] + bound).format(a=values[0]),
            _result(type_, lambda values: expression(*_ordered(values[0], constant, factor))),
        )
    guard = at_least_zero[0] + at_least_zero[1] + bound + f" && {{b}} <= {literal(factor, type_)}"
    return Core(
        (Operand(type_, most + 1), Operand(type_, factor)),
        lambda values: guard.format(a=values[0], b=values[1]),
        _result(type_, lambda values: expression(*values)),
    )


def _ordered(a: str, b: str, seed: int) -> tuple[str, str]:
    return (a, b) if seed % 2 else (b, a)


def negation(draft: Draft) -> Core:
    type_ = draft.random.choice(_SIGNED)
    least = literal(_range_of(type_)[0], type_)
    is_absolute = draft.chance(0.5)

    def expression(values: Sequence[str]) -> str:
        return f"({values[0]} < 0 ? -{values[0]} : {values[0]})" if is_absolute else f"(-{values[0]})"

    return Core(
        (Operand(type_, _range_of(type_)[0]),),
        lambda values: f"{values[0]} {either('>=', '>')} {least} && {values[0]} != 5",
        _result(type_, expression),
    )


def library_result(draft: Draft) -> Core:
    """What `abs` and `labs` give for the least number."""
    draft.includes.add("stdlib.h")
    least = literal(TYPES["int"][1])
    if draft.chance(0.5):
        return Core(
            (Operand("int", TYPES["int"][1]),),
            lambda values: f"{values[0]} {either('>=', '>')} {least}",
            _result("int", lambda values: f"abs({values[0]})"),
        )
    return Core(
        (Operand("long", TYPES["long"][1]),),
        lambda values: f"{values[0]} {either('<', '!=')} {either('9', literal(TYPES['long'][1], 'long'))}",
        _result("long", lambda values: f"labs({values[0]})"),
    )


def least_quotient(draft: Draft) -> Core:
    type_, operator = draft.random.choice(_SIGNED), draft.one_of("/", "%")
    least = literal(_range_of(type_)[0], type_)
    return Core(
        (Operand(type_, _range_of(type_)[0]), Operand(type_, -1)),
        lambda values: f"{values[1]} != 0 && !({values[0]} == {least} && {values[1]} == {either('1', '-1')})",
        _result(type_, lambda values: f"({values[0]} {operator} {values[1]})"),
    )


def lost_bits(draft: Draft) -> Core:
    """A shift to the left beyond the greatest number."""
    type_ = draft.one_of("int", "long", "long long")
    amount = draft.number(1, _bits(type_) - 3)
    most = _range_of(type_)[1] >> amount
    is_variable = draft.chance(0.5)
    operands = [Operand(type_, most + 1), *([Operand("int", amount, "shift")] if is_variable else [])]
    more = f" && {{s}} >= 0 && {{s}} <= {amount}" if is_variable else ""

    def guard(values: Sequence[str]) -> str:
        bound = either(literal(most + 1, type_), literal(most, type_))
        return f"{values[0]} >= 0 && {values[0]} <= {bound}" + more.format(s=values[-1])

    return Core(
        operands, guard, lambda draft, values: _kept(draft, type_, f"{values[0]} << {values[1] if is_variable else amount}")
    )


def step_beyond(draft: Draft, types: Sequence[str] = _SIGNED) -> Core:
    """`++` at the greatest number, `--` at the least."""
    type_ = draft.random.choice(types)
    is_up = draft.chance(0.5)
    least, greatest = _range_of(type_)
    end = greatest if is_up else least
    compare = "<=" if is_up else ">="
    operator = "++" if is_up else "--"
    written = draft.one_of(f"{{}}{operator}", f"{operator}{{}}", f"{{}} {operator[0]}= 1")
    near = end - 1 if is_up else end + 1

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        name, sink = draft.fresh("next"), draft.fresh("kept")
        draft.before.append(f"static {type_} {sink};")
        stepped = watched(f"{name} == {literal(end, type_)}", written.format(name))
        return [f"{type_} {name} = {values[0]};", here(f"{sink} = {stepped};")]

    return Core(
        (Operand(type_, end),),
        lambda values: f"{values[0]} {compare} {either(literal(end, type_), literal(near, type_))}",
        site,
    )


_PRODUCTS = {"int": 12, "long": 20, "long long": 20, "unsigned": 12, "unsigned long": 20}
"""The last factorial that fits."""


def factorial(draft: Draft, types: Sequence[str] = ("int", "long")) -> Core:
    """In a loop, or by recursion."""
    type_ = draft.random.choice(types)
    last = _PRODUCTS[type_]
    is_recursive = draft.chance(0.5)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        result, k = draft.fresh("product"), draft.fresh("k")
        if is_recursive:
            name = draft.fresh("factorial")
            product = watched(f"__builtin_mul_overflow_p(rest, n, ({type_})0)", "rest * n")
            draft.functions.append(
                [
                    f"static {type_} {name}({type_} n) {{",
                    "if (n <= 1) return 1;",
                    f"{type_} rest = {name}(n - 1);",
                    here(f"return {product};"),
                    "}",
                ]
            )
            return [f"{type_} {result} = {name}({values[0]});", f"if ({result} == 3) {draft.leave}"]
        product = watched(f"__builtin_mul_overflow_p({result}, {k}, ({type_})0)", f"{result} * {k}")
        return [
            f"{type_} {result} = 1;",
            f"for ({type_} {k} = 2; {k} <= {values[0]}; {k}++) {{",
            here(f"{result} = {product};"),
            "}",
            f"if ({result} == 3) {draft.leave}",
        ]

    return Core((Operand(type_, last + 1, "n"),), lambda values: f"{values[0]} <= {either(str(last + 1), str(last))}", site)


def decimal_number(draft: Draft, types: Sequence[str] = ("int", "long")) -> Core:
    """The digits of a text as a number: as many as always fit, or more."""
    type_ = draft.random.choice(types)
    digits = {"int": 9, "unsigned": 9, "long": 18, "unsigned long": 19}[type_]
    text = "9" * (digits + 3)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        value, k, literal_ = draft.fresh("value"), draft.fresh("k"), draft.fresh("digits")
        grown = watched(f"{value} > {literal((_range_of(type_)[1] - 9) // 10, type_)}", f"{value} * 10 + ({literal_}[{k}] - '0')")
        return [
            f'const char *{literal_} = "{text}";',
            f"{type_} {value} = 0;",
            f"for (int {k} = 0; {k} < {values[0]} && {literal_}[{k}]; {k}++) {{",
            here(f"{value} = {grown};"),
            "}",
            f"if ({value} == 8) {draft.leave}",
        ]

    return Core(
        (Operand("int", digits + 2, "length"),),
        lambda values: f"{values[0]} >= 0 && {values[0]} <= {either(str(digits + 2), str(digits))}",
        site,
    )


def accumulated(draft: Draft, types: Sequence[str] = ("int",)) -> Core:
    """A sum of so many elements, each of them below a bound: the bound or the number is a bit too large."""
    type_ = draft.random.choice(types)
    count = draft.number(2, 4)
    most = _range_of(type_)[1] // count
    bound = either(literal(most + 1, type_), literal(most, type_))
    at_least = "{} >= 0 && " if type_ in _SIGNED else ""

    def guard(values: Sequence[str]) -> str:
        return " && ".join(at_least.format(value) + f"{value} <= {bound}" for value in values)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        cells, total, k = draft.fresh("cells"), draft.fresh("sum"), draft.fresh("k")
        added = watched(f"__builtin_add_overflow_p({total}, {cells}[{k}], ({type_})0)", f"{total} + {cells}[{k}]")
        lines = [
            f"{type_} {cells}[{count}] = {{ {', '.join(values)} }}, {total} = 0;",
            f"for (int {k} = 0; {k} < {count}; {k}++) {{",
            here(f"{total} = {added};" if draft.chance(0.5) or type_ not in _SIGNED else f"{total} += {cells}[{k}];"),
            "}",
        ]
        return [*lines, f"if ({total} == 4) {draft.leave}"]

    return Core([Operand(type_, most + 1) for _ in range(count)], guard, site)


def middle(draft: Draft) -> Core:
    """Of two numbers, as in many a binary search."""
    type_ = draft.random.choice(_SIGNED)
    greatest = _range_of(type_)[1]
    half = (greatest - 1) // 2

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        name, (low, high) = draft.fresh("middle"), values
        text = either(f"({low} + {high}) / 2", f"{low} + ({high} - {low}) / 2")
        return [here(f"{type_} {name} = {text};"), f"if ({name} == 1) {draft.leave}"]

    return Core(
        (Operand(type_, half + draft.number(2, 1000), "low"), Operand(type_, greatest - draft.number(0, 1000), "high")),
        lambda values: f"{values[0]} >= 0 && {values[0]} <= {values[1]}",
        site,
    )


def promoted_product(draft: Draft) -> Core:
    """Numbers of 16 bits, multiplied as int."""

    def expression(values: Sequence[str]) -> str:
        return f"({values[0]} * {values[1]})"

    return Core(
        (Operand("unsigned short", 46341), Operand("unsigned short", 46341)),
        lambda values: f"{values[0]} <= {either('46341', '46340')} && {values[1]} <= {either('46341', '46340')}",
        lambda draft, values: result_of(draft, "int", expression, values),
    )


OVERFLOW = (
    bounded_sum,
    bounded_sum,
    bounded_difference,
    bounded_product,
    bounded_product,
    negation,
    library_result,
    least_quotient,
    lost_bits,
    step_beyond,
    factorial,
    decimal_number,
    accumulated,
    middle,
    promoted_product,
)


def counted_down(draft: Draft) -> Core:
    """`n-- > 0` wraps around at the end."""
    type_ = draft.random.choice(_UNSIGNED)
    start = draft.number(0, 6)

    def site(draft: Draft, values: Sequence[str]) -> Lines:
        name, count = draft.fresh("left"), draft.fresh("steps")
        stepped = watched(f"{name} == 0", f"{name}--")
        return [
            f"{type_} {name} = {values[0]};",
            f"int {count} = 0;",
            here(either(f"while ({stepped} > 0) {{", f"while ({name} > 0) {{")),
            f"{count}++;",
            either("", f"{name} -= 1;"),
            "}",
            f"if ({count} == 50) {draft.leave}",
        ]

    return Core((Operand(type_, start),), lambda values: f"{values[0]} <= 8", site)


def unsigned_negation(draft: Draft) -> Core:
    type_ = draft.random.choice(_UNSIGNED)

    def expression(values: Sequence[str]) -> str:
        return watched(f"{values[0]} != 0", f"-{values[0]}")

    return Core((Operand(type_, 1),), lambda values: f"{values[0]} <= {either('1', '0')}", _result(type_, expression))


UNSIGNED_OVERFLOW: tuple[Callable[[Draft], Core], ...] = (
    lambda draft: bounded_sum(draft, _UNSIGNED),
    lambda draft: bounded_difference(draft, _UNSIGNED),
    lambda draft: bounded_product(draft, _UNSIGNED),
    lambda draft: step_beyond(draft, _UNSIGNED),
    lambda draft: factorial(draft, ("unsigned", "unsigned long")),
    lambda draft: decimal_number(draft, ("unsigned", "unsigned long")),
    lambda draft: accumulated(draft, ("unsigned",)),
    counted_down,
    unsigned_negation,
)
