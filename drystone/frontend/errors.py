"""What the front end says when it cannot go on."""

from __future__ import annotations

from drystone.base.refusal import Refusal
from drystone.ir.automaton import Unmodelled


class FrontendError(Refusal):
    """The input cannot be read as a C program; the text says why, with file and line."""


class NotSupported(Exception):
    """A construct outside what is modelled: the statement it is in becomes an unknown location."""

    def __init__(self, what: str, unmodelled: Unmodelled = Unmodelled.CONSTRUCT, name: str = "") -> None:
        """`name`: of the function or object that is not modelled."""
        super().__init__(what)
        self.what, self.unmodelled, self.name = what, unmodelled, name
