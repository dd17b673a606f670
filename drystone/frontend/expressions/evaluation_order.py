"""Which operands have to be evaluated in both orders.

In which order operands and arguments are evaluated is not specified (C17 6.5). It matters where a function that is called in one
of them touches what the other one touches, and one of the two writes it. (Side effects without a call in between that meet
what they change are undefined.)
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Flag, auto

from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import library
from drystone.frontend.clang.cursors import evaluate
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.clang.shapes import direct_callee, is_implicit, strip, without_casts
from drystone.frontend.declarations.confined import aggregate_of
from drystone.frontend.declarations.linking import Unit
from drystone.frontend.declarations.symbols import FunctionSymbol, VariableSymbol
from drystone.frontend.declarations.types import Array, Function, Pointer
from drystone.frontend.lowering.context import Context
from drystone.ir import names
from drystone.ir.conventions import REMOVED_ASSERT


class Touch(Flag):
    """What evaluating something does to objects that others can get at."""

    NOTHING = 0
    READS = auto()
    WRITES = auto()
    CALLS = auto()  # and a function does it


_ANYTHING = Touch.READS | Touch.WRITES | Touch.CALLS
_LOOPS = frozenset((kinds.WHILE_STMT, kinds.DO_STMT, kinds.FOR_STMT, kinds.GOTO_STMT))
_ACCESSES = frozenset((kinds.ARRAY_SUBSCRIPT, kinds.MEMBER_REF_EXPR))
_LAZY = frozenset(("&&", "||", ","))
_TELLING = frozenset(("time",))

Mine = Callable[[Node], bool]
"""Is it a reference to a variable that nobody else can get at?"""


class EvaluationOrder:
    """Knows what the functions of a program touch."""

    def __init__(self, context: Context, is_library_function: Callable[[str, Function], bool]) -> None:
        self.context = context
        self._is_library_function = is_library_function

    def is_open(self, unit: Unit, node: Node, is_mine: Mine) -> bool:
        """Does the order matter in which the operands of this expression are evaluated?"""
        if self.context.left_to_right:
            return False
        operands = [each for each in _operands(node, unit) if each.kind != kinds.STRING_LITERAL]
        if len(operands) < 2 or not any(each.effects == EFFECTS for each in operands):
            return False
        if any(map(_has_statement, operands)):  # which gets at locals, too
            is_mine = _is_nobodys
        before = Touch.NOTHING
        for operand in operands:
            touched = self._touched(unit, operand, is_mine)
            if _meet(before, touched):
                return True
            before |= touched
        return False

    def _touched(self, unit: Unit, root: Node, is_mine: Mine) -> Touch:
        """By evaluating this, with all that it calls."""
        called: list[FunctionSymbol] = []
        found = self._touched_itself(unit, root, is_mine, called)
        for symbol in called:
            found |= self._called(symbol)
        return found

    def _touched_itself(self, unit: Unit, root: Node, is_mine: Mine, called: list[FunctionSymbol]) -> Touch:
        found = Touch.NOTHING
        stack = [root]
        while stack and found != _ANYTHING:
            node = stack.pop()
            kind, operator = node.kind, node.operator
            if kind == kinds.CALL_EXPR:
                callee = direct_callee(node)
                symbol = self._denoted(unit, callee) if callee is not None else None
                if isinstance(symbol, FunctionSymbol):
                    if not _only_tells(symbol, node):
                        called.append(symbol)
                else:
                    found |= _ANYTHING
                stack.extend(node.children if callee is None else node.children[1:])
                continue
            if kind == kinds.DECL_REF_EXPR:
                found |= self._read(unit, node, is_mine)
                continue
            if kind == kinds.UNARY_OPERATOR and operator == "&" and aggregate_of(node.children[0], unit.types) is not None:
                stack.extend(_indices(node.children[0]))
                continue
            if (kind == kinds.UNARY_OPERATOR and operator == "*") or kind in _ACCESSES:
                if not isinstance(unit.types.of(node.cursor), (Array, Function)) and not self._is_mine(unit, node, is_mine):
                    found |= Touch.READS
            elif (
                (kind == kinds.UNARY_OPERATOR and operator in kinds.STEPS)
                or kind == kinds.COMPOUND_ASSIGN
                or (kind == kinds.BINARY_OPERATOR and operator == "=")
            ):
                found |= self._written(unit, node.children[0], is_mine)
            elif kind == kinds.ASM_STMT:
                found |= _ANYTHING
            elif kind == kinds.STMT_EXPR:  # as good as a call
                found |= Touch.CALLS
            elif kind in _LOOPS:  # it may not end
                found |= Touch.READS
            stack.extend(node.children)
        return found

    def _denoted(self, unit: Unit, reference: Node) -> object:
        """None for what is only mentioned where it is not evaluated: nobody needs to know it."""
        return self.context.symbols.resolved(unit, library().clang_getCursorReferenced(reference.cursor))

    def _read(self, unit: Unit, node: Node, is_mine: Mine) -> Touch:
        symbol = self._denoted(unit, node)
        if not isinstance(symbol, VariableSymbol) or isinstance(symbol.type, Array) or is_mine(node):
            return Touch.NOTHING
        return Touch.READS

    def _is_mine(self, unit: Unit, node: Node, is_mine: Mine) -> bool:
        variable = aggregate_of(node, unit.types)
        return variable is not None and is_mine(variable)

    def _written(self, unit: Unit, left: Node, is_mine: Mine) -> Touch:
        return Touch.NOTHING if self._is_mine(unit, left, is_mine) else Touch.WRITES

    def _called(self, symbol: FunctionSymbol) -> Touch:
        """What the function touches, and those that it calls."""
        if symbol.touches < 0:
            found, seen, waiting = Touch.NOTHING, {id(symbol)}, [symbol]
            while waiting and found != _ANYTHING:
                itself, called = self.itself(waiting.pop())
                found |= itself
                if any(each is symbol for each in called):
                    found |= Touch.READS | Touch.CALLS  # it may not end
                waiting += [each for each in called if id(each) not in seen]
                seen.update(map(id, called))
            symbol.touches = found.value
        return Touch(symbol.touches)

    def breaks_promise(self, symbol: FunctionSymbol) -> bool:
        """Is it declared to have no side effects, and has one?"""
        return not symbol.attributes.isdisjoint(("pure", "const")) and bool(self._called(symbol) & Touch.WRITES)

    def itself(self, symbol: FunctionSymbol) -> tuple[Touch, list[FunctionSymbol]]:
        """What the function touches, and whom it calls. Has to be asked before its tree is given up."""
        if symbol.itself is None:
            called: list[FunctionSymbol] = []
            symbol.itself = (self._function(symbol, called).value, called)
        return Touch(symbol.itself[0]), symbol.itself[1]

    def _function(self, symbol: FunctionSymbol, called: list[FunctionSymbol]) -> Touch:
        name = names.spelled(symbol.name)
        if name in self.context.error_functions or symbol.is_noreturn:
            return _ANYTHING
        if symbol.definition is not None:
            assert symbol.tree is not None
            is_mine: Mine = lambda node: self._is_local(symbol, node)  # noqa: E731
            found = self._touched_itself(symbol.unit, symbol.tree, is_mine, called)
            return found | Touch.CALLS if found else found
        if symbol.gives_any_value or name == REMOVED_ASSERT or "const" in symbol.attributes:
            return Touch.NOTHING
        is_external = not self._is_library_function(name, symbol.type) and not name.startswith("__")
        return Touch.NOTHING if is_external and not self.context.external_may_write else _ANYTHING

    def _is_local(self, function: FunctionSymbol, node: Node) -> bool:
        symbol = self._denoted(function.unit, node)
        return isinstance(symbol, VariableSymbol) and not symbol.is_global


def _only_tells(symbol: FunctionSymbol, call: Node) -> bool:
    """`time(NULL)`: does the library's function store its result, too, if it is told where, and is told nothing?"""
    is_library = symbol.definition is None or symbol.unit.is_model
    name = names.spelled(symbol.name)
    return is_library and name in _TELLING and len(call.children) == 2 and evaluate(without_casts(call.children[1]).cursor) == 0


