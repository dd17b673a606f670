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

from drystone.ir import names
from drystone.ir.automaton import (
    Approximation,
    Edge,
    Frame,
    Mark,
    MarkKind,
    Origin,
    Procedure,
    Program,
    Unmodelled,
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
    Assign,
    Assume,
    Call,
    CallPointer,
    Operation,
    Skip,
    ThreadAction,
    ThreadOperation,
)
from drystone.ir.simplify import coerce
from drystone.logic.slots import Slots, slots
from drystone.logic.sorts import BOOL, Sort
from drystone.memory.pointsto import PointsTo
from drystone.passes.copies import Activation, Copies, Template

RECURSION_BOUND = 10
MAX_EDGES = 200_000

_LONGEST_PATH = 10_000  # characters


class TooLarge(Exception):
    """Inlining stopped at `edges` edges, most of which are copies of `function`."""

    def __init__(self, function: str, edges: int) -> None:
        super().__init__(f"the program has more than {edges} edges with all calls inlined, most of them in copies of {function}")
        self.function = function
        self.edges = edges


class TooManyObjects(TooLarge):
    """Inlining has made more local objects than there are slots for (`logic.slots`)."""

    def __init__(self, function: str, edges: int) -> None:
        super().__init__(function, edges)
        self.args = ("with all calls inlined, the program has too many local objects for checks of memory",)


def inline(
    program: Program,
    *,
    recursion_bound: int = RECURSION_BOUND,
    max_edges: int = MAX_EDGES,
    thread: str | None = None,
) -> Program:
    """The program as one procedure of the same name without calls.

    `thread` begins the names of all that is local, and operations on threads are kept; without it, they are unknown locations.
    At most `recursion_bound` activations of a procedure are nested; the next one is an unknown location.
    Inputs keep their indices: an input is identified by its edge and its index, and edges are copied.
    """
    return _Inliner(program, recursion_bound, max_edges, thread).run()


