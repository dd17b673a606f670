"""Complex numbers and vectors: values of several lanes.

Such a value is worked on lane by lane, as a list of expressions. It lies in memory where C wants an object, an argument or a
result of it; so for the rest of the lowering these types are records. Of complex multiplication, only what gives no NaN
is modelled (what gcc's library does then is its own), and no division by a complex number.
"""

from __future__ import annotations

from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import spelling
from drystone.frontend.clang.kinds import COMPARISONS
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.clang.shapes import is_expression, is_implicit, strip
from drystone.frontend.declarations.types import Complex, CType, Int, Lanes, Real, Scalar, Vector
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.checks import refuse_lanes
from drystone.frontend.expressions.evaluation import Evaluation
from drystone.frontend.lowering.conversions import arithmetic, compare, convert, shift
from drystone.frontend.lowering.places import InMemory
from drystone.ir.automaton import MarkKind
from drystone.ir.expressions import FALSE, TRUE, Address, Constant, Expression, constant
from drystone.ir.names import own
from drystone.ir.simplify import as_bits, make, negate, truth
from drystone.logic.sorts import BOOL

COMPLEX = "__builtin_complex"
"""Of two parts; what `CMPLX` stands for."""
_ARITHMETIC = frozenset(("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"))


def materialised(lowering: Evaluation, lanes: list[Expression], type_: Lanes) -> Expression:
    """The address of a new object that holds the lanes."""
    address = Address(lowering.memory.temporary_object(type_, own("lanes")), lowering.context.pointer)
    write_lanes(lowering, InMemory(address), lanes, type_)
    return address


def write_lanes(lowering: Evaluation, where: InMemory, lanes: list[Expression], type_: Lanes) -> None:
    for field, lane in zip(type_.fields, [lowering.builder.keep(lane) for lane in lanes], strict=True):
        lowering.memory.write(lowering.memory.field_place(where.address, field), lane, type_.element)


def read_lanes(lowering: Evaluation, address: Expression, type_: Lanes) -> list[Expression]:
    return [
        lowering.builder.keep(lowering.memory.read(lowering.memory.field_place(address, field), type_.element))
        for field in type_.fields
    ]


def lanes_of(lowering: Evaluation, node: Node) -> list[Expression]:
    """The lanes of an expression with a type that has some; nothing is stored where the expression stores nothing."""
    node = strip(node)
    type_ = lowering.type_of(node)
    if not isinstance(type_, Lanes):
        raise NotSupported(f"{type_} as a complex number or vector")
    if node.kind == kinds.IMAGINARY_LITERAL:
        return [Constant(type_.element.sort, 0), lowering.rvalue(node.children[0])]
    if node.kind == kinds.BINARY_OPERATOR and node.operator in _ARITHMETIC | COMPARISONS:
        return _binary_lanes(lowering, node, type_)
    if node.kind == kinds.UNARY_OPERATOR and node.operator in ("-", "~", "+", "__extension__"):
        refuse_lanes(lowering, node, "-", type_.element)
        return _unary_lanes(node.operator, lanes_of(lowering, node.children[0]), type_)
    if is_implicit(node) or node.kind == kinds.CAST_EXPR:
        return converted_lanes(lowering, [child for child in node.children if is_expression(child)][-1], type_)
    parts = node.children[1:]
    if node.kind == kinds.CALL_EXPR and spelling(node.cursor) == COMPLEX and all(part.effects != EFFECTS for part in parts):
        return [lowering.rvalue(part) for part in parts]
    return read_lanes(lowering, lowering.rvalue(node), type_)


def converted_lanes(lowering: Evaluation, operand: Node, target: Lanes) -> list[Expression]:
    """A value of another type as one of this type."""
    source = lowering.type_of(operand)
    if isinstance(target, Complex):
        if isinstance(source, Complex):
            with lowering.builder.folding():
                return [convert(lowering.builder, lane, source.element, target.element) for lane in lanes_of(lowering, operand)]
        if isinstance(source, Scalar):
            return [convert(lowering.builder, lowering.rvalue(operand), source, target.element), Constant(target.element.sort, 0)]
    elif isinstance(source, Vector) and source.element.sort == target.element.sort and source.size == target.size:
        return lanes_of(lowering, operand)
    elif isinstance(source, Vector) and source.size == target.size:  # the same bytes
        return read_lanes(lowering, materialised(lowering, lanes_of(lowering, operand), source), target)
    elif isinstance(source, Scalar) and source.size == target.size:
        address = Address(lowering.memory.temporary_object(target, own("lanes")), lowering.context.pointer)
        lowering.memory.write(InMemory(address), lowering.rvalue(operand), source)
        return read_lanes(lowering, address, target)
    elif isinstance(source, Scalar) and source.sort == target.element.sort:
        value = lowering.builder.keep(lowering.rvalue(operand))
        return [value] * len(target.fields)  # a scalar beside a vector stands in all lanes
    raise NotSupported(f"conversion from {source} to {target}")


