"""The inputs of an execution that somebody chose, in C: by the caller of the entry, functions without a body, the standard input.

As equations in the order in which they were given (`__VERIFIER_nondet_int() = 100`, `s->len = 7`), and as C to paste: definitions
of the functions that give these values, a call of the entry with these arguments.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from drystone.concrete.inputs import CHOSEN_BY_USER, Consumed
from drystone.counterexamples.changes import Change, changes_in, joined
from drystone.counterexamples.steps import Execution, Moment
from drystone.counterexamples.values import CHARACTERS, content_text, input_text, is_text, string_text
from drystone.ir import names
from drystone.ir.automaton import NOWHERE, Edge, Program
from drystone.ir.expressions import Determinant, InputKind, is_approximated
from drystone.ir.operations import Call
from drystone.ir.source_types import is_pointer
from drystone.logic.sorts import Bool, Float

_NOT_NULL = " is not NULL"


class _LibraryCall(msgspec.Struct):
    """A call of a library function that read something from outside."""

    edge: Edge
    name: str
    changes: list[Change] = []
    result: str = ""
    has_read: bool = False

    def text(self) -> str:
        effects = [f"{name} = {value}" for name, value in joined(self.changes).items()]
        if not effects:
            return f"{self.name}() = {self.result}" if self.result else f"{self.name}()"
        return f"{self.name}(): {', '.join(effects)}"


class GivenInputs:
    """Collects them from the moments of a run."""

    def __init__(self, program: Program) -> None:
        self.program, self.types = program, program.types
        self.arguments: list[Consumed] = []
        self.order: list[Consumed | _LibraryCall] = []
        self._call: _LibraryCall | None = None

    def take(self, moment: Moment) -> None:
        if moment.is_inside_library:
            self._take_inside(moment)
            return
        if self._call is not None and moment.is_return and moment.changes:
            self._call.result = moment.changes[0].value
        self._call = None
        for entry in moment.inputs:
            if entry.determinant in (Determinant.ARGUMENT, Determinant.STRING):
                self.arguments.append(entry)
            elif self._is_given(entry):
                self.order.append(entry)

    def _take_inside(self, moment: Moment) -> None:
        if self._call is None or moment.at is not self._call.edge:
            operation = moment.at.operation
            name = names.spelled(operation.procedure) if isinstance(operation, Call) else "call"
            self._call = _LibraryCall(moment.at, name)
        call = self._call
        if not call.has_read and any(map(self._is_given, moment.inputs)):
            call.has_read = True
            self.order.append(call)
        call.changes += [change for change in moment.changes if not change.temporary]

    def _is_given(self, entry: Consumed) -> bool:
        """Not what was computed, nor what the implementation determines, nor memory, nor parameters of the entry before they get
        their values."""
        if entry.origin == NOWHERE and entry.determinant is Determinant.NOTHING:
            return False
        is_chosen = entry.kind in CHOSEN_BY_USER and not entry.determined and not is_approximated(entry)
        return is_chosen and not isinstance(entry.value, bytes)

    def texts(self, execution: Execution) -> list[str]:
        """Equations: arguments, what is behind pointers as far as it was read, everything else."""
        shown = [self._text(each) for each in self.arguments if not isinstance(each.value, bytes)]
        shown += [f"{name} = {value}" for name, value in joined(_memory(execution)).items()]
        shown += [each.text() if isinstance(each, _LibraryCall) else self._text(each) for each in self.order]
        return list(filter(None, shown))

    def _text(self, entry: Consumed) -> str:
        what = entry.what.removesuffix(_NOT_NULL)
        if entry.determinant is Determinant.NOT_NULL:
            return f"{what}() {'!=' if entry.value else '='} NULL"
        if entry.determinant is Determinant.ARGUMENT and what != entry.what:
            return "" if entry.value else f"{what} = NULL"
        return f"{called_name(entry)} = {input_text(entry, self.types)}"

    def as_c(self, execution: Execution) -> list[str]:
        """Lines to paste; what C cannot say in a line is left out."""
        call = self._entry_call(execution)
        return [*([call] if call else []), *self._functions()]

    def _functions(self) -> Iterator[str]:
        """Each function without a body as one that returns these values."""
        by_name: dict[str, list[Consumed]] = {}
        for each in self.order:
            if isinstance(each, Consumed) and each.determinant is Determinant.FUNCTION:
                by_name.setdefault(each.what, []).append(each)
        for name, entries in by_name.items():
            ctype = "_Bool" if isinstance(entries[0].sort, Bool) else entries[0].ctype
            if not name.isidentifier() or not ctype or is_pointer(ctype) or "(" in ctype:
                continue
            literals = [self._literal(entry) for entry in entries]
            parameters = "void" if name.startswith("__VERIFIER_nondet_") else ""
            if len(set(literals)) == 1:
                yield f"{ctype} {name}({parameters}) {{ return {literals[0]}; }}"
            else:
                values = f"static const {ctype} v[] = {{{', '.join(literals)}}}; static int i;"
                yield f"{ctype} {name}({parameters}) {{ {values} return v[i++ % {len(literals)}]; }}"

    def _literal(self, entry: Consumed) -> str:
        text = input_text(entry, self.types)
        if isinstance(entry.sort, Float):
            sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
            return sign + ("INFINITY" if digits == "inf" else "NAN" if digits.startswith("nan") else digits)
        if text == str(-1 << 63):
            return f"{1 - (1 << 63)} - 1"
        return f"{text}u" if text.isdigit() and int(text) >> 63 else text

    def _entry_call(self, execution: Execution) -> str:
        """Declarations of what pointers point to, and the call; nothing for main, which the system calls."""
        entry = self.program.entry.partition("%")[0]
        if not self.arguments or entry == "main":
            return ""
        declarations: list[str] = []
        passed: list[str] = []
        for each in self.arguments:
            what = each.what.removesuffix(_NOT_NULL)
            if isinstance(each.value, bytes):
                declaration, pointer = self._pointed(execution, each)
                declarations.append(declaration)
                passed.append(pointer)
            elif what == each.what:
                passed.append(self._literal(each))
            elif not each.value:
                passed.append("NULL")
        if not all(declarations):
            return ""
        return f"{''.join(f'{each}; ' for each in declarations)}{entry}({', '.join(passed)});"

    def _pointed(self, execution: Execution, given: Consumed) -> tuple[str, str]:
        """The declaration of the memory behind an argument, with what was read of it, and the pointer to it."""
        owner, content = execution.pointed(given.what)
        if owner is None or "(" in owner.ctype:
            return "", ""
        size, name = self.types.size(owner.ctype), given.what
        if not size:
            return f"char {name}[{max(len(content), 1)}] = {{0}}", name
        count = max(-(-len(content) // size), 1)
        content = content.ljust(count * size, b"\0")
        array = f"{owner.ctype}[{count}]"
        if owner.ctype in CHARACTERS and is_text(content, owner.ctype):
            return f"{owner.ctype} {name}[{'' if content.endswith(bytes(1)) else count}] = {string_text(content)}", name
        if count == 1:
            return f"{_declared(owner.ctype, name)} = {content_text(content, owner.ctype, self.types, _number)}", f"&{name}"
        return f"{_declared(owner.ctype, f'{name}[]')} = {content_text(content, array, self.types, _number)}", name


def _declared(ctype: str, name: str) -> str:
    return f"{ctype}{name}" if ctype.endswith("*") else f"{ctype} {name}"


def _number(address: int, _target: str) -> str:
    return f"(void *){address:#x}"


def _memory(execution: Execution) -> Iterator[Change]:
    """What was read of the memory that the environment gave, as if it had been written."""
    for owner, offset, content in execution.looked_at():
        if owner.ctype and execution.program.types.size(owner.ctype):
            yield from changes_in(owner, offset, content, execution.program.types, _number)


def called_name(entry: Consumed) -> str:
    """The input as an expression of C, where there is one."""
    if entry.determinant is Determinant.ARGUMENT:
        return entry.what
    is_call = entry.determinant is Determinant.FUNCTION or entry.kind is InputKind.NONDET
    return f"{entry.name}()" if is_call and not entry.name.endswith(")") else entry.name
