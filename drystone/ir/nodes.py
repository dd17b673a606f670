"""Expressions with shared parts: built without duplicates, walked without recursion.

The expressions of a program are small trees. What is computed from them (weakest preconditions) is not: as trees these
may be exponentially large and arbitrarily deep. `Nodes` makes equal nodes one object, so that equality is identity and memory is
the number of distinct nodes. A table serves one computation; there is no global one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from drystone.ir.expressions import FALSE, TRUE, Apply, Constant, Expression, Input, Load, Variable, apply
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL, Sort


class TooManyNodes(Exception):
    """A computation was given up because its result has too many distinct nodes."""


def subexpressions(expression: Expression, is_left_out: Callable[[Expression], bool] | None = None) -> Iterator[Expression]:
    """The expression and its parts, each object once, without those that are left out."""
    seen = {id(expression)}
    stack = [expression]
    while stack:
        node = stack.pop()
        if is_left_out is not None and is_left_out(node):
            continue
        yield node
        for part in _parts(node):
            if id(part) not in seen:
                seen.add(id(part))
                stack.append(part)


def _parts(node: Expression) -> tuple[Expression, ...]:
    if isinstance(node, Apply):
        return node.arguments
    return (node.address,) if isinstance(node, Load) else ()


class Nodes:
    """A table of nodes over variables, constants, addresses and inputs; arguments of all methods but `imported` are its own."""

    def __init__(self, max_nodes: int) -> None:
        self.max_nodes = max_nodes
        self._table: dict[tuple[object, ...], Expression] = {}
        self._bits: dict[str, int] = {}  # per variable one bit
        self._variables: dict[int, int] = {}  # by identity of a node: the bits of the variables in it

    def imported(self, expression: Expression, rename: Callable[[Input], Input] | None = None) -> Expression:
        """The same expression in this table, its inputs renamed."""

        def leaf(node: Expression) -> Expression:
            renamed = rename(node) if rename is not None and isinstance(node, Input) else node
            bit = 1 << self._bits.setdefault(renamed.name, len(self._bits)) if isinstance(renamed, Variable) else 0
            key = (Variable, renamed.name) if isinstance(renamed, Variable) else (renamed,)
            return self._entered(key, renamed, bit)

        return self._rebuilt(expression, leaf, lambda node: True)

    def substituted(self, expression: Expression, variable: str, value: Expression) -> Expression:
        """`expression[value/variable]`; visits only nodes that contain the variable, each once."""
        position = self._bits.get(variable)
        if position is None:
            return expression
        bit, bits = 1 << position, self._variables
        return self._rebuilt(expression, lambda node: value, lambda node: bool(bits[id(node)] & bit))

    def conjunction(self, a: Expression, b: Expression) -> Expression:
        return self.make("and", BOOL, (a, b))

    def implication(self, a: Expression, b: Expression) -> Expression:
        return self.make("or", BOOL, (self.make("not", BOOL, (a,)), b))

    def make(self, operator: str, sort: Sort, arguments: tuple[Expression, ...]) -> Expression:
        """The node, folded where that needs no comparison of more than identities (`simplify` compares whole trees)."""
        if all(type(argument) is Constant for argument in arguments):
            return self.imported(make(operator, sort, *arguments))
        simpler = _simpler(operator, arguments)
        if simpler is not None:
            return self.imported(simpler) if type(simpler) is Constant else simpler
        variables = 0
        for argument in arguments:
            variables |= self._variables[id(argument)]
        key = (operator, sort, *map(id, arguments))
        known = self._table.get(key)
        return known if known is not None else self._entered(key, apply(operator, sort, *arguments), variables)

    def _entered(self, key: tuple[object, ...], node: Expression, variables: int) -> Expression:
        known = self._table.get(key)
        if known is not None:
            return known
        if len(self._table) >= self.max_nodes:
            raise TooManyNodes(f"more than {self.max_nodes} distinct nodes")
        self._table[key] = node
        self._variables[id(node)] = variables
        return node

    def _rebuilt(
        self, root: Expression, leaf: Callable[[Expression], Expression], changes: Callable[[Expression], bool]
    ) -> Expression:
        """`root` with leaves replaced, bottom-up; nodes that do not change are taken as they are."""
        if not changes(root):
            return root
        done: dict[int, Expression] = {}
        stack = [root]
        while stack:
            node = stack[-1]
            if id(node) in done:
                stack.pop()
                continue
            if not isinstance(node, Apply):
                done[id(node)] = leaf(node)
                stack.pop()
                continue
            missing = [part for part in node.arguments if id(part) not in done and changes(part)]
            if missing:
                stack += missing
                continue
            done[id(node)] = self.make(node.operator, node.sort, tuple([done.get(id(part), part) for part in node.arguments]))
            stack.pop()
        return done[id(root)]


def _simpler(operator: str, arguments: tuple[Expression, ...]) -> Expression | None:
    """A local rewrite to an argument or a constant; None where there is none."""
    a = arguments[0]
    match operator:
        case "not":
            if type(a) is Apply and a.operator == "not":
                return a.arguments[0]
        case "and" | "or":
            b = arguments[1]
            neutral = operator == "and"
            for this, other in ((a, b), (b, a)):
                if type(this) is Constant:
                    return other if bool(this.value) == neutral else this
                if type(this) is Apply and this.operator == "not" and this.arguments[0] is other:
                    return FALSE if neutral else TRUE
            if a is b:
                return a
        case "ite":
            if type(a) is Constant:
                return arguments[1] if a.value else arguments[2]
            if arguments[1] is arguments[2]:
                return arguments[1]
        case "=":
            if a is arguments[1]:
                return TRUE
        case _:
            pass
    return None
