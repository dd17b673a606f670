"""A program with the statements of a witness in its text, so that to verify it is to validate the witness.

What is added stands on the lines where it belongs, and changes nothing: expressions of a witness are compiled where they are said
to hold, and refused if evaluating them has an effect. What is added has names that begin with `__witness_`, and nothing in the
program may have such a name.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from drystone.base.regex import regex
from drystone.frontend.clang import kinds
from drystone.frontend.options import FrontendOptions
from drystone.witnesses.form import Location
from drystone.witnesses.places import NotValidated, Places, Unsuitable, shown
from drystone.witnesses.syntax import LABELS, Element, Syntax, tokens

PREFIX = "__witness_"
_UNWANTED = regex(rb"[;{}#\\@$`]")
_NOT_C = regex(rb"[\\@$]")  # but perhaps ACSL
_ASSIGNING = regex(rb"\+\+|--|(?:[-+*/%&|^]|<<|>>)?=$")
_CHANGES_OTHER_TEXT = (b"__COUNTER__", b"_Pragma", b"__pragma", b"asm", b"__asm", b"__asm__")
WORDS_OF_TYPES = ("signed", "unsigned", "char", "short", "long", "float", "double", "_Bool")
_WORDS = ("__builtin_abort", "__auto_type", "void", "int", "static", "extern", "if", "else", "return", *WORDS_OF_TYPES)
"""Of what is added: they must mean what they mean in C."""
_UNDEFINED_AGAIN = regex(rb"#[ \t]*undef[ \t]+(?:" + "|".join(_WORDS).encode() + rb")\b")
_INCLUDE = regex(rb'(?:^|(?<=\n))[ \t]*#[ \t]*include[ \t]*(?:"(?P<name>[^"\n]+)"|<)')
_OPENING, _CLOSING = {b"(": b")", b"[": b"]"}, {b")", b"]"}


class Probed:
    """One file with what is to be inserted."""

    def __init__(self, path: str, options: FrontendOptions) -> None:
        self.syntax = Syntax(path, options)
        self.places = Places(self.syntax)
        if PREFIX.encode() in self.syntax.text:
            raise NotValidated(f"{path}: names that begin with {PREFIX} are those of the validation")
        if _UNDEFINED_AGAIN.search(self.syntax.text):
            raise NotValidated(f"{path}: words of C are macros there")
        self._inserted: list[tuple[int, int, float, int, str]] = []
        self._appended: list[str] = []
        self._always: set[int] = set()  # where conditions of loops were left out
        self.conditions: set[bytes] = set()  # that must have no effect
        self.functions: set[str] = set()  # that are appended
        self._perhaps_undefined: list[str] = []  # those of the conditions that may be

    # what is inserted

    def condition(self, text: str, *, is_plain: bool = False) -> str:
        """A condition of a conditional expression that must have no effect. `is_plain`: it cannot be undefined either."""
        self.conditions.add(text.encode())
        if not is_plain:
            self._perhaps_undefined.append(text)
        return text

    def wrap(
        self, start: int, end: int, before: str, after: str = "", *, is_statement: bool = False, is_condition: bool = False
    ) -> None:
        """Around a part of the text; what is around more of it stands outside, and so does a condition that is a call."""
        size = end - start + (0.5 if is_statement else 0.25 if is_condition else 0)
        if before:
            self._inserted.append((start, 1, -size, len(self._inserted), before))
        if after:
            self._inserted.append((end, 0, size, -len(self._inserted), after))

    @property
    def lines(self) -> int:
        return self.syntax.text.count(b"\n") + 1

    def append(self, definition: str, function: str = "") -> int:
        """After the end of the file, where all that it declares is known: in a line of its own, whose number is given."""
        self._appended.append(definition)
        self.functions |= {function} - {""}
        return self.lines + 1 + len(self._appended)

    @property
    def evaluating_lines(self) -> set[int]:
        """Where something is evaluated that may be undefined and is not the program's own."""
        return {
            self.syntax.position(offset)[0]
            for offset, *_, text in self._inserted
            if any(each in text for each in self._perhaps_undefined)
        }

    def text(self) -> bytes:
        pieces, last = [], 0
        for offset, _, _, _, text in sorted(self._inserted):
            pieces += [self.syntax.text[last:offset], text.encode()]
            last = offset
        pieces.append(self.syntax.text[last:])
        macros = " || ".join(f"defined({word})" for word in _WORDS)
        end = [*self._appended, f"#if {macros}", '#error "words of C are macros"', "#endif", ""]
        return b"".join(pieces) + b"\n\n" + "\n".join(end).encode()  # two: the last line may be continued

    def before_statement(self, statement: Element, text: str) -> None:
        """Whenever control gets to the statement, by a jump, too."""
        while statement.kind in LABELS and (inner := self._statement_inside(statement)) is not None:
            statement = inner
        around = statement.parent
        while around is not None and around.kind in LABELS:
            around = around.parent
        if around is not None and around.kind == kinds.COMPOUND_STMT:
            self.wrap(statement.start, statement.end, f"{text}; ", is_statement=True)
        elif statement.kind == kinds.COMPOUND_STMT:
            self.wrap(statement.start + 1, statement.end, f" {text};", is_statement=True)
        else:
            self.wrap(statement.start, self.end_of(statement), f"{{ {text}; ", " }", is_statement=True)

    def after_label(self, label: Element, text: str) -> None:
        """Whenever control gets to this label: another one behind it would be another way to get there."""
        inner = self._statement_inside(label)
        after = [word for _, word, _ in tokens(self.syntax.text, label.start, inner.start)] if inner is not None else []
        if label.kind != kinds.LABEL_STMT or inner is None or inner.kind in LABELS or len(after) != 2 or after[1] != b":":
            raise NotValidated(f"the label in line {self.line(label)}, behind which there is another one, or which a macro hides")
        self.before_statement(inner, text.removesuffix(";"))

    def at_loop_head(self, loop: Element, text: str) -> None:
        """Whenever the condition is about to be evaluated; of a `do`, also before its body."""
        if loop.kind == kinds.FOR_STMT:
            start, end = self.for_condition(loop)
            if start not in self._always and not list(tokens(self.syntax.text, start, end)):
                self._always.add(start)  # the condition that is left out, after all that is put before it
                self._inserted.append((end, 2, 0, len(self._inserted), "1"))
            self.wrap(start, end, f" ({text}), ")
            return
        start, end = self.parentheses(loop)
        self.wrap(start, end, f"({text}), ")
        if loop.kind == kinds.DO_STMT:
            body = self._body(loop)
            if body.kind == kinds.COMPOUND_STMT:
                self.wrap(body.start + 1, body.end, f" {text};", is_statement=True)
            else:
                self.wrap(body.start, self.end_of(body), f"{{ {text}; ", " }", is_statement=True)

    # where

    def _statement_inside(self, label: Element) -> Element | None:
        return next((each for each in self.syntax.elements if each.parent is label and each.is_statement), None)

    def _body(self, loop: Element) -> Element:
        for each in self.syntax.elements:
            if each.is_statement and each.parent is loop and (each.start, each.end) == loop.body:
                return each
        raise NotValidated(f"the body of the loop in line {self.line(loop)} is hidden by a macro")

    def line(self, element: Element) -> int:
        return self.syntax.position(element.start)[0]

    def end_of(self, statement: Element) -> int:
        """With its semicolon."""
        following = next(tokens(self.syntax.text, statement.end), None)
        return following[2] + 1 if following is not None and following[1] == b";" else statement.end

    def for_condition(self, loop: Element) -> tuple[int, int]:
        header = self.syntax.for_header(loop)
        if not header:
            raise NotValidated(f"the header of the loop in line {self.line(loop)} is hidden by a macro")
        return header[1]

    def parentheses(self, branching: Element) -> tuple[int, int]:
        """What stands between those around the condition of an `if`, `switch`, `while` or `do`."""
        text, start = self.syntax.text, branching.start
        if branching.kind == kinds.DO_STMT:
            following = next(tokens(text, branching.body[1]), None)
            if following is not None and following[1] == b";":
                following = next(tokens(text, following[2] + 1), None)
            start = following[2] if following is not None and following[1] == b"while" else len(text)
        elif self.syntax.keyword_at(branching) is None:
            start = len(text)
        first = list(zip(range(2), tokens(text, start, branching.end), strict=False))
        if len(first) == 2 and first[1][1][1] == b"(":
            opening = first[1][1][2] + 1
            closing = self.syntax.next_sign(opening, b")", branching.end)
            if closing is not None:
                return opening, closing
        raise NotValidated(f"the condition in line {self.line(branching)} is hidden by a macro")


