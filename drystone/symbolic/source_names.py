"""Formulas about a program's state in the words of its source: C expressions over the variables in scope.

The text is for people; certificates are checked by their terms. Conjuncts about what drystone itself has added (the counter of
the heap, temporaries) are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from drystone.base.regex import regex
from drystone.ir import names
from drystone.ir.automaton import MemoryObject
from drystone.ir.source_types import array_of, is_pointer, plain, pointee
from drystone.logic.cprinting import CPrinter
from drystone.logic.ctext.phrases import ATOM, PREFIX, CTypes, NotC, Phrase, Printer
from drystone.logic.printing import c_text
from drystone.logic.sorts import FLOAT32, FLOAT64, Array, Bool, Float
from drystone.logic.substitution import substitute
from drystone.logic.sums import linear
from drystone.logic.terms import Term, free_symbols, state
from drystone.passes.one_element import is_index
from drystone.symbolic.execution import SymbolicProgram

_QUALIFIERS = regex(r"\b(const|volatile|register|static|restrict|_Atomic)\b")
_SIGNED_WORDS = frozenset("signed char short int long __int128".split())
_SIGNED_NAMES = frozenset("ssize_t ptrdiff_t intptr_t int8_t int16_t int32_t int64_t intmax_t off_t".split())
_UNSIGNED_NAMES = frozenset("size_t uintptr_t uint8_t uint16_t uint32_t uint64_t uintmax_t _Bool bool".split())


class Wording:
    """The words for one program."""

    def __init__(self, symbolic: SymbolicProgram) -> None:
        self.symbolic = symbolic
        program, procedure = symbolic.program, symbolic.procedure
        self.pointer_width = program.pointer_width
        self.source = program.types
        variables = (*program.variables.items(), *procedure.variables.items())
        self.types = {name: self.source.meaning(known.ctype) for name, known in variables}
        self.objects = {**program.objects, **procedure.objects}

    def at(self, location: int, formulas: Sequence[Term]) -> list[str]:
        """What the formulas say at a location, each text once."""
        names = _Names(self, location, free_symbols(formulas))
        printer = CPrinter(names)
        found: dict[str, None] = {}
        for formula in formulas:
            if not any(is_own(symbol) for symbol in free_symbols(formula)):
                found[names.text(formula, printer)] = None
        return list(found)

    def in_scope(self, location: int, formula: Term) -> InScope | None:
        """The formula as an expression that C compiles in the function of a location; None if there is none.

        The state at the location is enough for it: there are no variables of callers in it, nor what drystone has added.
        """
        symbols = free_symbols((formula,))
        names = _NamesInScope(self, location, symbols)
        if any(is_own(symbol) for symbol in symbols):
            return None
        try:
            text = CPrinter(names).formula(formula)
        except NotC:
            return None
        return InScope(without_limits(text), frozenset(names.used))


class InScope(NamedTuple):
    """An expression, and what it calls by a name: the name in the source, and drystone's without the call path."""

    text: str
    names: frozenset[tuple[str, str]]


_LIMIT_TEXTS = {
    "INT_MIN": "(-2147483647 - 1)",
    "LONG_MIN": "(-9223372036854775807L - 1)",
    "LLONG_MIN": "(-9223372036854775807LL - 1)",
}
_LIMITS = regex("|".join(rf"\b{name}\b" for name in _LIMIT_TEXTS))


def without_limits(text: str) -> str:
    """With numbers for names that C knows only with a header."""
    return _LIMITS.sub(lambda match: _LIMIT_TEXTS[match[0]], text)


def is_own(symbol: Term) -> bool:
    """Does the source have no name for this? People know what an index is."""
    if isinstance(symbol.sort, Array):
        return False
    name = _parts(symbol.payload)[1]
    return names.is_own(name) and not is_index(name)


def _parts(name: str) -> tuple[list[str], str, int | None]:
    """The call path of a name, what it is called in the source, and for a part of an object the offset."""
    words = name.split(".")
    path = [word for word in words[:-1] if "@" in word and not names.is_own(word)]
    own = words[len(path) :]
    offset = own[-1].partition("#")[0]
    if len(own) > 1 and offset.isdigit():
        return path, ".".join(own[:-1]), int(offset)
    return path, ".".join(own), None


def _plain(name: str) -> str:
    """As in the source."""
    _, own, offset = _parts(name)
    own = own.partition("#")[0].partition("@")[0]
    return own if offset is None else f"{own}+{offset}"