def _has_statement(node: Node) -> bool:
    return node.effects == EFFECTS and (node.kind == kinds.STMT_EXPR or any(map(_has_statement, node.children)))


def _is_nobodys(node: Node) -> bool:
    return False


def _meet(first: Touch, second: Touch) -> bool:
    if not (first | second) & Touch.CALLS:
        return False
    touches = Touch.READS | Touch.WRITES
    return bool((first & Touch.WRITES and second & touches) or (second & Touch.WRITES and first & touches))


def _operands(node: Node, unit: Unit) -> list[Node]:
    """What is evaluated in any order."""
    if node.kind == kinds.INIT_LIST:
        return node.children
    if node.kind == kinds.CALL_EXPR:
        return node.children[1:] if direct_callee(node) is not None else node.children
    if node.kind == kinds.COMPOUND_ASSIGN or (node.kind == kinds.BINARY_OPERATOR and node.operator == "="):
        left, right = node.children
        return [*_parts_of_place(left, unit), right]
    if node.kind == kinds.ARRAY_SUBSCRIPT or (node.kind == kinds.BINARY_OPERATOR and node.operator not in _LAZY):
        return node.children
    return []


def _parts_of_place(left: Node, unit: Unit) -> list[Node]:
    """What is evaluated to know where the left side lies: without reading what is there."""
    found: list[Node] = []
    node = strip(left)
    while node.kind in _ACCESSES and node.children:
        inner = strip(node.children[0])
        found += node.children[1:]
        if isinstance(unit.types.of(inner.cursor), Pointer) and not _is_decayed(inner, unit):
            return [*found, inner]
        node = strip(inner.children[0]) if is_implicit(inner) else inner
    if node.kind == kinds.UNARY_OPERATOR and node.operator == "*":
        found += node.children
    elif node.kind != kinds.DECL_REF_EXPR:
        found.append(node)
    return found


def _is_decayed(node: Node, unit: Unit) -> bool:
    return is_implicit(node) and isinstance(unit.types.of(strip(node.children[0]).cursor), Array)


def _indices(place: Node) -> list[Node]:
    """The indices in `x.a[i].b`."""
    found: list[Node] = []
    node = strip(place)
    while node.kind in _ACCESSES:
        found += node.children[1:]
        inner = strip(node.children[0])
        node = strip(inner.children[0]) if is_implicit(inner) else inner
    return found
