"""The work of a verification without its processes: for tests with many small programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, cast

from drystone.verification.messages import Known, Message
from drystone.verification.options import Options
from drystone.verification.result import Result
from drystone.verification.tasks import resolve
from drystone.verification.verify import blank_result
from drystone.verification.work import work


def decided(file: Path, data_model: str = "LP64", engine: str = "bmc", timeout: float = 10, **others: Any) -> Result:
    """`others`: options of the engine."""
    model = cast(Literal["ILP32", "LP64"], data_model)
    options = Options(data_model=model, engine=engine, timeout=timeout, memory=4 << 30, workers=1, **others)
    files, frontend_options = resolve([str(file)], options)
    messages: list[Message] = []
    work(
        options, files, frontend_options, blank_result(str(file), options, files, frontend_options), file.parent, messages.append
    )
    last = messages[-1]
    assert isinstance(last, Known) and last.final, last
    return last.result
