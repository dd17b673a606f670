"""What a result is about: all that could change it, as one hash. A result is kept under it, and is of use as long as it stays."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

import msgspec

import drystone
from drystone.base.refusal import Refusal
from drystone.frontend.clang.unit import TranslationUnit
from drystone.frontend.errors import FrontendError
from drystone.frontend.parsing import clang_arguments
from drystone.frontend.source_text.texts import read_unit, texts_of
from drystone.suite.programs import SuiteProgram
from drystone.verification.tasks import read_bytes, resolve


def identity(program: SuiteProgram) -> str:
    """Of the texts with their headers, of the options but for limits, and of drystone itself. A `Refusal` if there is none."""
    files, meant = resolve(program.files, program.options, is_verified=True)
    found = sha256(_own_code())
    options = msgspec.structs.replace(program.options, timeout=None, memory=None, is_told=False)  # to be told changes no verdict
    found.update(msgspec.json.encode([options, meant]))
    if program.options.strategy is not None:
        found.update(read_bytes(program.options.strategy))
    for file in files:
        arguments = clang_arguments(file, meant)
        try:
            unit = TranslationUnit(file, arguments)
        except (ValueError, FrontendError) as problem:
            raise Refusal(str(problem)) from None
        try:
            found.update(msgspec.json.encode([file, arguments, texts_of(read_unit(unit, []))]))
        finally:
            unit.close()
        found.update(read_bytes(file))
    return found.hexdigest()


@cache
def _own_code() -> bytes:
    """What is installed as one version may still be changed by who works on it."""
    root = Path(drystone.__file__).parent
    found = sha256()
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".c", ".h", ".txt"):
            found.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return found.digest()
