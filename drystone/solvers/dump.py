"""Queries as files, for people and other solvers: what was asked, by whom, and what the answer was.

Who runs engines says where the files go (`dumping`) and who is asking (`asked_by`); `make_solver` wraps what it makes. Copies of
the process write to the same folder; processes that were there before do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from drystone.base.refusal import Refusal
from drystone.logic.evaluation import Value
from drystone.logic.terms import Term
from drystone.solvers.protocol import Answer, Counters, Solver

_folder: ContextVar[_Folder | None] = ContextVar("folder of queries", default=None)
_asker: ContextVar[str] = ContextVar("who asks", default="query")


@contextmanager
def dumping(folder: Path) -> Iterator[None]:
    """The queries of all solvers that are made here go to this folder. Raises a `Refusal` if it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise Refusal(f"{folder}: cannot be made: {problem.strerror}") from None
    token = _folder.set(_Folder(folder))
    try:
        yield
    finally:
        _folder.reset(token)


@contextmanager
def asked_by(name: str) -> Iterator[None]:
    """Files have this name, beside their number."""
    token = _asker.set(name.replace(" ", "-"))
    try:
        yield
    finally:
        _asker.reset(token)


def dumped(solver: Solver) -> Solver:
    """The same solver; it writes its queries if that is wanted here."""
    folder = _folder.get()
    return solver if folder is None else _Dumped(solver, folder, _asker.get())


class _Folder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._count = 0

    def write(self, asker: str, text: str) -> None:
        """To a new file, numbered; another process may have taken the next numbers."""
        while True:
            self._count += 1
            path = self.path / f"{asker}-{self._count:06}.smt2"
            try:
                with path.open("x", encoding="utf-8") as file:
                    file.write(text)
                return
            except FileExistsError:
                continue
            except OSError as problem:
                raise Refusal(f"{path}: cannot be written: {problem.strerror}") from None


class _Dumped:
    """Knows what is asserted, and writes it with each answer."""

    def __init__(self, solver: Solver, folder: _Folder, asker: str) -> None:
        self._solver, self._folder, self._asker = solver, folder, asker
        self._levels: list[list[Term]] = [[]]
        self.name = solver.name

    @property
    def counters(self) -> Counters:
        return self._solver.counters

    @property
    def reason(self) -> str:
        return self._solver.reason

    def add(self, term: Term) -> None:
        self._levels[-1].append(term)
        self._solver.add(term)

    def push(self) -> None:
        self._levels.append([])
        self._solver.push()

    def pop(self) -> None:
        self._solver.pop()
        self._levels.pop()

    def check(self, assumptions: Sequence[Term] = (), limit_seconds: float | None = None) -> Answer:
        answer = self._solver.check(assumptions, limit_seconds)
        from drystone.logic.smtlib import smtlib

        formulas = [*(term for level in self._levels for term in level), *assumptions]
        self._folder.write(self._asker, smtlib(formulas, status=answer.value))
        return answer

    def value(self, term: Term) -> Value:
        return self._solver.value(term)

    def core(self) -> list[Term]:
        return self._solver.core()
