"""From options to the final result, in the child process: once, or until all errors are known."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from drystone.base.clock import count_work
from drystone.base.deadline import Deadline
from drystone.base.refusal import Refusal
from drystone.engines.registry import WITH_HOSTS
from drystone.frontend.load import FrontendOptions, load
from drystone.logic import terms
from drystone.verification.all_errors import goes_on, in_addition, merged, violations_of
from drystone.verification.kernel import Verification
from drystone.verification.messages import Doing, Failed, Known, Refused, failed_by
from drystone.verification.options import Options, worker_count
from drystone.verification.places import Places
from drystone.verification.result import Result
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
        zygote = _zygote(options)
        report: Result | None = None
        while report is None or goes_on(report, deadline, is_wanted=options.all):
            known = report
            tell = tell_parent if known is None else lambda message, known=known: tell_parent(in_addition(known, message))
            passed_over = frontend_options.passed_over + (tuple(violations_of(known)) if known is not None else ())
            given = msgspec.structs.replace(frontend_options, passed_over=passed_over)
            places = Places(options, tell, zygote)
            verification = Verification(options, files, given, load(files, given), blank, scratch, tell, places)
            with places.recording(files, given):
                found = verification.run(deadline)
                places.end_recording(found.verdict, found.reason)
            report = found if known is None else merged(known, found)
        tell_parent(Known(report, True))
    except MemoryError as problem:
        tell_parent(failed_by(problem))
    except Exception as problem:
        tell_parent(_ended_by(problem))


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
