"""Asm statements: operands as C sees them, outputs that nobody knows; `source_text.assembly` says what a template may do."""

from __future__ import annotations

from drystone.frontend.clang import kinds
from drystone.frontend.clang.cursors import pretty_print
from drystone.frontend.clang.nodes import EFFECTS, Node, preorder
from drystone.frontend.clang.shapes import is_expression, strip, without_conversions
from drystone.frontend.declarations.symbols import VariableSymbol
from drystone.frontend.declarations.types import Array, CType, Pointer, Scalar
from drystone.frontend.errors import NotSupported
from drystone.frontend.functions.body import FunctionBody
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.places import InMemory, Place
from drystone.frontend.source_text.assembly import Assembly, PortInput, parsed, printed_asms
from drystone.ir.automaton import MarkKind, Unmodelled
from drystone.ir.expressions import Expression, InputKind
from drystone.ir.operations import Store
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL, bitvec

_PLACES = frozenset((kinds.DECL_REF_EXPR, kinds.MEMBER_REF_EXPR, kinds.ARRAY_SUBSCRIPT, kinds.UNARY_OPERATOR))


def _assembly(lowering: FunctionBody, node: Node) -> Assembly:
    found = parsed(lowering.unit.clang.tokens.of(node.cursor))
    if found is not None:
        return found
    tree = lowering.symbol.tree  # clang's own print of the function has no macros left
    assert tree is not None
    statements = [each.key for each in preorder(tree) if each.kind == kinds.ASM_STMT]
    printed = printed_asms(pretty_print(tree.cursor))
    found = parsed(printed[statements.index(node.key)]) if len(statements) == len(printed) else None
    if found is None:
        raise NotSupported("asm statement written through macros", Unmodelled.ASSEMBLY)
    return found


def lower_asm(lowering: FunctionBody, node: Node) -> None:
    """Outputs are approximated, unless an empty template leaves them as they are; for all else see `source_text.assembly`."""
    builder = lowering.builder
    builder.origin = lowering.origin(node.cursor)
    assembly = _assembly(lowering, node)
    operands = [child for child in node.children if is_expression(child)]
    assembly.check(
        lambda name: _is_defined(lowering, name),
        lambda number: number < len(operands) and _is_outside(lowering, operands[number]),
    )
    if operands and lowering.context.shows_accesses and lowering.context.has_threads:
        raise NotSupported("asm statement with operands, which it may access atomically or not", Unmodelled.ASSEMBLY)
    outputs, inputs = operands[: len(assembly.outputs)], operands[len(assembly.outputs) :]
    if len(inputs) != len(assembly.inputs):
        raise NotSupported("asm statement with operands that are not understood", Unmodelled.ASSEMBLY)
    if (port := assembly.port_input) is not None and _read_port(lowering, port, outputs, inputs):
        return
    _check_operands(lowering, assembly, operands)
    places = [lowering.memory.keep_place(lowering.place(operand)) for operand in outputs]
    for described, operand, where in zip(assembly.outputs, outputs, places, strict=True):
        type_ = lowering.type_of(operand)
        if described.is_kept and not assembly.is_empty and isinstance(type_, Scalar):
            lowering.environment.give_away(lowering.memory.read(where, type_))
    written, given = _pass_inputs(lowering, assembly, inputs)
    chosen_by = InputKind.EXTERNAL if assembly.asks_outside or _is_task(lowering.context) else InputKind.APPROXIMATED
    unknown = 0
    for number, (described, operand, where) in enumerate(zip(assembly.outputs, outputs, places, strict=True)):
        type_ = lowering.type_of(operand)
        if assembly.is_empty and described.is_kept:
            continue
        known = given.get(number)
        if known is not None and isinstance(type_, Scalar) and known[1].size == type_.size and known[0].sort == type_.sort:
            lowering.memory.write(where, known[0], type_)
            continue
        unknown += 1
        lowering.memory.havoc(where, type_, chosen_by, "asm output")
    for where, type_ in written:
        lowering.memory.havoc(where, type_, chosen_by, "asm output")
    if assembly.may_end:
        _may_trap(builder)
    if unknown or not assembly.is_empty:
        lowering.context.note("asm", f"{unknown} output(s) arbitrary, other effects ignored", builder.origin)


def _is_task(context: Context) -> bool:
    """Is it a verification task, where assembly, like a function without a body, does nothing but give its outputs?"""
    return not context.external_may_write


def _check_operands(lowering: FunctionBody, assembly: Assembly, operands: list[Node]) -> None:
    """Refuses what may write more than its outputs."""
    pointers = [operand for operand in operands if _holds_pointer(lowering, operand) and not _is_outside(lowering, operand)]
    if pointers and assembly.writes_memory and assembly.follows_pointers:
        raise NotSupported("asm that writes where a pointer leads to", Unmodelled.ASSEMBLY)
    word, is_task = lowering.context.pointer_width // 8, _is_task(lowering.context)
    if assembly.writes_memory and not is_task and any(not 0 <= lowering.type_of(each).size < word for each in operands):
        raise NotSupported("asm that writes memory, with an operand that may lead there", Unmodelled.ASSEMBLY)
    if not is_task and not assembly.is_empty:
        _check_places(lowering, assembly, operands)


