"""The contracts of a proof as a witness says them: of the parameters of a function, and of what it returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from drystone.claims.certificates import ContractsCertificate, StatedContract
from drystone.frontend.options import FrontendOptions
from drystone.ir.automaton import Program
from drystone.ir.expressions import Variable
from drystone.ir.source_types import is_pointer
from drystone.logic.cprinting import CPrinter
from drystone.logic.ctext.phrases import ATOM, NotC, Phrase, Printer
from drystone.logic.sorts import Bool, Float
from drystone.logic.terms import Term
from drystone.passes.contracts import RESULT
from drystone.symbolic.source_names import signedness, without_limits
from drystone.witnesses.form import Contract, Location, Task
from drystone.witnesses.syntax import Syntax


def contracts_of(program: Program, certificate: ContractsCertificate, options: FrontendOptions, task: Task) -> Iterator[Contract]:
    """Those that can be said of parameters alone.

    A conjunct that is ensured can be left out. One that is required cannot: what is ensured would be claimed of more calls.
    """
    for path in dict.fromkeys(task.files):
        if path in program.files:
            syntax = Syntax(path, options)
            for stated in certificate.contracts:
                location = _definition(program, syntax, stated.procedure)
                said = _said(program, syntax, stated) if location is not None else None
                if said is not None and location is not None and any(said):
                    yield Contract(location, *said)


def _definition(program: Program, syntax: Syntax, name: str) -> Location | None:
    """Where the function is defined, if it is in this file."""
    procedure, found = program.procedures.get(name), syntax.definitions.get(name)
    if procedure is None or found is None or procedure.origin.file != program.files.index(syntax.path):
        return None
    return Location(syntax.path, *syntax.position(found.start), name)


def _said(program: Program, syntax: Syntax, stated: StatedContract) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    procedure = program.procedures[stated.procedure]
    known = set(syntax.parameters(stated.procedure))
    parameters = {each.name: each for each in procedure.parameters if each.name in known}
    before = {name: (name, each) for name, each in parameters.items()}
    after = {name: (f"\\at({name}, Old)", each) for name, each in parameters.items()}
    if procedure.result is not None:
        after[RESULT] = (RESULT, procedure.result)
    required, ensured = stated.conjuncts()
    requires, ensures = _texts(program, before, required), _texts(program, after, ensured)
    return (requires, ensures) if len(requires) == len(required) else None


def _texts(program: Program, names: Mapping[str, tuple[str, Variable]], formulas: Sequence[Term]) -> tuple[str, ...]:
    """Of those that C has an expression for."""
    printer, found = CPrinter(_Names(program, names)), []
    for formula in formulas:
        try:
            found.append(without_limits(printer.formula(formula)))
        except NotC:
            continue
    return tuple(found)


class _Names:
    """What the symbols of a contract are called (`logic.cprinting.Names`)."""

    def __init__(self, program: Program, names: Mapping[str, tuple[str, Variable]]) -> None:
        self.program, self.names = program, names
        self.pointer_width = program.pointer_width

    def variable(self, symbol: Term) -> Phrase:
        if symbol.payload not in self.names:
            raise NotC
        text, known = self.names[symbol.payload]
        ctype = self.program.types.meaning(known.ctype)
        if isinstance(symbol.sort, (Bool, Float)):
            return Phrase(text)
        if is_pointer(ctype):
            raise NotC
        return Phrase(text, ATOM, signedness(ctype))

    def cell(self, array: str, address: Term, ctype: str | None, printer: Printer) -> Phrase:
        raise NotC

    def address(self, value: int, pointee: str) -> str | None:
        return None
