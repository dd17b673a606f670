"""Generated Python text for the steps of an explicit-state search and of value analysis.

A state is a tuple: a location, and the values of what is live there; None stands for any value. The function of a location runs
all ways from there to the next locations where states are kept, which are those where the schedule chooses and one on every
cycle. A branch on any value is taken both ways, so states may be found that no execution has; none is missing. Variables are
Python names that are assigned once, so that one way leaves alone what the other ways see.

A search needs all that is live, and stops where that cannot be told. An analysis tracks some variables and regions; whatever it
cannot tell about these is any value, until a branch leaves few values to it: then each is a way of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from drystone.base.state_steps import Function
from drystone.concrete.few_values import few_values, has_inputs, only_input, over_inputs
from drystone.concrete.generated_text import Namespace
from drystone.cpa.domains.values import ranges
from drystone.cpa.domains.values.any_value import FUNCTIONS, NotRepresented
from drystone.cpa.domains.values.states import INPUTS_ONLY, Choice, State, Tried, Way
from drystone.ir.automaton import Edge, MarkKind
from drystone.ir.expressions import Address, Apply, Constant, Expression, Input, InputKind, Load, Variable
from drystone.ir.loops import loop_heads
from drystone.ir.operations import Assign, Assume, Declare, Free, Operation, Skip, Store
from drystone.logic import semantics
from drystone.logic.sorts import EXTENDED, BitVec, Bool
from drystone.memory.dataflow import array_name, reads_and_writes
from drystone.symbolic.cells import Cells
from drystone.symbolic.execution import SymbolicProgram

_MOST_EDGES = 300  # in one function
_DEEPEST = 40  # nesting of branches
_MOST_LOOPS = 12  # Python allows 20


class _Value(NamedTuple):
    text: str
    is_open: bool = False  # may it be None?


_ANY = _Value("None", True)


class _Place(NamedTuple):
    """Where the text has got to."""

    location: int
    values: dict[str, _Value]
    indent: str
    loops: int = 0
    edges: tuple[Edge, ...] = ()
    choices: tuple[Choice, ...] = ()
    ranges: Mapping[str, ranges.Ranges] = MappingProxyType({})  # what branches have left to variables that may be any value

    def inside_loop(self, choice: Choice) -> _Place:
        return self._replace(indent=self.indent + " ", loops=self.loops + 1, choices=(*self.choices, choice))


class Steps:
    """Of one program: a function per location, written when the search first comes there."""

    def __init__(
        self,
        symbolic: SymbolicProgram,
        cells: Cells,
        *,
        is_woken: bool = True,
        is_traced: bool = False,
        tracked: frozenset[str] | None = None,
        tried: Tried = INPUTS_ONLY,
    ) -> None:
        """`is_woken`: may threads wake up without a signal? `is_traced`: functions hand on how they got somewhere.
        `tracked`: what an analysis tells apart; None: it is a search."""
        self.symbolic, self.cells, self.is_woken, self.is_traced = symbolic, cells, is_woken, is_traced
        self.has_split = False  # has a function looked at what a branch leaves to a variable?
        self.tracked, self.tried, self._live = tracked, tried, dict[int, list[str]]()
        self.procedure, self.outgoing = symbolic.procedure, symbolic.procedure.outgoing()
        self.scheduled = frozenset(edge.source for edge in self.procedure.edges if is_schedule(edge.operation))
        self.kept = loop_heads(self.procedure, self.scheduled) | frozenset(self.procedure.marks)
        self.names = {name: f"v{number}" for number, name in enumerate(symbolic.sorts)}
        self.namespace = Namespace()
        self.namespace.names |= FUNCTIONS
        self.tables = {name: self.namespace.name_for(index, "T") for name, index in cells.index.items()}
        self.open = self._open()
        self.met: set[str] = set()  # names that the latest function has to do with, whether they are tracked or not
        self._lines: list[str] = []
        self._size = self._counter = 0
        self._chosen: dict[Expression, str] = {}  # in the current operation

    def traced(self) -> Steps:
        given = self.symbolic, self.cells
        return Steps(*given, is_woken=self.is_woken, is_traced=True, tracked=self.tracked, tried=self.tried)

    def live(self, location: int) -> list[str]:
        """What a state has the values of, in this order."""
        known = self._live.get(location)
        if known is None:
            known = self.symbolic.live(location)
            if known is None:
                raise NotRepresented("the program is too large")
            if self.tracked is not None:
                known = [name for name in known if name in self.tracked]
            self._live[location] = known
        return known

    def initial(self) -> State:
        entry = self.procedure.entry
        return (entry, *(self.cells.initial[name] for name in self.live(entry)))

    # what may be any value

    def _open(self) -> set[str]:
        """Variables and regions of which something may be any value, whenever."""
        start = {name: self.cells.initial[name] for name in self.live(self.procedure.entry)}
        found = {name for name, value in start.items() if value is None or (isinstance(value, tuple) and None in value)}
        before = -1
        while before < len(found):
            before = len(found)
            for edge in self.procedure.edges:
                match edge.operation:
                    case Assign(target, value) if target.name not in found and target.name in self.live(edge.target):
                        if self._may_be_open(value, found):
                            found.add(target.name)
                    case Store(address, value):
                        if self._may_be_open(value, found) or (self.tracked is not None and self._may_be_open(address, found)):
                            found.add(array_name(self.symbolic.regions.of(address, value.sort)))
                    case Declare(name):
                        found.update(self.cells.of_object.get(name, ()))
                    case Assign() | Assume() | Skip() | Free():
                        pass
                    case operation if self.tracked is not None:
                        found.update(reads_and_writes(operation, self.symbolic.regions)[1])
        return found

    def _may_be_open(self, expression: Expression, found: set[str]) -> bool:
        match expression:
            case Variable(name):
                return name in found or (self.tracked is not None and name not in self.tracked)
            case Load(sort, address):
                if self.tracked is not None:  # it may be outside of all objects
                    return True
                return array_name(self.symbolic.regions.of(address, sort)) in found or self._may_be_open(address, found)
            case Input() | Apply() if has_inputs(expression) and few_values(expression, self.tried.most) is not None:
                return False
            case Input():
                return True
            case Address(target):
                return self.symbolic.memory.fixed_address(target) is None
            case Apply(_, _, arguments):
                return any(self._may_be_open(argument, found) for argument in arguments)
            case _:
                return False

    # functions

    def function(self, location: int) -> Function:
        live = self.live(location)
        self.met = set(self.symbolic.live(location) or ())
        names = [self.names[name] for name in live]
        self._lines, self._size, self._counter = [], 0, 0
        values = {name: _Value(self.names[name], name in self.open) for name in live}
        self._way(_Place(location, values, ""))
        unpacked = [f"_, {', '.join(names)}{',' if names else ''} = s"] if names else []
        return self.namespace.function(f"step_{location}(s, seen, push)", [*unpacked, *self._lines, "return"])

    def _write(self, indent: str, line: str) -> None:
        self._lines.append(indent + line)

    def _fresh(self) -> str:
        self._counter += 1
        return f"t{self._counter}"

    def _way(self, place: _Place) -> None:
        """Writes what happens from a place on, up to the next states that are kept."""
        while True:
            location, outgoing = place.location, self.outgoing[place.location]
            if place.edges and (location in self.kept or self._is_full(place)):
                self._arrive(place)
                return
            if not outgoing:
                return
            self._size += len(outgoing)
            for edge in outgoing:
                self.met.update(*reads_and_writes(edge.operation, self.symbolic.regions))
            if len(outgoing) == 2:
                self._branch(place, outgoing)
                return
            (edge,) = outgoing
            following = self._take(place, edge)
            if following is None:
                return
            place = following

    def _is_full(self, place: _Place) -> bool:
        return self._size > _MOST_EDGES or len(place.indent) > _DEEPEST or place.loops > _MOST_LOOPS

    def _arrive(self, place: _Place) -> None:
        mark = self.procedure.marks.get(place.location)
        if mark is not None and mark.kind is MarkKind.HALT:
            return
        self.met.update(self.symbolic.live(place.location) or ())
        parts = [str(place.location), *(place.values[name].text for name in self.live(place.location))]
        state = f"({', '.join(parts)},)"
        if self.is_traced:
            way = self.namespace.name_for(Way(place.edges, place.choices), "w")
            values = "".join(f"{choice.name}, " for choice in place.choices)
            self._write(place.indent, f"push(({state}, {way}, ({values})))")
            return
        self._write(place.indent, f"n = {state}")
        self._write(place.indent, "if n not in seen:")
        self._write(place.indent, " seen[n] = s; push(n)")

    def _branch(self, place: _Place, outgoing: list[Edge]) -> None:
        condition, self._chosen = _condition(outgoing[0]), {}
        value = self._text(condition, place.values)
        if value == _ANY:
            for edge in outgoing:
                self._way(self._beyond(place, edge, edge is outgoing[0], condition, place.indent))
            return
        tested = [f"if {value.text}:", "else:"]
        if value.is_open:
            name = self._fresh()
            self._write(place.indent, f"{name} = {value.text}")
            tested = [f"if {name} is None or {name}:", f"if not {name}:"]
        for edge, test in zip(outgoing, tested, strict=True):
            self._write(place.indent, test)
            before = len(self._lines)
            self._way(self._beyond(place, edge, edge is outgoing[0], condition, place.indent + " "))
            if len(self._lines) == before:
                self._write(place.indent, " pass")

    def _beyond(self, place: _Place, edge: Edge, holds: bool, condition: Expression, indent: str) -> _Place:
        """Behind a branch, at which any value may have turned out to be one."""
        values = {**place.values, **dict(_learned(condition, holds, place.values))}
        following = place._replace(location=edge.target, values=values, indent=indent, edges=(*place.edges, edge))
        known = ranges.narrowed(place.ranges, condition, holds) if self.tried.is_split else {}
        following = following._replace(ranges={**place.ranges, **known})
        for name in [each for each in self.live(edge.target) if each in known]:
            is_few = ranges.count(known[name]) <= self.tried.most and following.loops < _MOST_LOOPS
            if is_few and values[name].is_open:
                following = self._split(following, edge, name)
        return following

    def _split(self, place: _Place, edge: Edge, name: str) -> _Place:
        """A loop over the values that branches have left to a variable, if it may be any."""
        fresh, known, left = self._fresh(), place.values[name].text, list(ranges.numbers(place.ranges[name]))
        literal, self.has_split = "".join(f"{number}, " for number in left), True
        self._write(place.indent, f"for {fresh} in ({literal}) if {known} is None else ({known},):")
        place = place.inside_loop(Choice(edge, name, fresh, {}))
        self._write(place.indent, "pass")
        return place._replace(values={**place.values, name: _Value(fresh)})

    def _take(self, place: _Place, edge: Edge) -> _Place | None:
        """Writes a single edge; None if the way ends there."""
        operation, writes = edge.operation, reads_and_writes(edge.operation, self.symbolic.regions)[1]
        kept = {name: left for name, left in place.ranges.items() if name not in writes}
        following = place._replace(location=edge.target, edges=(*place.edges, edge), ranges=kept)
        self._chosen = {}
        match operation:
            case Skip() | Free():
                return following
            case Assume(condition):
                value = self._text(condition, place.values)
                if value == _ANY:
                    return following
                self._write(place.indent, f"if {value.text}:" if not value.is_open else f"if {value.text} in (None, True, 1):")
                following = self._beyond(place, edge, True, condition, place.indent + " ")
                before = len(self._lines)
                self._way(following)
                if len(self._lines) == before:
                    self._write(following.indent, "pass")
                return None
            case Assign(target, given):
                if target.name not in self.live(edge.target):
                    return following
                following = self._choose(following, edge, (given,))
                return self._assigned(following, target.name, self._text(given, place.values))
            case Store(address, given):
                name = array_name(self.symbolic.regions.of(address, given.sort))
                if name not in self.live(edge.target):
                    return following
                following = self._choose(following, edge, (address, given))
                return self._stored(following, name, address, given)
            case Declare(name):
                return self._declared(following, name)
            case _ if self.tracked is not None:
                return self._lost(following, writes)
            case _:
                self._write(place.indent, f"stop({type(operation).__name__.lower()!r})")
                return None

    def _assigned(self, place: _Place, name: str, value: _Value) -> _Place:
        if value.text in self.names.values() or value.text.isdigit() or value == _ANY:
            return place._replace(values={**place.values, name: value})
        fresh = self._fresh()
        self._write(place.indent, f"{fresh} = {value.text}")
        return place._replace(values={**place.values, name: _Value(fresh, value.is_open)})

    def _lost(self, place: _Place, names: Iterable[str]) -> _Place:
        """These may be anything now."""
        values = dict(place.values)
        for name in self.live(place.location):
            if name in names:
                cells = self.cells.index.get(name)
                values[name] = _ANY if cells is None else _Value(f"({'None, ' * len(cells)})", True)
        return place._replace(values=values)

    def _stored(self, place: _Place, name: str, address: Expression, given: Expression) -> _Place | None:
        where, value = self._text(address, place.values), self._text(given, place.values)
        if self.tracked is not None:
            if given.sort == EXTENDED or where == _ANY:
                return self._lost(place, (name,))
            array = place.values[name]
            after = f"store({array.text}, {self.tables[name]}, {where.text}, {value.text})"
            return self._assigned(place, name, _Value(after, array.is_open or value.is_open or where.is_open))
        if given.sort == EXTENDED or where == _ANY:
            self._write(place.indent, "stop('a store at an unknown address')")
            return None
        array, index = place.values[name], self._fresh()
        if where.is_open:
            known = self._fresh()
            self._write(place.indent, f"{known} = {where.text}")
            self._write(place.indent, f"if {known} is None: stop('a store at an unknown address')")
            where = _Value(known)
        text = f"int({value.text})" if isinstance(given.sort, Bool) and not value.is_open else value.text
        self._write(place.indent, f"{index} = {self.tables[name]}[{where.text}]")
        changed = _Value(f"(*{array.text}[:{index}], {text}, *{array.text}[{index} + 1:])", array.is_open or value.is_open)
        return self._assigned(place, name, changed)

    def _declared(self, place: _Place, object_: str) -> _Place:
        for name, cells in self.cells.of_object.get(object_, {}).items():
            if name in self.live(place.location):
                array = place.values[name].text
                meant = self.namespace.name_for(frozenset(cells), "d")
                text = f"tuple([None if i in {meant} else c for i, c in enumerate({array})])"
                place = self._assigned(place, name, _Value(text, True))
        return place

    # inputs

    def _choose(self, place: _Place, edge: Edge, expressions: tuple[Expression, ...]) -> _Place:
        """Loops over the values of inputs that have few."""
        for expression in expressions:
            for part in over_inputs(expression, self.tried.most):
                values = few_values(part, self.tried.most)
                given = only_input(part)
                if values is None or given is None or part in self._chosen:
                    continue
                if given.kind is InputKind.CHOICE and not self.is_woken:
                    values = {0: 0}
                name = self._chosen[part] = self._fresh()
                literal = ", ".join(map(str, values))
                self._write(place.indent, f"for {name} in ({literal},):")
                place = place.inside_loop(Choice(edge, given, name, values))
        return place

    # expressions

    def _text(self, expression: Expression, values: Mapping[str, _Value]) -> _Value:
        match expression:
            case Variable(name):
                return values[name] if self.tracked is None else values.get(name, _ANY)
            case Constant(_, number):
                return _Value(str(number))
            case Address(target):
                address = self.symbolic.memory.fixed_address(target)
                return _ANY if address is None else _Value(str(address))
            case Input() | Apply() if self._chosen and expression in self._chosen:
                return _Value(self._chosen[expression])
            case Input():
                return _ANY
            case Load(_, address):
                return self._loaded(expression, address, values)
            case Apply(operator, _, arguments):
                return self._applied(expression, operator, [self._text(argument, values) for argument in arguments])

    def _loaded(self, load: Load, address: Expression, values: Mapping[str, _Value]) -> _Value:
        name = array_name(self.symbolic.regions.of(address, load.sort))
        where, array = self._text(address, values), values.get(name, _ANY)
        if _ANY in (where, array) or load.sort == EXTENDED:
            return _ANY
        is_asked = where.is_open or self.tracked is not None
        load_function = "load" if self.tracked is None else "load_told"
        text = (
            f"{load_function}({array.text}, {self.tables[name]}, {where.text})"
            if is_asked
            else f"{array.text}[{self.tables[name]}[{where.text}]]"
        )
        value = _Value(text, array.is_open or is_asked)
        if isinstance(load.sort, BitVec) and load.sort.width % 8:
            return self._strict(value, lambda text: f"({text} & {(1 << load.sort.width) - 1})")  # type: ignore[union-attr]
        if isinstance(load.sort, Bool):
            return self._strict(value, lambda text: f"({text} != 0)")
        return value

    def _strict(self, value: _Value, text: Callable[[str], str]) -> _Value:
        if not value.is_open:
            return _Value(text(value.text))
        name = self._fresh()
        return _Value(f"(None if ({name} := {value.text}) is None else {text(name)})", True)

    def _applied(self, whole: Apply, operator: str, given: list[_Value]) -> _Value:
        sorts = [argument.sort for argument in whole.arguments]
        names = self.namespace.names
        if not any(value.is_open for value in given):
            return _Value(semantics.source(operator, whole.sort, sorts, [value.text for value in given], names))
        first = given[0]
        if operator in ("and", "or") and first.is_open:
            function = "both" if operator == "and" else "either"
            return _Value(f"{function}({first.text}, {given[1].text})", True)
        if operator in ("and", "or") or (operator == "ite" and not first.is_open):
            return _Value(semantics.source(operator, whole.sort, sorts, [value.text for value in given], names), True)
        if operator == "ite":
            return _Value(f"choose({', '.join(value.text for value in given)})", True)
        if _ANY in given:
            return _ANY
        tests, texts = [], []
        for value in given:
            texts.append(self._fresh() if value.is_open else value.text)
            if value.is_open:
                tests.append(f"({texts[-1]} := {value.text}) is None")
        text = semantics.source(operator, whole.sort, sorts, texts, names)
        return _Value(f"(None if {' or '.join(tests)} else {text})", True)


def is_schedule(operation: Operation) -> bool:
    return isinstance(operation, Assign) and isinstance(operation.value, Input) and operation.value.kind is InputKind.SCHEDULE


def _condition(edge: Edge) -> Expression:
    assert isinstance(edge.operation, Assume)
    return edge.operation.condition


def _learned(condition: Expression, holds: bool, values: Mapping[str, _Value]) -> Iterator[tuple[str, _Value]]:
    """What a variable that may be anything is, since the condition holds or does not."""
    match condition:
        case Variable(name) if name in values and values[name].is_open:
            yield name, _Value("1" if holds else "0")
        case Apply("not", _, (inner,)):
            yield from _learned(inner, not holds, values)
        case Apply("and", _, (left, right)) if holds:
            yield from _learned(left, True, values)
            yield from _learned(right, True, values)
        case Apply("or", _, (left, right)) if not holds:
            yield from _learned(left, False, values)
            yield from _learned(right, False, values)
        case Apply("=", _, (Variable(name), Constant(_, number)) | (Constant(_, number), Variable(name))) if holds:
            if name in values and values[name].is_open:
                yield name, _Value(str(number))
        case _:
            pass
