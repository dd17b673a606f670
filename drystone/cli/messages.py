"""What the work of `drystone verify`, in the child process, tells the process that watches it."""

from __future__ import annotations

import msgspec

from drystone.cli.child import Doing, Failed, Refused
from drystone.report.result import Report


class Known(msgspec.Struct, frozen=True, tag=True):
    """The result so far: the last one counts."""

    report: Report
    final: bool


class Proved(msgspec.Struct, frozen=True, tag=True):
    """What --certificate writes, should the verdict be TRUE."""

    text: str


class Recording(msgspec.Struct, frozen=True, tag=True):
    """What --record asks for is being written."""


Message = Doing | Known | Proved | Recording | Refused | Failed
