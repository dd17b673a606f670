"""A test that is skipped without an expected reason fails the run, which says at its end which optional parts were not there."""

from __future__ import annotations

import pytest

from tests import skips


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Skips(config), "drystone-skips")


class _Skips:
    """With several processes, the one that has started the others hears of all tests and decides."""

    def __init__(self, config: pytest.Config) -> None:
        self.found: list[tuple[str, str]] = []
        self.is_told = not hasattr(config, "workerinput")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._hear(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._hear(report)

    def _hear(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            self.found.append((report.nodeid, reason.removeprefix("Skipped: ")))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.is_told and session.exitstatus == pytest.ExitCode.OK and skips.verdict(self.found)[1]:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        line, unexpected = skips.verdict(self.found)
        for each in unexpected:
            terminalreporter.write_line(f"SKIPPED without an expected reason (tests/skips.py): {each}", red=True)
        terminalreporter.write_line(line)
