"""How the front end reads its input."""

from __future__ import annotations

import msgspec

from drystone.frontend.errors import FrontendError
from drystone.ir.conventions import ALL, STRONGEST

TARGETS = {"ILP32": ("i386-linux-gnu", 32), "LP64": ("x86_64-linux-gnu", 64)}
"""Data models: clang's name of the machine, and the bits of a pointer."""
ANY, MACHINE = "any", "machine"
PURE, HAVOC = "pure", "havoc"
MEMORY, INPUT = "memory", "input"


class FrontendOptions(msgspec.Struct, frozen=True):
    """How to read the input."""

    data_model: str = "LP64"
    include_directories: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    std: str = "gnu11"
    entry: str = "main"
    error_function: str | None = None
    compile_commands: str | None = None
    undefined: str = ANY
    """What an undefined operation gives: ANY value, or what the code that gcc makes for it gives on the MACHINE."""
    external: str = PURE
    """Functions without a body: PURE, they only return any value; HAVOC, they also write what they are given."""
    volatile: str = MEMORY
    """A read of a volatile object gives what is in MEMORY, or any value: an INPUT."""
    errors: str = STRONGEST
    """What an error is without an error function: what the STRONGEST convention says that the program uses, or ALL of them."""
    asserting: tuple[str, ...] = ()  # more functions whose first argument must hold
    passed_over: tuple[str, ...] = ()
    """Errors that are not looked for, as `Program.identify` tells them: an execution ends there."""

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
        if self.errors not in (STRONGEST, ALL):
            raise FrontendError(f"unknown choice of errors {self.errors}: use {STRONGEST} or {ALL}")
