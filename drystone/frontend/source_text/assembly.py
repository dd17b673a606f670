"""Inline assembly: the parts of an asm statement, and what its template may do beside giving its outputs.

What an instruction computes is not known. Known is, by GCC's rules, what a statement can change: its outputs, and memory if it
says so by a "memory" clobber. An empty template changes nothing at all: operands that are read and written keep their values.
What `rep; insl` does, by which drivers read from a port, is known exactly.
Whatever goes beyond this is refused: jumps and calls to elsewhere, names of the program's own objects, the modes of the
floating-point units, memory that pointers lead to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec

from drystone.base.regex import regex
from drystone.frontend.errors import NotSupported
from drystone.frontend.source_text.literals import string_bytes
from drystone.ir.automaton import Unmodelled

_ASM = frozenset({"asm", "__asm", "__asm__"})
_WORD = regex(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|::|\w+|\S')
_SECTIONS = 5  # template, outputs, inputs, clobbers, labels


class Operand(msgspec.Struct, frozen=True):
    constraint: str
    name: str = ""

    @property
    def is_kept(self) -> bool:
        """Is it read, too?"""
        return "+" in self.constraint

    @property
    def is_memory(self) -> bool:
        """Does the template get the place, not the value?"""
        return any(letter in "moVX<>" for letter in self.constraint)


class PortInput(msgspec.Struct, frozen=True):
    """`ins`: a unit of `size` bytes comes from a port, to where operand `pointer` points; with `rep`, as many as `count` says."""

    size: int
    pointer: int
    count: int | None


class Assembly(msgspec.Struct, frozen=True):
    template: str
    outputs: tuple[Operand, ...] = ()
    inputs: tuple[Operand, ...] = ()
    clobbers: tuple[str, ...] = ()
    is_basic: bool = False  # without operands, it does not say what it changes

    @property
    def is_empty(self) -> bool:
        return not any(_lines(self.template))

    def matched(self, operand: Operand) -> int | None:
        """The output that an input shares its place with."""
        constraint = operand.constraint.strip("%&")
        if constraint.isdigit() and int(constraint) < len(self.outputs):
            return int(constraint)
        names = [f"[{output.name}]" for output in self.outputs]
        return names.index(constraint) if constraint in names else None

    @property
    def writes_memory(self) -> bool:
        """May it write what is not among its outputs? What is only known as a barrier, or does not get at memory, does not."""
        instructions = list(_instructions(self.template))
        if any(_STORES.fullmatch(name) for name, _ in instructions):
            return True
        return "memory" in self.clobbers and not all(_HARMLESS.fullmatch(name) for name, _ in instructions)

    @property
    def may_end(self) -> bool:
        """Is there an instruction that traps?"""
        return any(_TRAPS.fullmatch(name) for name, _ in _instructions(self.template))

    @property
    def follows_pointers(self) -> bool:
        """May it use the value of an operand as an address? `(%0)`, `[%0]`, `%a0`; or by an instruction that always does."""
        instructions = list(_instructions(self.template))
        return any(_STORES.fullmatch(name) for name, _ in instructions) or any(_FOLLOWED.search(rest) for _, rest in instructions)

    @property
    def port_input(self) -> PortInput | None:
        """Is all it does to read from a port into memory, with the operands that this takes?"""
        found = _PORT_INPUT.fullmatch(self.template)
        outputs = [output.constraint for output in self.outputs]
        if found is None or set(outputs) != ({"+D", "+c"} if found[1] else {"+D"}) or len(outputs) != len(set(outputs)):
            return None
        if [operand.constraint for operand in self.inputs] not in (["d"], ["Nd"]):
            return None
        count = outputs.index("+c") if found[1] else None
        return PortInput({"b": 1, "w": 2, "l": 4}[found[2]], outputs.index("+D"), count)

    @property
    def asks_outside(self) -> bool:
        """Do its outputs come from the machine around the program, or a function without a body: from nothing that is known?"""
        names = [name for name, _ in _instructions(self.template)]
        return any(_ASKS.fullmatch(name) for name in names)

    @property
    def takes_addresses(self) -> bool:
        """May it compute the address of an operand that lies in memory?"""
        return any(name.startswith("lea") for name, _ in _instructions(self.template))

    def check(self, is_defined: Callable[[str], bool], is_outside: Callable[[int], bool]) -> None:
        """Raises `NotSupported` for what is not followed. `is_defined`: is this a name of the program's functions or objects?
        `is_outside`: is the operand of this number the address of something that the program does not define?"""
        if _DIALECTS.search(self.template):
            raise NotSupported("asm with alternatives for several dialects", Unmodelled.ASSEMBLY)
        labels = frozenset(_LABEL.findall(self.template))
        for name, rest in _instructions(self.template):
            is_known = _HARMLESS.fullmatch(name) or _TRAPS.fullmatch(name)
            if _MODES.fullmatch(name) or (self.is_basic and not is_known):
                raise NotSupported(f"asm with {name}", Unmodelled.ASSEMBLY)
            if not _CONTROL.fullmatch(name):
                continue
            target = rest.split()[0] if rest else ""
            if name.startswith("call") and re.fullmatch(r"[A-Za-z_][\w%]*", target) and not is_defined(target):
                continue  # a function without a body
            indirect = re.fullmatch(r"\*%[cP](\d+)", target)
            if name.startswith("call") and indirect is not None and is_outside(int(indirect[1])):
                continue  # the same, from a table that is not there
            if not (name.startswith(("j", "loop")) and (re.fullmatch(r"\d+[bf]", target) or target in labels)):
                raise NotSupported(f"asm with {name} {target}".rstrip(), Unmodelled.ASSEMBLY)
        has_section = any("section" in directive for directive, _ in _directives(self.template))
        for directive, rest in _directives(self.template):
            if _BYTES.fullmatch(directive) and not has_section:
                raise NotSupported(f"asm with {directive}: instructions as numbers", Unmodelled.ASSEMBLY)
            if not _DATA.fullmatch(directive) or _RUN.search(rest):
                raise NotSupported(f"asm with {directive} {rest}".rstrip(), Unmodelled.ASSEMBLY)
        named = (word for _, rest in _instructions(self.template) for word in _NAME.findall(rest))
        for word in named:
            if is_defined(word):
                raise NotSupported(f"asm that names {word}", Unmodelled.ASSEMBLY)


# x86; the barriers of other processors occur in tasks that were never compiled for this one
_CONTROL = regex(r"j\w+|l?call\w*|l?ret\w*|iret\w*|loop\w*|sys(call|enter|exit|ret)\w*|int|into|x(begin|abort|end)|enter|leave")
_TRAPS = regex(r"ud\d\w*|int3|hlt|int1")
_MODES = regex(r"fldcw|ldmxcsr|vldmxcsr|fn?init|fldenv|frstor|fxrstor\w*|xrstor\w*|std|f(inc|dec)stp|emms")
_STORES = regex(r"stos[bwlqd]|movs[bwlqd]|ins[bwld]|f?n?save|fxsave\w*|xsave\w*|maskmov\w*")
_HARMLESS = regex(
    r"nop\w*|pause|[lms]fence|d[sm]b|isb|cli|sti|cld|outs?[bwl]|in[bwl]|cpuid|rdtscp?|prefetch\w*|clflush\w*|hint|yield"
)
_ASKS = regex(r"in[bwl]|rd(tscp?|rand|seed|msr|pmc)\w?|l?call\w*")
_DATA = regex(
    r"\.((push|pop|sub)?section|previous|text|data|p2?align\w?|balign\w?|long|quad|byte|word|short|int|org|ascii|asciz|string|skip)"
)
_BYTES = regex(r"\.(long|quad|byte|word|short|int|ascii|asciz|string|skip|org)")
_FOLLOWED = regex(r"[(\[]\s*%(?!%)|,\s*%\w+\s*[,)]|[(\[][^)\]]*%\[|%[aPcp]\d")
_PORT_INPUT = regex(r"\s*(rep\s*[;\n]?\s*)?ins([bwl])\s*;?\s*")
_DIALECTS = regex(r"(?<!%)\{")
_SILENT = regex(r"\.(cfi_\w+|loc|file|line|ident|code(32|64)|local|if\w*|else\w*|endif)")
_RUN = regex(r"(init|fini)_array|[cd]tors|\.(init|fini)(?![\w.])")
"""Sections that are run before or after `main`."""
_COMMENT = r"/\*.*?\*/|#[^\n]*"
_ASSIGNED = regex(r"(?m)(?:^|[\n;])\s*([A-Za-z_.$][\w.$]*)\s*=")
_LABEL = regex(r"(?m)(?:^|[\n;])\s*([A-Za-z_.][\w.%=]*):")
_NAME = regex(r"(?<![\w%$.\\])\$?([A-Za-z_][\w$]*)")  # also as a number: `$g`
_PREFIXES = frozenset(("lock", "rep", "repe", "repz", "repne", "repnz", "data16", "notrack"))


def acting(template: str) -> str:
    """What the assembler does with the template, whether control ever gets there or not, beyond putting instructions and data
    where nobody looks: a name that it defines, or a directive that is not known to be harmless. Empty if there is nothing."""
    for directive, rest in _directives(template):
        if not _DATA.fullmatch(directive) and not _SILENT.fullmatch(directive):
            return directive
        if _RUN.search(rest):
            return f"{directive} {rest}"
    without_comments = re.sub(_COMMENT, "", template, flags=re.DOTALL)
    defined = [*_LABEL.findall(without_comments), *_ASSIGNED.findall(without_comments)]
    return next((f"{name}:" for name in defined if "%=" not in name and not name.startswith(".L")), "")


def _instructions(template: str) -> Iterator[tuple[str, str]]:
    """Mnemonics and the rest of their lines; without labels, prefixes and comments."""
    return ((name, rest) for name, rest in _lines(template) if not name.startswith("."))


def _directives(template: str) -> Iterator[tuple[str, str]]:
    return ((name, rest) for name, rest in _lines(template) if name.startswith("."))


def _lines(template: str) -> Iterator[tuple[str, str]]:
    text = re.sub(_COMMENT, "", template, flags=re.DOTALL)
    for line in re.split(r"[;\n]", text):
        words = re.sub(r"^(\s*[\w.%=]+:)+", "", line).split(None, 1)
        while words and words[0].lower() in _PREFIXES:
            words = words[1].split(None, 1) if len(words) > 1 else []
        if words:
            yield words[0].lower(), words[1].strip() if len(words) > 1 else ""


def templates(words: list[str]) -> str:
    """All that may be the template of a statement: its string literals before the first colon."""
    literals = words[: words.index(":")] if ":" in words else words
    return "".join(string_bytes(word, 1, -1)[:-1].decode("latin-1") for word in literals if word.startswith('"'))


def printed_asms(text: str) -> list[list[str]]:
    """The words of the asm statements in a function as clang prints it."""
    words = _WORD.findall(text)
    found = []
    for start, word in enumerate(words):
        if word == "asm":
            depth, end = 0, start
            while end < len(words) and (depth > 0 or end == start or words[end - 1] != ")"):
                depth += (words[end] == "(") - (words[end] == ")")
                end += 1
            found.append(words[start:end])
    return found


def parsed(words: list[str]) -> Assembly | None:
    """The statement that these words are; None if they are not all of one, because of macros."""
    if not words or words[0] not in _ASM or "(" not in words:
        return None
    opening = words.index("(")
    if "goto" in words[:opening]:
        raise NotSupported("asm goto", Unmodelled.ASSEMBLY)
    sections: list[list[list[str]]] = [[[]]]
    depth, position = 1, opening
    for word in words[opening + 1 :]:
        position += 1
        depth += (word in ("(", "[")) - (word in (")", "]"))
        if depth == 0:
            break
        if depth == 1 and word in (":", "::"):
            sections += [[[]] for _ in word]
        elif depth == 1 and word == ",":
            sections[-1].append([])
        else:
            sections[-1][-1].append(word)
    if depth != 0 or position != len(words) - 1 or len(sections) >= _SECTIONS:
        return None
    is_basic = len(sections) == 1
    sections += [[[]] for _ in range(4 - len(sections))]
    template, clobbers = _text(sections[0][0]), [_text(each) for each in sections[3] if each]
    operands = [[_operand(each) for each in section if each] for section in sections[1:3]]
    if template is None or None in clobbers or len(sections[0]) > 1 or any(None in section for section in operands):
        return None
    outputs, inputs = (tuple(each for each in section if each is not None) for section in operands)
    return Assembly(template, outputs, inputs, tuple(each for each in clobbers if each is not None), is_basic)


def _operand(words: list[str]) -> Operand | None:
    """`[name] "constraint" (expression)`"""
    name = ""
    if words[:1] == ["["] and words[2:3] == ["]"]:
        name, words = words[1], words[3:]
    opening = words.index("(") if "(" in words else len(words)
    constraint = _text(words[:opening])
    return Operand(constraint, name) if constraint is not None and words[opening:] else None


def _text(words: list[str]) -> str | None:
    """String literals side by side."""
    if not words or not all(word.startswith('"') and word.endswith('"') for word in words):
        return None
    return "".join(string_bytes(word, 1, -1)[:-1].decode("latin-1") for word in words)
