"""From options to the final result, in the child process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from drystone.base.clock import count_work
from drystone.base.deadline import Deadline
from drystone.base.refusal import Refusal
from drystone.engines.registry import WITH_HOSTS
from drystone.frontend.load import FrontendOptions
from drystone.logic import terms
from drystone.verification.messages import Doing, Failed, Known, Refused, failed_by
from drystone.verification.options import Options, worker_count
from drystone.verification.result import Result
from drystone.verification.search import Search
from drystone.verification.supervised import Tell, working_seconds

if TYPE_CHECKING:
    from drystone.runtime.zygote import Zygote


def work(
    options: Options,
    files: list[str],
    frontend_options: FrontendOptions,
    blank: Result,
    scratch: Path,
    tell_parent: Tell,
) -> None:
    """Everything between options and the final result."""
    try:
        deadline = _deadline(options)
        tell_parent(Doing("reading", {}))
        search = Search(options, files, blank, scratch, _zygote(options))
        if frontend_options.checks:
            report = _by_parts(search, frontend_options, deadline, tell_parent)
        else:
            report = search.result(frontend_options, deadline, tell_parent)
        tell_parent(Known(report, True))
    except MemoryError as problem:
        tell_parent(failed_by(problem))
    except Exception as problem:
        tell_parent(_ended_by(problem))


def _by_parts(search: Search, frontend_options: FrontendOptions, deadline: Deadline, tell_parent: Tell) -> Result:
    """Each kind of errors by itself, where it is the program of a user."""
    from drystone.verification.by_parts import ByParts
    from drystone.verification.parts import parts_of

    parts = parts_of(frontend_options)
    if not parts:
        return search.result(frontend_options, deadline, tell_parent)
    return ByParts(search, frontend_options, parts, deadline, tell_parent).result()


def _deadline(options: Options) -> Deadline:
    """Until when engines may work."""
    if options.counted is not None:
        count_work(terms.table_size)
        return Deadline.after(options.counted)
    return Deadline.after(working_seconds(options.timeout))


def _zygote(options: Options) -> Zygote | None:
    """Where hosts will come from, if there are to be any; as long as this process is small."""
    if options.engine not in ("auto", *WITH_HOSTS) or options.cluster or options.transport == "inline":
        return None
    if worker_count(options) <= (1 if options.engine in WITH_HOSTS else 4) and options.transport is None:
        return None
    from drystone.runtime.zygote import Zygote

    return Zygote()


def _ended_by(problem: Exception) -> Refused | Failed:
    """What the user can mend is refused; all else is a bug."""
    return Refused(str(problem)) if isinstance(problem, Refusal) else failed_by(problem)