def with_absolute_includes(text: bytes, file: str) -> bytes:
    """A copy of the text finds what the file finds in its own folder."""
    if (
        b"include_next" in text
        or b"__has_include" in text
        or len(re.findall(rb"#\s*(?:include|import)\b", text)) != len(_INCLUDE.findall(text))
    ):
        raise NotValidated(f"{file}: its includes depend on where it is")

    def absolute(match: re.Match[bytes]) -> bytes:
        name = match["name"]
        found = os.path.join(os.fsencode(Path(file).resolve().parent), name or b"")
        return match[0] if name is None or not os.path.isfile(found) else match[0].replace(b'"' + name, b'"' + found)

    return _INCLUDE.sub(absolute, text)


def checked_expression(text: str, where: Location) -> str:
    """An expression that can be put between parentheses without touching what is around. Raises `Unsuitable`, `NotValidated`."""
    code = text.strip().encode(errors="surrogateescape")
    waiting: list[bytes] = []
    is_sound = bool(code) and b"\n" not in code and b"\r" not in code
    for kind, word, _ in tokens(code):
        if kind == "literal":
            continue
        if _NOT_C.match(word) or word in _CHANGES_OTHER_TEXT:
            raise NotValidated(f"{shown(where)}: {text!r} is not an expression of C alone")
        if _ASSIGNING.match(word):
            raise Unsuitable(f"{shown(where)}: an expression of the witness has an effect: {text!r}")
        is_sound = is_sound and not _UNWANTED.match(word) and word not in (b'"', b"'") and not word.startswith(PREFIX.encode())
        if word in _OPENING:
            waiting.append(_OPENING[word])
        elif word in _CLOSING:
            is_sound = is_sound and bool(waiting) and waiting.pop() == word
    if not is_sound or waiting or re.search(rb"//|/\*|\?\?/", code):
        raise Unsuitable(f"{shown(where)}: {text!r} is no expression")
    return text.strip()


def check_effects(path: str, options: FrontendOptions, probed: Probed) -> None:
    """Are the conditions where they belong in the text that was made, and does none of them have an effect?"""
    syntax, conditions = Syntax(path, options), probed.conditions
    errors = [each for each in syntax.errors if each not in probed.syntax.errors]
    if errors:
        line, message = errors[0]
        if line > probed.lines:
            raise NotValidated(f"what is added after the end of {Path(path).name} does not compile: {message}")
        raise Unsuitable(f"{Path(path).name}:{line}: what the witness says there does not compile: {message}")
    if not probed.functions <= {each.function for each in syntax.elements}:
        raise NotValidated(f"what is added after the end of {Path(path).name} is no function there")
    waiting = set(conditions)
    for each in syntax.elements:
        if each.kind == kinds.CONDITIONAL and each.parts:
            condition = syntax.text[each.parts[0][1] : each.parts[0][2]]
            if condition in conditions and each.has_effects:
                raise Unsuitable(
                    f"{Path(path).name}:{syntax.position(each.start)[0]}: an expression of the witness has an effect"
                )
            waiting.discard(condition)
    if waiting:
        raise NotValidated("an expression of the witness is not where it was put, but in a comment or a macro")
