"""Threads: the primitives that programs use, and those of which the models of locks and the like are made (`models/threads.c`).

Each becomes a `ThreadOperation` with an action. What has none is an unknown location. In a program that creates no
threads, nothing can interrupt an atomic section, and the only thread has the identifier 1 for models, and any for itself.
Functions of `<threads.h>` are those of `<pthread.h>` with other names and with results that are numbers; a program that has both
kinds of threads is not modelled.
"""

from __future__ import annotations

from drystone.base.regex import regex
from drystone.frontend.clang.nodes import Node
from drystone.frontend.declarations.linking import Unit
from drystone.frontend.declarations.symbols import FunctionSymbol
from drystone.frontend.declarations.types import Int, Pointer, Scalar
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.expressions import ExpressionLowering
from drystone.frontend.library.common import NOTHING, Handler
from drystone.frontend.library.control import has_exit_handlers
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.conversions import resize
from drystone.frontend.lowering.places import InMemory
from drystone.ir import names
from drystone.ir.automaton import NOWHERE, Edge, MarkKind, Procedure, Unmodelled
from drystone.ir.expressions import Determinant, Expression, InputKind, Variable, constant, load
from drystone.ir.operations import Skip, ThreadAction, ThreadOperation
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL, bitvec

OPERATIONS = regex(
    r"(pthread_|thrd_|mtx_|cnd_|tss_|sem_(init|wait|post|trywait|destroy|getvalue)$|__VERIFIER_atomic_(begin|end)$)"
)
_ATOMIC = "__VERIFIER_atomic_"
_SUCCESS = constant(32, 0)
_FOR_PROGRAMS = frozenset({"pthread_self", "thrd_current"})  # and not for models, which only need a number
_DETACHING = frozenset({"pthread_detach", "thrd_detach", "pthread_attr_setdetachstate"})
_DETACHED = bitvec(64)
_CLEANS_UP = "__drystone_cleans_up"


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
    """The least that models use, or all that glibc has."""
    is_wide = context.pointer_width == 64
    mutex = 40 if is_wide else 24
    words = dict.fromkeys(("pthread_mutexattr_t", "pthread_condattr_t", "pthread_barrierattr_t", "pthread_spinlock_t"), 4)
    others = {"pthread_rwlock_t": 56 if is_wide else 32, "pthread_barrier_t": 32 if is_wide else 20, "pthread_rwlockattr_t": 8}
    return {"pthread_mutex_t": mutex, "mtx_t": mutex, "pthread_cond_t": 8, "cnd_t": 8, "sem_t": 4, **words, **others}


def refuse_with_threads(context: Context) -> None:
    """What all of a program with threads relies on, and what is not modelled anywhere in one."""
    if not context.has_threads:
        return
    model = "accesses of all threads happen one after the other (sequential consistency), each scalar access at once"
    context.note("memory model", f"{model}, operands from left to right", NOWHERE)
    if context.symbols.functions.keys() >= {"pthread_create", "thrd_create"}:
        context.refuse_at_start("threads of <pthread.h> and of <threads.h> in one program", NOWHERE)
    if context.extents is not None:
        context.refuse_at_start("threads, where memory is checked", NOWHERE)
        context.unchecked["memory"] = "programs with threads"


def is_synchronising(unit: Unit) -> bool:
    """Are these the models of operations on threads? What they do to locks and the like are no accesses of the program."""
    return unit.is_model and any(map(OPERATIONS.match, unit.functions))


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
    place, *attributes, function, argument = lowering.arguments(node)
    target = pointer_type.target if isinstance(pointer_type, Pointer) else None
    if not isinstance(target, Int):
        raise NotSupported(f"{symbol.name} with such a thread identifier", Unmodelled.THREADS, symbol.name)
    what = "creates a thread, and has stored its identifier, a small number, before the thread begins"
    lowering.context.note("thread", what, lowering.builder.origin, symbol.name)
    builder = lowering.builder
    is_detached = _is_detached(lowering, attributes[0]) if attributes else None
    builder.emit(ThreadOperation(symbol.name, (), None, ThreadAction.BEGIN))
    identifier = builder.temporary(lowering.context.pointer)
    builder.emit(ThreadOperation(symbol.name, (function, argument), identifier, ThreadAction.CREATE))
    lowering.memory.write(InMemory(place), resize(identifier, target.width, False), target)
    if is_detached is not None:
        detached = _detached(lowering.context)
        builder.assign(detached, make("bvor", detached.sort, detached, _bit(_opaque(lowering, identifier), is_detached)))
    builder.emit(ThreadOperation(symbol.name, (), None, ThreadAction.END))
    return _SUCCESS


