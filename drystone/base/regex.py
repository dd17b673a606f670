"""Regular expressions that are compiled when they are first used: a run needs few of them, and compiling all takes a while."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Uncompiled:
    def __init__(self, *given: Any) -> None:
        self._given = given

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._given), name)
        setattr(self, name, found)  # so that this is asked for once
        return found


def regex(text: AnyStr, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[AnyStr]:
    """Like `re.compile`; what is wrong in the text is found by the first use."""
    return cast("re.Pattern[AnyStr]", _Uncompiled(text, flags))
