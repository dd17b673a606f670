"""C expressions: side effects become edges, what remains is a side-effect free expression.

Evaluation is left to right: a value that a later operand might change is kept in a temporary. `&&`, `||`
and `?:` become branches unless both sides are harmless to evaluate; so every memory access stands on an
edge that is taken exactly when C performs it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, TypeVar

import msgspec

from drystone.frontend.clang import kinds
from drystone.frontend.clang.bindings import text_of
from drystone.frontend.clang.cursors import evaluate, spelling
from drystone.frontend.clang.nodes import EFFECTS, PURE, Node
from drystone.frontend.clang.unit import BUNDLED
from drystone.frontend.declarations.initialisers import (
    Slot,
    flatten,
    in_order_of_effects,
    is_implicit,
    overlap,
    padding,
    string_literal,
    strip,
)
from drystone.frontend.declarations.linking import Unit
from drystone.frontend.declarations.symbols import EnumConstant, FunctionSymbol, VariableSymbol, direct_callee, is_expression
from drystone.frontend.declarations.types import (
    Array,
    Complex,
    CType,
    Function,
    Int,
    Lanes,
    Pointer,
    Real,
    Record,
    Scalar,
    Vector,
    Void,
    common_type,
    is_variably_modified,
    promote,
)
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions import addresses
from drystone.frontend.expressions.bitfields import BitFieldTypes, wider
from drystone.frontend.expressions.lanes import LaneLowering
from drystone.frontend.expressions.zeros import is_folded_to_negation
from drystone.frontend.lowering.builder import Builder, reads_input
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.conversions import (
    arithmetic,
    compare,
    convert,
    float_pattern,
    is_signed,
    makes_nan,
    resize,
    shift,
)
from drystone.frontend.lowering.places import InBits, InMemory, InVariable, Place, Volatile
from drystone.frontend.source_text.generic import chosen_association
from drystone.frontend.source_text.literals import string_bytes
from drystone.ir import names
from drystone.ir.automaton import inputs
from drystone.ir.expressions import (
    APPROXIMATED,
    FALSE,
    TRUE,
    Address,
    Constant,
    Determinant,
    Expression,
    Variable,
    constant,
)
from drystone.ir.operations import Copy, Store
from drystone.ir.simplify import as_bits, make, negate, truth
from drystone.logic.floats import arithmetic as arithmetic_of
from drystone.logic.sorts import BOOL, FLOAT32, FLOAT64, bitvec

if TYPE_CHECKING:
    from fractions import Fraction


T = TypeVar("T")
_MOST_ORDERS = 5  # inside of each other: all that is in them is there twice for each


class ExpressionLowering(BitFieldTypes, LaneLowering):
    """Lowers expressions; calls and statement expressions are left to those that know procedures."""

    def __init__(self, context: Context, unit: Unit, builder: Builder, owner: str) -> None:
        super().__init__(context, unit, builder, owner)
        self._divisions: dict[int, bool] = {}  # which parts of expressions divide
        self.orders: dict[int, bool] = {}  # expressions whose order matters, while they are lowered: from the right to the left?
        self.only_signs: set[int] = set()  # calls of whose results only the sign or the truth is looked at
        self._rvalue: dict[int, Callable[[Node], Expression]] = {
            kinds.UNEXPOSED_EXPR: self._unexposed,
            kinds.DECL_REF_EXPR: self._reference,
            kinds.MEMBER_REF_EXPR: self._read,
            kinds.ARRAY_SUBSCRIPT: self._read,
            kinds.COMPOUND_LITERAL: self._read,
            kinds.STRING_LITERAL: self._read,
            kinds.CALL_EXPR: self.call,
            kinds.INTEGER_LITERAL: self._integer,
            kinds.CHARACTER_LITERAL: self._integer,
            kinds.FLOATING_LITERAL: self._floating,
            kinds.IMAGINARY_LITERAL: self._imaginary,
            kinds.PAREN_EXPR: lambda node: self.rvalue(node.children[0]),
            kinds.UNARY_OPERATOR: self._unary,
            kinds.BINARY_OPERATOR: self._binary,
            kinds.COMPOUND_ASSIGN: self._compound_assignment,
            kinds.CONDITIONAL: self._conditional,
            kinds.CAST_EXPR: self._cast,
            kinds.STMT_EXPR: self.statement_expression,
            kinds.SIZEOF_EXPR: self._sizeof,
            kinds.GENERIC: self._generic,
            kinds.ADDR_LABEL: self._label_address,
        }

    def statement_expression(self, node: Node) -> Expression:
        raise NotSupported("statement expression outside a function")

    def call(self, node: Node) -> Expression:
        raise NotSupported("call outside a function")

    def rvalue(self, node: Node) -> Expression:
        """The value of an expression. For arrays, functions and records: the address where it lies."""
        lower = self._rvalue.get(node.kind)
        if lower is None:
            raise NotSupported(f"expression of libclang kind {node.kind}: {self.text(node)}")
        if node.effects == EFFECTS:
            self.evaluated.add(node.key)
            if node.kind != kinds.ARRAY_SUBSCRIPT and self._is_order_open(node):
                return self.in_both_orders(node, self.type_of(node), lambda: self.rvalue(node))
        with self._folding(node):
            return self.builder.shallow(lower(node))

    def _is_order_open(self, node: Node) -> bool:
        """Not where one of its orders is being looked at. A label can be there only once."""
        if node.key in self.orders or not self.has_open_order(node):
            return False
        if len(self.orders) == _MOST_ORDERS:
            raise NotSupported(f"more than {_MOST_ORDERS} operators whose operands can be evaluated in any order")
        if not _has_label(node):
            return True
        if any(map(self._calls_error, node.children)):
            raise NotSupported("whether the error is called before another operand, which may not end, is open")
        self.context.note("evaluation order", "operands with side effects are evaluated left to right", self.builder.origin)
        return False

    def has_open_order(self, node: Node) -> bool:
        """Does it matter in which order its operands are evaluated?"""
        return False

    def is_mine(self, node: Node) -> bool:
        """Is it a local variable that nobody else can get at?"""
        symbol = self.context.symbols.resolve(self.unit, self.lib.clang_getCursorReferenced(node.cursor), self.owner)
        if not isinstance(symbol, VariableSymbol) or symbol.is_global:
            return False
        return not symbol.in_memory or self.is_confined(node)

    def in_both_orders(self, node: Node, type_: CType, evaluate: Callable[[], Expression], key: int | None = None) -> Expression:
        """The value, with its operands evaluated from the left to the right or from the right to the left, whatever the order is
        in expressions inside or around it: compilers mix them."""

        key = node.key if key is None else key

        def evaluated(is_reversed: bool) -> Expression:
            self.orders[key] = is_reversed
            try:
                return evaluate()
            finally:
                del self.orders[key]

        order = self.builder.keep(
            self.environment.approximated(BOOL, f"the order of the operands of {self.text(node)}", Determinant.ORDER)
        )
        return self._choose(
            lambda then, otherwise: self.builder.branch(order, then, otherwise),
            lambda: evaluated(True),
            lambda: evaluated(False),
            type_,
        )

    def in_order(self, node: Node, operands: list[T]) -> list[T]:
        """The operands of an expression as they are evaluated."""
        return operands[::-1] if self.orders.get(node.key) else operands

    def _folding(self, node: Node) -> AbstractContextManager[None]:
        """While this expression is lowered: might gcc compute its value without some operand (`0 * x`, `x - x`), so that what is
        in it need not trap?"""
        if self.builder.word is None or node.kind != kinds.BINARY_OPERATOR or node.operator in ("=", ","):
            return nullcontext()
        if not self._divides(node):
            return nullcontext()
        left, right = (strip(child) for child in node.children)
        looked_at = (left,) if node.operator in ("/", "%") else (left, right)
        known = [value for operand in looked_at if isinstance(value := evaluate(operand.cursor), int)]
        if node.operator in _COMPARISONS:
            decides = bool(known) and not (is_signed(self.type_of(left)) and abs(known[0]) < 1 << 31)  # what is beyond the range
        else:
            decides = any(value in (-1, 0, 1) for value in known)
        if decides or self.unit.clang.tokens.of(left.cursor) == self.unit.clang.tokens.of(right.cursor):
            return self.builder.folding()
        return nullcontext()

    def _divides(self, node: Node) -> bool:
        """Is there a division in it? Found for all parts at once: expressions may be deep."""
        known = self._divisions
        if id(node) not in known:
            parts, position = [node], 0
            while position < len(parts):
                parts += [child for child in parts[position].children if id(child) not in known]
                position += 1
            for part in reversed(parts):
                known[id(part)] = part.operator in ("/", "%") or any(known[id(child)] for child in part.children)
        return known[id(node)]

    def operands(self, node: Node, *nodes: Node) -> list[Expression]:
        """The values of an expression's operands, each safe from the side effects of those that are evaluated after it."""
        values = self.evaluated_in(self.in_order(node, list(enumerate(nodes))))
        return [values[position] for position in range(len(nodes))]

    def evaluated_in(self, ordered: list[tuple[int, Node]]) -> dict[int, Expression]:
        """The values of operands that are evaluated in this order."""
        values: dict[int, Expression] = {}
        for count, (position, operand) in enumerate(ordered, 1):
            value = self.rvalue(operand)
            if any(later.effects == EFFECTS for _, later in ordered[count:]):
                value = self.kept(value, self.type_of(operand))
            values[position] = value
        return values

    def kept(self, value: Expression, type_: CType) -> Expression:
        return self.memory.own_copy(value, type_) if isinstance(type_, Record) else self.builder.keep(value)

    def _calls_error(self, node: Node) -> bool:
        if node.kind == kinds.CALL_EXPR and (callee := direct_callee(node)) is not None:
            if spelling(callee.cursor) in self.context.error_functions:
                return True
        return node.effects == EFFECTS and any(map(self._calls_error, node.children))

    def is_harmless(self, node: Node) -> bool:
        """May it be evaluated where the program would not? A division that traps may not."""
        return node.effects == PURE and (self.builder.word is None or not self._divides(node))

    def discard(self, node: Node) -> None:
        """Evaluates an expression for its side effects."""
        node = strip(node)
        if node.effects != EFFECTS:
            return
        self.evaluated.add(node.key)
        if node.kind != kinds.ARRAY_SUBSCRIPT and self._is_order_open(node):
            self.in_both_orders(node, self.types.void, lambda: self._discarded(node))
            return
        if node.kind == kinds.UNARY_OPERATOR and node.operator in _STEPS:
            self._step(node.children[0], node.operator, self.type_of(node), is_used=False)
            return
        if node.kind == kinds.COMPOUND_ASSIGN:
            self._compound_assignment(node, is_used=False)
            return
        if node.kind == kinds.BINARY_OPERATOR and node.operator == "=":
            self._assignment(node, is_used=False)
            return
        if node.kind == kinds.BINARY_OPERATOR and node.operator == ",":
            self.discard(node.children[0])
            self.discard(node.children[1])
            return
        if node.kind == kinds.BINARY_OPERATOR and node.operator not in ("=", ",", "&&", "||"):
            for operand in self.in_order(node, node.children):  # nothing is computed from them, and so nothing traps
                self.discard(operand)
            return
        value = self.rvalue(node)
        if reads_input(value) and not all(each.determinant in APPROXIMATED for each in inputs(value)):
            self.builder.keep(value)  # the environment is asked even if nobody looks at the answer

    def _discarded(self, node: Node) -> Expression:
        self.discard(node)
        return constant(32, 0)

    def condition(self, node: Node) -> Expression:
        """A scalar expression as a Bool."""
        node = strip(node)
        with self._folding(node):
            return self._condition(node)

    def _condition(self, node: Node) -> Expression:
        kind = node.kind
        if kind == kinds.BINARY_OPERATOR:
            operator = node.operator
            if operator in _COMPARISONS:
                if node.effects == EFFECTS and self._is_order_open(node):
                    return truth(self.rvalue(node))
                return self._comparison(node)
            if operator in ("&&", "||") and self.is_harmless(node.children[1]):
                left = self.condition(node.children[0])
                return self.builder.shallow(
                    make("and" if operator == "&&" else "or", BOOL, left, self.condition(node.children[1]))
                )
            if operator in ("&&", "||"):
                return self._short_circuit(node)
        elif kind == kinds.UNARY_OPERATOR and node.operator == "!":
            return negate(self.condition(node.children[0]))
        elif is_implicit(node):
            source, target = self.type_of(node.children[0]), self.type_of(node)
            if isinstance(source, Int) and isinstance(target, Int) and (target.width >= source.width or target.is_bool):
                return self.condition(node.children[0])  # widening keeps zero and non-zero apart
        if isinstance(self.type_of(node), Lanes):
            return self.truth_of_lanes(node)
        self.only_signs.add(node.key)
        return truth(self.rvalue(node))

    def branch(self, node: Node, then: int, otherwise: int) -> None:
        """Continues at `then` or `otherwise` by the truth of the expression."""
        node = strip(node)
        with self._folding(node):
            self._branch(node, then, otherwise)

    def _branch(self, node: Node, then: int, otherwise: int) -> None:
        if node.kind == kinds.BINARY_OPERATOR and node.operator in ("&&", "||") and not self.is_harmless(node.children[1]):
            middle = self.builder.location()
            if node.operator == "&&":
                self.branch(node.children[0], middle, otherwise)
            else:
                self.branch(node.children[0], then, middle)
            self.builder.current = middle
            self.branch(node.children[1], then, otherwise)
        elif node.kind == kinds.UNARY_OPERATOR and node.operator == "!":
            self.branch(node.children[0], otherwise, then)
        else:
            self.builder.branch(self.condition(node), then, otherwise)

    def _short_circuit(self, node: Node) -> Expression:
        """`&&` or `||` whose right side must not be evaluated always."""
        builder = self.builder
        result = builder.temporary(BOOL)
        then, otherwise, join = builder.location(), builder.location(), builder.location()
        self.branch(node, then, otherwise)
        for location, value in ((then, TRUE), (otherwise, FALSE)):
            builder.current = location
            builder.assign(result, value)
            builder.goto(join)
        builder.current = join
        return result

    def place(self, node: Node) -> Place:
        """Where an lvalue lies (also record rvalues, which lie in a temporary object)."""
        node = strip(node)
        where = self._place(node)
        if not self.context.volatile_is_input or self.unit.is_model or where.volatile is not None or not self._is_volatile(node):
            return where
        if isinstance(where, InVariable) and where.variable.name in self.builder.variables:
            return where  # a local whose address nobody has: nothing else can change it
        if self.is_confined(node):
            return where  # and a part of one
        where = msgspec.structs.replace(where, volatile=self._volatile_input(node, where))
        if isinstance(where, InMemory) and not self._is_volatile_itself(node):
            return msgspec.structs.replace(where, in_part=True)
        return where

    def _is_volatile_itself(self, node: Node) -> bool:
        raw = self.lib.clang_getCanonicalType(self.lib.clang_getCursorType(node.cursor))
        return bool(self.lib.clang_isVolatileQualifiedType(raw))

    def is_confined(self, node: Node) -> bool:
        """Is it a part of a local whose address nobody has?"""
        return False

    def _is_volatile(self, node: Node) -> bool:
        """Also a structure with a part that is; an array is never read as a whole."""
        raw = self.lib.clang_getCursorType(node.cursor)
        return not isinstance(self.types.convert(raw), Array) and self.types.has_volatile(raw)

    def _volatile_input(self, node: Node, where: Place) -> Volatile:
        """An object of the program holds what the program has put there unless something else changes it, which is as good as an
        approximation; what lies outside, at a fixed address or in no file of the program, is chosen by the environment."""
        what = f"volatile {self.text(node)}"
        if isinstance(where, InMemory | InBits) and isinstance(where.address, Constant):
            return Volatile(what, Determinant.NOTHING)
        inner = node
        while inner.kind in (kinds.MEMBER_REF_EXPR, kinds.ARRAY_SUBSCRIPT) and inner.children:
            inner = strip(inner.children[0])
            while inner.kind == kinds.UNEXPOSED_EXPR and inner.children:
                inner = strip(inner.children[0])
        if inner.kind == kinds.DECL_REF_EXPR:
            symbol = self.context.symbols.resolve(self.unit, self.lib.clang_getCursorReferenced(inner.cursor), self.owner)
            if isinstance(symbol, VariableSymbol) and not symbol.defined and not isinstance(symbol.type, Pointer):
                return Volatile(what, Determinant.NOTHING)
        return Volatile(what, Determinant.VOLATILE)

    def _place(self, node: Node) -> Place:
        kind = node.kind
        if node.effects == EFFECTS:
            self.evaluated.add(node.key)
        if kind == kinds.DECL_REF_EXPR:
            return self._symbol_place(node)
        if kind == kinds.MEMBER_REF_EXPR:
            return self._member(node)
        if kind == kinds.ARRAY_SUBSCRIPT:
            return InMemory(self._subscript(node))
        if kind == kinds.UNARY_OPERATOR and node.operator == "*":
            return InMemory(self.rvalue(node.children[0]))
        if kind == kinds.UNARY_OPERATOR and node.operator == "__extension__":
            return self.place(node.children[0])
        if kind == kinds.UNARY_OPERATOR and node.operator in ("__real", "__imag"):
            return self._part_place(node)
        if kind == kinds.COMPOUND_LITERAL:
            return InMemory(self._compound_literal(node))
        if kind == kinds.STRING_LITERAL:
            return InMemory(self._string(node))
        if kind == kinds.GENERIC:
            return self.place(self._chosen(node))
        if is_implicit(node) and self.type_of(node).size == self.type_of(node.children[0]).size:
            return self.place(node.children[0])
        if isinstance(self.type_of(node), (Record, Array)):
            return InMemory(self.rvalue(node))
        raise NotSupported(f"assignment to {self.text(node)}")

    def _part_place(self, node: Node) -> Place:
        whole, type_ = self.place(node.children[0]), self.type_of(node.children[0])
        if isinstance(type_, Lanes) and isinstance(whole, InMemory):
            return self.memory.field_place(whole.address, type_.fields[int(node.operator == "__imag")])
        if node.operator == "__imag":
            raise NotSupported(f"imaginary part of {type_}")
        return whole

    def _symbol_place(self, node: Node) -> Place:
        symbol = self.denoted(node)
        if isinstance(symbol, VariableSymbol):
            if symbol.is_global:
                if symbol.is_null:
                    return InMemory(self.pointer_constant(0))
                if symbol.in_memory:
                    return InMemory(self.context.address_of_global(symbol))
                assert isinstance(symbol.type, Scalar)
                return InVariable(Variable(symbol.name, symbol.type.sort, symbol.spelling))
            known = self.locals.get(symbol.cursor.d0)
            if known is None:
                raise NotSupported(f"variable {symbol.name} outside its scope")
            return known
        raise NotSupported(f"reference to {self.text(node)}")

    def _member(self, node: Node) -> Place:
        base = node.children[0]
        base_type = self.type_of(base)
        if isinstance(base_type, Pointer):
            record = base_type.target
            address = self.rvalue(base)
        else:
            record = base_type
            where = self.place(base)
            if not isinstance(where, InMemory):
                raise NotSupported(f"member of {self.text(base)}")
            address = where.address
        if not isinstance(record, Record) or isinstance(record, Lanes):
            raise NotSupported(f"member of {record}")
        return self.memory.field_place(address, record.field(self.lib.clang_getCursorReferenced(node.cursor)))

    def _subscript(self, node: Node) -> Expression:
        left, right = node.children
        vector = self.type_of(left)
        if isinstance(vector, Vector):
            lanes = self.builder.keep(self.memory.address_of(self.place(left)))
            return self._displace(lanes, self.rvalue(right), self.type_of(right), vector.element)
        pointer, index = (left, right) if isinstance(self.type_of(left), (Pointer, Array)) else (right, left)
        if index.effects == EFFECTS and self._is_array_in_value(pointer):
            # gcc reads it where the record came from, after the index was evaluated
            raise NotSupported(f"element of an array in the value of an expression: {self.text(node)}")
        pointer_type = self.type_of(pointer)
        element = pointer_type.target if isinstance(pointer_type, Pointer) else self.type_of(node)

        def displaced() -> Expression:
            base, distance = self.operands(node, pointer, index)
            return self._displace(base, distance, self.type_of(index), element)

        if node.effects == EFFECTS and self._is_order_open(node):
            return self.in_both_orders(node, pointer_type, displaced)
        return displaced()

    def _is_array_in_value(self, node: Node) -> bool:
        """Is it an array inside a record that is no object but the value of an expression, such as `(s = t).a`?"""
        node = strip(node)
        while is_implicit(node) or node.kind in (kinds.MEMBER_REF_EXPR, kinds.ARRAY_SUBSCRIPT):
            if isinstance(self.type_of(node.children[0]), Pointer) and not is_implicit(strip(node.children[0])):
                return False
            node = strip(node.children[0])
        return isinstance(self.type_of(node), Record) and (
            node.kind in (kinds.CALL_EXPR, kinds.CONDITIONAL, kinds.STMT_EXPR, kinds.COMPOUND_ASSIGN)
            or (node.kind == kinds.BINARY_OPERATOR and node.operator in ("=", ","))
        )

    def _displace(
        self, base: Expression, index: Expression, index_type: CType, element: CType, negative: bool = False
    ) -> Expression:
        """`base + index` in elements."""
        wide = resize(index, self.context.pointer_width, is_signed(index_type))
        distance = make("scale", base.sort, wide, self.size_of(element))
        return make("bvsub" if negative else "bvadd", base.sort, base, distance)

    def _integer(self, node: Node) -> Expression:
        value = evaluate(node.cursor)
        type_ = self.type_of(node)
        if not isinstance(value, int) or not isinstance(type_, Int):
            raise NotSupported(f"literal {self.text(node)}")
        return constant(type_.width, value)

    def _floating(self, node: Node) -> Expression:
        type_ = self.type_of(node)
        if not isinstance(type_, Real):
            raise NotSupported(f"literal {self.text(node)}")
        if type_.sort in (FLOAT32, FLOAT64):
            value = evaluate(node.cursor)
            if isinstance(value, float):
                return Constant(type_.sort, arithmetic_of(type_.sort).from_python(value))
        number = _NUMBER.fullmatch(self.unit.clang.tokens.first(node.cursor).lower().replace("'", ""))
        if number is None:
            raise NotSupported(f"literal {self.text(node)} of type {type_}")
        return Constant(type_.sort, float_pattern(type_.sort, _exact(number[1])))

    def _imaginary(self, node: Node) -> Expression:
        type_ = self.type_of(node)
        assert isinstance(type_, Lanes)
        return self.materialised(self.lanes(node), type_)

    def _string(self, node: Node) -> Expression:
        type_ = self.type_of(node)
        assert isinstance(type_, Array)
        content = string_bytes(spelling(node.cursor), type_.element.size, max(type_.count, 0))
        return self.context.literal(content, type_.element.align, str(type_), self.builder.origin, (id(self.unit), node.key))

    def _reference(self, node: Node) -> Expression:
        symbol = self.denoted(node)
        if isinstance(symbol, EnumConstant):
            type_ = self.type_of(node)
            assert isinstance(type_, Int)
            return constant(type_.width, symbol.value)
        if isinstance(symbol, FunctionSymbol):
            return self.pointer_constant(0) if symbol.is_null else self.context.address_of_function(symbol)
        return self._read(node)

    def _read(self, node: Node) -> Expression:
        return self.memory.read(self.place(node), self.type_of(node))

    def _compound_literal(self, node: Node) -> Expression:
        type_ = self.type_of(node)
        name = self.memory.temporary_object(type_, names.COMPOUND_LITERAL, self.alignment(node, type_), is_lasting=True)
        address = Address(name, self.context.pointer)
        self.initialise(InMemory(address), type_, node.children[-1])
        return address

    def initialise(self, where: Place, type_: CType, node: Node) -> None:
        """Initialises an object by an expression or a braced list."""
        if isinstance(type_, Scalar) and node.kind != kinds.INIT_LIST:
            self.assign(where, node, type_)
            return
        if not isinstance(type_, (Array, Record)):
            item = node.children[0] if node.children else None
            if item is not None:
                self.initialise(where, type_, item)
            elif isinstance(type_, Scalar):
                self.memory.write(where, Constant(type_.sort, 0), type_)
            return
        base = self.memory.address_of(where)
        if isinstance(type_, Complex) and node.kind == kinds.INIT_LIST and len(node.children) == 1:
            node = node.children[0]
        if isinstance(type_, Lanes) and node.kind != kinds.INIT_LIST:
            self.write_lanes(InMemory(base), self.converted_lanes(node, type_), type_)
            return
        if node.kind != kinds.INIT_LIST and string_literal(node) is None:
            self.memory.write(where, self.rvalue(node), type_)
            return
        if node.effects == EFFECTS and self._is_order_open(node):
            self.in_both_orders(node, self.types.void, lambda: self._initialised(where, type_, node))
            return
        listed = slots = flatten(self.unit.clang, self.types, type_, node)
        if node.effects == EFFECTS:
            slots = in_order_of_effects(slots)
            slots = slots if overlap(slots) else self.in_order(node, slots)
        if not self._covers(slots, type_):
            self.memory.fill(base, type_.size)
            self._forget_padding(base, type_, listed)
        repeated: tuple[Node, Expression] | None = None  # `[0 ... 9] = f()` evaluates f() once
        for index, slot in enumerate(slots):
            address = self.memory.offset(base, slot.offset)
            again = slot.node is not None and index + 1 < len(slots) and slots[index + 1].node is slot.node
            if slot.node is not None and (again or (repeated is not None and repeated[0] is slot.node)):
                if repeated is None or repeated[0] is not slot.node:
                    if slot.node.kind == kinds.INIT_LIST or isinstance(slot.type, Array):
                        raise NotSupported("range of positions initialised by an aggregate")
                    value = self.rvalue(slot.node)
                    repeated = (slot.node, self.builder.keep(value))
                self.memory.write(self._slot_place(base, slot), repeated[1], slot.type)
            elif slot.node is None:
                self.memory.fill(address, slot.type.size)
            elif isinstance(slot.type, Array) and (literal := string_literal(slot.node)) is not None:
                self._initialise_string(address, slot.type, literal)
            else:
                self.initialise(self._slot_place(base, slot), slot.type, slot.node)

    def _initialised(self, where: Place, type_: CType, node: Node) -> Expression:
        self.initialise(where, type_, node)
        return constant(32, 0)

    def _forget_padding(self, base: Expression, type_: CType, slots: list[Slot]) -> None:
        """Bytes and bits that no member has are not initialised, whatever a compiler writes there."""
        for offset, size, mask in padding(type_, slots):
            width = size * 8
            chosen = self.environment.approximated(bitvec(width), "padding", Determinant.PADDING)
            if mask != (1 << width) - 1:
                chosen = make("bvand", chosen.sort, chosen, constant(width, mask))
            self.builder.emit(Store(self.memory.offset(base, offset), chosen))

    def _slot_place(self, base: Expression, slot: Slot) -> Place:
        if slot.field is None:
            return InMemory(self.memory.offset(base, slot.offset))
        return self.memory.field_place(self.memory.offset(base, slot.offset - slot.field.offset // 8), slot.field)

    @staticmethod
    def _covers(slots: list[Slot], type_: CType) -> bool:
        """Is every byte of the object written by scalar members, in order and without gaps?"""
        position = 0
        for slot in slots:
            if slot.offset != position or not isinstance(slot.type, Scalar) or slot.field is not None:
                return False
            position += slot.type.size
        return position == type_.size

    def _initialise_string(self, address: Expression, type_: Array, literal: Node) -> None:
        content = string_bytes(spelling(literal.cursor), type_.element.size, -1)
        size = type_.size
        content = content[:size]
        if content:
            source = self.context.literal(content, type_.element.align, str(type_), self.builder.origin)
            self.builder.emit(Copy(address, source, len(content)))
        self.memory.fill(self.memory.offset(address, len(content)), size - len(content))

    def _unexposed(self, node: Node) -> Expression:
        """Implicit conversions, and the expressions for which libclang has no kind of their own."""
        if is_implicit(node):
            return self._convert(node.children[0], node)
        operands = [child for child in node.children if is_expression(child)]
        if len(operands) == 4 and _unconverted(operands[1]) == _unconverted(operands[2]) == _unconverted(operands[0]):
            return self._elvis(operands[0], operands[3], self.type_of(node))
        if len(operands) == 3 and len(node.children) == 3 and isinstance(self.type_of(operands[0]), Int):
            test = evaluate(operands[0].cursor)
            if isinstance(test, int):  # __builtin_choose_expr; of the others with three operands the first is no constant
                return self._convert(operands[1] if test else operands[2], node)
        value = evaluate(node.cursor) if node.effects != EFFECTS else None
        type_ = self.type_of(node)
        if isinstance(value, int) and isinstance(type_, Int):
            if self._may_compare_wide_characters() and _COMPATIBLE in self.unit.clang.tokens.of(node.cursor):
                raise NotSupported(f"comparison of types {self.text(node)}")
            return constant(type_.width, value)
        if not node.children and isinstance(type_, Scalar) and value is None and not self.unit.clang.tokens.of(node.cursor):
            return Constant(type_.sort, 0)  # an implicit value initialisation
        raise NotSupported(f"expression {self.text(node)}")

    def _convert(self, operand: Node, node: Node) -> Expression:
        source, target = self.type_of(operand), self.type_of(node)
        if isinstance(target, Lanes) and not target.is_same(source):
            return self.materialised(self.converted_lanes(operand, target), target)
        if isinstance(source, Lanes) and isinstance(target, Scalar):
            return self.scalar_from_lanes(operand, source, target)
        if isinstance(target, Record) and not isinstance(source, Record):
            return self._cast_to_union(operand, source, target)
        if isinstance(source, (Array, Function)) or isinstance(target, (Record, Array, Function)):
            return self.rvalue(operand)
        if isinstance(target, Void):
            self.discard(operand)
            return constant(32, 0)
        if (
            source is not target
            and isinstance(source, Int)
            and source.width >= 32
            and (own := self.own_type(operand)) is not None
        ):
            return convert(self.builder, resize(self.rvalue(operand), own.width, own.signed), own, target)
        if (
            isinstance(target, Int)
            and isinstance(source, Int)
            and operand.kind == kinds.BINARY_OPERATOR
            and operand.operator in _BOOLEAN
        ):
            return as_bits(self.condition(operand), target.width)
        value = self.rvalue(operand)
        if isinstance(source, Pointer) and isinstance(target, Int) and not target.is_bool and not isinstance(value, Constant):
            self.context.note("address order", "allocations lie in the order in which they are made", self.builder.origin)
        return convert(self.builder, value, source, target)

    def _cast(self, node: Node) -> Expression:
        *sizes, operand = [child for child in node.children if is_expression(child)]
        if any(size.effects == EFFECTS for size in sizes) and is_variably_modified(self.type_of(node)):
            raise NotSupported(f"side effect in the type of a cast: {self.text(node)}")
        return self._convert(operand, node)

    def _cast_to_union(self, operand: Node, source: CType, target: Record) -> Expression:
        """GNU: a value as a union with a member of its type."""
        member = next((field for field in target.fields if field.type is source and field.bits < 0), None)
        if member is None:
            raise NotSupported(f"cast from {source} to {target}")
        value = self.rvalue(operand)
        address = Address(self.memory.temporary_object(target, names.own("union")), self.context.pointer)
        self.memory.fill(address, target.size)
        self.memory.write(InMemory(address), value, source)
        return address

    def _elvis(self, left: Node, right: Node, type_: CType) -> Expression:
        """GNU `a ?: b`."""
        builder = self.builder
        if isinstance(self.type_of(left), Lanes):
            raise NotSupported(f"?: with {self.type_of(left)}")
        value = builder.keep(self.rvalue(left))
        if self.is_harmless(right) and isinstance(type_, Scalar):
            arm = convert(builder, value, self.type_of(left), type_)
            other = convert(builder, self.rvalue(right), self.type_of(right), type_)
            return make("ite", type_.sort, truth(value), arm, other)
        return self._choose(
            lambda then, otherwise: builder.branch(truth(value), then, otherwise),
            lambda: convert(builder, value, self.type_of(left), type_) if not isinstance(type_, Void) else value,
            lambda: self._arm(right, type_),
            type_,
        )

    def _arm(self, node: Node, type_: CType, own: Int | None = None) -> Expression:
        if own is not None and isinstance(type_, Int):
            return resize(self._operand_in(node, own), type_.width, own.signed)
        if isinstance(type_, Void):
            self.discard(node)
            return constant(32, 0)
        if isinstance(type_, Scalar) and isinstance(self.type_of(node), Scalar):
            return convert(self.builder, self.rvalue(node), self.type_of(node), type_)
        return self.rvalue(node)

    def _conditional(self, node: Node) -> Expression:
        test, then_node, else_node = node.children
        type_, own = self.type_of(node), self.own_type(node)
        if self.is_harmless(then_node) and self.is_harmless(else_node) and isinstance(type_, Scalar):
            condition = self.condition(test)
            return make("ite", type_.sort, condition, self._arm(then_node, type_, own), self._arm(else_node, type_, own))
        return self._choose(
            lambda then, otherwise: self.branch(test, then, otherwise),
            lambda: self._arm(then_node, type_, own),
            lambda: self._arm(else_node, type_, own),
            type_,
        )

    def _choose(
        self, split: Callable[[int, int], None], first: Callable[[], Expression], second: Callable[[], Expression], type_: CType
    ) -> Expression:
        """The value of one of two arms, each evaluated only if chosen."""
        builder = self.builder
        then, otherwise, join = builder.location(), builder.location(), builder.location()
        split(then, otherwise)
        result: Variable | None = None
        copy: Address | None = None
        if isinstance(type_, Record):  # a value of its own: what the arms name may change before it is looked at
            copy = Address(self.memory.temporary_object(type_, names.own("value")), self.context.pointer)
        elif not isinstance(type_, Void):
            result = builder.temporary(type_.sort if isinstance(type_, Scalar) else self.context.pointer)
        for location, arm in ((then, first), (otherwise, second)):
            builder.current = location
            value = arm()
            if copy is not None:
                self.memory.write(InMemory(copy), value, type_)
            elif result is not None:
                builder.assign(result, value)
            builder.goto(join)
        builder.current = join
        return result or copy or constant(32, 0)

    def _unary(self, node: Node) -> Expression:
        operand = node.children[0]
        operator = node.operator
        type_ = self.type_of(node)
        if operator in ("__real", "__imag"):
            return self.part(node)
        if isinstance(type_, Lanes) and operator in ("-", "~"):
            return self.materialised(self.lanes(node), type_)
        if isinstance(type_, Lanes) and operator == "!":
            raise NotSupported(f"! of {type_}")
        if operator in ("-", "~", "+") and isinstance(type_, Int) and (own := self.own_type(node)) is not None:
            value = self._operand_in(operand, own)
            if operator != "+":
                value = make("bvneg" if operator == "-" else "bvnot", value.sort, value)
            return resize(self.reduced(value, own), type_.width, own.signed)
        match operator:
            case "&":
                inner = strip(operand)
                if isinstance(self.type_of(inner), Function):
                    return self.rvalue(inner)
                return self.memory.address_of(self.place(inner))
            case "*":
                return self.rvalue(operand) if isinstance(type_, Function) else self._read(node)
            case "+" | "__extension__":
                return self.rvalue(operand)
            case "!":
                return as_bits(negate(self.condition(operand)), 32)
            case "-":
                value = self.rvalue(operand)
                return make("fp.neg" if isinstance(type_, Real) else "bvneg", value.sort, value)
            case "~":
                value = self.rvalue(operand)
                return make("bvnot", value.sort, value)
            case "++" | "--" | "post++" | "post--":
                return self._step(operand, operator, type_)
            case _:
                raise NotSupported(f"operator {operator}")

    def _step(self, operand: Node, operator: str, type_: CType, is_used: bool = True) -> Expression:
        where = self.place(operand)
        if operand.effects == EFFECTS or self.memory.reads_input(where):
            where = self.memory.keep_place(where)
        old = self.memory.read(where, type_)
        is_old_used = is_used and operator.startswith("post")
        if is_old_used:
            old = self.builder.keep(old)
        negative = operator.endswith("--")
        if isinstance(type_, Pointer):
            new = self._displace(old, self.pointer_constant(1), self.types.size, type_.target, negative)
        elif isinstance(type_, Real):
            one = Constant(type_.sort, arithmetic_of(type_.sort).from_integer(1))
            new = make("fp.sub" if negative else "fp.add", type_.sort, old, one)
        elif isinstance(type_, Int) and type_.is_bool:
            new = constant(type_.width, 1) if not negative else make("bvxor", type_.sort, old, constant(type_.width, 1))
        elif isinstance(type_, Int):
            new = make("bvsub" if negative else "bvadd", type_.sort, old, constant(type_.width, 1))
        else:
            raise NotSupported(f"{operator} on {type_}")
        stored = self.memory.store(where, new, type_, is_used and not is_old_used)
        return old if is_old_used else stored

    def _binary(self, node: Node) -> Expression:
        operator = node.operator
        left, right = node.children
        if operator == "=":
            return self._assignment(node, is_used=True)
        if operator == ",":
            self.discard(left)
            return self.rvalue(right)
        if isinstance(type_ := self.type_of(node), Lanes):
            return self.materialised(self.lanes(node), type_)
        if operator in _BOOLEAN:
            return as_bits(self.condition(node), 32)
        own = self.own_type(node) if isinstance(type_, Int) and type_.width >= 32 else None
        if own is not None and isinstance(type_, Int):
            return self._own_arithmetic(node, own, type_)
        left_type, right_type = self.type_of(left), self.type_of(right)
        a, b = self.operands(node, left, right)
        return self._operate(operator, a, b, type_, left_type, right_type, node)

    def _operand_in(self, node: Node, type_: Int) -> Expression:
        """The value of an operand in a type that gcc gives to arithmetic with bit-fields, in the carrier of that type."""
        inner = self.without_conversions(node)
        own, value = self.own_type(inner), self.rvalue(inner)
        source = self.type_of(inner)
        if own is not None:
            value, source = resize(value, own.width, own.signed), own
        return resize(convert(self.builder, value, source, type_), self.carrier(type_).width, type_.signed)

    def _own_arithmetic(self, node: Node, own: Int, type_: Int) -> Expression:
        """A binary operator in the type that gcc does it in; the result in clang's."""
        left, right = node.children
        carrier = self.carrier(own)
        a = self._operand_in(left, own)
        if right.effects == EFFECTS:
            a = self.builder.keep(a)
        is_shift = node.operator in ("<<", ">>")
        b, b_type = (self.rvalue(right), self.type_of(right)) if is_shift else (self._operand_in(right, own), carrier)
        result = self.reduced(self._operate(node.operator, a, b, carrier, carrier, b_type, node), own)
        return resize(result, type_.width, own.signed)

    def _operate(
        self, operator: str, a: Expression, b: Expression, type_: CType, left: CType, right: CType, node: Node
    ) -> Expression:
        """A binary operator on values of types `left` and `right`, giving `type_`."""
        if isinstance(left, (Pointer, Array)) or isinstance(right, (Pointer, Array)):
            return self._pointer_arithmetic(operator, a, b, type_, left, right)
        if operator in ("<<", ">>"):
            return shift(self.builder, operator, a, b, type_, right, self._lazy_text(node, operator))
        if isinstance(type_, Real) and type_.size <= 8 and self.context.pointer_width == 32:
            what = "float and double have no excess precision, as with gcc -msse2 -mfpmath=sse"
            self.context.note("floating point", what, self.builder.origin)
        value = arithmetic(self.builder, operator, a, b, type_, self._lazy_text(node, operator))
        if isinstance(type_, Real) and isinstance(a, Constant) and isinstance(b, Constant) and makes_nan(type_.sort, a, b, value):
            return self.made_nan(operator, a, b, value)
        is_from_zero = operator == "-" and isinstance(type_, Real) and a == Constant(type_.sort, 0)
        if is_from_zero and is_folded_to_negation(node.children[1], self._real_type):
            return self.zero_difference(b, value)
        return value

    def made_nan(self, operator: str, a: Constant, b: Constant, value: Expression) -> Expression:
        """Constants that give a NaN: its sign depends on who computes it, gcc (it folds some) or the machine."""
        other = make("fp.neg", value.sort, value)
        return self.builder.keep(make("ite", value.sort, self.environment.approximated(BOOL, "sign of a NaN"), other, value))

    def _real_type(self, node: Node) -> Real | None:
        return type_ if isinstance(type_ := self.type_of(node), Real) else None

    def _lazy_text(self, node: Node, operator: str) -> str:
        """Tokens are slow: only operations that can be undefined need their text."""
        return self.text(node) if operator in ("/", "%", "<<", ">>") else ""

    def _pointer_arithmetic(
        self, operator: str, a: Expression, b: Expression, type_: CType, left: CType, right: CType
    ) -> Expression:
        if isinstance(left, Pointer) and isinstance(right, Pointer):
            size = self.size_of(left.target)
            difference = make("bvsub", a.sort, *addresses.as_pointers(a, b))
            if isinstance(size, Constant) and size.value == 0:
                raise NotSupported(f"difference of pointers to {left.target}")
            return make("bvsdiv", a.sort, difference, size)
        if isinstance(left, Pointer):
            return self._displace(a, b, right, left.target, negative=operator == "-")
        assert isinstance(right, Pointer)
        return self._displace(b, a, left, right.target)

    def _comparison(self, node: Node) -> Expression:
        left, right = node.children
        if isinstance(self.type_of(left), Lanes) or isinstance(self.type_of(right), Lanes):
            return self.equal_complex(node)
        for side, other in ((left, right), (right, left)):
            if other.effects == PURE and (call := self.without_conversions(side)).kind == kinds.CALL_EXPR:
                if evaluate(other.cursor) == 0:
                    self.only_signs.add(call.key)
        own = self.common_own_type(left, right)
        if own is not None:
            a = self._operand_in(left, own)
            if right.effects == EFFECTS:
                a = self.builder.keep(a)
            return self.builder.shallow(compare(node.operator, a, self._operand_in(right, own), self.carrier(own)))
        a, b = self.operands(node, left, right)
        type_ = self.type_of(left)
        if a.sort != b.sort:
            raise NotSupported(f"comparison {self.text(node)}")
        if isinstance(type_, Pointer) and node.operator not in ("==", "!=") and not isinstance(a, Constant):
            self.context.note("address order", "allocations lie in the order in which they are made", self.builder.origin)
        pointer = self._compared_as(left, right) if node.operator in ("==", "!=") else None
        if pointer is not None and isinstance(pointer.target, Void) and self._may_be_labels(a, b):
            raise NotSupported(f"comparison of addresses of labels, which may be one: {self.text(node)}")
        if pointer is not None:
            same = addresses.equal(self, a, b, pointer.target, are_numbers=isinstance(type_, Int))
            return self.builder.shallow(same if node.operator == "==" else negate(same))
        if isinstance(type_, Pointer):
            a, b = addresses.as_pointers(a, b)
        return self.builder.shallow(compare(node.operator, a, b, type_))

    def _compared_as(self, left: Node, right: Node) -> Pointer | None:
        """The type of two pointers that are compared, also as numbers of their width: `(unsigned long)p == (unsigned long)q`."""
        found: Pointer | None = None
        for node in (left, right):
            node = strip(node)
            while node.kind == kinds.CAST_EXPR or is_implicit(node):
                type_, inner = self.type_of(node), strip(node.children[-1])
                if isinstance(type_, Pointer) or not isinstance(type_, Int) or type_.width < self.context.pointer_width:
                    break
                node = inner
            pointer = self.type_of(node)
            if not isinstance(pointer, Pointer):
                return None
            found = pointer if found is None or isinstance(found.target, Void) else found
        return found

    def _assignment(self, node: Node, is_used: bool) -> Expression:
        """Its value, if it is used, is what was stored: the place is not read again, since the store may have moved it."""
        left, right = node.children
        type_ = self.type_of(left)
        if self.orders.get(node.key):
            value = self.kept(self.rvalue(right), type_)
            return self.memory.store(self.place(left), value, type_, is_used)
        where = self.place(left)
        if right.effects == EFFECTS or self.memory.reads_input(where):
            where = self.memory.keep_place(where)
        if not is_used or isinstance(where, InVariable):
            self.assign(where, right, type_)
            return where.variable if isinstance(where, InVariable) else constant(32, 0)
        return self.memory.store(where, self.rvalue(right), type_, is_used)

    def assign(self, where: Place, node: Node, type_: CType) -> None:
        """Evaluates an expression into a place of its type."""
        value = self.rvalue(node)
        if isinstance(where, InVariable) and strip(node).kind == kinds.CALL_EXPR and self.builder.redirect(value, where.variable):
            return
        self.memory.write(where, value, type_)

    def _compound_assignment(self, node: Node, is_used: bool = True) -> Expression:
        left, right = node.children
        operator = node.operator[:-1]
        type_, right_type = self.type_of(left), self.type_of(right)
        b: Expression | None = None
        if self.orders.get(node.key) and isinstance(type_, Scalar) and self.own_type(right) is None:
            b = self.builder.keep(self.rvalue(right))
        where = self.place(left)
        if right.effects == EFFECTS or self.memory.reads_input(where):
            where = self.memory.keep_place(where)
        if isinstance(type_, Lanes):
            kept = InMemory(self.builder.keep(self.memory.address_of(where)))
            new = self.materialised(self.compound_lanes(self.read_lanes(kept.address, type_), node, type_), type_)
            return self.memory.store(kept, new, type_, is_used)
        own = self._own_type_of_compound(where, right, operator, type_)
        if own is not None:
            carrier = self.carrier(own)
            value = self._operand_in(right, own) if b is None else convert(self.builder, b, right_type, own)
            value = self.builder.keep(resize(value, carrier.width, own.signed))
            old = resize(convert(self.builder, self.memory.read(where, type_), type_, own), carrier.width, own.signed)
            result = self._operate(operator, old, value, carrier, carrier, carrier, node)
            result = self.reduced(result, own)
            is_bool = isinstance(type_, Int) and type_.is_bool
            new = as_bits(truth(result), 8 * type_.size) if is_bool else resize(result, 8 * type_.size, own.signed)
            return self.memory.store(where, new, type_, is_used)
        if isinstance(type_, Real) and self.own_type(right) is not None:
            raise NotSupported("arithmetic of a float with a bit-field that is wider than int")
        b = self.builder.keep(self.rvalue(right)) if b is None else b
        old = self.memory.read(where, type_)  # after the right side, as compilers do
        if isinstance(type_, Pointer):
            new = self._displace(old, b, right_type, type_.target, negative=operator == "-")
        else:
            wide = self._promoted(where, type_)
            if operator not in ("<<", ">>"):
                wide = common_type(wide, right_type, self.types)
                b = convert(self.builder, b, right_type, wide)
            a = convert(self.builder, old, type_, wide)
            result = self._operate(operator, a, b, wide, wide, right_type, node)
            new = convert(self.builder, result, wide, type_)
        return self.memory.store(where, new, type_, is_used)

    def _own_type_of_compound(self, where: Place, right: Node, operator: str, type_: CType) -> Int | None:
        """The type of `x op= y`, if one of them has a type of its own. What is shifted out is cut off by the store anyway."""
        if operator in ("<<", ">>") or not isinstance(type_, Int):
            return None
        given = self.own_type(right)
        left: CType = self._promoted(where, type_)
        if isinstance(where, InBits) and 32 < where.bits < type_.width:
            left = Int(f"{type_}:{where.bits}", where.bits, type_.align, type_.signed, type_.rank)
        elif given is None:
            return None
        return wider(left, given or self.plain_type(right))

    def _promoted(self, where: Place, type_: CType) -> CType:
        """Integer promotion of an lvalue; a narrow bit-field becomes `int` whatever its declared type."""
        if isinstance(where, InBits) and where.bits < 32 + int(where.signed):
            return self.types.int
        if isinstance(where, InBits) and where.bits == 32:
            return self.types.unsigned
        return promote(type_, self.types)

    def _sizeof(self, node: Node) -> Expression:
        type_ = self.type_of(node)
        assert isinstance(type_, Int)
        if self.has_narrow_statement_expression(node):
            raise NotSupported(f"size {self.text(node)}")
        value = evaluate(node.cursor)
        if isinstance(value, int):
            return constant(type_.width, value)
        if [child.kind for child in node.children] == [kinds.TYPE_REF]:  # a typedef's name, and nothing that adds a dimension
            return self.size_of(self.type_of(node.children[0]))
        operands = [child for child in node.children if is_expression(child)]
        if len(operands) == 1:
            size = self.size_of(self.type_of(operands[0]))
            if operands[0].effects == EFFECTS:
                self.place(operands[0])  # the operand is evaluated where it is a variable length array
            return size
        raise NotSupported(f"size {self.text(node)}")

    def _generic(self, node: Node) -> Expression:
        return self.rvalue(self._chosen(node))

    def _chosen(self, node: Node) -> Node:
        """What a generic selection means; nothing else in it is evaluated."""
        chosen = chosen_association(node)
        if chosen is None or self._has_other_type_in_gcc(node.children[0]):
            raise NotSupported(f"generic selection {self.text(node)}")
        return chosen

    def _has_other_type_in_gcc(self, node: Node) -> bool:
        """gcc has types of their own for bit-fields, and for `_Float32` and its kin; with ILP32, `wchar_t` is `long`."""
        spelled = text_of(self.lib.clang_getTypeSpelling(self.lib.clang_getCursorType(node.cursor)))
        if "_Float" in spelled or self._may_compare_wide_characters():
            return True
        if node.kind == kinds.MEMBER_REF_EXPR and self.lib.clang_Cursor_isBitField(
            self.lib.clang_getCursorReferenced(node.cursor)
        ):
            return True
        return any(self._has_other_type_in_gcc(child) for child in node.children if is_expression(child))

    def _may_compare_wide_characters(self) -> bool:
        """With ILP32, `wchar_t` is `long` for gcc and `int` for clang, under whatever name: may the program have one?"""
        if self.context.pointer_width != 32:
            return False
        return any(_WIDE.search(text) for file, text in self.unit.clang.inclusions() if not file.startswith(BUNDLED))

    def _label_address(self, node: Node) -> Expression:
        return Address(self.context.symbols.labels[self.label_key(node.children[0])][0], self.context.pointer)

    def _may_be_labels(self, a: Expression, b: Expression) -> bool:
        """Only a function that takes the addresses of several of its labels has different ones to compare."""
        if isinstance(a, Constant) or isinstance(b, Constant):
            return False
        return sum(owner == self.owner for _, owner in self.context.symbols.labels.values()) > 1

    def label_key(self, reference: Node) -> int:
        """The statement that a reference to a label means."""
        key: int = self.lib.clang_getCursorReferenced(reference.cursor).d1
        return key

    def arguments(self, node: Node) -> list[Expression]:
        """The values of a call's arguments."""
        return self.operands(node, *node.children[1:])


def _has_label(node: Node) -> bool:
    return node.kind == kinds.LABEL_STMT or any(map(_has_label, node.children))


_NUMBER = re.compile(
    r"(0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)p[+-]?[0-9]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)(?:l[ij]?|[ij]l)"
)
"""A literal of type long double; of an imaginary one, clang shows the number inside with its text."""


_WIDE = re.compile(rb"(?i:wchar)|(?<![A-Za-z0-9_])L(?:['\"]|\s*##)")
_COMPATIBLE = "__builtin_types_compatible_p"
_STEPS = frozenset(("++", "--", "post++", "post--"))
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
_BOOLEAN = _COMPARISONS | {"&&", "||"}


def _unconverted(node: Node) -> int:
    """What a node is without parentheses and implicit conversions."""
    node = strip(node)
    while is_implicit(node):
        node = strip(node.children[0])
    return node.key


def _exact(word: str) -> Fraction:
    """The exact value of a floating literal without suffix."""
    from fractions import Fraction

    if word.startswith("0x"):
        digits, _, exponent = word[2:].partition("p")
        whole, _, part = digits.partition(".")
        return Fraction(int((whole + part) or "0", 16)) * Fraction(2) ** (int(exponent or "0") - 4 * len(part))
    return Fraction(word)
