"""What is made of a program, once for all engines that look at it one after the other: most of the time of a small one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from drystone import pipeline
from drystone.certificates import check
from drystone.frontend.load import load
from drystone.verification import work

_MOST = 8  # of each: a program of each kind, and what is made of it under a few bounds


class _Kept:
    """`key` says of which arguments the result is the same; what it names by `id` is kept, too."""

    def __init__(self, make: Callable[..., Any], key: Callable[..., object]) -> None:
        self._make, self._key = make, key
        self._known: dict[object, tuple[Any, tuple[Any, ...]]] = {}

    def __call__(self, *arguments: Any) -> Any:
        key = self._key(*arguments)
        if key not in self._known:
            made = self._make(*arguments)
            while len(self._known) >= _MOST:
                del self._known[next(iter(self._known))]
            self._known[key] = made, arguments
        return self._known[key][0]


@contextmanager
def prepared_once() -> Iterator[None]:
    """A check of a certificate looks at the same product as the engine, then, instead of making it again."""
    loading = _Kept(load, lambda files, options: (*(Path(file).read_text() for file in files), *files, repr(options)))
    kept: dict[str, Callable[..., Any]] = {
        "_inlined": _Kept(pipeline._inlined, lambda program, bounds: (id(program), bounds)),
        "_flattened": _Kept(pipeline._flattened, lambda flat, regions, slice_: (id(flat), slice_)),
    }
    with ExitStack() as patched:
        for module in (work, check):
            patched.enter_context(patch.object(module, "load", loading))
        for name, made in kept.items():
            patched.enter_context(patch.object(pipeline, name, made))
        yield