def _pass_inputs(
    lowering: FunctionBody, assembly: Assembly, inputs: list[Node]
) -> tuple[list[tuple[Place, CType]], dict[int, tuple[Expression, CType]]]:
    """Evaluates the inputs: the places among them that the template may write, and the values that outputs share with them."""
    written: list[tuple[Place, CType]] = []
    given: dict[int, tuple[Expression, CType]] = {}
    for described, operand in zip(assembly.inputs, inputs, strict=True):
        type_, shared = lowering.type_of(operand), assembly.matched(described)
        if assembly.writes_memory and described.is_memory and strip(operand).kind in _PLACES:
            written.append((lowering.memory.keep_place(lowering.place(operand)), type_))
            value = lowering.memory.read(written[-1][0], type_)
        elif operand.effects == EFFECTS or lowering.folding.may_fail(operand) or isinstance(type_, Scalar):
            value = lowering.rvalue(operand)
        else:
            continue
        if shared is not None and assembly.is_empty:
            value = lowering.builder.keep(value)
            given[shared] = value, type_
        if isinstance(type_, Scalar):
            lowering.environment.give_away(value)
    return written, given


def _may_trap(builder: Builder) -> None:
    goes_on, ends = builder.location(), builder.location()
    chosen = builder.temporary(BOOL)
    builder.assign(chosen, builder.input(BOOL, InputKind.APPROXIMATED, "asm goes on"))
    builder.branch(chosen, goes_on, ends)
    builder.current = ends
    builder.end(MarkKind.HALT, "asm that traps")
    builder.current = goes_on


def _read_port(lowering: FunctionBody, port: PortInput, outputs: list[Node], inputs: list[Node]) -> bool:
    """Exactly what the instruction does; the direction flag is clear, as nothing here sets it. False if an operand is not
    as wide as the register that it is in."""
    builder, pointer = lowering.builder, lowering.context.pointer
    types = [lowering.type_of(operand) for operand in outputs]
    if not all(isinstance(type_, Scalar) and type_.sort == pointer for type_ in types):
        return False
    places = [lowering.memory.keep_place(lowering.place(operand)) for operand in outputs]
    for operand in inputs:
        lowering.rvalue(operand)
    to, end = builder.keep(lowering.memory.read(places[port.pointer], types[port.pointer])), lowering.pointer_constant(0)
    where, left = builder.temporary(pointer), builder.temporary(pointer)
    builder.assign(where, to)
    builder.assign(
        left, lowering.pointer_constant(1) if port.count is None else lowering.memory.read(places[port.count], types[port.count])
    )
    head, unit, done = builder.location(), builder.location(), builder.location()
    builder.place(head)
    builder.branch(make("=", BOOL, left, end), done, unit)
    builder.current = unit
    builder.emit(Store(where, builder.input(bitvec(8 * port.size), InputKind.EXTERNAL, "read from a port")))
    builder.assign(where, lowering.memory.offset(where, port.size))
    builder.assign(left, make("bvsub", pointer, left, lowering.pointer_constant(1)))
    builder.goto(head)
    builder.current = done
    lowering.memory.write(places[port.pointer], where, types[port.pointer])
    if port.count is not None:
        lowering.memory.write(places[port.count], left, types[port.count])
    lowering.context.note("asm", "a port gives any values", builder.origin)
    return True


def _check_places(lowering: FunctionBody, assembly: Assembly, operands: list[Node]) -> None:
    """A template that gets a place gets its address, and may reach what lies around it if it writes memory."""
    for described, operand in zip((*assembly.outputs, *assembly.inputs), operands, strict=True):
        if not described.is_memory:
            continue
        type_, inner = lowering.type_of(operand), without_conversions(operand)
        is_alone = inner.kind == kinds.DECL_REF_EXPR and isinstance(type_, Scalar)
        if not isinstance(type_, Scalar) or assembly.takes_addresses or (assembly.writes_memory and not is_alone):
            raise NotSupported(f"asm with {type_} in memory", Unmodelled.ASSEMBLY)
        if inner.kind in _PLACES and isinstance(where := lowering.place(inner), InMemory):
            lowering.environment.give_away(where.address)


def _holds_pointer(lowering: FunctionBody, operand: Node) -> bool:
    """Also if it is cast to a number."""
    node = strip(operand)
    while True:
        if isinstance(lowering.type_of(node), Pointer | Array):
            return True
        if node.kind not in (kinds.UNEXPOSED_EXPR, kinds.CAST_EXPR) or not node.children:
            return False
        node = strip(node.children[-1])


def _is_outside(lowering: FunctionBody, operand: Node) -> bool:
    """Is it the address of an object that the program declares only?"""
    symbols = lowering.context.symbols
    named = [node for node in preorder(operand) if node.kind == kinds.DECL_REF_EXPR]
    found = [
        symbols.resolve(lowering.unit, lowering.lib.clang_getCursorReferenced(node.cursor), lowering.owner) for node in named
    ]
    return bool(found) and all(isinstance(each, VariableSymbol) and not each.defined for each in found)


def _is_defined(lowering: FunctionBody, name: str) -> bool:
    """Is this the name of a function of the program, or of an object?"""
    found = (unit.entities.by_symbol.get(name) for unit in lowering.context.symbols.units if not unit.is_model)
    return any(entity is not None and (entity.defines or not entity.is_function) for entity in found)
