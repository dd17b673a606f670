"""Constructors of expressions that fold constants and apply cheap local rewrites.

Terms have rewrites of their own (`logic.rules`), with another normal form: here the program stays as it was written, there what
is equal becomes the same term. Both fold by `logic.semantics` and use the laws of `logic.algebra`.

Every rewrite is an equivalence on all values (expressions are total), and looks at most two levels
down. Constants go to the right of commutative operators. A negation stays a `not`: the two branches of a location
must be recognisable as `c` and `not c` (`ir.automaton`), so comparisons are not mirrored.
"""

from __future__ import annotations

from collections.abc import Callable

from drystone.ir.expressions import FALSE, TRUE, Apply, Constant, Expression, apply
from drystone.logic import semantics
from drystone.logic.algebra import EXTENSIONS, LAWS, LOW_BITS
from drystone.logic.sorts import BOOL, BitVec, Bool, Float, Sort, bitvec


def make(operator: str, sort: Sort, *arguments: Expression) -> Expression:
    """The expression `operator(arguments)` of this sort, simplified."""
    for argument in arguments:
        if type(argument) is not Constant:
            break
    else:
        if operator != "shadow":  # which lies at no number
            return _fold(operator, sort, arguments)
    rule = _RULES.get(operator)
    if rule is not None:
        rewritten = rule(sort, *arguments)
        if rewritten is not None:
            return rewritten
    return apply(operator, sort, *arguments)


def negate(condition: Expression) -> Expression:
    """`not condition`."""
    if type(condition) is Apply and condition.operator == "not":
        return condition.arguments[0]
    if type(condition) is Constant:
        return FALSE if condition.value else TRUE
    return apply("not", BOOL, condition)


def truth(expression: Expression) -> Expression:
    """The Bool that C takes a scalar for: is it unequal to zero?"""
    sort = expression.sort
    if type(sort) is BitVec:
        return negate(make("=", BOOL, expression, Constant(sort, 0)))
    if type(sort) is Bool:
        return expression
    return negate(make("fp.eq", BOOL, expression, Constant(sort, 0)))


def as_bits(condition: Expression, width: int) -> Expression:
    """A Bool as the number 1 or 0."""
    sort = bitvec(width)
    return make("ite", sort, condition, Constant(sort, 1), Constant(sort, 0))


def coerce(expression: Expression, sort: Sort) -> Expression | None:
    """A value passed where another sort is expected (a call that does not match its callee); None: nothing of it survives."""
    given = expression.sort
    if given == sort:
        return expression
    if isinstance(given, Bool):
        return as_bits(expression, sort.width) if isinstance(sort, BitVec) else None
    if isinstance(sort, Bool):
        return truth(expression)
    if isinstance(given, BitVec):
        if isinstance(sort, BitVec):
            return make("truncate" if sort.width < given.width else "zero_extend", sort, expression)
        if isinstance(sort, Float) and sort.width == given.width:
            return make("fp.from_bits", sort, expression)
    elif isinstance(given, Float) and isinstance(sort, BitVec) and sort.width == given.width:
        return make("fp.to_bits", sort, expression)
    return None


def _fold(operator: str, sort: Sort, arguments: tuple[Expression, ...]) -> Constant:
    function = semantics.function(operator, sort, tuple([argument.sort for argument in arguments]))
    value = function(*[argument.value for argument in arguments])  # type: ignore[union-attr]
    if sort is BOOL or type(sort) is Bool:
        return TRUE if value else FALSE
    return Constant(sort, value)


# Below, one rule per operator: the simplified expression, or None to build the plain node. Not all arguments are constants.


def _not(sort: Sort, a: Expression) -> Expression | None:
    return negate(a) if type(a) is Apply and a.operator == "not" else None


def _and(sort: Sort, a: Expression, b: Expression) -> Expression | None:
    if type(a) is Constant:
        return b if a.value else a
    if type(b) is Constant:
        return a if b.value else b
    if a == b:
        return a
    return FALSE if _opposite(a, b) else None


