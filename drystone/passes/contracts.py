"""Recursion without an end: a recursive procedure is replaced by what its contract says.

Program to Program. A contract has two parts: what must hold when the procedure is called, and what holds when it returns.
The new program begins with a choice. It is the old program, or one of the procedures, called in any state in which its contract
lets it be called, which must then keep the contract. In both, every call of such a procedure is an error if it may not be
called, and gives anything that the contract allows.

If no error can be reached in the new program, none can in the old one. Suppose that one can, and take the shortest execution
to an error or to the first breach of a contract. It ends in an activation whose calls have all kept their contracts or, if
they have not returned, have led to nothing bad: so the new program has an execution to that place, too.

A contract speaks of parameters as they were at the call by their names, of the variable g of the program as `\\old(g)` and
`\\new(g)`, before and after, and of the result as `\\result`. Procedures that touch memory or pass on addresses have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from drystone.ir import names
from drystone.ir.automaton import Edge, Frame, Mark, MarkKind, Origin, Procedure, Program
from drystone.ir.callgraph import call_graph
from drystone.ir.expressions import (
    MAX_DEPTH,
    OPERATORS,
    Address,
    Constant,
    Expression,
    Input,
    InputKind,
    Load,
    Variable,
    apply,
    depth,
)
from drystone.ir.features import expressions_of
from drystone.ir.nodes import subexpressions
from drystone.ir.operations import Assign, Assume, Call, Operation, Report, Skip
from drystone.ir.simplify import negate
from drystone.logic.sorts import BOOL
from drystone.logic.terms import Term
from drystone.logic.walks import reachable
from drystone.memory.pointsto import PointsTo
from drystone.passes.tailcalls import without_tail_calls

ENTRY = names.own("choice of contracts")
RESULT = "\\result"


def old(name: str) -> str:
    return f"\\old({name})"


def new(name: str) -> str:
    return f"\\new({name})"


class Contract(msgspec.Struct, frozen=True):
    """Conjuncts, as terms over the symbols of the procedure's `Vocabulary`."""

    requires: tuple[Term, ...] = ()
    ensures: tuple[Term, ...] = ()


class Vocabulary(msgspec.Struct, frozen=True):
    """What a procedure and all that it calls use."""

    procedure: Procedure
    read: tuple[Variable, ...]  # variables of the program, read or written
    written: tuple[Variable, ...]

    def before(self) -> dict[str, Variable]:
        """What a contract may speak of when the procedure is called."""
        known = {each.name: each for each in self.procedure.parameters}
        return known | {old(each.name): _named(old(each.name), each) for each in self.read}

    def after(self) -> dict[str, Variable]:
        """And when it returns."""
        result = self.procedure.result
        known = self.before() | {new(each.name): _named(new(each.name), each) for each in self.written}
        return known if result is None else known | {RESULT: _named(RESULT, result)}


def _named(name: str, like: Variable) -> Variable:
    return Variable(name, like.sort, like.ctype)


def vocabularies(program: Program) -> dict[str, Vocabulary]:
    """Of the recursive procedures that can have a contract: those that touch no memory, nor do those that they call.

    No address may pass through them either, nor a piece of one: what a contract gives is any number, of which nobody would know
    what it points to. So where pointers are cut or objects have distances, there are no contracts at all.
    """
    graph = call_graph(program)
    plain = {}
    for name in program.procedures:
        if name in graph.recursive:
            reached = [program.procedures[each] for each in _reached(name, graph.callees)]
            if all(map(_is_plain, reached)):
                plain[name] = reached
    pointers = PointsTo(program) if plain else None
    if pointers is None or pointers.numbers_may_point:
        return {}
    found = {}
    for name, reached in plain.items():
        vocabulary = _vocabulary(program, name, reached)
        used = [(each, variable) for each in reached for variable in (*each.variables.values(), *vocabulary.read)]
        if not any(pointers.may_point(*each) for each in used):
            found[name] = vocabulary
    return found


def vocabularies_beyond_loops(program: Program) -> dict[str, Vocabulary]:
    """Of those that are recursive even if calls at their end are jumps to their start: the others are better taken as loops."""
    if program.has_threads:
        return {}  # a call is many steps, and others may be taken between them
    recursive = call_graph(without_tail_calls(program)).recursive
    return {name: each for name, each in vocabularies(program).items() if name in recursive}


def _reached(name: str, callees: Mapping[str, tuple[str, ...]]) -> list[str]:
    reached, stack = {name: None}, [name]
    while stack:
        for callee in callees[stack.pop()]:
            if callee not in reached:
                reached[callee] = None
                stack.append(callee)
    return list(reached)


def _is_plain(procedure: Procedure) -> bool:
    if procedure.objects:
        return False
    for edge in procedure.edges:
        if not isinstance(edge.operation, Skip | Report | Assume | Assign | Call):
            return False
        if any(isinstance(part, Load | Address) for each in expressions_of(edge.operation) for part in subexpressions(each)):
            return False
    return True


