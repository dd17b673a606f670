"""From what is said about a program to what the front end reads: files, task definitions, property files.

Task definitions are those of SV-COMP, format 2.0: `input_files`, `options.data_model`, `properties`. Whatever
is wrong with the input ends in a `Refusal` with a message that names the file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec

from drystone.base.refusal import Refusal
from drystone.checks.registry import CHECKS, DEFAULT, GROUPS
from drystone.claims.property import Property, parse_property
from drystone.ir.conventions import ALL, ASSERTING, ERROR_FUNCTIONS, NONE, STRONGEST
from drystone.verification.options import DATA_RACE_CHECK, ProgramOptions, is_race_asked

if TYPE_CHECKING:
    from drystone.frontend.load import FrontendOptions

_SUPPORTED = (
    "G ! call(FUNCTION()), G ! data-race, G ! overflow, G valid-free, G valid-deref, G valid-memtrack and G valid-memcleanup"
)
DATA_MODELS = ("ILP32", "LP64")
DEFAULT_DATA_MODEL = "LP64"


class Task(msgspec.Struct, frozen=True):
    """What a task definition says; paths are relative to its folder."""

    files: tuple[str, ...]
    data_model: str | None
    property: Property | None


def resolve(
    given: Sequence[str], options: ProgramOptions, default: FrontendOptions | None = None, *, is_verified: bool = False
) -> tuple[list[str], FrontendOptions]:
    """The C files and what the front end needs to know; contradictions are errors. `default` is for what is not said.

    A task definition or a property file means a task of SV-COMP: there, functions without a body do nothing but return, and what
    is volatile is like all else. In the program of a user they may do more, and where it `is_verified`, some checks are made that
    nobody has asked for.
    """
    from drystone.frontend.load import FrontendOptions
    from drystone.frontend.options import HAVOC, INPUT, MEMORY

    is_stated = options.property is not None or any(map(_is_task_definition, given))
    is_task = default is not None or is_stated
    default = default or FrontendOptions(data_model=DEFAULT_DATA_MODEL, errors=ALL)
    files, data_model, from_task = _collected(given, options)
    for name in files:
        check_source(name)
    if options.asserting:
        _reject_more_assertions(options, is_stated or default.errors != ALL)
    stated = _stated(options)
    meant = stated or from_task or property_of(default)
    is_race = meant.is_data_race or is_race_asked(options)
    is_open = is_verified and not is_task and meant.error_function is None and options.error_function is None
    asked = (DEFAULT if is_open else ()) if options.check is None else options.check
    checks = _checks(asked, meant, is_race) or default.checks
    if is_race:
        _reject_other_errors(options)
    for name in options.include_files:
        if not any((Path(each) / name).exists() for each in (".", *options.include_directories, *options.system_directories)):
            raise Refusal(f"{name}: no such file")
    if options.compile_commands is not None:
        read_text(options.compile_commands)
    return files, FrontendOptions(
        data_model=data_model or default.data_model,
        include_directories=options.include_directories or default.include_directories,
        defines=options.defines or default.defines,
        undefines=options.undefines or default.undefines,
        include_files=options.include_files or default.include_files,
        system_directories=options.system_directories or default.system_directories,
        std=options.std or default.std,
        entry=options.entry or meant.entry,
        error_function=None if is_race else options.error_function or meant.error_function,
        compile_commands=options.compile_commands or default.compile_commands,
        undefined=options.undefined or default.undefined,
        external=options.external or (default.external if is_task else HAVOC),
        volatile=options.volatile or (MEMORY if is_race else default.volatile if is_task else INPUT),
        errors=(STRONGEST if meant.has_conventions else NONE) if is_stated or is_race else default.errors,
        checks=checks,
        asserting=options.asserting or default.asserting,
        passed_over=default.passed_over,
        left_to_right=default.left_to_right,
        data_race=is_race,
        unwind=options.unwind or default.unwind,
    )


def property_of(options: FrontendOptions) -> Property:
    """What is to be shown of a program that is read like this."""
    return Property(
        options.entry,
        options.error_function,
        options.errors == ALL,
        options.data_race,
        options.checks,
        has_conventions=options.errors != NONE,
    )


def _checks(asked: Sequence[str], meant: Property, is_race: bool) -> tuple[str, ...]:
    """Each once, in the order of the registry."""
    for name in asked:
        if name not in CHECKS and name not in GROUPS and name != DATA_RACE_CHECK:
            raise Refusal(f"--check: no check {name!r}; there are {', '.join((*CHECKS, *GROUPS))}, {DATA_RACE_CHECK}")
    if is_race and set(asked) - {DATA_RACE_CHECK}:
        raise Refusal("--check: data races are one property, without other checks: use one of them")
    meant_by = {*asked, *meant.checks, *(name for group in asked for name in GROUPS.get(group, ()))}
    return tuple(name for name in CHECKS if name in meant_by)


def _stated(options: ProgramOptions) -> Property | None:
    """What the property file says, which the other options do not contradict."""
    if options.property is None:
        return None
    stated = read_property(options.property)
    _reject_contradiction(options.property, "entry function", stated.entry, "--entry", options.entry)
    if is_race_asked(options) and not stated.is_data_race:
        raise Refusal(f"{options.property}: its property is {stated.text}, but --check is {DATA_RACE_CHECK}")
    if not stated.is_data_race and stated.has_conventions:
        called = stated.error_function or ERROR_FUNCTIONS[0]
        _reject_contradiction(options.property, "error function", called, "--error-function", options.error_function)
    return stated


def _reject_other_errors(options: ProgramOptions) -> None:
    """Where data races are the only errors, and where every access must be seen."""
    other = "--error-function" if options.error_function else "--assert" if options.asserting else ""
    if other:
        raise Refusal(f"{other} says what an error is, but only data races are looked for: use one of them")
    if options.volatile == "input":
        raise Refusal("--volatile input lets reads of volatile objects touch no memory: data races need --volatile memory")


def _collected(given: Sequence[str], options: ProgramOptions) -> tuple[list[str], str | None, Property | None]:
    """The C files, also of task definitions, with the data model and the property that these state."""
    files: list[str] = []
    data_model: str | None = options.data_model
    property_: Property | None = None
    for name in given:
        if not _is_task_definition(name):
            files.append(name)
            continue
        task = read_task(name)
        files.extend(task.files)
        if task.data_model is not None:
            if data_model is not None and data_model != task.data_model:
                asked = "--data-model is" if options.data_model else "another task definition says"
                raise Refusal(f"{name}: its data model is {task.data_model}, but {asked} {data_model}")
            data_model = task.data_model
        property_ = task.property or property_
    return files, data_model, property_


def _reject_more_assertions(options: ProgramOptions, is_task: bool) -> None:
    """`--assert` adds to what must hold anyway; who says what the error is, says all of it."""
    from drystone.frontend.library.models import is_library

    for name in options.asserting:
        if not name.isidentifier():
            raise Refusal(f"--assert: {name!r} is not the name of a function")
        if is_library(name) and name not in ASSERTING:
            raise Refusal(f"--assert: {name} is a function of the C library, which has a meaning of its own")
    other = "--error-function" if options.error_function else "a property" if is_task else ""
    if other:
        raise Refusal(f"--assert adds to all assertions of a program, but {other} says what the only error is: use one of them")


def _is_task_definition(name: str) -> bool:
    return name.endswith((".yml", ".yaml"))


def _reject_contradiction(file: str, what: str, stated: str, option: str, asked: str | None) -> None:
    if asked is not None and asked != stated:
        raise Refusal(f"{file}: its {what} is {stated}, but {option} is {asked}")


def check_source(name: str) -> None:
    """A C file must be a readable regular file with text in it."""
    contents = read_bytes(name)
    if b"\0" in contents:
        raise Refusal(f"{name}: is a binary file, not C source")
    if not contents.strip():
        raise Refusal(f"{name}: is empty")


def read_bytes(name: str) -> bytes:
    with opened(name) as stream:
        return stream.read()


@contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """A regular file, to be read."""
    try:
        mode = os.stat(name).st_mode
        if stat.S_ISDIR(mode):
            raise Refusal(f"{name}: is a directory, not a file")
        if not stat.S_ISREG(mode):
            raise Refusal(f"{name}: is not a regular file")
        with open(name, "rb") as stream:
            yield stream
    except FileNotFoundError:
        raise Refusal(f"{name}: no such file") from None
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
        raise Refusal(f"{name!r}: cannot be read: {reason}" if "\0" in name else f"{name}: cannot be read: {reason}") from None


def read_text(name: str) -> str:
    try:
        return read_bytes(name).decode()
    except UnicodeDecodeError:
        raise Refusal(f"{name}: is not a text file in UTF-8") from None


def read_task(name: str) -> Task:
    import yaml

    text = read_text(name)
    try:
        content = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError, ValueError) as problem:
        raise Refusal(f"{name}: is not YAML: {' '.join(str(problem).split())}") from None
    if not isinstance(content, dict) or "input_files" not in content:
        raise Refusal(f"{name}: is not a task definition: it has no input_files")
    version = str(content.get("format_version", "2.0"))
    if not version.startswith("2."):
        raise Refusal(f"{name}: format version {version} is not supported, only 2.0 is")
    folder = Path(name).parent
    listed = content["input_files"]
    names = [listed] if isinstance(listed, str) else listed
    if not isinstance(names, list) or not names or not all(isinstance(item, str) for item in names):
        raise Refusal(f"{name}: input_files must be a file name or a list of file names")
    return Task(
        tuple(str(folder / item) for item in names), _task_data_model(name, content), _task_property(name, folder, content)
    )


def _task_data_model(name: str, content: dict[Any, Any]) -> str | None:
    options = content.get("options") or {}
    if not isinstance(options, dict):
        raise Refusal(f"{name}: options must be a map")
    language = options.get("language", "C")
    if language != "C":
        raise Refusal(f"{name}: its language is {language}; drystone reads C")
    data_model = options.get("data_model")
    if data_model is not None and data_model not in DATA_MODELS:
        raise Refusal(f"{name}: data model {data_model} is not supported, only {' and '.join(DATA_MODELS)} are")
    return data_model


def _task_property(name: str, folder: Path, content: dict[Any, Any]) -> Property | None:
    """The first property of the form `G ! call(f())`, otherwise the first that is supported. None where none is listed."""
    entries = content.get("properties") or []
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise Refusal(f"{name}: properties must be a list of maps")
    others: list[str] = []
    other: Property | None = None
    for entry in entries:
        file = entry.get("property_file")
        if not isinstance(file, str):
            raise Refusal(f"{name}: a property without property_file")
        text = read_text(str(folder / file))
        found = parse_property(text)
        if found is not None and not found.is_data_race and found.has_conventions:
            return found
        other = other or found
        others.append(" ".join(text.split()))
    if others and other is None:
        raise Refusal(f"{name}: none of its properties is supported, only {_SUPPORTED} are: {'; '.join(others)}")
    return other


def read_property(name: str) -> Property:
    text = read_text(name)
    found = parse_property(text)
    if found is None:
        raise Refusal(f"{name}: property not supported, only {_SUPPORTED} are: {' '.join(text.split()) or '(empty)'}")
    return found
