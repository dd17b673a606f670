"""The work of `drystone verify` without its processes: for tests with many small programs."""

from __future__ import annotations

from pathlib import Path

from drystone.cli.main import _parser
from drystone.cli.messages import Known, Message
from drystone.cli.tasks import resolve
from drystone.cli.verification import work
from drystone.cli.verify import _blank_report
from drystone.report.result import Report


def decided(file: Path, data_model: str = "LP64", engine: str = "bmc", timeout: str = "10s") -> Report:
    words = ["verify", str(file), "--data-model", data_model, "--engine", engine, "--timeout", timeout, "--workers", "1"]
    options = _parser("verify").parse_args(words)
    options.hosts = 0
    files, frontend_options = resolve(options)
    messages: list[Message] = []
    work(options, files, frontend_options, _blank_report(options, files, frontend_options), file.parent, messages.append)
    last = messages[-1]
    assert isinstance(last, Known) and last.final, last
    return last.report
