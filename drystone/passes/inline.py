"""Inlining: a program with calls becomes a program with one procedure and none.

Every call site gets its own copy of the callee, its locals and objects renamed by the call path:
`f@12.x` is the x of the f called at line 12 of the entry function, `f@12.g@5.y` the y of the g that this
f calls at its line 5; a second call of f at line 12 is `f@12#2`. The result is a `Program` again, so the
interpreter, the printers and the exports serve both forms (docs/decisions/002).

Only what the entry reaches is copied: a location is created when control can get to it, and the location
after a call only when the callee can return. Where calls cannot be expanded further the path does not end
silently; it leads to a location marked UNKNOWN (recursion beyond the bound, thread operations).
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from drystone.ir import names
from drystone.ir.automaton import (
    Approximation,
    Edge,
    Frame,
    Mark,
    MarkKind,
    MemoryObject,
    Origin,
    Procedure,
    Program,
    inputs,
)
from drystone.ir.callgraph import call_graph
from drystone.ir.expressions import (
    Address,
    Apply,
    Constant,
    Determinant,
    Expression,
    Input,
    InputKind,
    Load,
    Variable,
    apply,
)
from drystone.ir.operations import (
    Allocate,
    Assign,
    Assume,
    Call,
    CallPointer,
    Copy,
    Declare,
    Fill,
    Free,
    Operation,
    Reallocate,
    Report,
    Skip,
    Store,
    ThreadOperation,
    assigned,
)
from drystone.ir.simplify import coerce
from drystone.logic.sorts import BOOL, Sort
from drystone.memory.pointsto import PointsTo

RECURSION_BOUND = 10
MAX_EDGES = 200_000

_LONGEST_PATH = 10_000  # characters


class TooLarge(Exception):
    """Inlining stopped at `edges` edges, most of which are copies of `function`."""

    def __init__(self, function: str, edges: int) -> None:
        super().__init__(f"the program has more than {edges} edges with all calls inlined, most of them in copies of {function}")
        self.function = function
        self.edges = edges


def inline(
    program: Program,
    *,
    recursion_bound: int = RECURSION_BOUND,
    max_edges: int = MAX_EDGES,
) -> Program:
    """The program as one procedure of the same name without calls.

    At most `recursion_bound` activations of a procedure are nested; the next one is an unknown location.
    Inputs keep their indices: an input is identified by its edge and its index, and edges are copied.
    """
    return _Inliner(program, recursion_bound, max_edges).run()


class _Template:
    """What all copies of one procedure share."""

    def __init__(self, procedure: Procedure) -> None:
        self.procedure = procedure
        self.outgoing = procedure.outgoing()
        self.result_may_be_unassigned = procedure.result is not None and _exit_without(procedure.result, procedure, self.outgoing)
        self._closed: dict[int, bool] = {}  # by identity; the procedure keeps the expressions alive

    def is_closed(self, expression: Apply | Load) -> bool:
        """Does the expression mention no variable and no object of the procedure, so that all copies can share it?"""
        known = self._closed.get(id(expression))
        if known is None:
            parts = expression.arguments if isinstance(expression, Apply) else (expression.address,)
            known = self._closed[id(expression)] = all(self._part_is_closed(part) for part in parts)
        return known

    def _part_is_closed(self, part: Expression) -> bool:
        match part:
            case Variable():
                return part.name not in self.procedure.variables
            case Address():
                return part.target not in self.procedure.objects
            case Apply() | Load():
                return self.is_closed(part)
            case _:
                return True


def _exit_without(variable: Variable, procedure: Procedure, outgoing: list[list[Edge]]) -> bool:
    """Is there a path in the automaton from entry to exit that never assigns the variable?"""
    seen = {procedure.entry}
    stack = [procedure.entry]
    while stack:
        for edge in outgoing[stack.pop()]:
            if edge.target not in seen and assigned(edge.operation) != variable:
                seen.add(edge.target)
                stack.append(edge.target)
    return procedure.exit in seen


class _Activation:
    """One copy of a procedure: its frame, its names, and where it returns to."""

    __slots__ = (
        "children",
        "frame",
        "locations",
        "memo",
        "nesting",
        "objects",
        "parent",
        "prefix",
        "return_edge",
        "template",
        "variables",
    )

    def __init__(
        self, template: _Template, parent: _Activation | None, return_edge: Edge | None, frame: int, prefix: str
    ) -> None:
        self.template = template
        self.parent = parent
        self.return_edge = return_edge  # the call in the parent
        self.frame = frame
        self.prefix = prefix
        self.nesting: dict[str, int] = parent.nesting if parent is not None else {}
        self.locations: dict[int, int] = {}
        self.children: dict[str, int] = {}  # how often a label such as `f@12` was given below this activation
        self.variables: dict[str, Variable] = {}
        self.objects: dict[str, str] = {}
        self.memo: dict[int, Expression] = {}

    def label(self, name: str, line: int) -> str:
        """A name for something at this line of the activation, different from all others."""
        label = f"{self.prefix}{name}@{line}"
        count = self.children[label] = self.children.get(label, 0) + 1
        return label if count == 1 else f"{label}#{count}"


class _Inliner:
    def __init__(self, program: Program, recursion_bound: int, max_edges: int) -> None:
        self.program = program
        self.recursion_bound = recursion_bound
        self.max_edges = max_edges
        self.pointers: PointsTo | None = None  # computed at the first call through a pointer
        self.recursive = call_graph(program).recursive
        self.templates: dict[str, _Template] = {}
        self.candidates: dict[int, list[tuple[str, str]]] = {}  # by identity of the edge: function, procedure
        self.edges: list[Edge] = []
        self.marks: dict[int, Mark] = {}
        self.frames: list[Frame] = []
        self.frame_of: list[int] = []
        self.variables: dict[str, Variable] = {}
        self.objects: dict[str, MemoryObject] = {}
        self.copies: dict[str, int] = {}
        self.assumed: dict[Approximation, None] = {}
        self.worklist: list[tuple[_Activation, int]] = []

    def run(self) -> Program:
        program = self.program
        procedure = program.procedures[program.entry]
        root = self._activate(program.entry, None, None, Frame(program.entry), "")
        entry = self._reach(root, procedure.entry)
        while self.worklist:
            activation, location = self.worklist.pop()
            waiting = len(self.worklist)
            self._expand(activation, location)
            self.worklist[waiting:] = reversed(self.worklist[waiting:])  # the first branch first, as in the source
        exit_ = root.locations.get(procedure.exit)
        if exit_ is None:  # never returns
            exit_ = self._new_location(root)
        inlined = Procedure(
            name=procedure.name,
            parameters=tuple(self._variable(root, parameter) for parameter in procedure.parameters),
            result=self._variable(root, procedure.result) if procedure.result is not None else None,
            variables=self.variables,
            objects=self.objects,
            entry=entry,
            exit=exit_,
            edges=self.edges,
            marks=self.marks,
            locations=len(self.frame_of),
            frames=self.frames,
            frame_of=self.frame_of,
            origin=procedure.origin,
        )
        listed = set(program.approximations)
        return Program(
            entry=program.entry,
            procedures={program.entry: inlined},
            variables=program.variables,
            initial=program.initial,
            objects=program.objects,
            functions=program.functions,
            pointer_width=program.pointer_width,
            files=program.files,
            exposed=program.exposed,
            makes_pointers=program.makes_pointers,
            approximations=[*program.approximations, *(item for item in self.assumed if item not in listed)],
        )

    # Locations and edges

    def _new_location(self, activation: _Activation) -> int:
        self.frame_of.append(activation.frame)
        return len(self.frame_of) - 1

    def _reach(self, activation: _Activation, location: int) -> int:
        """The copy of a location, put on the worklist when it is new."""
        copy = activation.locations.get(location)
        if copy is None:
            copy = activation.locations[location] = self._new_location(activation)
            self.worklist.append((activation, location))
        return copy

    def _edge(self, activation: _Activation, source: int, target: int, operation: Operation, origin: Origin) -> None:
        self.edges.append(Edge(source, target, operation, origin))
        name = activation.template.procedure.name
        self.copies[name] = self.copies.get(name, 0) + 1
        if len(self.edges) > self.max_edges:
            raise TooLarge(max(self.copies, key=self.copies.__getitem__), self.max_edges)

    def _step(self, activation: _Activation, source: int, operation: Operation, origin: Origin) -> int:
        """An edge to a new location, which is returned."""
        target = self._new_location(activation)
        self._edge(activation, source, target, operation, origin)
        return target

    def _stop(self, activation: _Activation, source: int, what: str, origin: Origin, *, is_bound: bool = False) -> None:
        """An edge to an unknown location: beyond it the program does something that is not modelled."""
        mark = Mark(MarkKind.UNKNOWN, what, origin, is_bound=is_bound)
        self.marks[self._step(activation, source, Skip(what), origin)] = mark

    def _expand(self, activation: _Activation, location: int) -> None:
        template = activation.template
        source = activation.locations[location]
        mark = template.procedure.marks.get(location)
        if mark is not None:
            self.marks[source] = mark
            return
        if location == template.procedure.exit:
            self._return(activation, source)
            return
        for edge in template.outgoing[location]:
            match edge.operation:
                case Call() as call if call.procedure not in self.program.procedures:
                    self._external(activation, source, edge, call.result, call.procedure)
                case Call() as call:
                    arguments = tuple(self._rename(activation, argument) for argument in call.arguments)
                    self._call(activation, source, edge, call.procedure, arguments)
                case CallPointer() as call:
                    self._call_pointer(activation, source, edge, call)
                case ThreadOperation() as operation:
                    self._stop(activation, source, f"thread operation {operation.name}", edge.origin)
                case operation:
                    target = self._reach(activation, edge.target)
                    self._edge(activation, source, target, self._rename_operation(activation, operation), edge.origin)

    # Calls

    def _activate(self, name: str, parent: _Activation | None, call: Edge | None, frame: Frame, prefix: str) -> _Activation:
        template = self.templates.get(name)
        if template is None:
            template = self.templates[name] = _Template(self.program.procedures[name])
        self.frames.append(frame)
        activation = _Activation(template, parent, call, len(self.frames) - 1, prefix)
        if name in self.recursive:
            activation.nesting = {**activation.nesting, name: activation.nesting.get(name, 0) + 1}
        return activation

    def _call(self, caller: _Activation, source: int, edge: Edge, name: str, arguments: tuple[Expression, ...]) -> None:
        """Bind the parameters and enter a new copy of the procedure."""
        if caller.nesting.get(name, 0) >= self.recursion_bound:
            what = f"recursion of {name} beyond {self.recursion_bound} calls"
            self._stop(caller, source, what, edge.origin, is_bound=True)
            return
        if len(caller.prefix) > _LONGEST_PATH:
            raise TooLarge(name, self.max_edges)  # names carry the call path: very deep call chains cost its square
        label = caller.label(name, edge.origin.line)
        callee = self._activate(name, caller, edge, Frame(name, caller.frame, edge.origin), label + ".")
        procedure = callee.template.procedure
        source, arguments = self._share_inputs(caller, source, arguments, label, edge.origin)
        # The parameters are fresh names, which no argument reads: assigning one after the other is assigning all at once.
        steps: list[Operation] = []
        value: Expression
        for position, parameter in enumerate(procedure.parameters):
            if position < len(arguments):
                value = _passed(arguments[position], parameter.sort, f"argument {position + 1} of {name}")
            else:
                value = Input(0, parameter.sort, InputKind.UNDEFINED, f"argument {position + 1} of {name}")
            steps.append(Assign(self._variable(callee, parameter), value))
        if callee.template.result_may_be_unassigned and procedure.result is not None:
            # Otherwise a later call from the same site would see the result of the one before.
            value = Input(0, procedure.result.sort, InputKind.UNDEFINED, f"result of {name}")
            steps.append(Assign(self._variable(callee, procedure.result), value))
        if not steps:
            steps.append(Skip(f"call {name}"))
        for step in steps[:-1]:
            source = self._step(callee, source, step, edge.origin)
        self._edge(callee, source, self._reach(callee, procedure.entry), steps[-1], edge.origin)

    def _share_inputs(
        self, caller: _Activation, source: int, arguments: tuple[Expression, ...], label: str, origin: Origin
    ) -> tuple[int, tuple[Expression, ...]]:
        """An input that several arguments read is one value: it must not be chosen anew for each parameter's edge."""
        readers: dict[int, int] = {}
        found: dict[int, Input] = {}
        for argument in arguments:
            read = {item.index: item for item in inputs(argument)}
            found.update(read)
            for index in read:
                readers[index] = readers.get(index, 0) + 1
        for index, count in readers.items():
            if count > 1:
                temporary = self._temporary(f"{label}.{names.own(f'input{index}')}", found[index].sort)
                source = self._step(caller, source, Assign(temporary, found[index]), origin)
                arguments = tuple(_replace_input(argument, index, temporary) for argument in arguments)
        return source, arguments

    def _return(self, callee: _Activation, source: int) -> None:
        caller, call = callee.parent, callee.return_edge
        if caller is None or call is None:
            return
        assert isinstance(call.operation, (Call, CallPointer))
        name, result = callee.template.procedure.name, callee.template.procedure.result
        operation: Operation = Skip(f"return from {name}")
        if call.operation.result is not None:
            target = self._variable(caller, call.operation.result)
            if result is not None:
                operation = Assign(target, _passed(self._variable(callee, result), target.sort, f"result of {name}"))
            else:
                operation = Assign(target, Input(0, target.sort, InputKind.UNDEFINED, f"result of {name}"))
        self._edge(callee, source, self._reach(caller, call.target), operation, call.origin)

    def _call_pointer(self, caller: _Activation, source: int, edge: Edge, call: CallPointer) -> None:
        """A chain of binary branches over the functions that may be meant; the last case is an external function."""
        pointer = self._rename(caller, call.pointer)
        arguments = tuple(self._rename(caller, argument) for argument in call.arguments)
        candidates = self._candidates(caller.template.procedure, edge, call)
        if isinstance(pointer, Address):
            candidates = [(function, procedure) for function, procedure in candidates if function == pointer.target]
            if candidates:
                self._call(caller, source, edge, candidates[0][1], arguments)
                return
        elif not isinstance(pointer, (Variable, Constant)):  # one value for all branches, also where it reads inputs
            temporary = self._temporary(caller.label(names.own("callee"), edge.origin.line), pointer.sort)
            source = self._step(caller, source, Assign(temporary, pointer), edge.origin)
            pointer = temporary
        for function, procedure in candidates:
            matches = apply("=", BOOL, pointer, Address(function, self.program.pointer))
            taken = self._step(caller, source, Assume(matches), edge.origin)
            source = self._step(caller, source, Assume(apply("not", BOOL, matches)), edge.origin)
            self._call(caller, taken, edge, procedure, arguments)
        self._external(caller, source, edge, call.result, "call through a pointer to no function")
        what = "a call through a pointer to no function of the program returns any value and does nothing else"
        self.assumed[Approximation("function pointer", what, edge.origin)] = None

    def _external(self, caller: _Activation, source: int, edge: Edge, result: Variable | None, name: str) -> None:
        """Code that is not there returns any value and does nothing else."""
        operation: Operation = Skip(f"external {name}")
        if result is not None:
            given = Input(0, result.sort, InputKind.EXTERNAL, name, Determinant.FUNCTION)
            operation = Assign(self._variable(caller, result), given)
        self._edge(caller, source, self._reach(caller, edge.target), operation, edge.origin)

    def _candidates(self, procedure: Procedure, edge: Edge, call: CallPointer) -> list[tuple[str, str]]:
        """The functions an edge may call with their procedures, those that fit the arguments first."""
        known = self.candidates.get(id(edge))
        if known is None:
            if self.pointers is None:
                self.pointers = PointsTo(self.program)
            names = self.pointers.functions_called(procedure, call)
            sorts = [_sort(argument) for argument in call.arguments]

            def misfit(candidate: tuple[str, str]) -> int:
                expected = [parameter.sort for parameter in self.program.procedures[candidate[1]].parameters]
                return 0 if expected == sorts else 1 if len(expected) == len(sorts) else 2

            defined = ((name, self.program.functions.get(name)) for name in names)
            known = sorted(((name, procedure) for name, procedure in defined if procedure in self.program.procedures), key=misfit)
            self.candidates[id(edge)] = known
        return known

    # Names

    def _temporary(self, name: str, sort: Sort) -> Variable:
        variable = self.variables[name] = Variable(name, sort)
        return variable

    def _variable(self, activation: _Activation, variable: Variable) -> Variable:
        if variable.name not in activation.template.procedure.variables:
            return variable
        renamed = activation.variables.get(variable.name)
        if renamed is None:
            name = self._local_name(activation, variable.name, self.program.variables)
            renamed = variable if name == variable.name else Variable(name, variable.sort, variable.ctype)
            activation.variables[variable.name] = self.variables[name] = renamed
        return renamed

    def _object(self, activation: _Activation, target: str) -> str:
        declared = activation.template.procedure.objects.get(target)
        if declared is None:
            return target
        renamed = activation.objects.get(target)
        if renamed is None:
            renamed = activation.objects[target] = self._local_name(activation, target, self.program.objects)
            relocations = tuple((offset, self._rename(activation, value)) for offset, value in declared.relocations)
            self.objects[renamed] = msgspec.structs.replace(declared, name=renamed, relocations=relocations)
        return renamed

    def _local_name(self, activation: _Activation, name: str, globals_: Iterable[str]) -> str:
        """The entry function keeps its names, unless a callee could take them for globals."""
        if activation.prefix:
            return activation.prefix + name
        return names.derived(name, "local") if name in globals_ else name

    # Renaming

    def _rename(self, activation: _Activation, expression: Expression) -> Expression:
        match expression:
            case Variable():
                return self._variable(activation, expression)
            case Address():
                target = self._object(activation, expression.target)
                return expression if target == expression.target else Address(target, expression.sort)
            case Apply() | Load():
                if activation.template.is_closed(expression):
                    return expression
                renamed = activation.memo.get(id(expression))
                if renamed is None:
                    if isinstance(expression, Apply):
                        arguments = tuple(self._rename(activation, argument) for argument in expression.arguments)
                        renamed = Apply(expression.operator, expression.sort, arguments, expression.depth)
                    else:
                        renamed = Load(expression.sort, self._rename(activation, expression.address), expression.depth)
                    activation.memo[id(expression)] = renamed
                return renamed
            case _:
                return expression

    def _rename_operation(self, activation: _Activation, operation: Operation) -> Operation:
        match operation:
            case Assign(target, value):
                return Assign(self._variable(activation, target), self._rename(activation, value))
            case Assume(condition):
                return Assume(self._rename(activation, condition))
            case Store(address, value):
                return Store(self._rename(activation, address), self._rename(activation, value))
            case Copy(target, source, size):
                return Copy(self._rename(activation, target), self._rename(activation, source), size)
            case Fill(target, byte, size):
                return Fill(self._rename(activation, target), self._rename(activation, byte), size)
            case Declare(target):
                return Declare(self._object(activation, target))
            case Allocate(target, size):
                renamed = self._variable(activation, target)
                return msgspec.structs.replace(operation, target=renamed, size=self._rename(activation, size))
            case Reallocate(target, address, size):
                return Reallocate(
                    self._variable(activation, target), self._rename(activation, address), self._rename(activation, size)
                )
            case Free(address):
                return Free(self._rename(activation, address))
            case Skip():
                return operation
            case Report(name):
                return Skip(f"{name}()")
            case _:
                raise TypeError(f"{type(operation).__name__} is expanded, not copied")


def _passed(value: Expression, sort: Sort, what: str) -> Expression:
    """The value as the other side of a call sees it; an undefined one where nothing of it survives the mismatch."""
    coerced = coerce(value, sort)
    return coerced if coerced is not None else Input(0, sort, InputKind.UNDEFINED, what)


def _sort(expression: Expression) -> Sort:
    return expression.sort


def _replace_input(expression: Expression, index: int, value: Expression) -> Expression:
    match expression:
        case Input():
            return value if expression.index == index else expression
        case Load():
            return Load(expression.sort, _replace_input(expression.address, index, value), expression.depth)
        case Apply():
            arguments = tuple(_replace_input(argument, index, value) for argument in expression.arguments)
            return Apply(expression.operator, expression.sort, arguments, expression.depth)
        case _:
            return expression
