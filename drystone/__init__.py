"""drystone: a software model checker for C that verifies a program block by block.

    import drystone

    result = drystone.verify("bank.c", drystone.Options(timeout=60))
    print(result.verdict, result.reason)

What can be called is in `drystone.verification.library`, which is imported when the first of these names is used.
"""

from typing import TYPE_CHECKING

from drystone.base.version import __version__

if TYPE_CHECKING:
    from drystone.base.refusal import Refusal
    from drystone.verification.library import Unwritten, check, load, verify
    from drystone.verification.options import CheckOptions, Options, ProgramOptions
    from drystone.verification.result import CheckResult, Result
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from drystone.verification import library

        return getattr(library, name)


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = (
    "CheckOptions",
    "CheckResult",
    "Options",
    "ProgramOptions",
    "Refusal",
    "Result",
    "Unwritten",
    "__version__",
    "check",
    "load",
    "verify",
)
