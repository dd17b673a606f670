"""What each operator means: one table of Python source templates.

Constant folding, of expressions and of terms, and the interpreter's code generation read this table, so
an operator has one definition. In the generated code a bit-vector is its unsigned value, a float its
bit pattern, a Boolean a Python bool. `and`, `or` and `ite` evaluate only the operands that matter;
every other template evaluates each operand exactly once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from drystone.logic.slots import slots
from drystone.logic.sorts import BitVec, Bool, Float, Sort

Names = dict[str, object]
"""The globals that generated code runs with."""

# Fields of a template: {a} {b} {c} operands; {mask} {sign} {width} of the first operand's bit-vector sort;
# {result} {result_width} the mask and width of the result's; {format} {result_format} arithmetic of a float sort.
TEMPLATES: dict[str, str] = {
    "not": "(not {a})",
    "and": "({a} and {b})",
    "or": "({a} or {b})",
    "ite": "({b} if {a} else {c})",
    "=": "({a} == {b})",
    "bvadd": "({a} + {b} & {mask})",
    "bvsub": "({a} - {b} & {mask})",
    "bvmul": "({a} * {b} & {mask})",
    "scale": "({a} * {b} & {mask})",
    "bvudiv": "unsigned_quotient({a}, {b}, {mask})",
    "bvurem": "unsigned_remainder({a}, {b})",
    "bvsdiv": "signed_quotient({a}, {b}, {sign}, {mask})",
    "bvsrem": "signed_remainder({a}, {b}, {sign}, {mask})",
    "bvand": "({a} & {b})",
    "bvor": "({a} | {b})",
    "bvxor": "({a} ^ {b})",
    "bvshl": "shift_left({a}, {b}, {width}, {mask})",
    "bvlshr": "({a} >> {b})",
    "bvashr": "(({a} ^ {sign}) - {sign} >> {b} & {mask})",
    "bvneg": "(-{a} & {mask})",
    "bvnot": "({a} ^ {mask})",
    "bvult": "({a} < {b})",
    "bvule": "({a} <= {b})",
    "bvslt": "(({a} ^ {sign}) < ({b} ^ {sign}))",
    "bvsle": "(({a} ^ {sign}) <= ({b} ^ {sign}))",
    "zero_extend": "{a}",
    "sign_extend": "(({a} ^ {sign}) - {sign} & {result})",
    "truncate": "({a} & {result})",
    "position": "{a}",
    "pointer": "{a}",
    "shadow": "({a} | 1 << 64)",
    "slot": "({a} >> {slot_bits})",
    "slot_base": "({a} & {slot_mask} | {slot_begin})",
    "fp.add": "{format}.add({a}, {b})",
    "fp.sub": "{format}.sub({a}, {b})",
    "fp.mul": "{format}.mul({a}, {b})",
    "fp.div": "{format}.div({a}, {b})",
    "fp.fmod": "{format}.fmod({a}, {b})",
    "fp.sqrt": "{format}.sqrt({a})",
    "fp.neg": "{format}.neg({a})",
    "fp.abs": "{format}.abs({a})",
    "fp.eq": "{format}.eq({a}, {b})",
    "fp.lt": "{format}.lt({a}, {b})",
    "fp.leq": "{format}.leq({a}, {b})",
    "fp.isNaN": "{format}.is_nan({a})",
    "fp.isInfinite": "{format}.is_infinite({a})",
    "fp.floor": "{format}.floor({a})",
    "fp.ceil": "{format}.ceil({a})",
    "fp.trunc": "{format}.trunc({a})",
    "fp.round": "{format}.round({a})",
    "fp.rint": "{format}.rint({a})",
    "fp.to_fp": "{result_format}.from_format({format}, {a})",
    "fp.from_sbv": "{result_format}.from_integer(({a} ^ {sign}) - {sign})",
    "fp.from_ubv": "{result_format}.from_integer({a})",
    "fp.to_sbv": "{format}.to_signed({a}, {result_width})",
    "fp.to_ubv": "{format}.to_unsigned({a}, {result_width})",
    "fp.from_bits": "{a}",
    "fp.to_bits": "{a}",
}


def unsigned_quotient(a: int, b: int, mask: int) -> int:
    return a // b if b else mask


def unsigned_remainder(a: int, b: int) -> int:
    return a % b if b else a


def signed(value: int, width: int) -> int:
    """The number that the low `width` bits are in two's complement."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> width - 1 else value


