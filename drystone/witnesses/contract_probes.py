"""Contracts of a witness in the text of the program: what a function requires is asserted where its body begins, what it ensures
where it returns.

Parameters are kept in variables of their own when the function is called, and so is what it returns. A contract speaks of nothing
else, so nothing that a block declares can change what it means.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from drystone.base.regex import regex
from drystone.frontend.clang import kinds
from drystone.witnesses.form import Contract, Invariant
from drystone.witnesses.places import NotValidated, Unsuitable, shown
from drystone.witnesses.probes import PREFIX, WORDS_OF_TYPES, Probed, checked_expression
from drystone.witnesses.syntax import Element, tokens

_RESULT, _OLD = f"{PREFIX}result", f"{PREFIX}old_"
_KEPT = regex(r"\\result\b|\\old\(\s*(\w+)\s*\)|\\at\(\s*(\w+)\s*,\s*(?:Old|Pre)\s*\)")
_TYPE_WORDS = frozenset(("int", *WORDS_OF_TYPES))
_DIRECTIVE = (b"#", b"%:", b"??=")

Failing = Callable[[Probed, Invariant], str]
"""Makes a function that is an error, for what does not hold where it is called."""


def insert_contract(probed: Probed, contract: Contract, failing: Failing) -> None:
    """Raises `Unsuitable`, `NotValidated`."""
    _Contracted(probed, contract, failing).insert()


class _Contracted:
    """A function with its contract."""

    def __init__(self, probed: Probed, contract: Contract, failing: Failing) -> None:
        self.probed, self.contract, self.failing = probed, contract, failing
        self.body = probed.places.definition_at(contract.location)
        self.definition = probed.syntax.definitions[self.body.function]
        self.parameters = probed.syntax.parameters(self.body.function)
        self.old = f"{_OLD}{len(probed.functions)}_"  # a function may have several contracts

    def insert(self) -> None:
        body, contract = self.body, self.contract
        text = self.probed.syntax.text
        if text[body.start : body.start + 1] != b"{" or text[body.end - 1 : body.end] != b"}":
            raise NotValidated(f"the body of {body.function} is hidden by a macro")
        if any(each in text[self.definition.start : body.end] for each in _DIRECTIVE):
            raise NotValidated(f"a contract of {body.function}, which has preprocessing directives")
        ensured = [self._ensured(each) for each in contract.ensures]
        if ensured:
            self._insert_ensured("; ".join(ensured))
        kept = [name for name in self.parameters if any(f" {self.old}{name} " in each for each in ensured)]
        beginning = [f"__auto_type {self.old}{name} = {name}" for name in kept]
        beginning += [self._checked("requires", each, each, self.parameters) for each in contract.requires]
        self.probed.wrap(body.start + 1, body.end, "".join(f" {each};" for each in beginning))

    def _ensured(self, text: str) -> str:
        for match in _KEPT.finditer(text):
            name = match[1] or match[2]
            if name is not None and name not in self.parameters:
                raise NotValidated(f"{shown(self.contract.location)}: {name} in ensures is no parameter")
            if name is None and self.definition.result == "void":
                raise Unsuitable(f"{shown(self.contract.location)}: {self.body.function} has no result")
        return self._checked("ensures", text, _KEPT.sub(" 0 ", text), ())

    def _checked(self, clause: str, text: str, plain: str, known: Sequence[str]) -> str:
        """The clause as an expression that is an error if it does not hold; `plain`: without what is kept."""
        where = self.contract.location
        checked_expression(plain, where)
        for kind, found, _ in tokens(plain.encode(errors="surrogateescape")):
            word = found.decode(errors="surrogateescape")
            is_name = kind == "word" and not word[0].isdigit() and word[0] != "."
            if kind == "literal" or (is_name and word not in _TYPE_WORDS and word not in known):
                also = " (its value at the call is \\at(x, Old))" if word in self.parameters else ""
                raise NotValidated(f"{shown(where)}: {word} in {clause}{also}")
        made = text.strip()
        if clause == "ensures":
            made = _KEPT.sub(lambda each: f" {self.old}{each[1] or each[2]} " if each[1] or each[2] else f" {_RESULT} ", made)
        condition = self.probed.condition(f"({made})")
        return f"{condition} ? (void)0 : {self.failing(self.probed, Invariant(clause, where, text))}()"

    def _insert_ensured(self, checks: str) -> None:
        """Before each return, once its value is known, and where the body ends."""
        syntax, body, type_ = self.probed.syntax, self.body, self.definition.result
        if body.function == "main" or not {*type_.split()} <= {*_TYPE_WORDS, "void"}:
            raise NotValidated(f"{shown(self.contract.location)}: what {body.function} ensures, with a result of type {type_}")
        for each in syntax.elements:
            if each.kind == kinds.RETURN_STMT and each.function == body.function:
                self._insert_at_return(each, checks)
        if _RESULT in checks:  # without a result nothing is true of it
            claimed = next(each for each in self.contract.ensures if "\\result" in each)
            checks = f"{self.failing(self.probed, Invariant('ensures', self.contract.location, claimed))}()"
        self.probed.wrap(body.end - 1, body.end - 1, f"; {checks}; ")

    def _insert_at_return(self, statement: Element, checks: str) -> None:
        syntax, type_ = self.probed.syntax, self.definition.result
        first = next(tokens(syntax.text, statement.start, statement.end), None)
        end = syntax.next_sign(statement.start, b";")
        if first is None or first[1] != b"return" or end is None:
            raise NotValidated(f"the return in line {self.probed.line(statement)} is hidden by a macro")
        start = statement.start + len(b"return")
        has_value = bool(list(tokens(syntax.text, start, end)))
        if has_value is (type_ == "void"):
            raise NotValidated(f"the return in line {self.probed.line(statement)} of a function whose result is {type_}")
        if has_value:
            self.probed.wrap(start, end, f" ({{ {type_} {_RESULT} = (", f"); {checks}; {_RESULT}; }})", is_statement=True)
        else:
            self.probed.before_statement(statement, checks)