class _Names:
    """The names at one location (`logic.cprinting.Names`)."""

    def __init__(self, wording: Wording, location: int, symbols: Iterable[Term]) -> None:
        self.wording = wording
        self.pointer_width = wording.pointer_width
        procedure = wording.symbolic.procedure
        scope = procedure.call_path(location)[1:]
        self.short: dict[str, str] = {}
        rivals: dict[str, list[str]] = {}
        for symbol in symbols:
            if not isinstance(symbol.sort, Array):
                rivals.setdefault(_plain(symbol.payload), []).append(symbol.payload)
        for unqualified, rival in rivals.items():
            here = [name for name in rival if [word.partition("@")[0] for word in _parts(name)[0]] == scope]
            chosen = rival if len(rival) == 1 else here if len(here) == 1 else []
            self.short.update((name, unqualified if name in chosen else self._qualified(name)) for name in rival)

    def _qualified(self, name: str) -> str:
        """What has another meaning in scope: C has no expression for it."""
        path, own, offset = _parts(name)
        program = self.wording.symbolic.program
        owner = path[-1] if path else "" if name in program.variables or name in program.objects else program.entry
        return f"{owner}::{own}" + (f"+{offset}" if offset is not None else "")

    def _plain(self, name: str) -> str:
        return _plain(name)

    def text(self, formula: Term, printer: CPrinter) -> str:
        try:
            return printer.formula(formula)
        except NotC:
            return c_text(substitute(formula, {each: self._renamed(each) for each in free_symbols(formula)}))

    def _renamed(self, symbol: Term) -> Term:
        if isinstance(symbol.sort, Array):
            return state("memory", symbol.sort)
        return state(self.short.get(symbol.payload, symbol.payload), symbol.sort) if symbol.operator == "state" else symbol

    # what the printer asks

    def variable(self, symbol: Term) -> Phrase:
        name: str = symbol.payload
        ctype = self.wording.types.get(name, "")
        shown = self.short.get(name, name)
        if _parts(name)[2] is not None and "::" not in shown:
            return self._part(symbol)
        if isinstance(symbol.sort, (Bool, Float)):
            return Phrase(shown)
        phrase = self._typed(shown, ctype)
        is_guess = not phrase.is_pointer and phrase.signed is None and symbol.sort == self.wording.symbolic.pointer
        return replace(phrase, is_pointer=phrase.is_pointer or is_guess, is_guess=is_guess)

    def _typed(self, text: str, ctype: str) -> Phrase:
        """Something that C writes so and that has this type."""
        level = PREFIX if text.startswith("*") else ATOM
        enumerators = self.wording.source.enumerators.get(ctype)
        if enumerators is not None:
            is_signed = any(value >> 31 for value in enumerators)
            return Phrase(text, level, is_signed, enumerators=tuple(enumerators.items()))
        return Phrase(text, level, signedness(ctype), _is_pointer(ctype), pointee=_pointee(ctype))

    def _part(self, symbol: Term) -> Phrase:
        """A part of an object that became a variable: as a member or an element, otherwise by its offset."""
        path, own, offset = _parts(symbol.payload)
        owner = self.wording.objects.get(".".join([*path, own]))
        name, assumed = own.partition("#")[0].partition("@")[0], offset or 0
        if owner is not None:
            found = self._scalar(name, self.wording.source.meaning(owner.ctype), assumed, symbol.sort)
            if found is not None:
                return found
        ctype, signed = self._access_type(symbol.sort, None)
        return Phrase(f"*({ctype} *)((char *)&{name} + {assumed})", 13, signed)

    def _scalar(self, text: str, ctype: str, offset: int, sort: object) -> Phrase | None:
        """The member or element of an object that is right there and has this sort."""
        size = getattr(sort, "width", 8) // 8
        last = self.wording.source.parts(text, ctype, offset, size)[-1]
        if last.offset or self.wording.source.size(last.ctype) != size:
            return None
        if isinstance(sort, Float) != (plain(last.ctype) in ("float", "double")):
            return None
        return self._typed(last.text, plain(last.ctype))

    def _access_type(self, sort: object, wanted: str | None) -> tuple[str, bool | None]:
        if wanted is not None:
            return wanted, None
        if isinstance(sort, Float):
            name = {(8, 24): "float", (11, 53): "double"}.get((sort.exponent, sort.significand))
            if name is None:
                raise NotC
            return name, None
        if isinstance(sort, Bool):
            return "_Bool", None
        return CTypes(self.pointer_width).name(sort.width, True), True  # type: ignore[attr-defined]

    def cell(self, array: str, address: Term, ctype: str | None, printer: Printer) -> Phrase:
        element = self.wording.symbolic.sorts[array].element  # type: ignore[union-attr]
        name, signed = self._access_type(element, ctype)
        sort = element if ctype is None else FLOAT32 if ctype == "float" else FLOAT64
        found = self._cell(address, sort, printer)
        if found is not None:
            return found
        pointer = printer.phrase(address)
        return Phrase(f"*({name} *){pointer.within(13)}", 13, signed)

    def _cell(self, address: Term, sort: object, printer: Printer) -> Phrase | None:
        """`*p`, `p->m`, `p[i]`, `a[i].m`, where the base is a pointer or an object whose type has such a scalar there."""
        parts = linear(address)
        rest, constant = list(parts.parts), parts.constant
        for position, (node, factor) in enumerate(rest):
            pointer = printer.phrase(node) if factor == 1 and node.operator in ("state", "select") else None
            if pointer is not None and pointer.pointee:
                del rest[position]
                return self._behind(pointer.within(ATOM), pointer.pointee, rest, constant, sort, printer)
        found = self._object_at(constant)
        if found is None:
            return None
        object_, start = found
        name, ctype = self._plain(object_.name), self.wording.source.meaning(object_.ctype)
        return self._element(name, ctype, rest, constant - start, sort, printer)

    def _behind(
        self, pointer: str, target: str, rest: list[tuple[Term, int]], constant: int, sort: object, printer: Printer
    ) -> Phrase | None:
        """What a pointer leads to: one of several things of a type."""
        size = self.wording.source.size(target)
        if not size:
            return None
        number, inner = divmod(constant, size)
        if rest and rest[0][1] == size:
            index = self._index(rest, number, size, printer)
            return self._scalar(f"{pointer}[{index}]", target, inner, sort) if index is not None else None
        text = f"*{pointer}" if number == 0 else f"{pointer}[{number}]"
        return self._element(text, target, rest, inner, sort, printer)

    def _element(
        self, text: str, ctype: str, rest: list[tuple[Term, int]], constant: int, sort: object, printer: Printer
    ) -> Phrase | None:
        """What is at an offset in an object, perhaps with an index into an array that is there."""
        if not rest:
            return self._scalar(text, ctype, constant, sort)
        for place in self.wording.source.parts(text, ctype, constant):
            array = array_of(place.ctype)
            size = self.wording.source.size(array[0]) if array is not None else 0
            if array is not None and size == rest[0][1]:
                index = self._index(rest, place.offset // size, size, printer)
                if index is not None:
                    return self._scalar(f"{place.text}[{index}]", array[0], place.offset % size, sort)
        return None

    def _index(self, parts: list[tuple[Term, int]], constant: int, size: int, printer: Printer) -> str | None:
        """An index that is one variable, perhaps extended, with something added; C extends it in the same manner."""
        if len(parts) != 1 or parts[0][1] != size:
            return None
        node = parts[0][0]
        if node.operator in ("sign_extend", "zero_extend"):
            inner = printer.as_type(node.arguments[0], node.operator == "sign_extend")
        else:
            inner = printer.as_type(node, True)
        if constant == 0:
            return inner.text
        if node.operator in ("sign_extend", "zero_extend"):  # added after the extension
            inner = printer.phrase(node)
        return f"{inner.within(11)} {'+' if constant > 0 else '-'} {abs(constant)}"

    def _object_at(self, value: int) -> tuple[MemoryObject, int] | None:
        """The object that has this address, and where it starts."""
        addresses = self.wording.symbolic.memory.addresses
        value &= (1 << self.pointer_width) - 1
        for name, object_ in self.wording.objects.items():
            start = addresses.get(name)
            if start is not None and start <= value < start + object_.size:
                return object_, start
        return None

    def address(self, value: int, pointee: str) -> str | None:
        found = self._object_at(value)
        if found is None:
            return None
        object_, start = found
        ctype = self.wording.source.meaning(object_.ctype)
        return self.wording.source.address(self._plain(object_.name), ctype, value - start, pointee)


class _NamesInScope(_Names):
    """Those of globals and of one function alone. Raises NotC for all others."""

    def __init__(self, wording: Wording, location: int, symbols: Iterable[Term]) -> None:
        super().__init__(wording, location, symbols)
        procedure = wording.symbolic.procedure
        self.functions = procedure.call_path(location)
        self.used: set[tuple[str, str]] = set()

    def _plain(self, name: str) -> str:
        path, own, offset = _parts(name)
        program = self.wording.symbolic.program
        is_global = name in program.variables or name in program.objects
        static = f"{self.functions[-1].partition('@')[0]}."
        if is_global and own.startswith(static):  # of this function
            own = own[len(static) :]
        elif not is_global and [word.partition("@")[0] for word in path] != self.functions[1:]:
            raise NotC
        plain = own.partition("#")[0].partition("@")[0]
        if not plain.isidentifier():
            raise NotC
        self.used.add((plain, own))
        return plain if offset is None else f"{plain}+{offset}"

    def variable(self, symbol: Term) -> Phrase:
        name = self._plain(symbol.payload)
        if "::" not in self.short[symbol.payload]:
            self.short[symbol.payload] = name
        phrase = super().variable(symbol)
        if "::" in phrase.text:
            raise NotC
        return phrase


def signedness(ctype: str) -> bool | None:
    """Of an integer type as written in C; None for names that only the source can tell."""
    words = _QUALIFIERS.sub(" ", ctype).split()
    if not words or _is_pointer(ctype):
        return None
    if "unsigned" in words:
        return False
    if set(words) <= _SIGNED_WORDS:
        return True
    if len(words) == 1 and words[0] in _UNSIGNED_NAMES:
        return False
    return True if len(words) == 1 and words[0] in _SIGNED_NAMES else None


def _is_pointer(ctype: str) -> bool:
    """Also an array, which becomes one."""
    return is_pointer(ctype) or array_of(ctype) is not None


def _pointee(ctype: str) -> str:
    """What a pointer points to, what an array has as elements; empty for anything else."""
    array = array_of(ctype)
    return array[0] if array is not None else pointee(ctype)