def _or(sort: Sort, a: Expression, b: Expression) -> Expression | None:
    if type(a) is Constant:
        return a if a.value else b
    if type(b) is Constant:
        return b if b.value else a
    if a == b:
        return a
    return TRUE if _opposite(a, b) else None


def _opposite(a: Expression, b: Expression) -> bool:
    if type(a) is Apply and a.operator == "not" and a.arguments[0] == b:
        return True
    return type(b) is Apply and b.operator == "not" and b.arguments[0] == a


def _ite(sort: Sort, c: Expression, a: Expression, b: Expression) -> Expression | None:
    if type(c) is Constant:
        return a if c.value else b
    if a == b:
        return a
    if type(c) is Apply and c.operator == "not":
        return make("ite", sort, c.arguments[0], b, a)
    if type(sort) is Bool:
        if type(a) is Constant:
            return make("or", BOOL, c, b) if a.value else make("and", BOOL, negate(c), b)
        if type(b) is Constant:
            return make("or", BOOL, negate(c), a) if b.value else make("and", BOOL, c, a)
    if type(a) is Apply and a.operator == "ite" and a.arguments[0] == c:
        return make("ite", sort, c, a.arguments[1], b)
    if type(b) is Apply and b.operator == "ite" and b.arguments[0] == c:
        return make("ite", sort, c, a, b.arguments[2])
    return None


def _equal(sort: Sort, a: Expression, b: Expression) -> Expression | None:
    if type(a) is Constant:
        a, b = b, a
        swapped = True
    else:
        swapped = False
    if type(b) is Constant:
        if type(b.sort) is Bool:
            return a if b.value else negate(a)
        if type(a) is Apply:
            rewritten = _equal_to_constant(a, b)
            if rewritten is not None:
                return rewritten
        return apply("=", BOOL, a, b) if swapped else None
    if a == b:
        return TRUE
    if type(a) is Apply and type(b) is Apply and a.operator == b.operator and a.operator in EXTENSIONS:
        x, y = a.arguments[0], b.arguments[0]
        if x.sort == y.sort:
            return make("=", BOOL, x, y)
    return None


def _equal_to_constant(a: Apply, b: Constant) -> Expression | None:
    """`a = b` where a compares, extends or shifts by a constant."""
    operator, inner = a.operator, a.arguments[0]
    if operator == "ite":
        return _compare_arms("=", a, b, False)
    if operator in EXTENSIONS:
        narrow = _fold("truncate", inner.sort, (b,))
        if _fold(operator, b.sort, (narrow,)).value != b.value:
            return FALSE
        return make("=", BOOL, inner, narrow)
    if operator == "bvadd" or operator == "bvxor":
        offset = a.arguments[1]
        if type(offset) is Constant:
            return make("=", BOOL, inner, _fold("bvsub" if operator == "bvadd" else "bvxor", b.sort, (b, offset)))
    elif operator == "bvneg" or operator == "bvnot":
        return make("=", BOOL, inner, _fold(operator, b.sort, (b,)))
    return None


def _compare_arms(operator: str, choice: Apply, other: Constant, other_first: bool) -> Expression | None:
    """A comparison of `ite(c, k1, k2)` with a constant, as a condition on c."""
    c, a, b = choice.arguments
    if type(a) is not Constant or type(b) is not Constant:
        return None
    arms = [_fold(operator, BOOL, (other, arm) if other_first else (arm, other)) for arm in (a, b)]
    return make("ite", BOOL, c, *arms)


