"""Random small programs with threads."""

from __future__ import annotations

import random

from tests.threads.language import GLOBALS, LOCKS, Condition, Operand, Statement, Threads


def random_program(seed: int, is_careful: bool = False) -> Threads:
    """`is_careful`: globals are accessed under one lock or in atomic sections, but for a few places."""
    return (_CarefulGenerator if is_careful else _Generator)(random.Random(seed)).program()


def with_creation_in_a_loop(seed: int, is_endless: bool = False) -> Threads:
    """Two threads of one function, or any number of them."""
    generator = _CarefulGenerator(random.Random(seed))
    worker = generator.body(generator.choose.randint(1, 3))
    check = Statement("assert", condition=generator.condition())
    create = Statement("create", number=0, times=0 if is_endless else 2)
    return Threads((*generator.body(generator.choose.randint(0, 1)), create, check), (worker,))


class _Generator:
    def __init__(self, choose: random.Random) -> None:
        self.choose = choose

    def program(self) -> Threads:
        count = self.choose.choice((1, 2, 2, 2))
        workers = tuple(self.body(self.choose.randint(1, 4)) for _ in range(count))
        main: list[Statement] = []
        joined = self.choose.random() < 0.7
        for number in range(count):
            main += self.body(self.choose.randint(0, 1))
            main.append(Statement("create", number=number))
        main += self.body(self.choose.randint(0, 2))
        for number in range(count):
            if joined and self.choose.random() < 0.9:
                main.append(Statement("join", number=number))
        main += self.body(self.choose.randint(0, 1))
        main.append(Statement("assert", condition=self.condition()))
        return Threads(tuple(main), workers)

    def body(self, length: int, depth: int = 0) -> tuple[Statement, ...]:
        found: list[Statement] = []
        for _ in range(length):
            found += self.statement(depth)
        return tuple(found)

    def statement(self, depth: int) -> list[Statement]:
        kinds = ["assign"] * 5 + ["if", "any", "assume", "assert"]
        if depth == 0:
            kinds += ["locked"] * 3 + ["atomic"] * 2 + ["while", "spin", "abort", "exit", "lock", "unlock"]
        kind = self.choose.choice(kinds)
        deeper = depth + 1
        match kind:
            case "assign":
                target = self.choose.choice((*GLOBALS, *GLOBALS, "r", "k"))
                return [Statement("assign", target, self.operand(), self.operand())]
            case "locked":
                lock = self.choose.choice(LOCKS)
                inside = self.body(self.choose.randint(1, 2), deeper)
                return [Statement("lock", lock), *inside, Statement("unlock", lock)]
            case "lock" | "unlock":
                return [Statement(kind, self.choose.choice(LOCKS))]
            case "atomic":
                return [Statement("atomic", body=self.body(self.choose.randint(1, 2), deeper))]
            case "if":
                body, otherwise = self.body(1, deeper), self.body(self.choose.randint(0, 1), deeper)
                return [Statement("if", condition=self.condition(), body=body, otherwise=otherwise)]
            case "while":
                return [Statement("while", condition=self.condition(), body=self.body(1, deeper))]
            case "spin":
                return [Statement("while", condition=self.condition())]
            case "abort" | "exit":
                return [Statement("if", condition=self.condition(), body=(Statement(kind),))]
            case "any":
                return [Statement("any")]
            case _:
                return [Statement(kind, condition=self.condition())]

    def operand(self) -> Operand:
        return Operand(self.choose.choice((*GLOBALS, *GLOBALS, "r", "k", "0", "1", "1", "2")))

    def condition(self) -> Condition:
        left = Operand(self.choose.choice((*GLOBALS, *GLOBALS, "r")))
        return Condition(left, self.choose.choice(("==", "!=")), self.operand())


class _CarefulGenerator(_Generator):
    """Data races are rare in what it makes: either all accesses are locked, or all are in atomic sections."""

    def __init__(self, choose: random.Random) -> None:
        super().__init__(choose)
        self.is_locked = choose.random() < 0.7
        self.slips = choose.choice((0, 0, 0.1))

    def statement(self, depth: int) -> list[Statement]:
        inside = super().statement(1)
        if depth or self.choose.random() < self.slips:
            return inside
        if self.is_locked:
            return [Statement("lock", "m"), *inside, Statement("unlock", "m")]
        return [Statement("atomic", body=tuple(inside))]