class _Inliner:
    def __init__(self, program: Program, recursion_bound: int, max_edges: int, thread: str | None) -> None:
        self.program = program
        self.thread = thread
        self.recursion_bound = recursion_bound
        self.max_edges = max_edges
        self.pointers: PointsTo | None = None  # computed at the first call through a pointer
        self.recursive = call_graph(program).recursive
        self.templates: dict[str, Template] = {}
        self.candidates: dict[int, list[tuple[str, str]]] = {}  # by identity of the edge: function, procedure
        self.edges: list[Edge] = []
        self.marks: dict[int, Mark] = {}
        self.frames: list[Frame] = []
        self.frame_of: list[int] = []
        self.copies = Copies(program, thread or "")
        self.copied: dict[str, int] = {}  # edges, by procedure
        self.assumed: dict[Approximation, None] = {}
        self.worklist: list[tuple[Activation, int]] = []

    def run(self) -> Program:
        program = self.program
        procedure = program.procedures[program.entry]
        root = self._activate(program.entry, None, None, Frame(program.entry), f"{self.thread}." if self.thread else "")
        entry = self._reach(root, procedure.entry)
        while self.worklist:
            activation, location = self.worklist.pop()
            waiting = len(self.worklist)
            self._expand(activation, location)
            self.worklist[waiting:] = reversed(self.worklist[waiting:])  # the first branch first, as in the source
        exit_ = root.locations.get(procedure.exit)
        if exit_ is None:  # never returns
            exit_ = self._new_location(root)
        if program.has_slots:
            self._must_fit(slots(program.pointer_width))
        inlined = Procedure(
            name=procedure.name,
            parameters=tuple(self.copies.variable(root, parameter) for parameter in procedure.parameters),
            result=self.copies.variable(root, procedure.result) if procedure.result is not None else None,
            variables=self.copies.variables,
            objects=self.copies.objects,
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
            thread_locals=program.thread_locals,
            has_slots=program.has_slots,
            types=program.types,
            approximations=[*program.approximations, *(item for item in self.assumed if item not in listed)],
        )

    def _must_fit(self, known: Slots) -> None:
        used = sum(known.following(0, each.size) for each in self.copies.objects.values()) >> known.bits
        if used > known.frames - known.stack:
            raise TooManyObjects(max(self.copied, key=self.copied.__getitem__), len(self.edges))

    # Locations and edges

    def _new_location(self, activation: Activation) -> int:
        self.frame_of.append(activation.frame)
        return len(self.frame_of) - 1

    def _reach(self, activation: Activation, location: int) -> int:
        """The copy of a location, put on the worklist when it is new."""
        copy = activation.locations.get(location)
        if copy is None:
            copy = activation.locations[location] = self._new_location(activation)
            self.worklist.append((activation, location))
        return copy

    def _edge(self, activation: Activation, source: int, target: int, operation: Operation, origin: Origin) -> None:
        self.edges.append(Edge(source, target, operation, origin))
        name = activation.template.procedure.name
        self.copied[name] = self.copied.get(name, 0) + 1
        if len(self.edges) > self.max_edges:
            raise TooLarge(max(self.copied, key=self.copied.__getitem__), self.max_edges)

    def _step(self, activation: Activation, source: int, operation: Operation, origin: Origin) -> int:
        """An edge to a new location, which is returned."""
        target = self._new_location(activation)
        self._edge(activation, source, target, operation, origin)
        return target

    def _stop(self, activation: Activation, source: int, what: str, origin: Origin, unmodelled: Unmodelled, name: str) -> None:
        """An edge to an unknown location: beyond it the program does something that is not modelled."""
        is_bound = unmodelled is Unmodelled.RECURSION
        mark = Mark(MarkKind.UNKNOWN, what, origin, is_bound=is_bound, unmodelled=unmodelled, name=name)
        self.marks[self._step(activation, source, Skip(what), origin)] = mark

    def _expand(self, activation: Activation, location: int) -> None:
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
                    arguments = tuple(self.copies.expression(activation, argument) for argument in call.arguments)
                    self._call(activation, source, edge, call.procedure, arguments)
                case CallPointer() as call:
                    self._call_pointer(activation, source, edge, call)
                case ThreadOperation(_, (function, *_), _, ThreadAction.CREATE) as operation if self.thread is not None:
                    self._create(activation, source, edge, operation, function)
                case ThreadOperation(_, _, _, ThreadAction()) as operation if self.thread is not None:
                    target = self._reach(activation, edge.target)
                    self._edge(activation, source, target, self.copies.operation(activation, operation), edge.origin)
                case ThreadOperation() as operation:
                    what = f"thread operation {operation.name}"
                    self._stop(activation, source, what, edge.origin, Unmodelled.THREADS, operation.name)
                case operation:
                    target = self._reach(activation, edge.target)
                    self._edge(activation, source, target, self.copies.operation(activation, operation), edge.origin)

    # Calls

    def _activate(self, name: str, parent: Activation | None, call: Edge | None, frame: Frame, prefix: str) -> Activation:
        template = self.templates.get(name)
        if template is None:
            template = self.templates[name] = Template(self.program.procedures[name], self.program.thread_locals)
        self.frames.append(frame)
        activation = Activation(template, parent, call, len(self.frames) - 1, prefix)
        if name in self.recursive:
            activation.nesting = {**activation.nesting, name: activation.nesting.get(name, 0) + 1}
        return activation

    def _call(self, caller: Activation, source: int, edge: Edge, name: str, arguments: tuple[Expression, ...]) -> None:
        """Bind the parameters and enter a new copy of the procedure."""
        if caller.nesting.get(name, 0) >= self.recursion_bound:
            what = f"recursion of {name} beyond {self.recursion_bound} calls"
            self._stop(caller, source, what, edge.origin, Unmodelled.RECURSION, name)
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
            if self.thread is not None and isinstance(value, (Address, Constant)) and callee.template.keeps(parameter):
                callee.constants[parameter.name] = value  # so that it is known which lock, and which of the shared objects
            else:
                steps.append(Assign(self.copies.variable(callee, parameter), value))
        if callee.template.result_may_be_unassigned and procedure.result is not None:
            # Otherwise a later call from the same site would see the result of the one before.
            value = Input(0, procedure.result.sort, InputKind.UNDEFINED, f"result of {name}")
            steps.append(Assign(self.copies.variable(callee, procedure.result), value))
        if not steps:
            steps.append(Skip(f"call {name}"))
        for step in steps[:-1]:
            source = self._step(callee, source, step, edge.origin)
        self._edge(callee, source, self._reach(callee, procedure.entry), steps[-1], edge.origin)

    def _share_inputs(
        self, caller: Activation, source: int, arguments: tuple[Expression, ...], label: str, origin: Origin
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
                temporary = self.copies.temporary(f"{label}.{names.own(f'input{index}')}", found[index].sort)
                source = self._step(caller, source, Assign(temporary, found[index]), origin)
                arguments = tuple(_replace_input(argument, index, temporary) for argument in arguments)
        return source, arguments

    def _return(self, callee: Activation, source: int) -> None:
        caller, call = callee.parent, callee.return_edge
        if caller is None or call is None:
            return
        assert isinstance(call.operation, (Call, CallPointer))
        name, result = callee.template.procedure.name, callee.template.procedure.result
        operation: Operation = Skip(f"return from {name}")
        if call.operation.result is not None:
            target = self.copies.variable(caller, call.operation.result)
            if result is not None:
                operation = Assign(target, _passed(self.copies.variable(callee, result), target.sort, f"result of {name}"))
            else:
                operation = Assign(target, Input(0, target.sort, InputKind.UNDEFINED, f"result of {name}"))
        self._edge(callee, source, self._reach(caller, call.target), operation, call.origin)

    def _call_pointer(self, caller: Activation, source: int, edge: Edge, call: CallPointer) -> None:
        """A chain of binary branches over the functions that may be meant; the last case is an external function."""
        pointer = self.copies.expression(caller, call.pointer)
        arguments = tuple(self.copies.expression(caller, argument) for argument in call.arguments)
        candidates = self._candidates(caller.template.procedure, edge, call)
        if isinstance(pointer, Address):
            candidates = [(function, procedure) for function, procedure in candidates if function == pointer.target]
            if candidates:
                self._call(caller, source, edge, candidates[0][1], arguments)
                return
        elif not isinstance(pointer, (Variable, Constant)):  # one value for all branches, also where it reads inputs
            temporary = self.copies.temporary(caller.label(names.own("callee"), edge.origin.line), pointer.sort)
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

    def _create(self, caller: Activation, source: int, edge: Edge, operation: ThreadOperation, function: Expression) -> None:
        """Of a thread: one operation for each function that it may run; any other one is not modelled."""
        pointer = self.copies.expression(caller, function)
        copied = self.copies.operation(caller, operation)
        assert isinstance(copied, ThreadOperation)
        if isinstance(pointer, Address):
            self._edge(caller, source, self._reach(caller, edge.target), copied, edge.origin)
            return
        call = CallPointer(function, operation.arguments[1:], None)
        for name, _ in self._candidates(caller.template.procedure, edge, call):
            address = Address(name, self.program.pointer)
            matches = apply("=", BOOL, pointer, address)
            taken = self._step(caller, source, Assume(matches), edge.origin)
            source = self._step(caller, source, Assume(apply("not", BOOL, matches)), edge.origin)
            begun = ThreadOperation(copied.name, (address, *copied.arguments[1:]), copied.result, copied.action)
            self._edge(caller, taken, self._reach(caller, edge.target), begun, edge.origin)
        self._stop(caller, source, "a thread of an unknown function", edge.origin, Unmodelled.THREADS, operation.name)

    def _external(self, caller: Activation, source: int, edge: Edge, result: Variable | None, name: str) -> None:
        """Code that is not there returns any value and does nothing else."""
        operation: Operation = Skip(f"external {name}")
        if result is not None:
            given = Input(0, result.sort, InputKind.EXTERNAL, name, Determinant.FUNCTION)
            operation = Assign(self.copies.variable(caller, result), given)
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
            excluded = self.program.excluded_callees.get(edge.origin)
            if excluded is not None and self.pointers.may_call_from_outside(procedure, call):
                known = [each for each in known if each[0] not in excluded]
            self.candidates[id(edge)] = known
        return known


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
