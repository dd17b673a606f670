"""A program with what its errors are, looked at once, or until all errors are known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from drystone.base.deadline import Deadline
from drystone.frontend.load import FrontendOptions, Loaded, load
from drystone.verification.kernel import Verification
from drystone.verification.options import Options
from drystone.verification.places import Places
from drystone.verification.result import Result
from drystone.verification.supervised import Tell
from drystone.verification.tasks import property_of

if TYPE_CHECKING:
    from drystone.runtime.zygote import Zygote


class Search:
    """What stays the same, whatever the errors are."""

    def __init__(self, options: Options, files: list[str], blank: Result, scratch: Path, zygote: Zygote | None) -> None:
        self.options, self.files = options, files
        self._blank, self._scratch, self._zygote = blank, scratch, zygote

    def load(self, frontend_options: FrontendOptions) -> Loaded:
        return load(self.files, frontend_options)

    def result(
        self,
        frontend_options: FrontendOptions,
        deadline: Deadline,
        tell_parent: Tell,
        loaded: Loaded | None = None,
        seconds: float | None = None,
    ) -> Result:
        """`loaded`: the program, if it was read already. `seconds`: that its engines have, where that is less than is left."""
        blank = msgspec.structs.replace(
            self._blank, property=property_of(frontend_options).text, options=msgspec.structs.asdict(frontend_options)
        )
        last = deadline
        deadline = deadline.within(seconds) if seconds is not None else deadline

        def look(given: FrontendOptions, read: Loaded, tell: Tell) -> Result:
            places = Places(self.options, tell, self._zygote)
            work = Verification(self.options, self.files, given, read, blank, self._scratch, tell, places, seconds, last)
            with places.recording(self.files, given):
                found = work.run(deadline)
                places.end_recording(found.verdict, found.reason)
            return found

        report = look(frontend_options, loaded or self.load(frontend_options), tell_parent)
        return self._all(report, frontend_options, deadline, tell_parent, look) if self.options.all else report

    def _all(
        self,
        report: Result,
        frontend_options: FrontendOptions,
        deadline: Deadline,
        tell_parent: Tell,
        look: Callable[[FrontendOptions, Loaded, Tell], Result],
    ) -> Result:
        """Again without the errors that are known, as long as there are others."""
        from drystone.verification.all_errors import goes_on, in_addition, merged, violations_of

        while goes_on(report, deadline):
            known = report
            passed_over = frontend_options.passed_over + tuple(violations_of(known))
            given = msgspec.structs.replace(frontend_options, passed_over=passed_over)
            tell = lambda message, known=known: tell_parent(in_addition(known, message))  # noqa: E731
            report = merged(known, look(given, self.load(given), tell))
        return report
