"""Witnesses in the styles of other tools, of all versions, are read; what is not understood is said, and makes them undecided."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from drystone.witnesses.reading import Read, read_witness
from tests.witnesses.test_validate import SAFE, UNSAFE, validated

TASK = """\
    uuid: c1b6a7de-9a43-4f0e-9a4e-0123456789ab
    creation_time: 2023-01-31T13:45:55.208956Z
    producer: {name: Some Tool, version: "4.0-624-g1855+", configuration: (Optional), command_line: "'./tool' '--set' 'a[+]' 'b'"}
    task:
      input_files: p.c
      language: C
"""


def entry(type_: str, version: str, rest: str) -> str:
    return (
        f"- entry_type: {type_}\n  metadata:\n    format_version: {version}\n{TASK}{textwrap.indent(textwrap.dedent(rest), '  ')}"
    )


def old(type_: str, line: int, value: str, more: str = "", version: str = "0.1") -> str:
    """An entry of versions before 2.0, in which columns are 0 if they are not known."""
    where = f"{{file_name: p.c, file_hash: {'0' * 64}, line: {line}, column: 0, function: main}}"
    rest = f"location: {where}\n{type_}:\n  string: {value}\n  type: assertion\n  format: C\n{more}"
    return f"# a comment with a licence\n\n{entry(type_, version, rest)}"


def segment(type_: str, line: int, constraint: str = "", action: str = "follow", more: str = "") -> str:
    told = f"constraint: {{{constraint}}}, " if constraint else ""
    where = f'{{file_name: "p.c", line: {line}, function: "main"}}'
    return f'- segment:\n  - waypoint: {{type: "{type_}", {told}{more}location: {where}, action: "{action}"}}\n'


def sequence(*segments: str, version: str = '"2.0"') -> str:
    return entry('"violation_sequence"', version, f"content:\n{textwrap.indent(''.join(segments), '  ')}")


CERTIFICATE = entry(
    "loop_invariant_certificate", "0.1", "target: {uuid: a, type: loop_invariant}\ncertification: {string: confirmed}\n"
)
GHOSTS = entry(
    "ghost_instrumentation",
    '"2.1-tool"',
    """\
    content:
      ghost_variables:
      - {name: g, scope: global, type: int, initial: {value: "0", format: c_expression}}
      ghost_updates: []
    """,
)
ANYWHERE = "content:\n- invariant: {type: flow_insensitive_invariant, value: '! g || x <= 1', format: c_expression}\n"
PRECONDITION = "precondition: {string: n == 100, type: assertion, format: C}\n"
STATED = {
    "before 2.0": (old("loop_invariant", 6, "x + y == n"), ""),
    "several entries": (old("loop_invariant", 6, "x + y == n") + old("location_invariant", 10, "y == 0", version="0.2"), ""),
    "a certificate": (old("loop_invariant", 6, "1") + CERTIFICATE, "entries of type loop_invariant_certificate"),
    "preconditions": (old("precondition_loop_invariant", 6, "i <= 100", PRECONDITION), "precondition_loop_invariant"),
    "a sequence": (entry("violation_sequence", "0.1", "sequence:\n- type: assumption\n"), "it has no content"),
    "another format": (
        sequence(segment("assumption", 5, 'value: "valid(x)", type: "acsl_expression"')),
        "type is not understood",
    ),
    "a function of ACSL": (
        sequence(segment("assumption", 5, 'value: "!\\\\valid(x)", format: "acsl_expression"')),
        "acsl_expression",
    ),
    "threads": (sequence(segment("function_enter", 5, more="thread_id: 0, "), version='"2.2"'), "thread_id is not understood"),
    "a cycle": (sequence(segment("assumption", 5, 'value: "(i == 5)"', "cycle")), "with action cycle"),
    "ghosts": (GHOSTS, "ghost_instrumentation"),
    "everywhere": (entry("invariant_set", '"2.1"', ANYWHERE), "flow_insensitive_invariant"),
    "nothing": (entry("invariant_set", '"2.0"', "content: []\n"), ""),
    "only a target": (sequence(segment("target", 11)), ""),
}


def read(text: str) -> Read:
    return read_witness("w.yml", text)


@pytest.mark.parametrize("name", STATED)
def test_they_are_read(name: str) -> None:
    text, problem = STATED[name]
    found = read(text)
    assert found.producer == "Some Tool 4.0-624-g1855+"
    assert problem in "; ".join(found.problems) and bool(problem) == bool(found.problems), found.problems


def test_what_is_not_understood_is_undecided(tmp_path: Path) -> None:
    for name, (text, problem) in STATED.items():
        if problem:
            found = validated(UNSAFE if read(text).is_violation else SAFE, text, tmp_path)
            assert found.result == "undecided" and problem in found.reason, name


def test_what_is_understood_is_validated(tmp_path: Path) -> None:
    for name in ("before 2.0", "several entries", "nothing"):
        assert validated(SAFE, STATED[name][0], tmp_path).result == "valid"
    assert validated(SAFE, STATED["several entries"][0].replace("y == 0", "y == 1"), tmp_path).result == "rejected"
    assert validated(UNSAFE, STATED["only a target"][0], tmp_path).result == "valid"
    assert validated(SAFE, STATED["only a target"][0], tmp_path).result == "rejected"
