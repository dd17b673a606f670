"""Complex numbers and vectors: values of several lanes.

Such a value is worked on lane by lane, as a list of expressions. It lies in memory where C wants an object, an argument or a
result of it; so for the rest of the lowering these types are records. Of complex multiplication, only what gives no NaN
is modelled (what gcc's library does then is its own), and no division by a complex number.
"""

from __future__ import annotations

from drystone.frontend.clang import kinds
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.declarations.initialisers import is_implicit, strip
from drystone.frontend.declarations.symbols import is_expression
from drystone.frontend.declarations.types import Complex, CType, Int, Lanes, Real, Scalar, Vector
from drystone.frontend.errors import NotSupported
from drystone.frontend.lowering.conversions import arithmetic, compare, convert, shift
from drystone.frontend.lowering.lowering import Lowering
from drystone.frontend.lowering.places import InMemory
from drystone.ir.automaton import MarkKind
from drystone.ir.expressions import FALSE, TRUE, Address, Constant, Expression, constant
from drystone.ir.names import own
from drystone.ir.simplify import as_bits, make, negate, truth
from drystone.logic.sorts import BOOL

_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
_ARITHMETIC = frozenset(("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"))


class LaneLowering(Lowering):
    """Lowers expressions whose type or operands have lanes."""

    def rvalue(self, node: Node) -> Expression:
        raise NotImplementedError

    def materialised(self, lanes: list[Expression], type_: Lanes) -> Expression:
        """The address of a new object that holds the lanes."""
        address = Address(self.memory.temporary_object(type_, own("lanes")), self.context.pointer)
        self.write_lanes(InMemory(address), lanes, type_)
        return address

    def write_lanes(self, where: InMemory, lanes: list[Expression], type_: Lanes) -> None:
        for field, lane in zip(type_.fields, [self.builder.keep(lane) for lane in lanes], strict=True):
            self.memory.write(self.memory.field_place(where.address, field), lane, type_.element)

    def read_lanes(self, address: Expression, type_: Lanes) -> list[Expression]:
        return [
            self.builder.keep(self.memory.read(self.memory.field_place(address, field), type_.element)) for field in type_.fields
        ]

    def lanes(self, node: Node) -> list[Expression]:
        """The lanes of an expression with a type that has some; nothing is stored where the expression stores nothing."""
        node = strip(node)
        type_ = self.type_of(node)
        if not isinstance(type_, Lanes):
            raise NotSupported(f"{type_} as a complex number or vector")
        if node.kind == kinds.IMAGINARY_LITERAL:
            return [Constant(type_.element.sort, 0), self.rvalue(node.children[0])]
        if node.kind == kinds.BINARY_OPERATOR and node.operator in _ARITHMETIC | _COMPARISONS:
            return self._binary_lanes(node, type_)
        if node.kind == kinds.UNARY_OPERATOR and node.operator in ("-", "~", "+", "__extension__"):
            return self._unary_lanes(node.operator, self.lanes(node.children[0]), type_)
        if is_implicit(node) or node.kind == kinds.CAST_EXPR:
            return self.converted_lanes([child for child in node.children if is_expression(child)][-1], type_)
        return self.read_lanes(self.rvalue(node), type_)

    def converted_lanes(self, operand: Node, target: Lanes) -> list[Expression]:
        """A value of another type as one of this type."""
        source = self.type_of(operand)
        if isinstance(target, Complex):
            if isinstance(source, Complex):
                with self.builder.folding():
                    return [convert(self.builder, lane, source.element, target.element) for lane in self.lanes(operand)]
            if isinstance(source, Scalar):
                return [convert(self.builder, self.rvalue(operand), source, target.element), Constant(target.element.sort, 0)]
        elif isinstance(source, Vector) and source.element.sort == target.element.sort and source.size == target.size:
            return self.lanes(operand)
        elif isinstance(source, Vector) and source.size == target.size:  # the same bytes
            return self.read_lanes(self.materialised(self.lanes(operand), source), target)
        elif isinstance(source, Scalar) and source.size == target.size:
            address = Address(self.memory.temporary_object(target, own("lanes")), self.context.pointer)
            self.memory.write(InMemory(address), self.rvalue(operand), source)
            return self.read_lanes(address, target)
        elif isinstance(source, Scalar) and source.sort == target.element.sort:
            value = self.builder.keep(self.rvalue(operand))
            return [value] * len(target.fields)  # a scalar beside a vector stands in all lanes
        raise NotSupported(f"conversion from {source} to {target}")

    def scalar_from_lanes(self, operand: Node, source: Lanes, target: Scalar) -> Expression:
        """The real part of a complex number, or whether it is not zero; the bytes of a vector."""
        if isinstance(source, Complex):
            lanes = self.lanes(operand)
            if isinstance(target, Int) and target.is_bool:
                return as_bits(self._is_nonzero(lanes), target.width)
            return convert(self.builder, lanes[0], source.element, target)
        if source.size != target.size:
            raise NotSupported(f"conversion from {source} to {target}")
        return self.memory.read(InMemory(self.materialised(self.lanes(operand), source)), target)

    def truth_of_lanes(self, node: Node) -> Expression:
        if not isinstance(self.type_of(node), Complex):
            raise NotSupported(f"truth of {self.type_of(node)}")
        return self._is_nonzero(self.lanes(node))

    def _is_nonzero(self, lanes: list[Expression]) -> Expression:
        return make("or", BOOL, truth(lanes[0]), truth(lanes[1]))

    def equal_complex(self, node: Node) -> Expression:
        """`==` or `!=` of which one side is complex at least."""
        if any(isinstance(self.type_of(side), Vector) for side in node.children):
            raise NotSupported("truth of a vector")
        (left, _), (right, _) = self._operands(*node.children)
        element = self._element(node.children[0])
        same: Expression = TRUE
        for a, b in zip(self._both(left), self._both(right), strict=True):
            same = make("and", BOOL, same, compare("==", a, b, element))
        return same if node.operator == "==" else negate(same)

    def part(self, node: Node) -> Expression:
        """`__real x` or `__imag x` as a value."""
        operand, index = node.children[0], int(node.operator == "__imag")
        type_ = self.type_of(operand)
        if isinstance(type_, Complex):
            return self.lanes(operand)[index]
        if not isinstance(type_, Scalar):
            raise NotSupported(f"{node.operator} of {type_}")
        value = self.rvalue(operand)
        return Constant(type_.sort, 0) if index else value

    def compound_lanes(self, old: list[Expression], node: Node, type_: Lanes) -> list[Expression]:
        """The new value of `x op= y`, given the old one. The operation is one of the wider of both types."""
        right = node.children[1]
        other = self.type_of(right)
        element = other.element if isinstance(other, Lanes) else other
        if element is not type_.element and not (isinstance(other, Vector) and node.operator[:-1] in ("<<", ">>")):
            raise NotSupported(f"{node.operator} of {type_} and {other}")
        b, b_type = self._operand(right)
        if isinstance(type_, Complex):
            return self._complex(node.operator[:-1], old, b, type_.element, node)
        return self._vector(node.operator[:-1], old, self._splat(b, len(old)), type_.element, b_type, node)

    # operators

    def _operand(self, node: Node) -> tuple[list[Expression], CType]:
        """The lanes of an operand, or the one value of a scalar, and the type of each."""
        type_ = self.type_of(node)
        if isinstance(type_, Lanes):
            return self.lanes(node), type_.element
        return [self.rvalue(node)], type_

    def _operands(self, left: Node, right: Node) -> tuple[tuple[list[Expression], CType], tuple[list[Expression], CType]]:
        a, type_ = self._operand(left)
        if right.effects == EFFECTS:
            a = [self.builder.keep(lane) for lane in a]
        return (a, type_), self._operand(right)

    def _element(self, node: Node) -> CType:
        type_ = self.type_of(node)
        return type_.element if isinstance(type_, Lanes) else type_

    def _both(self, lanes: list[Expression]) -> list[Expression]:
        return lanes if len(lanes) == 2 else [lanes[0], Constant(lanes[0].sort, 0)]

    @staticmethod
    def _splat(lanes: list[Expression], count: int) -> list[Expression]:
        return lanes if len(lanes) == count else lanes * count

    def _unary_lanes(self, operator: str, lanes: list[Expression], type_: Lanes) -> list[Expression]:
        match operator:
            case "-":
                return [self._negative(lane, type_.element) for lane in lanes]
            case "~" if isinstance(type_, Complex):
                return [lanes[0], self._negative(lanes[1], type_.element)]
            case "~":
                return [make("bvnot", lane.sort, lane) for lane in lanes]
            case _:
                return lanes

    def _binary_lanes(self, node: Node, type_: Lanes) -> list[Expression]:
        (a, a_type), (b, b_type) = self._operands(*node.children)
        if isinstance(type_, Complex):
            return self._complex(node.operator, a, b, type_.element, node)
        count = len(type_.fields)
        a, b = self._splat(a, count), self._splat(b, count)
        if node.operator in _COMPARISONS:
            assert isinstance(type_.element, Int)
            yes, no = constant(type_.element.width, -1), constant(type_.element.width, 0)
            return [make("ite", yes.sort, compare(node.operator, x, y, a_type), yes, no) for x, y in zip(a, b, strict=True)]
        return self._vector(node.operator, a, b, type_.element, b_type, node)

    def _vector(
        self, operator: str, a: list[Expression], b: list[Expression], element: Scalar, amount: CType, node: Node
    ) -> list[Expression]:
        text = self.text(node)
        if operator in ("<<", ">>"):
            with self.builder.folding():  # instructions for vectors differ: psllw gives 0 for a count that is too large
                return [shift(self.builder, operator, x, y, element, amount, text) for x, y in zip(a, b, strict=True)]
        return [arithmetic(self.builder, operator, x, y, element, text) for x, y in zip(a, b, strict=True)]

    def _complex(self, operator: str, a: list[Expression], b: list[Expression], element: Scalar, node: Node) -> list[Expression]:
        """An operand of one lane is real: it stays so (C11 G.5.1), as for gcc."""
        a, b = [self.builder.keep(lane) for lane in a], [self.builder.keep(lane) for lane in b]
        text = self.text(node)

        def do(name: str, x: Expression, y: Expression) -> Expression:
            return arithmetic(self.builder, name, x, y, element, text)

        match operator:
            case "+" | "-":
                if len(b) == 1:
                    real = do(operator, a[0], b[0])
                    is_from_zero = operator == "-" and isinstance(element, Real) and a[0] == Constant(element.sort, 0)
                    return [self.zero_difference(b[0], real) if is_from_zero else real, a[1]]
                if len(a) == 1:
                    second = b[1] if operator == "+" else self._negative(b[1], element)
                    return [do(operator, a[0], b[0]), second]
                return [do(operator, x, y) for x, y in zip(a, b, strict=True)]
            case "*":
                if len(a) == 1 or len(b) == 1:
                    one, many = (a[0], b) if len(a) == 1 else (b[0], a)
                    return [do("*", lane, one) for lane in many]
                real = do("-", do("*", a[0], b[0]), do("*", a[1], b[1]))
                imaginary = do("+", do("*", a[0], b[1]), do("*", a[1], b[0]))
                return self._unless_nan([real, imaginary], element)
            case "/" if len(b) == 1:
                return [do("/", lane, b[0]) for lane in a]
            case _:
                raise NotSupported(f"operator {operator} on complex numbers")

    @staticmethod
    def _negative(lane: Expression, element: Scalar) -> Expression:
        return make("fp.neg" if isinstance(element, Real) else "bvneg", lane.sort, lane)

    def _unless_nan(self, lanes: list[Expression], element: Scalar) -> list[Expression]:
        """A product of which both parts are NaN: gcc's library looks for infinities then, which is not modelled."""
        if not isinstance(element, Real):
            return lanes
        builder = self.builder
        lanes = [builder.keep(lane) for lane in lanes]
        both = make("and", BOOL, *(make("fp.isNaN", BOOL, lane) for lane in lanes))
        if both == FALSE:
            return lanes
        strange, fine = builder.location(), builder.location()
        builder.branch(both, strange, fine)
        builder.current = strange
        builder.end(MarkKind.UNKNOWN, "unsupported: complex multiplication that gives NaN")
        builder.current = fine
        return lanes
