"""Hosts die at certain calls, always the same: what the blocks of others know must not keep the new ones from the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.engines.dss.engine import check
from drystone.engines.dss.hosts import Inline, Lost, Reply, Spec
from drystone.engines.dss.options import DssOptions
from drystone.engines.dss.registry import SUMMARIES
from drystone.engines.dss.setting import Setting
from drystone.engines.outcome import unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import PreparedProgram
from tests.engines.dss.programs import CASES, PRELUDE, Case


class Mortal(Inline):
    """Three hosts in this process."""

    count = 3

    def __init__(self, deaths: tuple[int, ...]) -> None:
        super().__init__()
        self.deaths = deaths
        self.specs: Mapping[str, Spec] = {}
        self.placement: Mapping[str, int] = {}

    def load(self, specs: Mapping[str, Spec], placement: Mapping[str, int]) -> None:
        super().load(specs, placement)
        self.specs, self.placement = specs, placement

    def wait(self, seconds: float) -> list[Reply | Lost]:
        call, *rest = self._waiting
        if call.number not in self.deaths:
            self._waiting = [call]
            found = super().wait(seconds)
            self._waiting = rest
            return found
        self._waiting = rest
        host = self.placement[call.block]
        for id, where in self.placement.items():
            if where == host:
                self.actors[id] = self.specs[id].actor()
        return [Lost(host, "died", call)]


def mortal(deaths: tuple[int, ...], workers: int) -> Mortal:
    return Mortal(deaths)


@pytest.mark.parametrize("summaries", SUMMARIES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_verdict_does_not_change(tmp_path: Path, case: Case, summaries: str) -> None:
    path = tmp_path / "program.c"
    path.write_text(PRELUDE + case.text)
    program = load([str(path)], FrontendOptions()).program
    for deaths in ((4, 23), (5, 11)):
        for predictable in (False, True):
            options = DssOptions(summaries=summaries, candidates=(), predictable=predictable)
            setting = Setting(3, partial(mortal, deaths))
            result = check(PreparedProgram(program), options, Deadline.after(60), unobserved, setting)
            assert result.verdict is case.verdict, result.reason
