"""The objects of a run by their addresses, and how C writes what is in them: `l.xListEnd.pxNext`, `&it[1]`, `malloc#2->next`.

An allocation has no name in C: the second one that `malloc` made is `malloc#2`, which stands for the pointer that the call
returned. What an argument of the entry points to has the name of the parameter. The type of an allocation is what the first typed
pointer to its start points to. Allocations that have ended keep their names.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter

import msgspec

from drystone.concrete.code_generation import ProcedureCode, ProgramCode
from drystone.concrete.machine import Machine
from drystone.counterexamples.values import CHARACTERS, string_text
from drystone.frontend.library.models import is_in_model
from drystone.ir import names
from drystone.ir.automaton import MemoryObject, ObjectKind, Origin, Program
from drystone.ir.expressions import Determinant
from drystone.ir.source_types import array_of, is_pointer, plain, pointee

GIVEN = (Determinant.ARGUMENT, Determinant.STRING, Determinant.POINTEE)
"""Of memory behind the pointers that the entry is called with, or that functions without a body return."""
_BY_NAME = (Determinant.ARGUMENT, Determinant.STRING, Determinant.LOCAL)


class Owner(msgspec.Struct, frozen=True):
    """An object. `text` is the object, or, if it `is_pointed`, a pointer to it."""

    text: str
    ctype: str  # without typedefs; of what is pointed to, the type of one element
    size: int
    is_pointed: bool = False
    is_open: bool = False  # nobody knows how many elements there are: it comes from outside
    is_hidden: bool = False  # the library's own, or a string literal, which has no name and whose characters everybody sees
    literal: bytes | None = None  # of a string in the source: its characters


class KnownObjects:
    """Of one run."""

    def __init__(self, program: Program, code: ProgramCode, machine: Machine) -> None:
        self.program, self.code, self.machine, self.types = program, code, machine, program.types
        self._statics = ["", *code.layout.static_index]
        self._allocations: dict[int, Owner] = {}
        self._bases: list[int] = []
        self._counts: Counter[str] = Counter()

    def is_of_library(self, origin: Origin) -> bool:
        return is_in_model(self.program, origin)

    def allocated(self, base: int, size: int, what: str, determinant: Determinant, ctype: str = "") -> None:
        """By what is called so."""
        if base == 0:
            return
        what = what.removeprefix("__builtin_")
        self._counts[what] += 1
        text = what if determinant in _BY_NAME else f"{what}#{self._counts[what]}"
        if base not in self._allocations:
            insort(self._bases, base)
        if determinant is Determinant.STRING:
            ctype = "char"
        self._allocations[base] = Owner(text, ctype, size, is_pointed=True, is_open=determinant in GIVEN)

    def learn(self, address: int, ctype: str) -> None:
        """A pointer of this type has this value."""
        owner = self._allocations.get(address)
        if owner is None or (owner.ctype and owner.ctype not in CHARACTERS):
            return
        meaning = self.types.meaning(ctype)
        target = pointee(meaning) if is_pointer(meaning) else (array_of(meaning) or ("", 0))[0]
        if 0 < self.types.size(target) <= max(owner.size, 1) and (not owner.ctype or plain(target) not in CHARACTERS):
            self._allocations[address] = msgspec.structs.replace(owner, ctype=plain(target))

    def by_name(self, text: str) -> Owner | None:
        """Of allocations."""
        return next((each for each in self._allocations.values() if each.text == text), None)

    def type_at(self, address: int) -> str:
        """What is known of the elements of an allocation."""
        owner = self._allocations.get(address)
        return owner.ctype if owner is not None else ""

    def at(self, address: int, code: ProcedureCode, locals_: list[int]) -> tuple[Owner, int] | None:
        """The object that has this byte, or ends right before it, for an activation and its callers; and where in it."""
        space = self.code.layout.space
        if address < space.heap:
            index = bisect_right(self.code.layout.static_bases, address) - 1
            if index <= 0:
                return None
            return self._within(self.program.objects[self._statics[index]], address - self.code.layout.static_bases[index])
        if address >= space.stack:
            frames = [(code, locals_), *((caller, variables) for variables, _, caller, _, _ in reversed(self.machine.stack))]
            for owner, variables in frames:
                distance = address - variables[0]
                if 0 <= distance < owner.frame.size:
                    index = bisect_right(owner.frame.offsets, distance) - 1
                    object_ = owner.procedure.objects[list(owner.frame.offset)[index]]
                    found = self._within(object_, distance - owner.frame.offsets[index])
                    if found is not None:
                        return found
        index = bisect_right(self._bases, address) - 1
        if index < 0:
            return None
        base = self._bases[index]
        return (self._allocations[base], address - base) if address <= base + self._allocations[base].size else None

    def _within(self, object_: MemoryObject, offset: int) -> tuple[Owner, int] | None:
        return (self.named(object_), offset) if 0 <= offset <= object_.size else None

    def named(self, object_: MemoryObject) -> Owner:
        """A static or local object."""
        literal = object_.content.ljust(object_.size, b"\0") if object_.kind is ObjectKind.LITERAL else None
        array = array_of(self.types.meaning(object_.ctype))
        if literal is not None and (array is None or plain(array[0]) not in CHARACTERS):
            literal = None
        hidden = self.is_of_library(object_.origin) or " " in object_.name or literal is not None
        return Owner(shown_name(object_.name), self.types.meaning(object_.ctype), object_.size, is_hidden=hidden, literal=literal)

    def address_text(self, address: int, target: str, code: ProcedureCode, locals_: list[int]) -> str:
        """As a pointer to something of this type."""
        function = self.code.layout.function_at.get(address)
        if function is not None:
            return names.spelled(function)
        found = self.at(address, code, locals_)
        if found is None:
            return f"{address:#x}"
        owner, offset = found
        if owner.literal is not None and offset < owner.size:
            whole = string_text(owner.literal[:-1])
            return f"&{whole}[{offset}]" if offset else whole
        if owner.is_pointed:
            return self._pointed_address(owner, offset, target)
        text = self.types.address(owner.text, owner.ctype, offset, target)
        return text if text is not None else f"(char *)&{owner.text} + {offset}"

    def _pointed_address(self, owner: Owner, offset: int, target: str) -> str:
        step = self.types.size(owner.ctype)
        if offset == 0 and (not step or plain(target) not in self._scalars_at_start(owner)):
            return owner.text
        if not step:
            return f"(char *){owner.text} + {offset}"
        index, rest = divmod(offset, step)
        element = f"*{owner.text}" if index == 0 else f"{owner.text}[{index}]"
        text = self.types.address(element, owner.ctype, rest, target) if rest or index == 0 else f"&{element}"
        return text if text is not None else f"(char *){owner.text} + {offset}"

    def _scalars_at_start(self, owner: Owner) -> list[str]:
        """The types of the first member of a record, of its first member, and so on."""
        return [plain(each.ctype) for each in self.types.parts("", owner.ctype, 0)[1:]]


def shown_name(name: str) -> str:
    """As the source calls a variable or an object."""
    local = names.local(name)
    return "return value" if local == names.RESULT else names.spelled(local).partition("#")[0] or name
