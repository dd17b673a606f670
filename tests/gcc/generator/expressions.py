"""Pure, well-defined C expressions over the places in scope."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.gcc.generator.writer import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LDOUBLE,
    LLONG,
    LONG,
    SHORT,
    UINT,
    ULLONG,
    ULONG,
    Arithmetic,
    Writer,
    common,
)


@dataclass(frozen=True)
class Expression:
    text: str
    type: Arithmetic


def literal(writer: Writer) -> Expression:
    """An integer constant; values near the borders of the types are frequent."""
    kind = writer.below(10)
    if kind < 4:
        return Expression(str(writer.below(10)), INT)
    if kind == 4:
        return Expression(f"(-{writer.between(1, 300)})", INT)
    if kind == 5:
        bit = writer.pick((7, 8, 15, 16, 31))
        value = (1 << bit) + writer.pick((0, -1, 1))
        suffix = writer.pick(("", "u", "L", "uL", "LL", "uLL"))
        types = {"": INT if value < 2**31 else UINT, "u": UINT, "L": LONG, "uL": ULONG, "LL": LLONG, "uLL": ULLONG}
        return Expression(f"{value:#x}{suffix}" if writer.chance(50) else f"{value}{suffix}", types[suffix])
    if kind == 6:
        return Expression(
            f"'{writer.pick(('a', 'Z', '0', chr(92) + 'n', chr(92) + 'xff', chr(92) + '0', chr(92) + '177'))}'", INT
        )
    if kind == 7:
        return writer.pick((Expression("(-2147483647 - 1)", INT), Expression("2147483647", INT), Expression("0xffffffffu", UINT)))
    if kind == 8:
        return writer.pick(
            (
                Expression("(-9223372036854775807LL - 1)", LLONG),
                Expression("9223372036854775807LL", LLONG),
                Expression("0xffffffffffffffffuLL", ULLONG),
                Expression(f"{writer.below(1 << 64):#x}uLL", ULLONG),
            )
        )
    return Expression(f"{writer.below(1 << 31):#x}", INT)


FLOATS = (
    "0.0",
    "1.0",
    "0.5",
    "-2.25",
    "3.0e4",
    "1e-7",
    "16777217.0",
    "1e30",
    "0.1",
    "0x1.8p3",
    "-0.0",
    "123456.789",
    "2.5",
    "-1.5",
    "8388608.5",
)
EXTREME_FLOATS = {
    FLOAT: ("3e38", "1e-38", "1e-45"),
    DOUBLE: ("1.7e308", "4.9e-324", "2.2e-308", "9007199254740993.0", "18446744073709551615.0"),
    LDOUBLE: ("1e4932", "1e-4940", "0x1.fffffffffffffffep0", "18446744073709551615.0"),
}


def float_literal(writer: Writer) -> Expression:
    type_ = writer.pick(writer.float_types())
    text = writer.pick(EXTREME_FLOATS[type_]) if writer.chance(15) else writer.pick(FLOATS)
    suffix = {FLOAT: "f", DOUBLE: "", LDOUBLE: "L"}[type_]
    return Expression(f"({text}{suffix})" if text[0] == "-" else text + suffix, type_)


def constant_initialiser(writer: Writer, type_: Arithmetic) -> str:
    """A constant expression for a static object of this type, without overflow (clang refuses to fold that)."""
    if type_.is_float:
        return float_literal(writer).text if writer.chance(70) else str(writer.between(-9, 9))
    if type_ is BOOL:
        return str(writer.below(2))
    value = literal(writer).text
    match writer.below(5):
        case 3 if writer.has("casts"):
            return f"({writer.integer_type()}){value}"
        case 4:
            return writer.pick(
                (
                    f"{writer.below(50)} * {writer.between(1, 9)} - 7",
                    f"(1 << {writer.below(20)}) | 5",
                    "sizeof(int) + 1",
                    f"~{value}",
                )
            )
        case _:
            return value


def integer(writer: Writer, depth: int) -> Expression:
    """An integer expression of at most this depth."""
    if depth <= 0:
        return _integer_leaf(writer)
    form = writer.pick(_INTEGER_FORMS)
    return form(writer, depth - 1)


def floating(writer: Writer, depth: int) -> Expression:
    if not writer.float_types():
        return integer(writer, depth)
    if depth <= 0:
        places = writer.places(floats=True)
        if places and writer.chance(60):
            place = writer.pick(places)
            return Expression(place.text, place.type)
        return float_literal(writer)
    form = writer.pick(_FLOAT_FORMS)
    return form(writer, depth - 1)


def arithmetic(writer: Writer, depth: int) -> Expression:
    return floating(writer, depth) if writer.float_types() and writer.chance(25) else integer(writer, depth)


def condition(writer: Writer, depth: int) -> str:
    return arithmetic(writer, depth).text if writer.chance(20) else _comparison(writer, depth).text


def value_for(writer: Writer, type_: Arithmetic, depth: int, is_bit_field: bool = False) -> str:
    """An expression that may be converted to `type_` implicitly without undefined behaviour."""
    if type_.is_float or type_ is BOOL:
        return arithmetic(writer, depth).text
    if writer.float_types() and not is_bit_field and writer.chance(8):
        return _ranged_float(writer, type_)
    return integer(writer, depth).text


def index(writer: Writer, length: int) -> str:
    """An expression with a value in 0 .. length - 1."""
    choice = writer.below(3)
    if choice == 0:
        return str(writer.below(length))
    inner = integer(writer, choice - 1).text
    return f"({inner} & {length - 1})" if length & (length - 1) == 0 else f"(unsigned char)({inner}) % {length}"


def _integer_leaf(writer: Writer) -> Expression:
    places = writer.places(floats=False)
    if places and writer.chance(70):
        place = writer.pick(places)
        if place.width > 32 and not writer.has("wide_bit_fields"):
            # gcc computes with a bit-field wider than int in a type of its own width; the cast avoids that
            return Expression(f"({place.type}){place.text}", place.type)
        if place.is_bit_field:
            return Expression(place.text, INT if place.width <= 32 else replace(place.type, bits=place.width))
        return Expression(place.text, place.type)
    if writer.has("sizeof") and writer.chance(8):
        what = writer.pick(("int", "long", "char *", "short[3]", "long double", "_Bool"))
        return Expression(f"sizeof({what})", ULONG)
    return literal(writer)


def _binary(writer: Writer, depth: int) -> Expression:
    operator = writer.pick(("+", "-", "*", "&", "|", "^"))
    left, right = integer(writer, depth), integer(writer, depth - writer.below(2))
    return Expression(f"({left.text} {operator} {right.text})", common(left.type, right.type))


def _comparison(writer: Writer, depth: int) -> Expression:
    operator = writer.pick(("<", "<=", ">", ">=", "==", "!="))
    left = arithmetic(writer, depth)
    right = arithmetic(writer, depth - writer.below(2))
    return Expression(f"({left.text} {operator} {right.text})", INT)


def _logical(writer: Writer, depth: int) -> Expression:
    if not writer.has("logical"):
        return _comparison(writer, depth)
    left, right = arithmetic(writer, depth), arithmetic(writer, depth)
    return Expression(f"({left.text} {writer.pick(('&&', '||'))} {right.text})", INT)


def _unary(writer: Writer, depth: int) -> Expression:
    operator = writer.pick(("-", "~", "!", "+"))
    operand = integer(writer, depth)
    return Expression(f"({operator}{operand.text})", INT if operator == "!" else operand.type.promoted)


def _shift(writer: Writer, depth: int) -> Expression:
    if not writer.has("shifts"):
        return _binary(writer, depth)
    left, count = integer(writer, depth), integer(writer, depth)
    type_ = left.type.promoted
    operator = writer.pick((">>", "<<"))
    if writer.chance(50):
        return Expression(f"({left.text} {operator} {writer.below(type_.bits)})", type_)
    if type_.name.endswith("long") and type_.bits == 32:
        return Expression(f"({left.text} {operator} ({count.text} & (sizeof(long) * 8 - 1)))", type_)
    return Expression(f"({left.text} {operator} ({count.text} & {type_.bits - 1}))", type_)


def _division(writer: Writer, depth: int) -> Expression:
    if not writer.has("division"):
        return _binary(writer, depth)
    operator = writer.pick(("/", "%"))
    left = integer(writer, depth)
    kind = writer.below(4)
    if kind == 0:
        return Expression(f"({left.text} {operator} {writer.between(1, 20)}{writer.pick(('', 'u', 'LL'))})", left.type.promoted)
    if kind == 1:  # never 0 or -1
        right = integer(writer, depth)
        return Expression(f"({left.text} {operator} (({right.text} & 15) + 1))", common(left.type, right.type))
    if kind == 2:  # never -1 after conversion, because even
        return Expression(f"({left.text} {operator} (-{writer.between(1, 50) * 2}))", left.type.promoted)
    type_ = writer.pick((INT, UINT, LONG, ULONG, LLONG, ULLONG))
    right = integer(writer, depth)
    return Expression(f"{_safe_division(writer, type_, operator)}({left.text}, {right.text})", type_)


def _safe_division(writer: Writer, type_: Arithmetic, operator: str) -> str:
    name = ("div_" if operator == "/" else "rem_") + type_.name.replace(" ", "_")
    overflow = f" || (b == -1 && a == ({type_})(1ULL << (sizeof a * 8 - 1)))" if type_.signed else ""
    writer.helper(name, f"static {type_} {name}({type_} a, {type_} b) {{ return b == 0{overflow} ? a : a {operator} b; }}")
    return name


def _cast(writer: Writer, depth: int) -> Expression:
    if not writer.has("casts"):
        return _binary(writer, depth)
    type_ = writer.integer_type()
    operand = arithmetic(writer, depth) if type_ is BOOL else integer(writer, depth)
    return Expression(f"(({type_}){operand.text})", type_)


def _conditional(writer: Writer, depth: int) -> Expression:
    if not writer.has("conditional"):
        return _comparison(writer, depth)
    left, right = integer(writer, depth), integer(writer, depth)
    return Expression(f"({condition(writer, depth)} ? {left.text} : {right.text})", common(left.type, right.type))


def _comma(writer: Writer, depth: int) -> Expression:
    if not writer.has("comma"):
        return _unary(writer, depth)
    right = integer(writer, depth)
    return Expression(f"({arithmetic(writer, depth).text}, {right.text})", right.type)


def _float_range(type_: Arithmetic) -> tuple[str, str]:
    """Borders between which every float converts to this type, in both data models."""
    low, high = {1: ("-100", "100"), 2: ("-30000", "30000")}.get(type_.rank, ("-2000000000", "2000000000"))
    if type_ in (LLONG, ULLONG):
        low, high = "-9e18", "9e18"
    return (low if type_.signed else "-1", high)


def _from_float(writer: Writer, depth: int) -> Expression:
    """A float converted to an integer type, behind a guard."""
    if not (writer.float_types() and writer.has("float_to_int")):
        return _cast(writer, depth)
    type_ = writer.integer_type()
    operand = floating(writer, depth)
    if type_ is BOOL:
        return Expression(f"((_Bool){operand.text})", BOOL)
    name = f"to_{type_.name.replace(' ', '_')}_from_{operand.type.name.replace(' ', '_')}"
    low, high = _float_range(type_)
    writer.helper(name, f"static {type_} {name}({operand.type} x) {{ return x > {low} && x < {high} ? ({type_})x : 7; }}")
    return Expression(f"{name}({operand.text})", type_)


def _ranged_float(writer: Writer, type_: Arithmetic) -> str:
    """A float expression whose value is in the range of the type."""
    places = writer.places(floats=True)
    if not places or not writer.has("float_to_int"):
        return writer.pick(("1.75", "0.5f", "99.999"))
    place = writer.pick(places).text
    low, high = _float_range(type_)
    return f"({place} > {low} && {place} < {high} ? {place} : 3.5)"


def _call(writer: Writer, depth: int) -> Expression:
    callable_ = [f for f in writer.functions if f.is_pure and not f.result.is_float and writer.affordable(f.cost)]
    if not callable_ or writer.at_file_scope:
        return _binary(writer, depth)
    function = writer.pick(callable_)
    writer.cost += function.cost * writer.weight
    arguments = ", ".join(value_for(writer, each, min(depth, 1)) for each in function.parameters)
    return Expression(f"{function.name}({arguments})", function.result)


def _statement_expression(writer: Writer, depth: int) -> Expression:
    if not writer.has("statement_expressions") or writer.at_file_scope:
        return _conditional(writer, depth)
    type_ = writer.integer_type()
    name = writer.name("t")
    inner = integer(writer, depth).text
    body = writer.pick((f"{name} ^ 5", f"{name} * {name}", f"if ({name} > 3) {name} -= 3; {name}", f"{name}++; {name} + 1"))
    return Expression(f"({{ {type_} {name} = {inner}; {body}; }})", INT if type_.rank < 3 else type_)


def _generic(writer: Writer, depth: int) -> Expression:
    """The type of an expression, as a number."""
    if not writer.has("generic") or writer.chance(70) or any(place.is_bit_field for place in writer.places()):
        return _comparison(writer, depth)  # gcc and clang have different types for long bit-fields of the width of int
    cases = "int: 1, unsigned: 2, long: 3, unsigned long: 4, long long: 5, unsigned long long: 6, default: 7"
    writer.helper("TYPE", f"#define TYPE(e) _Generic(e, {cases})")
    return Expression(f"TYPE(+{integer(writer, depth).text})", INT)


def _builtin(writer: Writer, depth: int) -> Expression:
    """Functions of one integer that gcc knows."""
    if not writer.has("builtins"):
        return _binary(writer, depth)
    x = integer(writer, depth).text
    name, type_, argument = writer.pick(
        (
            ("__builtin_popcount", INT, x),
            ("__builtin_popcountll", INT, x),
            ("__builtin_parity", INT, x),
            ("__builtin_ffs", INT, x),
            ("__builtin_ffsll", INT, x),
            ("__builtin_clz", INT, f"{x} | 1"),
            ("__builtin_clzll", INT, f"{x} | 1"),
            ("__builtin_ctz", INT, f"{x} | 256"),
            ("__builtin_ctzll", INT, f"{x} | 1uLL << 40"),
            ("__builtin_bswap16", UINT, x),
            ("__builtin_bswap32", UINT, x),
            ("__builtin_bswap64", ULLONG, x),
            ("__builtin_expect", LONG, f"{x}, 0"),
            ("__builtin_abs", INT, f"(short)({x})"),
            ("__builtin_llabs", LLONG, f"(int)({x})"),
        )
    )
    if name == "__builtin_popcount" and not writer.at_file_scope and writer.chance(40):
        kind, number = writer.pick((INT, UINT, LONG, SHORT, ULLONG)), writer.name("t")
        operation = writer.pick(("add", "sub", "mul"))
        call = f"__builtin_{operation}_overflow({x}, {integer(writer, depth).text}, &{number})"
        return Expression(f"({{ {kind} {number}; {call} ? {number} + 1 : {number}; }})", kind.promoted)
    return Expression(f"{name}({argument})", INT if name == "__builtin_bswap16" else type_)


def _classification(writer: Writer, depth: int) -> Expression:
    """What kind of float a value is."""
    if not (writer.float_types() and writer.has("math")) or writer.at_file_scope:
        return _comparison(writer, depth)
    writer.header("math.h")
    x, y = floating(writer, depth).text, floating(writer, depth).text
    forms = (
        f"!!isnan({x})",
        f"!!isinf({x})",
        f"!!isfinite({x})",
        f"isless({x}, {y})",
        f"isunordered({x}, {y})",
        f"!!signbit({x} == {x} ? {x} : 1)",
        f"!!isnormal({x})",
    )
    return Expression(f"({writer.pick(forms)})", INT)


_INTEGER_FORMS = (
    lambda writer, depth: _integer_leaf(writer),
    _binary,
    _binary,
    _comparison,
    _unary,
    _logical,
    _shift,
    _division,
    _cast,
    _conditional,
    _comma,
    _from_float,
    _call,
    _statement_expression,
    _generic,
    _builtin,
    _classification,
)


def _float_binary(writer: Writer, depth: int) -> Expression:
    operator = writer.pick(("+", "-", "*", "/"))
    left = floating(writer, depth)
    right = arithmetic(writer, depth)
    if operator == "-" and (not right.type.is_float or right.text.startswith(("((float)", "((double)", "((long"))):
        # gcc 12 computes `0.0 - i` as `-(double)i`, which is -0.0 for i == 0, even with -O0
        left, right = right, left
    # an integer zero divisor is converted to a float: defined by IEEE 754
    return Expression(f"({left.text} {operator} {right.text})", common(left.type, right.type))


def _float_unary(writer: Writer, depth: int) -> Expression:
    operand = floating(writer, depth)
    return Expression(f"({writer.pick(('-', '+'))}{operand.text})", operand.type)


def _float_cast(writer: Writer, depth: int) -> Expression:
    type_ = writer.pick(writer.float_types())
    return Expression(f"(({type_}){arithmetic(writer, depth).text})", type_)


def _float_conditional(writer: Writer, depth: int) -> Expression:
    left, right = floating(writer, depth), arithmetic(writer, depth)
    return Expression(f"({condition(writer, depth)} ? {left.text} : {right.text})", common(left.type, right.type))


def _float_call(writer: Writer, depth: int) -> Expression:
    callable_ = [f for f in writer.functions if f.is_pure and f.result.is_float and writer.affordable(f.cost)]
    if not callable_ or writer.at_file_scope:
        return _float_binary(writer, depth)
    function = writer.pick(callable_)
    writer.cost += function.cost * writer.weight
    arguments = ", ".join(value_for(writer, each, min(depth, 1)) for each in function.parameters)
    return Expression(f"{function.name}({arguments})", function.result)


def _float_math(writer: Writer, depth: int) -> Expression:
    """The functions of math.h whose result IEEE 754 fixes."""
    if not writer.has("math") or writer.at_file_scope:
        return _float_binary(writer, depth)
    writer.header("math.h")
    suffix, type_ = writer.pick(
        (("", DOUBLE), ("f", FLOAT), ("l", LDOUBLE)) if writer.has("long_double") else (("", DOUBLE), ("f", FLOAT))
    )
    name = writer.pick(("fabs", "floor", "ceil", "trunc", "sqrt", "round", "rint", "fmax", "fmin", "fmod", "copysign"))
    first = floating(writer, depth).text
    if name in ("fmax", "fmin"):  # of 0.0 and -0.0 and of NaN they may return either
        first, second = f"{first} + 1.5{suffix}", "3.25"
        return Expression(f"{name}{suffix}({first}, {second})", type_)
    if name == "copysign":  # the sign of a NaN is not fixed
        value = writer.pick(("-1.0", "1.0", "-0.0"))
        return Expression(f"{name}{suffix}({first}, {value})", type_)
    if name == "fmod":
        return Expression(f"{name}{suffix}({first}, {floating(writer, depth).text})", type_)
    return Expression(f"{name}{suffix}({first})", type_)


_FLOAT_FORMS = (
    _float_binary,
    _float_binary,
    _float_unary,
    _float_cast,
    _float_conditional,
    _float_call,
    _float_math,
    _float_math,
)
