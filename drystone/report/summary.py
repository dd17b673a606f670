"""A suite as Markdown, for the summary of a job: what failed first, with the execution; what is proved folded away."""

from __future__ import annotations

from collections.abc import Iterator

from drystone.base.regex import regex
from drystone.report.console import report_lines
from drystone.report.suite import sum_line
from drystone.suite.outcome import BAD_INPUT, CRASHED, Outcome

_ORDER = (CRASHED, "FALSE", BAD_INPUT, "UNKNOWN")
_SIGNS = {"TRUE": "✅", "FALSE": "❌", "UNKNOWN": "❔", BAD_INPUT: "⚠️", CRASHED: "💥"}
_MARKED = regex(r"([\\`*_{}\[\]<>()#+!|~&$@-])")  # characters with a meaning
_FENCE = regex(r"`{3,}")
_SHOWN_EXECUTIONS = 20


def summary(outcomes: list[Outcome], elapsed: float) -> str:
    return "\n".join(_paragraphs(outcomes, elapsed)) + "\n"


def _paragraphs(outcomes: list[Outcome], elapsed: float) -> Iterator[str]:
    yield "## drystone"
    yield ""
    yield sum_line(outcomes, elapsed) + "."
    attention = sorted((each for each in outcomes if each.verdict != "TRUE"), key=lambda each: _ORDER.index(each.verdict))
    if attention:
        yield ""
        yield from _table(attention)
    failing = [each for each in attention if each.verdict == "FALSE"]
    for outcome in failing[:_SHOWN_EXECUTIONS]:
        yield from _folded(f"{_SIGNS['FALSE']} {outcome.name}", _execution(outcome))
    if len(failing) > _SHOWN_EXECUTIONS:
        yield f"\n{len(failing) - _SHOWN_EXECUTIONS} more executions are not shown here."
    proved = [each for each in outcomes if each.verdict == "TRUE"]
    if proved:
        yield from _folded(f"{_SIGNS['TRUE']} {len(proved)} proved", list(_table(proved)))


def _table(outcomes: list[Outcome]) -> Iterator[str]:
    yield "| | program | | seconds |"
    yield "| --- | --- | --- | ---: |"
    for each in outcomes:
        seconds = f"{each.result.wall_s:.1f}" if each.result is not None else ""
        yield f"| {_SIGNS[each.verdict]} {each.verdict} | {_escaped(each.name)} | {_escaped(each.said)} | {seconds} |"


def _folded(title: str, content: list[str]) -> Iterator[str]:
    yield from ("", f"<details><summary>{_html(title)}</summary>", "", *content, "", "</details>")


def _execution(outcome: Outcome) -> list[str]:
    assert outcome.result is not None
    lines = [line for line, _ in report_lines(outcome.result, verbose=False)]
    fence = "`" * (max([2, *(len(found) for line in lines for found in _FENCE.findall(line))]) + 1)
    return [fence + "text", *lines, fence]


def _escaped(text: str) -> str:
    return _MARKED.sub(r"\\\1", " ".join(text.split()))


def _html(text: str) -> str:
    return " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
