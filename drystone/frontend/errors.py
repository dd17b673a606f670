"""What the front end says when it cannot go on."""

from __future__ import annotations

from drystone.base.refusal import Refusal


class FrontendError(Refusal):
    """The input cannot be read as a C program; the text says why, with file and line."""


class NotSupported(Exception):
    """A construct outside what is modelled: the statement it is in becomes an unknown location."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what