def _comparison(operator: str) -> Callable[..., Expression | None]:
    strict = operator in ("bvult", "bvslt")
    signed = operator in ("bvslt", "bvsle")

    def rule(sort: Sort, a: Expression, b: Expression) -> Expression | None:
        if type(b) is Constant:
            if type(a) is Apply and a.operator == "ite":
                return _compare_arms(operator, a, b, False)
            least, greatest = _range(b.sort, signed)
            if strict and b.value == least:
                return FALSE
            if not strict and b.value == greatest:
                return TRUE
            return None
        if type(a) is Constant:
            if type(b) is Apply and b.operator == "ite":
                return _compare_arms(operator, b, a, True)
            least, greatest = _range(a.sort, signed)
            if strict and a.value == greatest:
                return FALSE
            if not strict and a.value == least:
                return TRUE
            return None
        if a == b:
            return FALSE if strict else TRUE
        if type(a) is Apply and type(b) is Apply and a.operator == b.operator and a.operator in EXTENSIONS:
            x, y = a.arguments[0], b.arguments[0]
            if x.sort == y.sort:  # both extensions keep the unsigned order; zero-extended values have no other
                narrow = operator if a.operator == "sign_extend" or not signed else operator.replace("bvs", "bvu")
                return make(narrow, BOOL, x, y)
        return None

    return rule


def _range(sort: Sort, signed: bool) -> tuple[int, int]:
    """The patterns of the least and the greatest value."""
    width = sort.width  # type: ignore[union-attr]
    if signed:
        return 1 << (width - 1), (1 << (width - 1)) - 1
    return 0, (1 << width) - 1


def _associative(operator: str) -> Callable[..., Expression | None]:
    """An operator of `LAWS`: constants go to the right and are joined."""
    neutral, absorbing, same, is_idempotent = LAWS[operator]

    def rule(sort: Sort, a: Expression, b: Expression) -> Expression | None:
        if type(a) is Constant:
            return make(operator, sort, b, a)
        if type(b) is Constant:
            value = b.value
            if value == neutral:
                return a
            if value == absorbing:
                return b
            if is_idempotent and value == (1 << sort.width) - 1:  # type: ignore[union-attr]  # the -1 of the law
                return a if neutral == -1 else b
            if type(a) is Apply and a.operator == operator and type(a.arguments[1]) is Constant:
                return make(operator, sort, a.arguments[0], _fold(operator, sort, (a.arguments[1], b)))
            return None
        if is_idempotent:
            return a if a == b else None
        return Constant(sort, same) if same is not None and a == b else None

    return rule


def _sub(sort: Sort, a: Expression, b: Expression) -> Expression | None:
    if type(b) is Constant:
        return make("bvadd", sort, a, _fold("bvneg", sort, (b,)))
    if type(a) is Constant and a.value == 0:
        return make("bvneg", sort, b)
    return Constant(sort, 0) if a == b else None


def _divide(sort: Sort, a: Expression, b: Expression) -> Expression | None:
    return a if type(b) is Constant and b.value == 1 else None


def _remainder(sort: Sort, a: Expression, b: Expression) -> Expression | None:
    return Constant(sort, 0) if type(b) is Constant and b.value == 1 else None


def _shift(sort: Sort, a: Expression, b: Expression) -> Expression | None:
    """bvshl and bvlshr."""
    if type(b) is Constant:
        if b.value == 0:
            return a
        if b.value >= sort.width:  # type: ignore[union-attr]
            return Constant(sort, 0)
    elif type(a) is Constant and a.value == 0:
        return a
    return None


def _arithmetic_shift(sort: Sort, a: Expression, b: Expression) -> Expression | None:
    return a if (type(b) is Constant and b.value == 0) or (type(a) is Constant and a.value == 0) else None


def _involution(operator: str) -> Callable[..., Expression | None]:
    """bvneg, bvnot, fp.neg: applied twice they are nothing."""

    def rule(sort: Sort, a: Expression) -> Expression | None:
        if type(a) is Apply:
            if a.operator == operator:
                return a.arguments[0]
            if a.operator == "ite":
                return _into_arms(operator, sort, a)
        return None

    return rule


