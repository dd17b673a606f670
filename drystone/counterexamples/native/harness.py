"""The C text that makes a compiled program repeat a recorded execution.

The harness defines what the program leaves open: functions without a body return the recorded values, in their order;
extern objects have the recorded bytes; memory that nothing has written has them, too (`counterexamples.native.uninitialised`);
the error functions print a line and exit with 42. It is linked before the program, and the linker is told to take the first of
several definitions, so that an error function with a body is replaced, too. Only an error *label*, a static error function, and
locals whose first bytes matter need a change in the program's own text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from drystone.base.regex import regex
from drystone.concrete.inputs import Consumed
from drystone.counterexamples.native.baton import BATON_NEEDS, is_in_baton
from drystone.counterexamples.native.uninitialised import Unwritten, blocks, harness_lines, unwritten
from drystone.frontend.library.models import is_in_model
from drystone.frontend.options import FrontendOptions
from drystone.ir.automaton import ErrorKind, Mark, Origin, Program
from drystone.ir.conventions import ALL, ASSERTING, ASSUMING, ERROR_FUNCTIONS, FAILED
from drystone.ir.expressions import Determinant, InputKind, is_approximated
from drystone.logic.floats import extended_to_memory
from drystone.logic.sorts import EXTENDED, Float

REACHED = "drystone: error reached"
ERROR_CODE, ASSUMPTION_CODE, END_CODE = 42, 43, 40
RENAMED_ENTRY = "drystone_main"
PROVIDED = frozenset(("drystone_error", "drystone_end", "drystone_fill", "__assert_fail", "__VERIFIER_assume", *BATON_NEEDS))

_FLOATS = {4: "float", 8: "double", 16: "long double"}
_RETURNED = (Determinant.FUNCTION, Determinant.NOT_NULL)


class Words(msgspec.Struct, frozen=True):
    """Which functions of a program mean something to drystone, other than those that are always provided."""

    error_functions: tuple[str, ...]
    asserting: frozenset[str]
    all_errors: bool  # assertions are errors, whatever the error at hand is

    def is_provided(self, name: str) -> bool:
        return name in PROVIDED | FAILED.keys() | ASSUMING | self.asserting or name in self.error_functions


def words_of(options: FrontendOptions) -> Words:
    functions = (options.error_function,) if options.error_function else ERROR_FUNCTIONS
    return Words(functions, ASSERTING | frozenset(options.asserting), options.errors == ALL and not options.error_function)


class Given(NamedTuple):
    """A value that a function returns, and the thread that calls it."""

    entry: Consumed
    thread: int


class Recorded(msgspec.Struct):
    """The inputs of an execution by what asks for them."""

    functions: dict[str, list[Given]] = {}
    objects: dict[str, bytes] = {}
    arguments: list[int] = []  # of the entry, by position
    obstacles: list[str] = []  # what a compiled program does not repeat
    memory: Unwritten = msgspec.field(default_factory=Unwritten)


def recorded(program: Program, inputs: Sequence[Consumed], own_files: Iterable[int], takers: Sequence[int] = ()) -> Recorded:
    """Sorts the inputs of an execution; what no harness can provide is an obstacle. `own_files`: whose text can be changed;
    `takers`: the threads that read them."""
    found = Recorded(memory=unwritten(program, inputs, own_files))
    names = {parameter.name for parameter in program.procedures[program.entry].parameters}
    for entry, thread in zip(inputs, takers or [0] * len(inputs), strict=True):
        value, name = entry.value, entry.name
        if entry.kind in (InputKind.UNINITIALISED, InputKind.SCHEDULE):
            pass  # `memory` has it, or the schedule
        elif entry.kind is InputKind.UNDEFINED:
            found.obstacles.append(f"undefined behaviour ({name})")
        elif is_approximated(entry) and entry.determined:
            pass  # so has the compiled program determined it
        elif is_approximated(entry):  # never given: the compiled program has its own, or the execution is none of its
            found.obstacles.append(f"{name}, which is only approximated")
        elif isinstance(value, bytes):
            found.objects[name] = value
        elif entry.determinant is Determinant.OBJECT and entry.origin.file < 0:
            found.objects[entry.what] = value.to_bytes(_size(entry), "little")
        elif entry.determinant is Determinant.ARGUMENT:
            found.arguments.append(value)
        elif name in names:
            pass  # the value before the entry's own choice
        elif is_in_model(program, entry.origin) and not is_in_baton(program, entry.origin):
            found.obstacles.append("what a function of the library reads")  # the compiled program has the library's own
        elif entry.determinant in _RETURNED and entry.what.isidentifier():
            found.functions.setdefault(entry.what, []).append(Given(entry, thread))
        else:
            found.obstacles.append(name)
    return found


def _size(entry: Consumed) -> int:
    width = getattr(entry.sort, "width", 8)
    return 16 if entry.sort == EXTENDED else max(1, (int(width) + 7) // 8)


def from_right_to_left(inputs: Sequence[Consumed]) -> list[Consumed]:
    """The same where a compiler evaluates the arguments of a call from the right: calls on one line swap their values."""
    result: list[Consumed] = []
    group: list[Consumed] = []

    def key(entry: Consumed) -> tuple[str, Origin, int]:
        return entry.name, entry.origin, entry.index

    for entry in inputs:
        if group and (entry.name, entry.origin.file, entry.origin.line) == (
            group[-1].name,
            group[-1].origin.file,
            group[-1].origin.line,
        ) and key(entry) not in map(key, group):  # fmt: skip
            group.append(entry)
            continue
        result += reversed(group)
        group = [entry]
    return [*result, *reversed(group)]


def harness_text(
    *,
    entry: str,
    error: Mark,
    found: Recorded,
    undefined: Iterable[str],
    void: Iterable[str],
    words: Words,
    command: str,
    schedule: Sequence[str] = (),
) -> str:
    """The C file. `undefined` are the symbols that nothing else defines; those in `void` return nothing; `schedule` is what
    `counterexamples.native.baton` says, if there are threads."""
    lines = _lines(entry, error, found, sorted(undefined), frozenset(void), words, command, schedule)
    return "\n".join(lines) + "\n"


def _lines(
    entry: str,
    error: Mark,
    found: Recorded,
    undefined: Sequence[str],
    void: frozenset[str],
    words: Words,
    command: str,
    schedule: Sequence[str],
) -> Iterator[str]:
    yield "/* Written by drystone: repeats an execution that reaches the error. Compile and run:"
    yield f"     {command}"
    yield f'   It prints "{REACHED}" and exits with {ERROR_CODE}. */'
    yield "extern void *__real_malloc(unsigned long), *__real_calloc(unsigned long, unsigned long);"
    yield from harness_lines(found.memory)
    yield ""
    yield from ends(error, undefined, words, has_threads=bool(schedule))
    yield from schedule
    yield ""
    for name in undefined:
        if not words.is_provided(name):
            yield from _symbol(name, found, name in void)
    yield ""
    yield from _main(entry, found)


def ends(error: Mark, undefined: Sequence[str], words: Words, has_threads: bool = False) -> Iterator[str]:
    """How a run ends: at the error, by an assumption, or otherwise; where there are threads, others go on. `drystone_allocated`
    must be there, for malloc."""
    leave = "drystone_hold" if has_threads else "_exit"
    yield "#undef main"
    yield "extern long write(int, const void *, unsigned long);"
    yield "extern void _exit(int) __attribute__((noreturn));"
    yield "extern void *__real_calloc(unsigned long, unsigned long);"
    yield "static void drystone_say(const char *text, unsigned long length) { if (write(2, text, length) < 0) _exit(1); }"
    message = f"{REACHED}\\n"
    yield f'void drystone_error(void) {{ drystone_say("{message}", {len(REACHED) + 1}); _exit({ERROR_CODE}); }}'
    if has_threads:
        yield "extern void drystone_hold(int) __attribute__((noreturn)); extern int drystone_thread(void);"
    looks = ""
    if error.convention is ErrorKind.LEAK:
        yield "extern void __lsan_do_leak_check(void);"
        looks = "__lsan_do_leak_check(); "
    yield f"void drystone_end(void) {{ {looks}{leave}({END_CODE}); }}"
    for name in words.error_functions:
        yield f"void {name}(void) {{ drystone_error(); }}"
    fails = "drystone_error()" if words.all_errors or error.convention is ErrorKind.ASSERTION else "drystone_end()"
    failed = set(FAILED) if words.all_errors else FAILED.keys() & {*undefined, "__assert_fail"}
    for name in sorted(failed.difference(words.error_functions)):
        yield f"void {name}(void) {{ {fails}; }}"
    for name in sorted(words.asserting.intersection(undefined)):
        yield f"void {name}(int condition) {{ if (!condition) {fails}; }}"
    for name in sorted(ASSUMING.intersection((*undefined, "__VERIFIER_assume"))):
        yield f"void {name}(int condition) {{ if (!condition) {leave}({ASSUMPTION_CODE}); }}"
    for name, parameter in (("exit", "int code"), ("abort", "void")):
        yield f"void __wrap_{name}({parameter}) {{ drystone_{'error' if name in words.error_functions else 'end'}(); }}"
    yield "void *__wrap_malloc(unsigned long size) { return drystone_allocated(size); }"
    yield "void *__wrap_calloc(unsigned long count, unsigned long size) { return __real_calloc(count, size); }"


def _symbol(name: str, found: Recorded, is_void: bool) -> Iterator[str]:
    if name in found.objects:
        content = ", ".join(map(str, found.objects[name].rstrip(b"\0"))) or "0"
        size = max(len(found.objects[name]), 1)
        yield f"unsigned char {name}[{size}] __attribute__((aligned(16))) = {{{content}}};"
    elif is_void:
        yield f"void {name}(void) {{}}"
    else:
        yield from _function(name, found.functions.get(name, []), found.memory.external.get(name, []))


def _function(name: str, values: Sequence[Given], pointed_to: Sequence[bytes]) -> Iterator[str]:
    """A function that returns one recorded value after the other, to each thread its own, then zeros."""
    threads = max((given.thread for given in values), default=0) + 1
    entries = [given.entry for thread in range(threads) for given in values if given.thread == thread]
    pointers = any(entry.determinant is Determinant.NOT_NULL for entry in entries)
    sort = entries[0].sort if entries else None
    literals = ", ".join(_literal(entry) for entry in entries) or "0"
    next_, is_given = _next(values, threads)
    if isinstance(sort, Float) and _size(entries[0]) in _FLOATS:
        ctype = _FLOATS[_size(entries[0])]
        words = (_size(entries[0]) + 7) // 8
        yield f"{ctype} {name}(void) {{"
        yield f"  static const unsigned long long values[][{words}] = {{{literals}}}; {next_}"
        yield f"  union {{ unsigned long long bits[{words}]; {ctype} value; }} result;"
        yield f"  for (int word = 0; word < {words}; word++) result.bits[word] = {is_given} ? values[next][word] : 0;"
        yield "  return result.value; }"
        return
    if pointers:
        yield from blocks(f"drystone_from_{name}", pointed_to)
    # In the calling conventions of both data models this serves every integer and pointer type.
    yield f"unsigned long long {name}(void) {{"
    yield f"  static const unsigned long long values[] = {{{literals}}}; {next_}"
    value = f"{is_given} ? values[next] : 0"
    if pointers:  # the execution chose NULL or fresh memory
        size = max([4096, *map(len, pointed_to)])
        yield f"  static unsigned given; if (!({value})) return 0;"
        yield f"  const struct drystone_block *from = given < {len(pointed_to)} ? &drystone_from_{name}[given++] : 0;"
        yield f"  return (unsigned long)drystone_put(__real_calloc(1, {size}), {size}, from); }}"
    else:
        yield f"  return {value}; }}"


def _next(values: Sequence[Given], threads: int) -> tuple[str, str]:
    """What gives `next` its value, and whether there is such a value; those of one thread follow those of another."""
    if threads == 1:
        return "static unsigned taken; unsigned next = taken++;", f"next < {len(values)}"
    firsts = [sum(given.thread < thread for given in values) for thread in range(threads + 1)]
    text = f"static const unsigned first[] = {{{', '.join(map(str, firsts))}}}; static unsigned taken[{threads}]; "
    text += f"int me = drystone_thread(); unsigned next = me < {threads} ? first[me] + taken[me]++ : 0;"
    return text, f"me < {threads} && next < first[me + 1]"


def _literal(entry: Consumed) -> str:
    assert isinstance(entry.value, int)
    if isinstance(entry.sort, Float) and _size(entry) in _FLOATS:
        bits = extended_to_memory(entry.value) if entry.sort == EXTENDED else entry.value
        words = [bits >> shift & (1 << 64) - 1 for shift in range(0, 8 * _size(entry), 64)]
        return "{" + ", ".join(f"{word:#x}ull" for word in words) + "}"
    return f"{entry.value & (1 << 64) - 1:#x}ull"


def _main(entry: str, found: Recorded) -> Iterator[str]:
    """Calls the entry; main with as many strings as it is to have, one behind the other as on Linux, and with no environment."""
    called = RENAMED_ENTRY if entry == "main" else entry
    values = ", ".join(f"(int){value & 0xFFFFFFFF:#x}u" for value in found.arguments)
    if entry == "main":
        values = f"{values or '0'}, arguments, arguments + sizeof arguments / sizeof *arguments - 1"
    count = found.arguments[0] & 0xFFFFFF if found.arguments and entry == "main" else 0
    given = found.memory.arguments[:count]
    yield f"int {called}();"
    yield f"static char *arguments[{count + 1}], strings[{sum(map(len, given)) + count + 1}];"
    yield "int main(void) {"
    yield "  char *next = strings;"
    yield f"  for (int i = 0; i < {count}; i++) {{ arguments[i] = next;"
    yield f"    if (i < {len(given)}) next = (char *)drystone_put(next, drystone_arguments[i].size, &drystone_arguments[i])"
    yield "      + drystone_arguments[i].size; next++; }"
    yield f"  drystone_map(); {called}({values}); drystone_end(); return 0; }}"


_LABEL = regex(r"(?<![\w?.\"'])(?<!case )(ERROR\s*:)(?!:)")
_LINE_MARKER = regex(r"(?m)^[ \t]*#[ \t]*(?:line[ \t]+)?\d+[ \t]*(?:\".*)?$")
_INSERTED = " { extern void drystone_error(void); drystone_error(); }"


def instrumented(text: str, error: Mark, words: Words) -> str:
    """The program's text with a call of `drystone_error` where the linker cannot put one; unchanged if that is nowhere."""
    if error.convention is ErrorKind.LABEL:
        return _LABEL.sub(lambda found: found[1] + _INSERTED, text)
    if words.all_errors:
        text = _asserting_definition(words).sub(lambda found: f"{found[0]} if (!({found[1]})){_INSERTED}", text)
    names = "|".join(map(re.escape, words.error_functions))
    static = re.compile(
        rf"(\b(?:static|inline)\b[\w\s*]*\b(?:{names})\s*\([^(){{}};]*\)\s*(?:__attribute__\s*\(\(.*?\)\)\s*)?\{{)"
    )
    return static.sub(lambda found: found[1] + _INSERTED, text)


def without_line_markers(text: str) -> str:
    """The text of which the compiler says the lines that it has, and not those of what it was made of."""
    return _LINE_MARKER.sub("", text)


def _asserting_definition(words: Words) -> re.Pattern[str]:
    """The head of a function whose first parameter, the group, must hold."""
    names = "|".join(map(re.escape, sorted(words.asserting)))
    return re.compile(rf"\b(?:{names})\s*\(\s*[\w\s*]*?\b(\w+)\s*(?:,[^(){{}};]*)?\)\s*\{{")


def returns_nothing(texts: Mapping[str, str], name: str) -> bool:
    """Is an undefined function declared void? (Undeclared ones return int.)"""
    return any(re.search(rf"\bvoid\s+{re.escape(name)}\s*\(", text) is not None for text in texts.values())
