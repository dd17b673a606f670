"""Hosts die at certain calls, always the same: all workers begin again, and the verdict is the same."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.engines.dcpa.engine import check
from drystone.engines.dcpa.options import DcpaOptions
from drystone.engines.dss.setting import Setting
from drystone.engines.outcome import unobserved
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import PreparedProgram
from tests.engines.dcpa.programs import CASES
from tests.runtime.test_deaths import mortal


@pytest.mark.parametrize("predictable", [False, True])
@pytest.mark.parametrize("deaths", [(4, 23), (5, 11)])
def test_the_verdict_does_not_change(tmp_path: Path, deaths: tuple[int, ...], predictable: bool) -> None:
    path = tmp_path / "program.c"
    for case in CASES[:5]:
        path.write_text(case.text)
        program = load([str(path)], FrontendOptions()).program
        for domain in case.domains:
            start = "bottom" if "bounded" in case.name else "top"
            options = DcpaOptions(domain=domain, decomposition="linear", predictable=predictable, start=start)
            setting = Setting(3, partial(mortal, deaths))
            result = check(PreparedProgram(program), options, Deadline.after(30), unobserved, setting)
            assert result.verdict.value == case.verdict, (case.name, result.reason)
            assert result.counters["lost_hosts"] >= 1
