"""The survey: which objects are exposed, and which addresses are numbers?

A number that is used as an address, an input or a constant as much as one that was computed, may point anywhere into any exposed
object, and nowhere else (docs/decisions/017-exposed-objects.md): exposed objects and what such addresses mean become one class,
if there are both. An address of unknown origin that is compared with a pointer may be that pointer.
"""

from __future__ import annotations

from drystone.ir import names
from drystone.ir.automaton import ObjectKind
from drystone.ir.expressions import Constant
from drystone.memory.pointers.classes import Cell
from drystone.memory.pointers.pieces import Pieces
from drystone.memory.pointers.values import Values


class Exposure:
    """`shown`: of what is exposed, what the program itself exposes, and nothing that was sliced away."""

    def __init__(self, values: Values, pieces: Pieces) -> None:
        self.values = values
        self.pieces = pieces
        self.program = values.program
        self.classes = values.classes
        self.places = values.places
        self.numbers = values.numbers
        self.forms = values.forms
        self.shown: list[Cell] = []

    def conclude(self) -> None:
        """All pointers have been followed, and all operations were looked at once more: the end of a survey."""
        self.pieces.survey()
        self._look_at_contents()
        self._look_at_what_is_not_set()
        self._look_at_comparisons()
        for number, node in list(self.classes.roots()):
            if node.has_distances:
                self.numbers.expose((number, 0))
        shown = list(self.numbers.exposed)
        for name, number in self.places.all():
            if name in self.program.exposed:
                self.numbers.expose((number, 0))
        known = len(self.numbers.exposed)
        self._look_at_arguments()
        self.shown = shown + list(self.numbers.exposed)[known:]
        self.numbers.end_survey()
        if self.numbers.are_pointers:
            for cell in (*self.numbers.exposed, *self.numbers.guessed):
                self.classes.unify((self.classes.find(cell)[0], 0), (self.classes.find((self.values.unknown, 0))[0], 0))

    def _look_at_contents(self) -> None:
        """Numbers that are there from the beginning, where pointers are."""
        size = self.forms.bytes
        for object_ in self.program.objects.values():
            if not object_.content.strip(b"\0"):
                continue
            number, base = self.classes.find(self.places.object(object_.name))
            node = self.classes.nodes[number]
            known = {offset for offset, _ in object_.relocations}
            for field, target in node.fields.items():
                first = field - base
                for offset in range(first % node.stride, len(object_.content), node.stride) if node.stride else (first,):
                    word = int.from_bytes(object_.content[max(offset, 0) : max(offset + size, 0)], "little")
                    if offset not in known and not self.forms.is_nowhere(Constant(self.program.pointer, word)):
                        self.numbers.guess(target)
                        break

    def _look_at_what_is_not_set(self) -> None:
        """The pointers with which memory begins where nobody says what is in it are of unknown origin, and so are those behind
        them."""
        external = {name for name, object_ in self.program.objects.items() if object_.kind is ObjectKind.EXTERNAL}
        waiting = [self.classes.find((number, 0))[0] for number in self.places.not_set(external)]
        waiting += [number for number, node in self.classes.roots() if node.is_foreign]
        seen = set(waiting)
        while waiting:
            for target in self.classes.nodes[waiting.pop()].fields.values():
                number = self.classes.find(target)[0]
                self.classes.nodes[number].is_foreign = True
                if number not in seen:
                    seen.add(number)
                    waiting.append(number)

    def _look_at_arguments(self) -> None:
        """Who is given a list of arguments is given the arguments."""
        exposed = {self.classes.find(cell)[0] for cell in self.numbers.exposed}
        for name, number in self.places.all():
            root = self.classes.find((number, 0))[0]
            if names.is_argument_list(name) and root in exposed:
                for target in self.classes.nodes[root].fields.values():
                    self.numbers.expose(target)

    def _look_at_comparisons(self) -> None:
        """An address of unknown origin that is compared with a pointer may be that pointer; one that is moved may come to it."""
        numbers = {self.classes.find(cell)[0] for cell in self.numbers.guessed}
        for operator, left, right, _ in self.numbers.compared:
            for one, other in ((left, right), (right, left)):
                number = self.classes.find(one)[0]
                if number == self.classes.find(other)[0]:
                    continue
                node = self.classes.nodes[number]
                if node.is_foreign and operator != "=":
                    self.numbers.guess(one)
                    self.numbers.expose(other)
                elif number in numbers:
                    self.numbers.expose(other)
                elif node.is_foreign or node.stride:
                    self.classes.unify(one, other)
