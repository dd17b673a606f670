"""A suite as JUnit's XML, for servers of continuous integration: FALSE is a failure, UNKNOWN is skipped, the rest are errors."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from drystone.base.regex import regex
from drystone.report.console import report_lines
from drystone.suite.outcome import Outcome, totals

_NOT_IN_XML = regex("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # characters that XML 1.0 cannot hold


def junit(outcomes: list[Outcome], elapsed: float) -> str:
    found = totals(outcomes)
    counts = {
        "tests": str(len(outcomes)),
        "failures": str(found.false),
        "errors": str(found.bad_input + found.crashed),
        "skipped": str(found.unknown),
        "time": f"{elapsed:.3f}",
    }
    root = Element("testsuites", counts)
    suite = SubElement(root, "testsuite", {"name": "drystone", **counts})
    for outcome in outcomes:
        _add(suite, outcome)
    indent(root)
    text: str = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _add(suite: Element, outcome: Outcome) -> None:
    result = outcome.result
    seconds = result.wall_s if result is not None else 0.0
    about = {"name": _text(outcome.name), "classname": "drystone", "time": f"{seconds:.3f}"}
    if result is not None:
        about["file"] = _text(result.file)
    case = SubElement(suite, "testcase", about)
    said = {"message": _text(outcome.said), "type": outcome.verdict}
    match outcome.verdict:
        case "TRUE":
            pass
        case "FALSE":
            SubElement(case, "failure", said).text = _lines(outcome)
        case "UNKNOWN":
            SubElement(case, "skipped", {"message": _text(f"UNKNOWN: {outcome.said}")})
        case _:
            SubElement(case, "error", said)
    if result is not None:
        SubElement(case, "system-out").text = _lines(outcome)


def _lines(outcome: Outcome) -> str:
    assert outcome.result is not None
    return _text("\n".join(line for line, _ in report_lines(outcome.result, verbose=False)))


def _text(text: str) -> str:
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
