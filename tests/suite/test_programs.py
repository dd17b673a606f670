"""Which programs a suite consists of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from drystone.base.refusal import Refusal
from drystone.suite.programs import programs_of
from drystone.verification.options import Options

_OPTIONS = Options()


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(text: str, *names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def names(*given: str, linked: tuple[str, ...] = (), entries: tuple[str, ...] = (), options: Options = _OPTIONS) -> list[str]:
    return [each.name for each in programs_of(given, linked, entries, options)]


def test_files_stay_in_their_order_and_count_once() -> None:
    written("int main(void) { return 0; }", "b.c", "a.c")
    assert names("b.c", "a.c", "b.c") == ["b.c", "a.c"]


def test_of_a_folder_the_task_definitions_or_else_the_files() -> None:
    written("int main(void) { return 0; }", "files/b.c", "files/deep/a.i", "tasks/c.c")
    written("format_version: '2.0'\ninput_files: c.c\n", "tasks/c.yml")
    written("on: push\n", "tasks/workflow.yml", "files/other.yml")
    assert names("files", "tasks") == ["files/b.c", "files/deep/a.i", "tasks/c.yml"]


def test_an_empty_folder_is_refused() -> None:
    Path("empty").mkdir()
    with pytest.raises(Refusal, match="no C files"):
        names("empty")


def test_each_entry_that_a_file_defines_is_a_program() -> None:
    written("void check_a(void);\nvoid check_b(int x)\n{\n}\n", "b.c")
    written("static void\ncheck_a (void)\n{ check_b(1); }\n/* void check_b(void) {} */", "a.c")
    assert names("a.c", "b.c", entries=("check_a", "check_b")) == ["a.c:check_a", "b.c:check_b"]
    (program,) = programs_of(["a.c"], ["b.c"], ["check_a"], _OPTIONS)
    assert (program.files, program.options.entry, program.name) == (("a.c", "b.c"), "check_a", "a.c")
    with pytest.raises(Refusal, match="defines none"):
        names("a.c", entries=("check_c",))


def test_of_a_database_the_files_with_an_entry(here: Path) -> None:
    written("int helper(void) { return 0; }", "src/helper.c")
    written("int main(void) { return helper(); }", "src/tool.c")
    entries = [{"directory": str(here / "src"), "file": name, "command": f"cc -c {name}"} for name in ("helper.c", "tool.c")]
    Path("compile_commands.json").write_text(json.dumps(entries))
    database = Options(compile_commands="compile_commands.json")
    assert names(options=database) == ["src/tool.c"]
    with pytest.raises(Refusal, match="no file defines check"):
        names(options=database, entries=("check",))
    with pytest.raises(Refusal, match="nothing to verify"):
        names()
