"""Allocation, and the memory functions when their size is known (otherwise their models in C are called)."""

from __future__ import annotations

from drystone.frontend.clang.cursors import evaluate
from drystone.frontend.clang.nodes import EFFECTS, Node
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.accesses import check_range, check_release, refuse_if
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import NOTHING, Handler
from drystone.frontend.library.effects import errno_address
from drystone.frontend.lowering.builder import Builder
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.conversions import is_signed, resize
from drystone.ir.automaton import Unmodelled
from drystone.ir.expressions import Constant, Expression, constant, load
from drystone.ir.operations import Allocate, Copy, Fill, Free, Lifetime, Reallocate, Store
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL, bitvec


def _allocate(lifetime: Lifetime) -> Handler:
    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        values = lowering.arguments(node)
        size = _size(lowering, node, values, 0)
        bits = _alignment(node, 1) if symbol.name == "__builtin_alloca_with_align" else None
        target = lowering.builder.temporary(lowering.context.pointer)
        lowering.begin_in_frame(lifetime)
        lowering.builder.emit(Allocate(target, size, False, lifetime, symbol.name, max((bits or 0) // 8, 16)))
        lowering.end_with_frame(lifetime, target)
        _refuse_failure(lowering, node, target, size)
        if lifetime is Lifetime.HEAP:
            _set_errno(lowering, target, size)
        return target

    return handler


def _alignment(node: Node, index: int, least: int = 1) -> int | None:
    """An argument that is a constant, if it is one that allocations can have."""
    if len(node.children) <= index + 1 or node.children[index + 1].effects == EFFECTS:
        return None
    value = evaluate(node.children[index + 1].cursor)
    if not isinstance(value, int) or not least <= value <= _LARGEST_ALIGNMENT or value & value - 1:
        return None
    return max(value, 16)


def _aligned(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
    align = _alignment(node, 0)
    if align is None:
        return None
    size = _size(lowering, node, lowering.arguments(node), 1)
    target = lowering.builder.temporary(lowering.context.pointer)
    lowering.builder.emit(Allocate(target, size, False, Lifetime.HEAP, symbol.name, align))
    _refuse_failure(lowering, node, target, size)
    _set_errno(lowering, target, size)
    return target


def _pages(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    """What mmap gives: zeros, from the beginning of a page on."""
    if lowering.builder.extents is not None and lowering.builder.extents.blocks is not None:
        raise NotSupported("mmap: whether its pages are given back", Unmodelled.LIBRARY, "mmap")
    size = _size(lowering, node, lowering.arguments(node), 0)
    target = lowering.builder.temporary(lowering.context.pointer)
    lowering.builder.emit(Allocate(target, size, True, Lifetime.HEAP, "mmap", _PAGE))
    return target


def _posix_memalign(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
    """The number of an error, if there is one: then the pointer stays what it was, and errno as well."""
    align = _alignment(node, 1, least=lowering.context.pointer_width // 8)
    if align is None:
        return None
    builder, values = lowering.builder, lowering.arguments(node)
    place, size = builder.keep(values[0]), builder.keep(_size(lowering, node, values, 2))
    place = check_range(lowering, node.children[1], place, lowering.context.pointer_width // 8, is_write=True)
    target, result = builder.temporary(lowering.context.pointer), builder.temporary(bitvec(32))
    builder.emit(Allocate(target, size, False, Lifetime.HEAP, symbol.name, align))
    given, missing, join = builder.location(), builder.location(), builder.location()
    builder.branch(make("=", BOOL, target, Constant(target.sort, 0)), missing, given)
    builder.current = missing
    builder.assign(result, constant(32, _ENOMEM))
    builder.goto(join)
    builder.current = given
    builder.emit(Store(place, target))
    builder.assign(result, constant(32, 0))
    builder.place(join)
    return result


def _refuse_failure(lowering: ExpressionLowering, node: Node, memory: Expression, size: Expression) -> None:
    """For tasks of SV-COMP about memory: its rules say that allocations do not fail, and so not what happens where none fits."""
    if lowering.builder.extents is None or not lowering.context.failures_end:
        return
    if not isinstance(size, Constant) or size.value >= _SMALL:
        is_null = make("=", BOOL, memory, Constant(memory.sort, 0))
        refuse_if(lowering, is_null, f"an allocation of more than fits an address space: {lowering.text(node)}")


def _set_errno(lowering: ExpressionLowering, memory: Expression, size: Expression) -> None:
    """ENOMEM where there is no memory, which a small constant size does not meet."""
    if isinstance(size, Constant) and size.value < _SMALL:
        return
    set_errno(lowering.context, lowering.builder, memory)


def set_errno(context: Context, builder: Builder, memory: Expression) -> None:
    address = errno_address(context, builder)
    if address is not None:
        is_null = make("=", BOOL, memory, Constant(memory.sort, 0))
        builder.emit(Store(address, make("ite", bitvec(32), is_null, constant(32, _ENOMEM), load(bitvec(32), address))))


_ENOMEM, _SMALL, _LARGEST_ALIGNMENT, _PAGE = 12, 1 << 20, 1 << 20, 4096


def _size(lowering: ExpressionLowering, node: Node, values: list[Expression], index: int) -> Expression:
    type_ = lowering.type_of(node.children[index + 1])
    return resize(values[index], lowering.context.pointer_width, is_signed(type_))


def _calloc(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """NULL where the product overflows."""
    builder, width = lowering.builder, lowering.context.pointer_width
    values = lowering.arguments(node)
    count, size = (builder.keep(_size(lowering, node, values, index)) for index in (0, 1))
    wide = bitvec(2 * width)
    product = make("bvmul", wide, make("zero_extend", wide, count), make("zero_extend", wide, size))
    fits = make("=", BOOL, make("bvlshr", wide, product, constant(2 * width, width)), constant(2 * width, 0))
    target = builder.temporary(lowering.context.pointer)
    whole = make("bvmul", count.sort, count, size)
    if isinstance(fits, Constant):
        if fits.value:
            builder.emit(Allocate(target, whole, True, Lifetime.HEAP, symbol.name))
        else:
            builder.assign(target, constant(width, 0))
        _refuse_failure(lowering, node, target, product)
        _set_errno(lowering, target, product)
        return target
    allocated, refused, join = builder.location(), builder.location(), builder.location()
    builder.branch(fits, allocated, refused)
    builder.current = refused
    builder.assign(target, constant(width, 0))
    builder.goto(join)
    builder.current = allocated
    builder.emit(Allocate(target, whole, True, Lifetime.HEAP, symbol.name))
    builder.place(join)
    _refuse_failure(lowering, node, target, product)
    _set_errno(lowering, target, product)
    return target


def _realloc(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """Of no bytes, it frees the object and returns NULL, as glibc does."""
    builder = lowering.builder
    values = lowering.arguments(node)
    values[0] = check_release(lowering, node, values[0])
    target = builder.temporary(lowering.context.pointer)
    size = _size(lowering, node, values, 1)
    if isinstance(size, Constant) and size.value != 0:
        builder.emit(Reallocate(target, values[0], size))
        _refuse_failure(lowering, node, target, size)
        _set_errno(lowering, target, size)
        return target
    old, size = builder.keep(values[0]), builder.keep(size)
    zero = Constant(old.sort, 0)
    frees = make("and", BOOL, make("=", BOOL, size, zero), make("not", BOOL, make("=", BOOL, old, zero)))
    freed, moved, join = builder.location(), builder.location(), builder.location()
    builder.branch(frees, freed, moved)
    builder.current = freed
    builder.emit(Free(old))
    builder.assign(target, zero)
    builder.goto(join)
    builder.current = moved
    builder.emit(Reallocate(target, old, size))
    _refuse_failure(lowering, node, target, size)
    _set_errno(lowering, target, size)
    builder.place(join)
    return target


def _free(lowering: ExpressionLowering, _: FunctionSymbol, node: Node) -> Expression:
    lowering.builder.emit(Free(check_release(lowering, node, lowering.arguments(node)[0])))
    return NOTHING


def _known_size(node: Node) -> int | None:
    """The third argument of memcpy and its kin, if it is a constant."""
    if len(node.children) < 4 or node.children[3].effects == EFFECTS:
        return None
    value = evaluate(node.children[3].cursor)
    return value if isinstance(value, int) and 0 <= value < 1 << 24 else None


def _memcpy(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
    size = _known_size(node)
    if size is None:
        return None
    target, source = lowering.arguments(node)[:2]
    target = lowering.builder.keep(target)
    source = check_range(lowering, node.children[2], source, size, is_write=False)
    target = check_range(lowering, node.children[1], target, size, is_write=True)
    if size:
        lowering.builder.emit(Copy(target, source, size))
    return target


def _memset(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
    size = _known_size(node)
    if size is None:
        return None
    target, byte = lowering.arguments(node)[:2]
    target = check_range(lowering, node.children[1], lowering.builder.keep(target), size, is_write=True)
    if size:
        lowering.builder.emit(Fill(target, resize(byte, 8, False), size))
    return target


PRIMITIVES: dict[str, Handler] = {
    "malloc": _allocate(Lifetime.HEAP),
    **dict.fromkeys(("alloca", "__builtin_alloca_with_align"), _allocate(Lifetime.FRAME)),
    **dict.fromkeys(("aligned_alloc", "memalign"), _aligned),
    "posix_memalign": _posix_memalign,
    "__drystone_pages": _pages,
    "calloc": _calloc,
    "realloc": _realloc,
    **dict.fromkeys(("free", "cfree"), _free),
    **dict.fromkeys(("memcpy", "memmove"), _memcpy),
    "memset": _memset,
}

MOVING = frozenset({"memcpy", "memmove", "memset"})
"""Primitives for known sizes only."""

MODELLED = MOVING | {"aligned_alloc", "memalign", "posix_memalign"}
"""These and primitives for known alignments only."""