def _vocabulary(program: Program, name: str, reached: Iterable[Procedure]) -> Vocabulary:
    read: dict[str, Variable] = {}
    written: dict[str, Variable] = {}
    for procedure in reached:
        for edge in procedure.edges:
            operation = edge.operation
            target = operation.target if isinstance(operation, Assign) else None
            if isinstance(operation, Call):
                target = operation.result
            mentioned = [
                part for root in expressions_of(operation) for part in subexpressions(root) if isinstance(part, Variable)
            ]
            for variable in (*mentioned, *([target] if target is not None else [])):
                if variable.name not in procedure.variables:
                    read[variable.name] = program.variables[variable.name]
            if target is not None and target.name not in procedure.variables:
                written[target.name] = program.variables[target.name]
    return Vocabulary(program.procedures[name], tuple(read.values()), tuple(written.values()))


def broken(known: Mapping[str, Vocabulary], contracts: Mapping[str, Contract]) -> str:
    """Why these are no contracts of a program with these `vocabularies`, in words; empty if they are. They come from anywhere."""
    for name, contract in contracts.items():
        if name not in known:
            return f"{name} can have no contract"
        for symbols, conjuncts in ((known[name].before(), contract.requires), (known[name].after(), contract.ensures)):
            for term in conjuncts:
                if term.sort != BOOL:
                    return f"the contract of {name} contains something that is no condition"
                try:
                    _expression(term, symbols)
                except ValueError as problem:
                    return f"the contract of {name} contains {problem}"
    return ""


def with_contracts(
    program: Program, known: Mapping[str, Vocabulary], contracts: Mapping[str, Contract], *, own_errors: bool = True
) -> Program:
    """`known` are the program's `vocabularies`, for which `broken` must have found nothing. Without `own_errors` only what breaks
    a contract is an error."""
    procedures = {}
    for name, procedure in program.procedures.items():
        marks = procedure.marks
        if not own_errors:
            marks = {place: _ended(mark) for place, mark in marks.items()}
        procedures[name] = msgspec.structs.replace(
            procedure, edges=[_redirected(edge, contracts) for edge in procedure.edges], marks=marks
        )
    choices = [program.entry]
    for name, contract in contracts.items():
        procedures[_summary(name)] = _summary_of(known[name], contract)
        procedures[_test(name)] = _test_of(known[name], contract, program.variables.values())
        choices.append(_test(name))
    procedures[ENTRY] = _choice(program, choices)
    return msgspec.structs.replace(program, entry=ENTRY, procedures=procedures)


def _summary(name: str) -> str:
    return names.own(f"summary of {name}")


def _test(name: str) -> str:
    return names.own(f"contract of {name}")


def _ended(mark: Mark) -> Mark:
    return mark if mark.kind is not MarkKind.ERROR else msgspec.structs.replace(mark, kind=MarkKind.HALT)


def _redirected(edge: Edge, contracts: Mapping[str, Contract]) -> Edge:
    call = edge.operation
    if not isinstance(call, Call) or call.procedure not in contracts:
        return edge
    return msgspec.structs.replace(edge, operation=msgspec.structs.replace(call, procedure=_summary(call.procedure)))


class _Writer:
    """Writes a procedure, one step after the other."""

    def __init__(self, name: str, function: str, origin: Origin) -> None:
        self.name, self.function, self.origin = name, function, origin
        self.variables: dict[str, Variable] = {}
        self.edges: list[Edge] = []
        self.marks: dict[int, Mark] = {}
        self.here, self.locations = 0, 1

    def variable(self, variable: Variable) -> Variable:
        self.variables[variable.name] = variable
        return variable

    def place(self) -> int:
        self.locations += 1
        return self.locations - 1

    def step(self, operation: Operation, target: int | None = None) -> None:
        target = self.place() if target is None else target
        self.edges.append(Edge(self.here, target, operation, self.origin))
        self.here = target

    def choose(self, target: Variable, what: str, kind: InputKind = InputKind.EXTERNAL) -> None:
        self.step(Assign(target, Input(0, target.sort, kind, what)))

    def unless(self, condition: Expression, mark: Mark) -> None:
        """The way ends at the mark if the condition does not hold."""
        here, end = self.here, self.place()
        self.marks[end] = mark
        self.step(Assume(condition))
        self.edges.append(Edge(here, end, Assume(apply("not", BOOL, condition)), self.origin))  # even of a constant

    def finish(self, parameters: tuple[Variable, ...] = (), result: Variable | None = None) -> Procedure:
        return Procedure(
            name=self.name,
            parameters=parameters,
            result=result,
            variables=self.variables,
            objects={},
            entry=0,
            exit=self.here,
            edges=self.edges,
            marks=self.marks,
            locations=self.locations,
            frames=[Frame(self.function)],
            origin=self.origin,
        )


