"""What the form of an expression says about pointers: distances, flags in low bits, numbers that are no address."""

from __future__ import annotations

from math import gcd

from drystone.ir.expressions import Address, Apply, Constant, Expression, Input, Load, Variable
from drystone.ir.operations import Assign, Assume, Declare, Operation, Report, Skip
from drystone.logic.sorts import BitVec

FLAGS = 16  # objects are aligned to this: numbers below it change where in its object a pointer points, at most
NOWHERE = 4096  # no object has an address below it, nor one of so many at the other end
FAR = 1 << 16  # no field is so far from its object's start
COMPARISONS = frozenset(("=", "bvult", "bvule", "bvslt", "bvsle"))


class Forms:
    """Where pointers have so many bits."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.bytes = width // 8
        self._mask = (1 << width) - 1

    def is_wide(self, expression: Expression) -> bool:
        width = getattr(expression.sort, "width", 0)
        return bool(width >= self.width)

    def distance(self, constant: Constant) -> int:
        """As a signed number of the width of a pointer; what is wider is cut when it becomes one."""
        distance = constant.value & self._mask
        return distance - (self._mask + 1) if distance > self._mask >> 1 else distance

    def is_nowhere(self, expression: Expression) -> bool:
        """Is it NULL, or another number that is no object's address?"""
        return isinstance(expression, Constant) and abs(self.distance(expression)) < NOWHERE

    def can_be_bound(self, address: Expression) -> bool:
        """Would `bind` make `cell` give an answer?"""
        match address:
            case Variable() | Load():
                return self.is_wide(address)
            case Apply("ite", _, (_, first, second)):
                return self.can_be_bound(first) or self.can_be_bound(second)
            case Apply("bvadd", _, (base, Constant() as constant)):
                return abs(self.distance(constant)) < FAR and self.can_be_bound(base)
            case Apply("bvadd", _, (base, distance)) if is_scaled(distance):
                return self.can_be_bound(base)
            case Apply("zero_extend" | "sign_extend", _, (base,)):
                return self.can_be_bound(base)
            case Apply(_, _, (base, Constant())) if is_flagging(address):
                return self.can_be_bound(base)
            case _:
                return False

    def matters(self, operation: Operation) -> bool:
        """Can it move a pointer, expose something or access memory? Most operations on numbers cannot."""
        match operation:
            case Assign(_, value):
                return self.is_wide(value) or self._has_wide_part(value)
            case Assume(condition):
                return self._has_wide_part(condition)
            case _:
                return not isinstance(operation, (Declare, Skip, Report))

    def moves_nothing(self, operation: Operation) -> bool:
        """Can it tell only what is done with pointers that others move: that one is compared, or that it may be a number?"""
        match operation:
            case Assign(_, value):
                return self._is_number(value)
            case Assume(condition):
                return self._is_number(condition)
            case _:
                return False

    def _is_number(self, expression: Expression) -> bool:
        """Does `Values.cell` never find a pointer in it, and `Values.bind` nothing that could hold one?"""
        match expression:
            case Constant() | Input():
                return True
            case Variable():
                return not self.is_wide(expression)
            case Apply(operator, _, arguments) if operator in COMPARISONS:
                return all(isinstance(each, (Variable, Address)) or self._is_number(each) for each in arguments)
            case Apply():
                return all(map(self._is_number, expression.arguments))
            case _:
                return False

    def _has_wide_part(self, expression: Expression) -> bool:
        """Does it read memory, or make something narrower of what may be a pointer?"""
        match expression:
            case Load():
                return True
            case Apply("=", _, (first, second)) if self.is_nowhere(first) or self.is_nowhere(second):
                return self._has_wide_part(first) or self._has_wide_part(second)
            case Apply():
                return any(self.is_wide(each) or self._has_wide_part(each) for each in expression.arguments)
            case _:
                return False


def is_scaled(expression: Expression) -> bool:
    """Is it a distance that C computed from an index?"""
    match expression:
        case Apply("scale"):
            return True
        case Apply("bvneg", _, (inner,)):
            return is_scaled(inner)
        case _:
            return False


def is_flagging(expression: Expression) -> bool:
    """Does it set, change or clear flags in the low bits of a pointer?"""
    return 0 < flags_below(expression) <= FLAGS


def flags_below(expression: Expression) -> int:
    """The flags lie in a number below it; 0: there are none."""
    match expression:
        case Apply("bvor" | "bvxor", _, (_, Constant(_, value))):
            return 1 << value.bit_length()
        case Apply("bvand", BitVec(width), (_, Constant(_, value))):
            return (1 << width) - value
        case _:
            return 0


def is_static(address: Expression) -> bool:
    """Is it the address of a named object, plus a constant?"""
    if isinstance(address, Apply) and address.operator == "shadow":
        address = address.arguments[0]
    if isinstance(address, Address):
        return True
    return (
        isinstance(address, Apply)
        and address.operator == "bvadd"
        and isinstance(address.arguments[0], Address)
        and isinstance(address.arguments[1], Constant)
    )


def is_zero(expression: Expression) -> bool:
    return isinstance(expression, Constant) and expression.value == 0


def is_positive(expression: Expression) -> bool:
    return isinstance(expression, Constant) and expression.value > 0


def multiple_of(expression: Expression) -> int:
    """A number that divides the expression's value (0: it is 0).

    Products may wrap around, after which only powers of two are sure to divide them; scaled indices do not wrap.
    """
    match expression:
        case Constant(_, value):
            return value & -value
        case Apply("scale", _, (index, Constant(_, size))):
            return multiple_of(index) * size
        case Apply("bvmul" | "scale", _, (first, second)):
            return multiple_of(first) * multiple_of(second)
        case Apply("bvshl", _, (first, Constant(_, amount))):
            return multiple_of(first) << amount
        case Apply("bvadd" | "bvsub", _, (first, second)):
            return gcd(multiple_of(first), multiple_of(second))
        case Apply("bvneg", _, (inner,)):
            return multiple_of(inner)
        case Apply("ite", _, (_, first, second)):
            return gcd(multiple_of(first), multiple_of(second))
        case _:
            return 1