def scalar_from_lanes(lowering: Evaluation, operand: Node, source: Lanes, target: Scalar) -> Expression:
    """The real part of a complex number, or whether it is not zero; the bytes of a vector."""
    if isinstance(source, Complex):
        lanes = lanes_of(lowering, operand)
        if isinstance(target, Int) and target.is_bool:
            return as_bits(_is_nonzero(lanes), target.width)
        return convert(lowering.builder, lanes[0], source.element, target)
    if source.size != target.size:
        raise NotSupported(f"conversion from {source} to {target}")
    return lowering.memory.read(InMemory(materialised(lowering, lanes_of(lowering, operand), source)), target)


def truth_of_lanes(lowering: Evaluation, node: Node) -> Expression:
    if not isinstance(lowering.type_of(node), Complex):
        raise NotSupported(f"truth of {lowering.type_of(node)}")
    return _is_nonzero(lanes_of(lowering, node))


def _is_nonzero(lanes: list[Expression]) -> Expression:
    return make("or", BOOL, truth(lanes[0]), truth(lanes[1]))


def equal_complex(lowering: Evaluation, node: Node) -> Expression:
    """`==` or `!=` of which one side is complex at least."""
    if any(isinstance(lowering.type_of(side), Vector) for side in node.children):
        raise NotSupported("truth of a vector")
    (left, _), (right, _) = _operands(lowering, *node.children)
    element = _element(lowering, node.children[0])
    same: Expression = TRUE
    for a, b in zip(_both(left), _both(right), strict=True):
        same = make("and", BOOL, same, compare("==", a, b, element))
    return same if node.operator == "==" else negate(same)


def part_of(lowering: Evaluation, node: Node) -> Expression:
    """`__real x` or `__imag x` as a value."""
    operand, index = node.children[0], int(node.operator == "__imag")
    type_ = lowering.type_of(operand)
    if isinstance(type_, Complex):
        return lanes_of(lowering, operand)[index]
    if not isinstance(type_, Scalar):
        raise NotSupported(f"{node.operator} of {type_}")
    value = lowering.rvalue(operand)
    return Constant(type_.sort, 0) if index else value


def compound_lanes(lowering: Evaluation, old: list[Expression], node: Node, type_: Lanes) -> list[Expression]:
    """The new value of `x op= y`, given the old one. The operation is one of the wider of both types."""
    right = node.children[1]
    other = lowering.type_of(right)
    element = other.element if isinstance(other, Lanes) else other
    if element is not type_.element and not (isinstance(other, Vector) and node.operator[:-1] in ("<<", ">>")):
        raise NotSupported(f"{node.operator} of {type_} and {other}")
    b, b_type = _operand(lowering, right)
    if isinstance(type_, Complex):
        return _complex(lowering, node.operator[:-1], old, b, type_.element, node)
    return _vector(lowering, node.operator[:-1], old, _splat(b, len(old)), type_.element, b_type, node)


def _operand(lowering: Evaluation, node: Node) -> tuple[list[Expression], CType]:
    """The lanes of an operand, or the one value of a scalar, and the type of each."""
    type_ = lowering.type_of(node)
    if isinstance(type_, Lanes):
        return lanes_of(lowering, node), type_.element
    return [lowering.rvalue(node)], type_


def _operands(
    lowering: Evaluation, left: Node, right: Node
) -> tuple[tuple[list[Expression], CType], tuple[list[Expression], CType]]:
    a, type_ = _operand(lowering, left)
    if right.effects == EFFECTS:
        a = [lowering.builder.keep(lane) for lane in a]
    return (a, type_), _operand(lowering, right)


def _element(lowering: Evaluation, node: Node) -> CType:
    type_ = lowering.type_of(node)
    return type_.element if isinstance(type_, Lanes) else type_


def _both(lanes: list[Expression]) -> list[Expression]:
    return lanes if len(lanes) == 2 else [lanes[0], Constant(lanes[0].sort, 0)]


