"""Thread-local variables in a program with threads: each thread has its own.

One that is a variable of the automaton is such a variable of each thread. One that lies in memory is an array with an element for
each thread, which its identifier chooses; what more threads than that do with it is an unknown location.
"""

from __future__ import annotations

from drystone.frontend.clang.bindings import library
from drystone.frontend.declarations.symbols import VariableSymbol
from drystone.frontend.declarations.types import Scalar
from drystone.frontend.errors import NotSupported
from drystone.frontend.expressions.evaluation import Evaluation
from drystone.frontend.lowering.context import Context
from drystone.frontend.lowering.places import InMemory, InVariable, Place
from drystone.ir import names
from drystone.ir.automaton import MarkKind, MemoryObject, Unmodelled
from drystone.ir.expressions import Variable, constant
from drystone.ir.operations import ThreadAction, ThreadOperation
from drystone.ir.simplify import make
from drystone.logic.sorts import BOOL

_COUNT = 32


def is_own(context: Context, symbol: VariableSymbol) -> bool:
    """Does each thread have one of its own?"""
    return context.has_threads and bool(library().clang_getCursorTLSKind(symbol.cursor))


def own_place(lowering: Evaluation, symbol: VariableSymbol) -> Place:
    """Where the running thread has it."""
    if not symbol.defined or symbol.type.size < 0:
        raise NotSupported(f"thread-local variable {symbol.name}", Unmodelled.THREADS, symbol.name)
    if not symbol.in_memory:
        assert isinstance(symbol.type, Scalar)
        lowering.context.thread_locals.add(symbol.name)
        return InVariable(Variable(symbol.name, symbol.type.sort, symbol.spelling))
    builder, sort = lowering.builder, lowering.context.pointer
    self = builder.variable(names.THREAD_NUMBER, sort)
    builder.emit(ThreadOperation("thread-local variable", (), self, ThreadAction.SELF))
    known, unknown = builder.location(), builder.location()
    builder.branch(make("bvule", BOOL, self, constant(sort.width, _COUNT)), known, unknown)
    builder.current = unknown
    builder.end(MarkKind.UNKNOWN, f"thread-local variable {symbol.name} of more than {_COUNT} threads", Unmodelled.THREADS)
    builder.place(known)
    number = make("bvsub", sort, self, constant(sort.width, 1))
    distance = make("bvmul", sort, number, constant(sort.width, symbol.type.size))
    return InMemory(builder.keep(make("bvadd", sort, lowering.context.address_of_global(symbol), distance)))


def for_each_thread(one: MemoryObject) -> MemoryObject:
    """The array of them, from the first thread's."""
    assert one.size % one.align == 0
    content = one.content.ljust(one.size, b"\0") * _COUNT
    relocations = tuple((number * one.size + place, value) for number in range(_COUNT) for place, value in one.relocations)
    return MemoryObject(
        one.name, one.size * _COUNT, one.align, one.kind, one.ctype, content.rstrip(b"\0"), relocations, one.origin
    )
