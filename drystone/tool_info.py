"""How BenchExec calls drystone and reads its answer: `<benchmark tool="drystone.tool_info" …>`.

BenchExec (https://github.com/sosy-lab/benchexec) imports this module; drystone itself does not, so BenchExec is no dependency.
"""

from __future__ import annotations

import re
from typing import Any

import benchexec.result as result
from benchexec.tools.template import BaseTool2

from drystone.engines.registry import ENGINES, FORGETFUL

_VERDICT = re.compile(r"(TRUE|FALSE|UNKNOWN)(?:  (.*))?")
_ENGINE = "|".join(map(re.escape, (*ENGINES, FORGETFUL)))
_MEASURED = re.compile(rf"\s*(?:{_ENGINE}): [\d.]+ s, [\d.]+ s of processor time, \d+ MB(?:; (.*))?")


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
        command = [executable, "verify", *options]
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
        for line in run.output:
            found = _VERDICT.match(line)
            if found is not None:
                return self._status(found[1], found[2] or "")
        if run.exit_code.value == 3:
            return str(result.RESULT_ERROR) + "(input)"
        return str(result.RESULT_ERROR)

    def _status(self, verdict: str, reason: str) -> str:
        match verdict:
            case "TRUE":
                return str(result.RESULT_TRUE_PROP)
            case "FALSE":
                return str(result.RESULT_FALSE_REACH)
            case _ if reason.startswith("out of time"):
                return "TIMEOUT"
            case _ if reason.startswith("out of memory"):
                return "OUT OF MEMORY"
            case _ if reason.startswith("internal error"):
                return str(result.RESULT_ERROR)
            case _:
                return str(result.RESULT_UNKNOWN)

    def get_value_from_output(self, output: Any, identifier: str) -> str | None:
        """Columns: `queries`, `runs`, `candidates`, `messages`, `lemmas`, … are counters of the last line."""
        for line in reversed(list(output)):
            measured = _MEASURED.match(line)
            if measured is not None:
                found = re.search(rf"([\d,]+) {re.escape(identifier)}\b", measured[1] or "")
                return found[1].replace(",", "") if found else None
        return None
