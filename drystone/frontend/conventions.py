"""Which of the places that may be errors are the errors of a program: calls, failed assertions, labels, failed checks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from drystone.frontend.lowering.builder import Candidate
from drystone.frontend.options import FrontendOptions
from drystone.ir.automaton import CONVENTIONS, ErrorKind, Origin, identity
from drystone.ir.conventions import ALL, ASSERTING, ERROR_FUNCTIONS, NONE

Choice = Callable[[Candidate], bool | None]
"""Is it an error, or does an execution only end there? None: neither."""


class Conventions:
    def __init__(self, options: FrontendOptions) -> None:
        named = options.error_function
        self.is_named = named is not None
        self.is_all = options.errors == ALL and not self.is_named
        self.is_none = options.errors == NONE or options.data_race
        self.checks = tuple(map(ErrorKind, options.checks))
        self.error_functions = frozenset({named, f"__builtin_{named}"}) if named else frozenset(ERROR_FUNCTIONS)
        self.asserting = ASSERTING | frozenset(options.asserting)
        self.passed_over = frozenset(options.passed_over)

    def choice(self, used: Collection[ErrorKind], files: Sequence[str]) -> Choice:
        """`used`: what the reached program uses. A label is an error where there is nothing else."""
        return self._chosen((*self._conventions(used), *self.checks), files)

    def of_labels(self, files: Sequence[str]) -> Choice:
        """Labels are errors, beside what is checked."""
        return self._chosen((ErrorKind.LABEL, *self.checks), files)

    def _chosen(self, errors: Collection[ErrorKind], files: Sequence[str]) -> Choice:
        """These are errors."""

        def chosen(candidate: Candidate) -> bool | None:
            if candidate.kind in errors:
                return self.is_error(files, candidate.what, candidate.origin)
            return None if candidate.kind is ErrorKind.LABEL else False

        return chosen

    def is_error(self, files: Sequence[str], what: str, origin: Origin) -> bool:
        """Of what is one in general: or has it been seen before?"""
        return identity(files, what, origin) not in self.passed_over

    def _conventions(self, used: Collection[ErrorKind]) -> Collection[ErrorKind]:
        if self.is_none:
            return ()
        if self.is_named:
            return (ErrorKind.CALL,)
        strongest = [kind for kind in CONVENTIONS if kind in used][:1]
        return (ErrorKind.CALL, ErrorKind.ASSERTION) if self.is_all and strongest != [ErrorKind.LABEL] else strongest
