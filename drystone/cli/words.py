"""From the words of the command line to options and programs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, TypeVar

import msgspec

from drystone.verification.options import ProgramOptions
from drystone.verification.tasks import resolve

if TYPE_CHECKING:
    from drystone.frontend.load import FrontendOptions, Loaded

_Kind = TypeVar("_Kind", bound=ProgramOptions)


def options_from(words: argparse.Namespace, kind: type[_Kind]) -> _Kind:
    """Each field has a word of its name, but for those that the command does not let people choose."""
    names = [field.name for field in msgspec.structs.fields(kind) if hasattr(words, field.name)]
    return msgspec.convert({name: getattr(words, name) for name in names}, kind)


def load_program(words: argparse.Namespace, default: FrontendOptions | None = None) -> tuple[Loaded, FrontendOptions]:
    """The program that the common options describe; `default` is for what they do not say."""
    files, frontend_options = resolve(words.files, options_from(words, ProgramOptions), default)
    from drystone.frontend.load import load

    return load(files, frontend_options), frontend_options
