"""Threads: the primitives that programs use, and those of which the models of locks and the like are made (`models/threads.c`).

Each becomes a `ThreadOperation` with an action. What has none is an unknown location. In a program that creates no
threads, nothing can interrupt an atomic section, and the only thread has the identifier 1.
"""

from __future__ import annotations

from drystone.base.regex import regex
from drystone.frontend.clang.nodes import Node
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Int, Pointer, Scalar
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import NOTHING, Handler
from drystone.frontend.library.control import has_exit_handlers
from drystone.frontend.library.effects import ERRNO
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.conversions import resize
from drystone.frontend.lowering.places import InMemory
from drystone.ir import names
from drystone.ir.automaton import NOWHERE, Edge, MarkKind, Procedure, Unmodelled
from drystone.ir.expressions import Expression, constant
from drystone.ir.operations import Skip, ThreadAction, ThreadOperation
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL

OPERATIONS = regex(
    r"(pthread_|thrd_|mtx_|cnd_|tss_|sem_(init|wait|post|trywait|destroy|getvalue)$|__VERIFIER_atomic_(begin|end)$)"
)
_ATOMIC = "__VERIFIER_atomic_"
_SUCCESS = constant(32, 0)


def operation(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """One that is not modelled."""
    values = lowering.arguments(node)
    type_ = lowering.type_of(node)
    result = lowering.builder.temporary(type_.sort) if isinstance(type_, Scalar) else None
    lowering.builder.emit(ThreadOperation(symbol.name, tuple(values), result))
    return result if result is not None else NOTHING


def refuse_small_objects(lowering: ExpressionLowering, name: str, node: Node) -> None:
    """Models know what glibc's objects look like: a program may have smaller ones of its own."""
    for argument in node.children[1:] if OPERATIONS.match(name) else ():
        type_ = lowering.type_of(argument)
        if isinstance(type_, Pointer) and 0 <= type_.target.size < _sizes(lowering.context).get(str(type_.target), 0):
            raise NotSupported(f"{name} with such a {type_.target}", Unmodelled.THREADS, name)


def _sizes(context: Context) -> dict[str, int]:
    return {"pthread_mutex_t": 40 if context.pointer_width == 64 else 24, "pthread_cond_t": 8, "sem_t": 4}


def refuse_with_threads(context: Context) -> None:
    """What all of a program with threads relies on, and what is not modelled anywhere in one."""
    if not context.has_threads:
        return
    model = "accesses of all threads happen one after the other (sequential consistency), each scalar access at once"
    context.note("memory model", f"{model}, operands from left to right", NOWHERE)
    if ERRNO in context.symbols.functions:
        context.refuse_at_start("errno in a program with threads", NOWHERE)


def in_atomic_section(context: Context, procedure: Procedure) -> Procedure:
    """A function `__VERIFIER_atomic_f` runs without interruption. A program's own `__VERIFIER_atomic_begin` begins a section, and
    its `__VERIFIER_atomic_end` ends one; what they do is inside."""
    name = names.spelled(procedure.name)
    if not name.startswith(_ATOMIC) or not context.has_threads:
        return procedure
    if name != f"{_ATOMIC}end":
        procedure.edges.append(Edge(procedure.locations, procedure.entry, _section_edge(ThreadAction.BEGIN), procedure.origin))
        procedure.entry, procedure.locations = procedure.locations, procedure.locations + 1
    if name != f"{_ATOMIC}begin":
        procedure.edges.append(Edge(procedure.exit, procedure.locations, _section_edge(ThreadAction.END), procedure.origin))
        procedure.exit, procedure.locations = procedure.locations, procedure.locations + 1
    return procedure


def _section_edge(action: ThreadAction) -> ThreadOperation:
    return ThreadOperation(f"{_ATOMIC}{'begin' if action is ThreadAction.BEGIN else 'end'}", (), None, action)


def _section(action: ThreadAction) -> Handler:
    """The bounds of an atomic section; without other threads nothing can interrupt it."""

    def handler(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
        if lowering.context.has_threads:
            lowering.builder.emit(_section_edge(action))
        return NOTHING

    return handler


def _create(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    pointer_type = lowering.type_of(node.children[1])
    place, _, function, argument = lowering.arguments(node)
    target = pointer_type.target if isinstance(pointer_type, Pointer) else None
    if not isinstance(target, Int):
        raise NotSupported(f"{symbol.name} with such a thread identifier", Unmodelled.THREADS, symbol.name)
    what = "creates a thread, and has stored its identifier, a small number, before the thread begins"
    lowering.context.note("thread", what, lowering.builder.origin, symbol.name)
    builder = lowering.builder
    builder.emit(ThreadOperation(symbol.name, (), None, ThreadAction.BEGIN))
    identifier = builder.temporary(lowering.context.pointer)
    builder.emit(ThreadOperation(symbol.name, (function, argument), identifier, ThreadAction.CREATE))
    lowering.memory.write(InMemory(place), resize(identifier, target.width, False), target)
    builder.emit(ThreadOperation(symbol.name, (), None, ThreadAction.END))
    return _SUCCESS


def _join(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    if not lowering.context.has_threads:
        return operation(lowering, symbol, node)
    thread, place = (lowering.builder.keep(value) for value in lowering.arguments(node))
    builder, width = lowering.builder, lowering.context.pointer_width
    returned = builder.temporary(lowering.context.pointer)
    builder.emit(ThreadOperation(symbol.name, (resize(thread, width, False),), returned, ThreadAction.JOIN))
    stored, done = builder.location(), builder.location()
    builder.branch(make("=", BOOL, place, constant(width, 0)), done, stored)
    builder.current = stored
    type_ = lowering.type_of(node.children[2])
    lowering.memory.write(InMemory(place), returned, type_.target if isinstance(type_, Pointer) else type_)
    builder.place(done)
    return _SUCCESS


def _exit(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    if has_exit_handlers(lowering.context):
        raise NotSupported("pthread_exit in a program with exit handlers", Unmodelled.THREADS, symbol.name)
    (value,) = (lowering.builder.keep(value) for value in lowering.arguments(node))
    if lowering.context.has_threads:
        lowering.builder.emit(ThreadOperation(symbol.name, (value,), None, ThreadAction.EXIT))
    lowering.builder.end(MarkKind.HALT, f"{symbol.name}()")
    return NOTHING


def _self(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    type_ = lowering.type_of(node)
    if not isinstance(type_, Int):
        raise NotSupported(f"{symbol.name} with such a thread identifier", Unmodelled.THREADS, symbol.name)
    if not lowering.context.has_threads:
        return constant(type_.width, 1)
    identifier = lowering.builder.temporary(lowering.context.pointer)
    lowering.builder.emit(ThreadOperation(symbol.name, (), identifier, ThreadAction.SELF))
    return resize(identifier, type_.width, False)


def _equal(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    first, second = lowering.arguments(node)
    return make("ite", _SUCCESS.sort, make("=", BOOL, first, second), constant(32, 1), _SUCCESS)


def _detach(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    lowering.arguments(node)
    return _SUCCESS


def _await(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """In a model: the thread waits until this holds, at the begin of the atomic section that this is in."""
    (value,) = lowering.arguments(node)
    builder = lowering.builder
    waits, goes_on = builder.location(), builder.location()
    builder.branch(make("=", BOOL, value, constant(32, 0)), waits, goes_on)
    builder.current = waits
    builder.emit(Skip("waits"))
    builder.end(MarkKind.HALT, "waits for ever")
    builder.place(goes_on)
    return NOTHING


def _wakes(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    if not lowering.context.has_threads:
        return _SUCCESS
    wakes = lowering.builder.temporary(BOOL)
    lowering.builder.emit(ThreadOperation("a wake-up without a signal", (), wakes, ThreadAction.WAKES))
    return make("ite", _SUCCESS.sort, wakes, constant(32, 1), _SUCCESS)


def _call_once(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression | None:
    """Its model knows no other threads, which would have to wait."""
    if lowering.context.has_threads:
        raise NotSupported(f"{symbol.name} in a program with threads", Unmodelled.THREADS, symbol.name)
    return None


MODELLED = frozenset({"call_once"})
"""Primitives where there are other threads."""

PRIMITIVES: dict[str, Handler] = {
    "call_once": _call_once,
    "pthread_create": _create,
    "pthread_join": _join,
    "pthread_exit": _exit,
    "pthread_self": _self,
    "pthread_equal": _equal,
    "pthread_detach": _detach,
    "__VERIFIER_atomic_begin": _section(ThreadAction.BEGIN),
    "__VERIFIER_atomic_end": _section(ThreadAction.END),
    "__drystone_atomic_begin": _section(ThreadAction.BEGIN),
    "__drystone_atomic_end": _section(ThreadAction.END),
    "__drystone_await": _await,
    "__drystone_self": _self,
    "__drystone_wakes": _wakes,
}