def signed_quotient(a: int, b: int, sign: int, mask: int) -> int:
    x, y = (a ^ sign) - sign, (b ^ sign) - sign
    if y == 0:
        return mask if x >= 0 else 1
    quotient = abs(x) // abs(y)
    return (quotient if (x < 0) == (y < 0) else -quotient) & mask


def signed_remainder(a: int, b: int, sign: int, mask: int) -> int:
    x, y = (a ^ sign) - sign, (b ^ sign) - sign
    if y == 0:
        return a
    remainder = abs(x) % abs(y)
    return (remainder if x >= 0 else -remainder) & mask


def shift_left(a: int, b: int, width: int, mask: int) -> int:
    return a << b & mask if b < width else 0


def names() -> Names:
    """A fresh set of globals for generated code; `source` adds the float formats it needs."""
    return {
        "unsigned_quotient": unsigned_quotient,
        "unsigned_remainder": unsigned_remainder,
        "signed_quotient": signed_quotient,
        "signed_remainder": signed_remainder,
        "shift_left": shift_left,
    }


def source(operator: str, sort: Sort, operands: Sequence[Sort], texts: Sequence[str], names: Names) -> str:
    """Python text that applies `operator`, with result `sort`, to operands given as Python text (digits for a constant)."""
    first = operands[0]
    fields: dict[str, object] = dict(zip("abc", texts, strict=False))
    if isinstance(first, BitVec):
        width = first.width
        mask, sign = (1 << width) - 1, 1 << width - 1
        special = _SPECIAL.get(operator)
        if special is not None and len(texts) == 2 and texts[1].isdigit():
            text = special(texts[0], int(texts[1]), width)
            if text is not None:
                return text
        fields |= {"mask": mask, "sign": sign, "width": width}
        if operator in ("slot", "slot_base"):
            known = slots(width)
            in_slot = (1 << known.bits) - 1
            fields |= {"slot_bits": known.bits, "slot_mask": mask ^ in_slot, "slot_begin": known.begin}
    elif isinstance(first, Float):
        fields["format"] = format_name(first, names)
    if isinstance(sort, BitVec):
        fields |= {"result": (1 << sort.width) - 1, "result_width": sort.width}
    elif isinstance(sort, Float):
        fields["result_format"] = format_name(sort, names)
    return TEMPLATES[operator].format_map(fields)


def format_name(sort: Float, names: Names) -> str:
    """The name under which generated code finds the arithmetic of a float sort."""
    name = f"float_{sort.exponent}_{sort.significand}"
    if name not in names:
        from drystone.logic.floats import arithmetic  # most programs compute no floats

        names[name] = arithmetic(sort)
    return name


# Shorter text where the second operand is a known number; None: use the template.
_SPECIAL: dict[str, Callable[[str, int, int], str | None]] = {
    "bvslt": lambda a, k, width: f"(({a} ^ {1 << width - 1}) < {k ^ 1 << width - 1})",
    "bvsle": lambda a, k, width: f"(({a} ^ {1 << width - 1}) <= {k ^ 1 << width - 1})",
    "bvudiv": lambda a, k, width: f"({a} // {k})" if k else None,
    "bvurem": lambda a, k, width: f"({a} % {k})" if k else None,
    "bvshl": lambda a, k, width: f"({a} << {k} & {(1 << width) - 1})" if k < width else None,
}


@cache
def function(operator: str, sort: Sort, operands: tuple[Sort, ...]) -> Callable[..., int]:
    """The operator as a Python function on values, compiled once for these sorts."""
    environment = names()
    parameters = "abc"[: len(operands)]
    text = source(operator, sort, operands, parameters, environment)
    if isinstance(sort, Bool):
        text = f"int({text})"
    compiled: Callable[..., int] = eval(f"lambda {', '.join(parameters)}: {text}", environment)
    return compiled
