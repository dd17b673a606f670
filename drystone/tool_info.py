"""How BenchExec calls drystone and reads its answer: `<benchmark tool="drystone.tool_info" …>`.

BenchExec (https://github.com/sosy-lab/benchexec) imports this module; drystone itself does not, so BenchExec is no dependency.
The answer is the object that `--json -` writes (`verification/result.py`): no wording for people is read. With
`<option name="validate">WITNESS</option>` as the first option, it validates; what is confirmed has the verdict that the witness
claims, as validators of SV-COMP answer, and what is refuted the other one. `bench/benchexec/` has definitions of both.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import benchexec.result as result
from benchexec.tools.template import BaseTool2

from drystone.cli.exits import Exit


class Tool(BaseTool2):  # type: ignore[misc]
    """drystone for BenchExec."""

    def executable(self, tool_locator: Any) -> str:
        return str(tool_locator.find_executable("drystone", subdir="bin"))

    def name(self) -> str:
        return "drystone"

    def project_url(self) -> str:
        return ""

    def version(self, executable: str) -> str:
        return str(self._version_from_tool(executable, line_prefix="drystone "))

    def cmdline(self, executable: str, options: list[str], task: Any, rlimits: Any) -> list[str]:
        command = [executable, *(options if options[:1] == ["validate"] else ["verify", *options]), "--json", "-"]
        if rlimits.walltime or rlimits.cputime:
            command += ["--timeout", f"{rlimits.walltime or rlimits.cputime}s"]
        if rlimits.memory:
            command += ["--memory", f"{rlimits.memory * 9 // 10}"]  # so that drystone says it, not the kernel
        if isinstance(task.options, dict) and task.options.get("data_model"):
            command += ["--data-model", str(task.options["data_model"])]
        if task.property_file:
            command += ["--property", str(task.property_file)]
        return [*command, *task.input_files_or_identifier]

    def determine_result(self, run: Any) -> str:
        report = _report(run.output)
        if report is not None:
            return _status(report)
        return str(result.RESULT_ERROR) + ("(input)" if run.exit_code.value == Exit.BAD_INPUT else "")

    def get_value_from_output(self, output: Any, identifier: str) -> str | None:
        """Columns: the counters of the run, as `queries`, `runs`, `candidates`, `messages`, `lemmas`."""
        report = _report(output)
        count = report.get("counters", {}).get(identifier) if report is not None else None
        return None if count is None else str(count)


def _report(output: Sequence[str]) -> dict[str, Any] | None:
    """The object among the lines; what goes to standard error is among them, too."""
    for line in reversed(list(output)):
        if line.startswith("{"):
            try:
                report = json.loads(line)
            except ValueError:
                continue
            if "schema_version" in report:
                return dict(report)
    return None


def _status(report: dict[str, Any]) -> str:
    if "witness" in report:
        return _validated(report)
    match report["verdict"], report["cause"]:
        case "TRUE", _:
            return str(result.RESULT_TRUE_PROP)
        case "FALSE", _ if report.get("options", {}).get("data_race"):
            return str(result.RESULT_FALSE_DATARACE)
        case "FALSE", _:
            return str(_OF_CHECK.get(_violated(report), result.RESULT_FALSE_REACH))
        case _, "time":
            return "TIMEOUT"
        case _, "memory":
            return "OUT OF MEMORY"
        case _, "crash":
            return str(result.RESULT_ERROR)
        case _:
            return str(result.RESULT_UNKNOWN)


_OF_CHECK = {
    "overflow": result.RESULT_FALSE_OVERFLOW,
    **dict.fromkeys(("null", "use-after-free", "stack-use-after-return", "bounds", "string"), result.RESULT_FALSE_DEREF),
    **dict.fromkeys(("double-free", "invalid-free"), result.RESULT_FALSE_FREE),
    "leak": result.RESULT_FALSE_MEMTRACK,
    "cleanup": result.RESULT_FALSE_MEMCLEANUP,
}
"""What an error of a check means in SV-COMP."""


def _violated(report: dict[str, Any]) -> str:
    """What the error is that an execution reaches: a convention, or a check."""
    return next((str(error["kind"]) for error in report.get("errors", []) if error["verdict"] == "FALSE"), "")


def _validated(report: dict[str, Any]) -> str:
    is_violation = report["kind"] == "violation"
    violated = (
        result.RESULT_FALSE_OVERFLOW if "overflow" in report.get("options", {}).get("checks", ()) else result.RESULT_FALSE_REACH
    )
    match report["result"]:
        case "valid":
            return str(violated if is_violation else result.RESULT_TRUE_PROP)
        case "rejected":
            return str(result.RESULT_TRUE_PROP if is_violation else violated)
        case _:
            return str(result.RESULT_UNKNOWN)