def _join(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    if not lowering.context.has_threads:
        return operation(lowering, symbol, node)
    thread, place = (lowering.builder.keep(value) for value in lowering.arguments(node))
    builder, width = lowering.builder, lowering.context.pointer_width
    thread = resize(thread, width, False)
    _refuse_detached(lowering, symbol, thread)
    returned = builder.temporary(lowering.context.pointer if symbol.name == "pthread_join" else bitvec(32))
    builder.emit(ThreadOperation(symbol.name, (thread,), returned, ThreadAction.JOIN))
    stored, done = builder.location(), builder.location()
    builder.branch(make("=", BOOL, place, constant(width, 0)), done, stored)
    builder.current = stored
    type_ = lowering.type_of(node.children[2])
    lowering.memory.write(InMemory(place), returned, type_.target if isinstance(type_, Pointer) else type_)
    builder.place(done)
    return _SUCCESS


def _exit(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    if has_exit_handlers(lowering.context):
        raise NotSupported(f"{symbol.name} in a program with exit handlers", Unmodelled.THREADS, symbol.name)
    if _CLEANS_UP in lowering.context.symbols.functions:
        raise NotSupported(f"{symbol.name} in a program with clean-up handlers", Unmodelled.THREADS, symbol.name)
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
        if symbol.name not in _FOR_PROGRAMS:
            return constant(type_.width, 1)
        return _some_identifier(lowering, symbol.name, type_.width)
    identifier = lowering.builder.temporary(lowering.context.pointer)
    lowering.builder.emit(ThreadOperation(symbol.name, (), identifier, ThreadAction.SELF))
    return resize(identifier, type_.width, False)


def _some_identifier(lowering: ExpressionLowering, name: str, width: int) -> Expression:
    """Any that a library may choose; it is not seen that two calls give the same."""
    identifier = lowering.builder.temporary(bitvec(width))
    chosen = lowering.builder.input(identifier.sort, InputKind.APPROXIMATED, name, Determinant.IMPLEMENTATION)
    lowering.builder.assign(identifier, chosen)
    none = [make("=", BOOL, identifier, constant(width, number)) for number in (0, (1 << width) - 1)]
    return make("ite", identifier.sort, make("or", BOOL, *none), constant(width, 1), identifier)


def _equal(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    first, second = lowering.arguments(node)
    return make("ite", _SUCCESS.sort, make("=", BOOL, first, second), constant(32, 1), _SUCCESS)


def _detach(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    (thread,) = (lowering.builder.keep(value) for value in lowering.arguments(node))
    if not lowering.context.has_threads:
        return operation(lowering, symbol, node)
    thread, builder = resize(thread, lowering.context.pointer_width, False), lowering.builder
    builder.emit(ThreadOperation(symbol.name, (), None, ThreadAction.BEGIN))
    _refuse_detached(lowering, symbol, thread)
    detached = _detached(lowering.context)
    builder.assign(detached, make("bvor", detached.sort, detached, _bit(_opaque(lowering, thread), constant(32, 1))))
    builder.emit(ThreadOperation(symbol.name, (), None, ThreadAction.END))
    return _SUCCESS


def _detached(context: Context) -> Variable:
    """Which threads nobody can wait for: a bit for each identifier."""
    return context.variable("detached threads", _DETACHED)


def _opaque(lowering: ExpressionLowering, identifier: Expression) -> Variable:
    """The identifier of a thread, to compute with (`passes.thread_identifiers`)."""
    own = lowering.builder.variable(names.OPAQUE_IDENTIFIER, identifier.sort)
    lowering.builder.assign(own, identifier)
    return own


def _bit(thread: Expression, value: Expression) -> Expression:
    """Of a thread's identifier: this one, which is 0 or 1."""
    return make("bvshl", _DETACHED, resize(value, _DETACHED.width, False), resize(thread, _DETACHED.width, False))


def _is_detached(lowering: ExpressionLowering, attributes: Expression) -> Expression | None:
    """What attributes say of a new thread, 0 or 1; None if nothing."""
    if "pthread_attr_setdetachstate" not in lowering.context.symbols.functions or attributes == _no_address(lowering.context):
        return None
    builder, state = lowering.builder, lowering.builder.temporary(bitvec(32))
    given, done = builder.location(), builder.location()
    builder.assign(state, constant(32, 0))
    builder.branch(make("=", BOOL, attributes, _no_address(lowering.context)), done, given)
    builder.current = given
    builder.assign(state, load(bitvec(32), attributes))
    builder.place(done)
    return state


def _no_address(context: Context) -> Expression:
    return constant(context.pointer_width, 0)


def _refuse_detached(lowering: ExpressionLowering, symbol: FunctionSymbol, thread: Expression) -> None:
    """C leaves undefined what happens if a detached thread is waited for, or detached again."""
    if _DETACHING.isdisjoint(lowering.context.symbols.functions):
        return
    builder, thread = lowering.builder, _opaque(lowering, thread)
    bit = make("bvand", _DETACHED, builder.keep(_detached(lowering.context)), _bit(thread, constant(32, 1)))
    detached, known = builder.location(), builder.location()
    is_known = make("bvult", BOOL, thread, constant(lowering.context.pointer_width, _DETACHED.width))
    is_joinable = make("and", BOOL, is_known, make("=", BOOL, bit, constant(_DETACHED.width, 0)))
    builder.branch(is_joinable, known, detached)
    builder.current = detached
    builder.end(MarkKind.UNKNOWN, f"{symbol.name} of a detached thread", Unmodelled.THREADS, symbol.name)
    builder.place(known)


def _cleans_up(lowering: ExpressionLowering, symbol: FunctionSymbol, node: Node) -> Expression:
    """A clean-up handler, which only a thread that leaves its scope by ending would run."""
    return NOTHING


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


PRIMITIVES: dict[str, Handler] = {
    "pthread_create": _create,
    "pthread_join": _join,
    "pthread_exit": _exit,
    "pthread_self": _self,
    "pthread_equal": _equal,
    "pthread_detach": _detach,
    "thrd_create": _create,
    "thrd_join": _join,
    "thrd_exit": _exit,
    "thrd_current": _self,
    "thrd_equal": _equal,
    "thrd_detach": _detach,
    _CLEANS_UP: _cleans_up,
    "__VERIFIER_atomic_begin": _section(ThreadAction.BEGIN),
    "__VERIFIER_atomic_end": _section(ThreadAction.END),
    "__drystone_atomic_begin": _section(ThreadAction.BEGIN),
    "__drystone_atomic_end": _section(ThreadAction.END),
    "__drystone_await": _await,
    "__drystone_self": _self,
    "__drystone_wakes": _wakes,
}
