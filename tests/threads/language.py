"""Small programs with threads, as trees: their C text, and a search through all interleavings that knows nothing of drystone.

Every read, write, lock, unlock, creation and so on is one instruction, and any thread may be interrupted after any of them, unless
it is in an atomic section: nothing is merged, split, reduced or thought to be local.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

GLOBALS = ("x", "y", "z")
LOCKS = ("m", "n")
VALUES = 4
MOST_OF_MANY = 3  # threads that the search creates where there may be any number


class Operand(NamedTuple):
    """A number, a global, the local `r`, or the thread-local `k`."""

    what: str

    @property
    def text(self) -> str:
        return self.what

    @property
    def is_global(self) -> bool:
        return self.what in GLOBALS


class Condition(NamedTuple):
    left: Operand
    operator: str  # == or !=
    right: Operand

    @property
    def text(self) -> str:
        return f"{self.left.text} {self.operator} {self.right.text}"


class Statement(NamedTuple):
    """`kind` says which of the other parts it has."""

    kind: str
    target: str = ""
    left: Operand = Operand("0")
    right: Operand = Operand("0")
    condition: Condition = Condition(Operand("0"), "==", Operand("0"))
    body: tuple[Statement, ...] = ()
    otherwise: tuple[Statement, ...] = ()
    number: int = 0
    times: int = 1  # that a thread is created, in a loop; 0: any number


class Threads(NamedTuple):
    main: tuple[Statement, ...]
    workers: tuple[tuple[Statement, ...], ...]


# as C


def c_text(program: Threads) -> str:
    lines = [
        "#include <pthread.h>",
        "#include <stdlib.h>",
        "extern void reach_error(void);",
        "extern void __VERIFIER_assume(int);",
        "extern int __VERIFIER_nondet_int(void);",
        "extern void __VERIFIER_atomic_begin(void);",
        "extern void __VERIFIER_atomic_end(void);",
        "int x, y, z;",
        "__thread int k;",
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;",
        f"pthread_t threads[{len(program.workers)}];",
    ]
    for number, worker in enumerate(program.workers):
        lines += [f"void *worker{number}(void *argument) {{", "  int r = 0;", *_lines(worker, "  "), "  return 0;", "}"]
    return "\n".join([*lines, "int main(void) {", "  int r = 0;", *_lines(program.main, "  "), "  return 0;", "}", ""])


def _lines(statements: tuple[Statement, ...], indent: str) -> Iterator[str]:
    for each in statements:
        number = each.number
        match each.kind:
            case "assign":
                yield f"{indent}{each.target} = ({each.left.text} + {each.right.text}) & 3;"
            case "any":
                yield f"{indent}r = __VERIFIER_nondet_int() & 1;"
            case "lock" | "unlock":
                yield f"{indent}pthread_mutex_{each.kind}(&{each.target});"
            case "atomic":
                yield f"{indent}__VERIFIER_atomic_begin();"
                yield from _lines(each.body, indent + "  ")
                yield f"{indent}__VERIFIER_atomic_end();"
            case "if":
                yield f"{indent}if ({each.condition.text}) {{"
                yield from _lines(each.body, indent + "  ")
                yield f"{indent}}} else {{"
                yield from _lines(each.otherwise, indent + "  ")
                yield f"{indent}}}"
            case "while":
                yield f"{indent}while ({each.condition.text}) {{"
                yield from _lines(each.body, indent + "  ")
                yield f"{indent}}}"
            case "assume":
                yield f"{indent}__VERIFIER_assume({each.condition.text});"
            case "assert":
                yield f"{indent}if (!({each.condition.text})) reach_error();"
            case "abort":
                yield f"{indent}abort();"
            case "exit":
                yield f"{indent}pthread_exit(0);"
            case "create":
                yield f"{indent}{_repeated(each.times)}pthread_create(&threads[{number}], 0, worker{number}, 0);"
            case "join":
                yield f"{indent}pthread_join(threads[{number}], 0);"


def _repeated(count: int) -> str:
    if count == 1:
        return ""
    return f"for (int i = 0; i < {count}; i++) " if count else "while (__VERIFIER_nondet_int()) "


# as instructions


class Instruction(NamedTuple):
    kind: str
    target: str = ""
    source: str = ""
    other: str = ""
    to: int = 0


class _Compiler:
    """`bodies`: what each thread runs, main first; a creation in a loop is unrolled, and adds some."""

    def __init__(self, program: Threads, bodies: list[tuple[Statement, ...]]) -> None:
        self.program, self.bodies = program, bodies
        self.code: list[Instruction] = []

    def operand(self, operand: Operand, place: str) -> str:
        """Where its value is then: a global is read by an instruction of its own."""
        if not operand.is_global:
            return operand.what
        self.code.append(Instruction("copy", place, operand.what))
        return place

    def condition(self, condition: Condition) -> Instruction:
        left = self.operand(condition.left, "a")
        right = self.operand(condition.right, "b")
        return Instruction(condition.operator, "", left, right)

    def statements(self, statements: tuple[Statement, ...]) -> None:
        for each in statements:
            self.statement(each)

    def statement(self, each: Statement) -> None:
        code = self.code
        match each.kind:
            case "assign":
                left, right = self.operand(each.left, "a"), self.operand(each.right, "b")
                code.append(Instruction("add", each.target, left, right))
            case "any" | "abort" | "exit":
                code.append(Instruction(each.kind))
            case "lock" | "unlock":
                code.append(Instruction(each.kind, each.target))
            case "atomic":
                code.append(Instruction("begin"))
                self.statements(each.body)
                code.append(Instruction("end"))
            case "if":
                test, at = self.condition(each.condition), len(code)
                code.append(test)
                self.statements(each.body)
                code.append(Instruction("jump"))
                code[at] = test._replace(kind="unless " + test.kind, to=len(code))
                last = len(code) - 1
                self.statements(each.otherwise)
                code[last] = Instruction("jump", to=len(code))
            case "while":
                head = len(code)
                test, at = self.condition(each.condition), len(code)
                code.append(test)
                self.statements(each.body)
                code.append(Instruction("jump", to=head))
                code[at] = test._replace(kind="unless " + test.kind, to=len(code))
            case "assume" | "assert":
                test = self.condition(each.condition)
                code.append(test._replace(kind=f"{each.kind} {test.kind}"))
            case "join":
                code.append(Instruction("join", to=each.number + 1))
            case "create":
                self.creations(each)

    def creations(self, each: Statement) -> None:
        """One after the other; where there may be any number, each of them or none."""
        threads = [each.number + 1]
        for _ in range((each.times or MOST_OF_MANY) - 1):
            self.bodies.append(self.program.workers[each.number])
            threads.append(len(self.bodies) - 1)
        for thread in threads:
            if not each.times:
                self.code.append(Instruction("maybe", to=len(self.code) + 2))
            self.code.append(Instruction("create", to=thread))


# the search


class _Thread(NamedTuple):
    place: int  # -1: not created, -2: ended
    values: tuple[int, ...]  # of a, b, r, k


class _State(NamedTuple):
    threads: tuple[_Thread, ...]
    memory: tuple[int, ...]  # globals, then locks
    owner: int = -1  # of the atomic section
    depth: int = 0


_OVER = _State((), ())
_LOCAL = {"a": 0, "b": 1, "r": 2, "k": 3}
_BLANK = (0,) * len(_LOCAL)
_CELLS = {name: place for place, name in enumerate((*GLOBALS, *LOCKS))}


ERROR, RACE = "error", "race"


def is_error_reachable(program: Threads, most: int) -> bool | None:
    """By any interleaving; None: there are more states than that."""
    return _is_among(ERROR, program, most)


def is_race_reachable(program: Threads, most: int) -> bool | None:
    """Are two threads about to access one global, of which one writes it? An error only ends the program."""
    return _is_among(RACE, program, most)


def _is_race(state: _State, code: list[list[Instruction]]) -> bool:
    """Only one of two can be in an atomic section now."""
    found = [
        [(name, is_write) for name, is_write in _accessed(code[number][thread.place]) if name in GLOBALS]
        for number, thread in enumerate(state.threads)
        if 0 <= thread.place < len(code[number])
    ]
    pairs = [(one, other) for at, mine in enumerate(found) for theirs in found[:at] for one in mine for other in theirs]
    return any(one[0] == other[0] and (one[1] or other[1]) for one, other in pairs)


def _accessed(instruction: Instruction) -> list[tuple[str, bool]]:
    reads = [(name, False) for name in (instruction.source, instruction.other)]
    return [*reads, (instruction.target, True)] if instruction.kind in ("copy", "add") else reads


def _is_among(outcome: str, program: Threads, most: int) -> bool | None:
    for each in _outcomes(program, most):
        if each is None or each == outcome:
            return None if each is None else True
    return False


def outcomes(program: Threads, most: int) -> set[str] | None:
    """`ERROR` if it can be reached, and the values that globals may have when nobody can go on; None: there are more states."""
    found = set(_outcomes(program, most))
    return None if None in found else {each for each in found if each is not None} - {RACE}


def _outcomes(program: Threads, most: int) -> Iterator[str | None]:
    bodies, code = [program.main, *program.workers], []
    for statements in bodies:  # main's creations add some
        compiler = _Compiler(program, bodies)
        compiler.statements(statements)
        code.append(compiler.code)
    first = _State((_Thread(0, _BLANK), *(_Thread(-1, _BLANK) for _ in code[1:])), (0,) * (len(GLOBALS) + len(LOCKS)))
    seen, waiting = {first}, [first]
    while waiting:
        state = waiting.pop()
        if _is_race(state, code):
            yield RACE
        is_last = True
        for number, thread in enumerate(state.threads):
            if thread.place < 0 or state.owner not in (-1, number):
                continue
            following: list[_State | None]
            if thread.place >= len(code[number]):
                following = [] if number == 0 else [_moved(state, number, -2)]  # main returns: the process ends
            else:
                following = list(_after(state, number, code[number][thread.place]))
            for each in following:
                is_last = False
                if each is None:
                    yield ERROR
                elif each not in seen:
                    seen.add(each)
                    waiting.append(each)
        if is_last:
            yield " ".join(map(str, state.memory[: len(GLOBALS)]))
        if len(seen) > most:
            yield None
            return


def _moved(state: _State, number: int, place: int, values: tuple[int, ...] | None = None) -> _State:
    threads = list(state.threads)
    threads[number] = _Thread(place, values or threads[number].values)
    return state._replace(threads=tuple(threads))


def _after(state: _State, number: int, instruction: Instruction) -> Iterator[_State | None]:
    """What may come next, nothing if the thread has to wait or the process ends; None: an error."""
    thread = state.threads[number]

    def value(name: str) -> int:
        if name in _LOCAL:
            return thread.values[_LOCAL[name]]
        return state.memory[_CELLS[name]] if name in _CELLS else int(name)

    def written(name: str, new: int) -> _State:
        if name in _LOCAL:
            values = list(thread.values)
            values[_LOCAL[name]] = new
            return _moved(state, number, thread.place + 1, tuple(values))
        memory = list(state.memory)
        memory[_CELLS[name]] = new
        return _moved(state, number, thread.place + 1)._replace(memory=tuple(memory))

    def holds() -> bool:
        is_equal = value(instruction.source) == value(instruction.other)
        return is_equal == instruction.kind.endswith("==")

    onward = _moved(state, number, thread.place + 1)
    match instruction.kind.split()[0]:
        case "copy":
            yield written(instruction.target, value(instruction.source))
        case "add":
            yield written(instruction.target, (value(instruction.source) + value(instruction.other)) % VALUES)
        case "any":
            yield written("r", 0)
            yield written("r", 1)
        case "lock" if value(instruction.target) == 0:
            yield written(instruction.target, 1)
        case "unlock":
            yield written(instruction.target, 0)
        case "begin":
            yield onward._replace(owner=number, depth=state.depth + 1)
        case "end":
            yield onward._replace(owner=number if state.depth > 1 else -1, depth=state.depth - 1)
        case "jump":
            yield _moved(state, number, instruction.to)
        case "maybe":
            yield onward
            yield _moved(state, number, instruction.to)
        case "unless":
            yield onward if holds() else _moved(state, number, instruction.to)
        case "assume" if holds():
            yield onward
        case "assert":
            yield onward if holds() else None
        case "exit":
            yield _moved(state, number, -2)
        case "create":
            yield _moved(onward, instruction.to, 0, _BLANK)
        case "join" if state.threads[instruction.to].place == -2:
            yield onward