def _splat(lanes: list[Expression], count: int) -> list[Expression]:
    return lanes if len(lanes) == count else lanes * count


def _unary_lanes(operator: str, lanes: list[Expression], type_: Lanes) -> list[Expression]:
    match operator:
        case "-":
            return [_negative(lane, type_.element) for lane in lanes]
        case "~" if isinstance(type_, Complex):
            return [lanes[0], _negative(lanes[1], type_.element)]
        case "~":
            return [make("bvnot", lane.sort, lane) for lane in lanes]
        case _:
            return lanes


def _binary_lanes(lowering: Evaluation, node: Node, type_: Lanes) -> list[Expression]:
    (a, a_type), (b, b_type) = _operands(lowering, *node.children)
    if isinstance(type_, Complex):
        return _complex(lowering, node.operator, a, b, type_.element, node)
    count = len(type_.fields)
    a, b = _splat(a, count), _splat(b, count)
    if node.operator in COMPARISONS:
        assert isinstance(type_.element, Int)
        yes, no = constant(type_.element.width, -1), constant(type_.element.width, 0)
        return [make("ite", yes.sort, compare(node.operator, x, y, a_type), yes, no) for x, y in zip(a, b, strict=True)]
    return _vector(lowering, node.operator, a, b, type_.element, b_type, node)


def _vector(
    lowering: Evaluation, operator: str, a: list[Expression], b: list[Expression], element: Scalar, amount: CType, node: Node
) -> list[Expression]:
    refuse_lanes(lowering, node, operator, element)
    text = lowering.text(node)
    if operator in ("<<", ">>"):
        with lowering.builder.folding():  # instructions for vectors differ: psllw gives 0 for a count that is too large
            return [shift(lowering.builder, operator, x, y, element, amount, text) for x, y in zip(a, b, strict=True)]
    return [arithmetic(lowering.builder, operator, x, y, element, text) for x, y in zip(a, b, strict=True)]


def _complex(
    lowering: Evaluation, operator: str, a: list[Expression], b: list[Expression], element: Scalar, node: Node
) -> list[Expression]:
    """An operand of one lane is real: it stays so (C11 G.5.1), as for gcc."""
    refuse_lanes(lowering, node, operator, element)
    a, b = [lowering.builder.keep(lane) for lane in a], [lowering.builder.keep(lane) for lane in b]
    text = lowering.text(node)

    def do(name: str, x: Expression, y: Expression) -> Expression:
        return arithmetic(lowering.builder, name, x, y, element, text)

    match operator:
        case "+" | "-":
            if len(b) == 1:
                real = do(operator, a[0], b[0])
                is_from_zero = operator == "-" and isinstance(element, Real) and a[0] == Constant(element.sort, 0)
                return [lowering.zero_difference(b[0], real) if is_from_zero else real, a[1]]
            if len(a) == 1:
                second = b[1] if operator == "+" else _negative(b[1], element)
                return [do(operator, a[0], b[0]), second]
            return [do(operator, x, y) for x, y in zip(a, b, strict=True)]
        case "*":
            if len(a) == 1 or len(b) == 1:
                one, many = (a[0], b) if len(a) == 1 else (b[0], a)
                return [do("*", lane, one) for lane in many]
            real = do("-", do("*", a[0], b[0]), do("*", a[1], b[1]))
            imaginary = do("+", do("*", a[0], b[1]), do("*", a[1], b[0]))
            return _unless_nan(lowering, [real, imaginary], element)
        case "/" if len(b) == 1:
            return [do("/", lane, b[0]) for lane in a]
        case _:
            raise NotSupported(f"operator {operator} on complex numbers")


def _negative(lane: Expression, element: Scalar) -> Expression:
    return make("fp.neg" if isinstance(element, Real) else "bvneg", lane.sort, lane)


def _unless_nan(lowering: Evaluation, lanes: list[Expression], element: Scalar) -> list[Expression]:
    """A product of which both parts are NaN: gcc's library looks for infinities then, which is not modelled."""
    if not isinstance(element, Real):
        return lanes
    builder = lowering.builder
    lanes = [builder.keep(lane) for lane in lanes]
    both = make("and", BOOL, *(make("fp.isNaN", BOOL, lane) for lane in lanes))
    if both == FALSE:
        return lanes
    strange, fine = builder.location(), builder.location()
    builder.branch(both, strange, fine)
    builder.current = strange
    builder.end(MarkKind.UNKNOWN, "complex multiplication that gives NaN")
    builder.current = fine
    return lanes