def _into_arms(operator: str, sort: Sort, choice: Apply) -> Expression | None:
    """A unary operator moves into `ite(c, k1, k2)`."""
    c, a, b = choice.arguments
    if type(a) is Constant and type(b) is Constant:
        return make("ite", sort, c, _fold(operator, sort, (a,)), _fold(operator, sort, (b,)))
    return None


def _extension(operator: str) -> Callable[..., Expression | None]:
    def rule(sort: Sort, a: Expression) -> Expression | None:
        if type(a) is not Apply:
            return a if a.sort == sort else None
        if a.operator == operator or a.operator == "zero_extend":  # above a zero extension the sign bit is 0
            return make(a.operator, sort, a.arguments[0])
        if a.operator == "ite":
            moved = _into_arms(operator, sort, a)
            if moved is not None:
                return moved
        return a if a.sort == sort else None

    return rule


def _truncate(sort: Sort, a: Expression) -> Expression | None:
    if type(a) is Apply:
        width: int = sort.width  # type: ignore[union-attr]
        operator = a.operator
        if operator == "truncate":
            return make("truncate", sort, a.arguments[0])
        if operator in EXTENSIONS:
            return _resized(a, operator, width)
        if operator in LOW_BITS:  # the low bits of the result depend on the low bits of the operands only
            if all(_fits(x, width) for x in a.arguments):
                return make(operator, sort, *[make("truncate", sort, x) for x in a.arguments])
        elif operator == "ite":
            moved = _into_arms("truncate", sort, a)
            if moved is not None:
                return moved
    return a if a.sort == sort else None


def _fits(a: Expression, width: int) -> bool:
    """Is `a` a constant or extended from at most `width` bits, so that truncating it makes it simpler?"""
    if type(a) is Apply and a.operator in EXTENSIONS:
        return bool(a.arguments[0].sort.width <= width)  # type: ignore[union-attr]
    return type(a) is Constant


def _resized(a: Apply, operator: str, width: int) -> Expression:
    """The low `width` bits of an extension."""
    inner = a.arguments[0]
    given: int = inner.sort.width  # type: ignore[union-attr]
    if given == width:
        return inner
    return make("truncate" if width < given else operator, bitvec(width), inner)


def _absolute(sort: Sort, a: Expression) -> Expression | None:
    return make("fp.abs", sort, a.arguments[0]) if type(a) is Apply and a.operator in ("fp.neg", "fp.abs") else None


def _to_bits(sort: Sort, a: Expression) -> Expression | None:
    return a.arguments[0] if type(a) is Apply and a.operator == "fp.from_bits" else None


def _from_bits(sort: Sort, a: Expression) -> Expression | None:
    return a.arguments[0] if type(a) is Apply and a.operator == "fp.to_bits" and a.arguments[0].sort == sort else None


def _to_format(sort: Sort, a: Expression) -> Expression | None:
    return a if a.sort == sort else None


_RULES: dict[str, Callable[..., Expression | None]] = {
    "not": _not,
    "and": _and,
    "or": _or,
    "ite": _ite,
    "=": _equal,
    **{operator: _associative(operator) for operator in LAWS},
    "bvsub": _sub,
    "bvudiv": _divide,
    "bvurem": _remainder,
    "bvsdiv": _divide,
    "bvshl": _shift,
    "bvlshr": _shift,
    "bvashr": _arithmetic_shift,
    "bvneg": _involution("bvneg"),
    "bvnot": _involution("bvnot"),
    "bvult": _comparison("bvult"),
    "bvule": _comparison("bvule"),
    "bvslt": _comparison("bvslt"),
    "bvsle": _comparison("bvsle"),
    "zero_extend": _extension("zero_extend"),
    "sign_extend": _extension("sign_extend"),
    "truncate": _truncate,
    "fp.neg": _involution("fp.neg"),
    "fp.abs": _absolute,
    "fp.to_fp": _to_format,
    "fp.to_bits": _to_bits,
    "fp.from_bits": _from_bits,
}
