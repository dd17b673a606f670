"""What a check needs whatever the certificate will be, made while engines look for a proof.

The program is read from its text, as every check reads it; nothing comes from an engine.
"""

from __future__ import annotations

import msgspec

from drystone.certificates.questions import ready_solver
from drystone.frontend.load import FrontendOptions, load
from drystone.ir.automaton import Program
from drystone.solvers import Solver


class Ready(msgspec.Struct, frozen=True):
    """For one check of a certificate about these files."""

    files: list[str]
    options: FrontendOptions
    solvers: list[Solver]
    program: Program | None  # None: it is yet to be read

    def program_of(self, files: list[str], options: FrontendOptions) -> Program | None:
        return self.program if (files, options) == (self.files, self.options) else None


def make_ready(files: list[str], options: FrontendOptions, *, reads_program: bool) -> Ready:
    """To load a solver, to make one and to read a small program takes longer than the check of a small proof."""
    solver = ready_solver()
    return Ready(files, options, [solver], load(files, options).program if reads_program else None)
