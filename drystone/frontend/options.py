"""How the front end reads its input."""

from __future__ import annotations

import re

import msgspec

from drystone.checks.registry import CHECKS
from drystone.frontend.errors import FrontendError
from drystone.ir.conventions import ALL, NONE, STRONGEST

TARGETS = {"ILP32": ("i386-linux-gnu", 32), "LP64": ("x86_64-linux-gnu", 64)}
"""Data models: clang's name of the machine, and the bits of a pointer."""
ANY, MACHINE = "any", "machine"
PURE, HAVOC = "pure", "havoc"
MEMORY, INPUT = "memory", "input"
MOST_ITERATIONS = 10**9  # that --unwind can count
WITHOUT_VECTORS = tuple(f"-U__{name}__" for name in ("MMX", "MMX_WITH_SSE", "SSE", "SSE2", "SSE_MATH", "SSE2_MATH"))
"""For clang and gcc: libraries that ask for these macros use intrinsic functions if they find them, and plain C code if not."""


class FrontendOptions(msgspec.Struct, frozen=True):
    """How to read the input."""

    data_model: str = "LP64"
    include_directories: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()  # macros; none of them is among `defines`
    include_files: tuple[str, ...] = ()  # read before each file
    system_directories: tuple[str, ...] = ()  # searched after the other ones
    std: str = "gnu11"
    entry: str = "main"
    error_function: str | None = None
    data_race: bool = False  # the error is a data race, and nothing else
    compile_commands: str | None = None
    undefined: str = ANY
    """What an undefined operation gives: ANY value, or what the code that gcc makes for it gives on the MACHINE."""
    external: str = PURE
    """Functions without a body: PURE, they only return any value; HAVOC, they also write what they are given."""
    volatile: str = MEMORY
    """A read of a volatile object gives what is in MEMORY, or any value: an INPUT."""
    errors: str = STRONGEST
    """What an error is without an error function: what the STRONGEST convention says that is used, ALL of them, or NONE."""
    checks: tuple[str, ...] = ()  # what else is one
    asserting: tuple[str, ...] = ()  # more functions whose first argument must hold
    passed_over: tuple[str, ...] = ()
    """Errors that are not looked for, as `Program.identify` tells them: an execution ends there."""
    left_to_right: bool = False
    """Operands are evaluated in this one of the orders that C allows; only where a single execution is wanted."""
    unwind: int | None = None
    """How often a loop is executed at most, and how deeply calls are nested; executions that go on are not looked at."""

    @property
    def preprocessing(self) -> list[str]:
        """What is said about macros and included files, as clang and gcc want to hear it."""
        words = [f"-U{name}" for name in self.undefines] + [f"-D{macro}" for macro in self.defines]
        words += [f"-I{folder}" for folder in self.include_directories]
        for folder in self.system_directories:
            words += ["-isystem", folder]
        for file in self.include_files:
            words += ["-include", file]
        return words

    @property
    def pointer_width(self) -> int:
        return TARGETS[self.data_model][1]

    def check(self) -> None:
        """Raises FrontendError for values that mean nothing."""
        if self.data_model not in TARGETS:
            raise FrontendError(f"unknown data model {self.data_model}: use ILP32 or LP64")
        if self.undefined not in (ANY, MACHINE):
            raise FrontendError(f"unknown reading of undefined operations {self.undefined}: use {ANY} or {MACHINE}")
        if self.external not in (PURE, HAVOC) or self.volatile not in (MEMORY, INPUT):
            raise FrontendError(f"unknown meaning of functions without a body or of volatile: {self.external}, {self.volatile}")
        if self.errors not in (STRONGEST, ALL, NONE):
            raise FrontendError(f"unknown choice of errors {self.errors}: use {STRONGEST}, {ALL} or {NONE}")
        for name in self.checks:
            if name not in CHECKS:
                raise FrontendError(f"unknown check {name}: there are {', '.join(CHECKS)}")
        if self.unwind is not None and not 1 <= self.unwind <= MOST_ITERATIONS:
            raise FrontendError(f"--unwind {self.unwind}: must be at least 1 and at most {MOST_ITERATIONS}")
        for name in self.undefines:
            if any(re.split(r"[=(]", macro, maxsplit=1)[0] == name for macro in self.defines):
                raise FrontendError(f"the macro {name} is both to be defined and undefined: -D and -U")