def _summary_of(vocabulary: Vocabulary, contract: Contract) -> Procedure:
    """What a call does, as far as the contract says."""
    procedure = vocabulary.procedure
    writer, symbols = _begun(_summary(procedure.name), vocabulary)
    for each in vocabulary.read:
        writer.step(Assign(symbols[old(each.name)], each))
    for number, term in enumerate(contract.requires):
        writer.unless(_expression(term, symbols), Mark(MarkKind.ERROR, requirement(procedure.name, number), procedure.origin))
    for each in vocabulary.written:
        writer.choose(symbols[new(each.name)], f"{each.name} after {procedure.name}")
        writer.step(Assign(each, symbols[new(each.name)]))
    if RESULT in symbols:
        writer.choose(symbols[RESULT], f"result of {procedure.name}")
    for term in contract.ensures:
        writer.unless(_expression(term, symbols), Mark(MarkKind.HALT, f"not what {procedure.name} gives", procedure.origin))
    writer.step(Skip(f"{procedure.name} returns"))
    return writer.finish(procedure.parameters, symbols.get(RESULT))


def _test_of(vocabulary: Vocabulary, contract: Contract, variables: Iterable[Variable]) -> Procedure:
    """The procedure itself, called wherever it may be."""
    procedure = vocabulary.procedure
    writer, symbols = _begun(_test(procedure.name), vocabulary)
    for each in procedure.parameters:
        writer.choose(symbols[each.name], each.name)
    for each in variables:
        writer.choose(each, each.name)
    for each in vocabulary.read:
        writer.step(Assign(symbols[old(each.name)], each))
    for term in contract.requires:
        writer.unless(_expression(term, symbols), Mark(MarkKind.HALT, f"{procedure.name} is not called so", procedure.origin))
    writer.step(Call(procedure.name, tuple(symbols[each.name] for each in procedure.parameters), symbols.get(RESULT)))
    for each in vocabulary.written:
        writer.step(Assign(symbols[new(each.name)], each))
    for number, term in enumerate(contract.ensures):
        writer.unless(_expression(term, symbols), Mark(MarkKind.ERROR, guarantee(procedure.name, number), procedure.origin))
    writer.step(Skip(f"{procedure.name} keeps its contract"))
    return writer.finish()


def requirement(name: str, number: int) -> str:
    """The error of a call that the contract does not allow."""
    return f"requirement {number + 1} of {name}"


def guarantee(name: str, number: int) -> str:
    """The error of a procedure that does not keep its contract."""
    return f"guarantee {number + 1} of {name}"


def _begun(name: str, vocabulary: Vocabulary) -> tuple[_Writer, dict[str, Variable]]:
    writer = _Writer(name, vocabulary.procedure.name, vocabulary.procedure.origin)
    symbols = {symbol: writer.variable(each) for symbol, each in vocabulary.after().items()}
    return writer, symbols


def _choice(program: Program, choices: list[str]) -> Procedure:
    """One of these is called."""
    entry = program.procedures[program.entry]
    writer = _Writer(ENTRY, program.entry, entry.origin)
    end = writer.place()
    for number, name in enumerate(choices):
        rest: int | None = None
        if number + 1 < len(choices):
            chosen = writer.variable(Variable(names.own(f"is {name}"), BOOL))
            writer.choose(chosen, name, InputKind.CHOICE)
            here, rest = writer.here, writer.place()
            writer.edges.append(Edge(here, rest, Assume(negate(chosen)), writer.origin))
            writer.step(Assume(chosen))
        parameters = entry.parameters if name == program.entry else ()
        arguments = tuple(Input(position, each.sort, InputKind.EXTERNAL, each.name) for position, each in enumerate(parameters))
        writer.step(Call(name, arguments, None), end)
        if rest is not None:
            writer.here = rest
    writer.here = end
    return writer.finish()


def _expression(term: Term, symbols: Mapping[str, Variable]) -> Expression:
    """The term as an expression over these variables. Raises ValueError, with what it contains that does not belong there."""
    made: dict[Term, Expression] = {}
    for part in reachable([term]):
        if part.operator == "const":
            made[part] = Constant(part.sort, part.payload)
        elif part.operator == "state":
            variable = symbols.get(part.payload)
            if variable is None or variable.sort != part.sort:
                raise ValueError(f"{part.payload}, which it cannot speak of")
            made[part] = variable
        elif part.operator in OPERATORS:
            made[part] = apply(part.operator, part.sort, *(made[argument] for argument in part.arguments))
        else:
            raise ValueError(f"{part.operator}, which is not understood there")
        if depth(made[part]) > MAX_DEPTH:
            raise ValueError("a condition that is nested too deeply")
    return made[term]
