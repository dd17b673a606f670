"""What a kind of summaries says about itself, so that it can be run without being known by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from drystone.engines.dss.coordinator import Coordinator, Means
from drystone.engines.dss.hosts import BlockOptions, Spec
from drystone.engines.dss.options import DssOptions
from drystone.engines.dss.preparation import Blocks
from drystone.logic.terms import Term


class Worded(Protocol):
    """What explanations need to know of a domain."""

    @property
    def posts(self) -> str: ...

    @property
    def post(self) -> Callable[[Sequence[Term]], Term]: ...


class Domain(msgspec.Struct, frozen=True):
    options: type[BlockOptions]  # of its blocks; the tag is the name that `--summaries` gives the domain
    specs: Callable[[Blocks, DssOptions], dict[str, Spec]]
    coordinator: Callable[[Blocks, DssOptions, Means], Coordinator]
    posts: str  # what people call its postconditions
    post: Callable[[Sequence[Term]], Term]  # what the terms of a postcondition say
    takes: tuple[str, ...] = ()  # the options of `DssOptions` that are about some domains only
