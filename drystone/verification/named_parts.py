"""Summaries, domains, decompositions: what an option names must be there, before any work is done."""

from __future__ import annotations

from drystone.base.refusal import Refusal
from drystone.verification.options import Options
from drystone.verification.tasks import read_bytes


def check_named_parts(options: Options) -> None:
    """A `Refusal` for what is not there. The defaults are; they need not be loaded."""
    _check_summaries(options.summaries)
    if options.domain != Options().domain:
        _check_domain(options.domain)
    if options.decomposition != Options().decomposition:
        for name in _decompositions(options):
            _check_decomposition(name)


def _check_summaries(name: str) -> None:
    from drystone.engines.dss.registry import SUMMARIES, UnknownSummaries, domain_of

    if name not in SUMMARIES:  # else nothing needs to be loaded
        from drystone.engines.dss.domain import Domain

        try:
            _check_kind("--summaries", name, domain_of(name), Domain)
        except UnknownSummaries as problem:
            raise Refusal(f"--summaries: {problem}") from None


def _check_kind(option: str, name: str, found: object, kind: type) -> None:
    """What a user names may be anything."""
    if not isinstance(found, kind):
        raise Refusal(f"{option}: {name} is no {kind.__name__}, but of type {type(found).__name__}")


def _check_domain(name: str) -> None:
    from drystone.engines.dcpa.domain import DistributedDomain
    from drystone.engines.dcpa.registry import UnknownDomain, distributed_domain

    try:
        for each in name.split(","):
            _check_kind("--domain", each, distributed_domain(each), DistributedDomain)
    except UnknownDomain as problem:
        raise Refusal(f"--domain: {problem}") from None


def _decompositions(options: Options) -> list[str]:
    if options.engine != "dcpa":
        return [options.decomposition]
    from drystone.engines.dcpa.options import analyses

    try:
        return [kind for _, kind in analyses(options.domain, options.decomposition)]
    except ValueError as problem:
        raise Refusal(f"--domain, --decomposition: {problem}") from None


def _check_decomposition(name: str) -> None:
    """Is there one of this name? Whether the blocks of a file are those of the program is seen when dss cuts it."""
    from drystone.blocks.registry import UnknownDecomposition, decomposition

    try:
        decomposition(name)
    except UnknownDecomposition as problem:
        raise Refusal(f"--decomposition: {problem}") from None
    kind, _, file = name.partition(":")
    if kind == "import":
        read_bytes(file)
