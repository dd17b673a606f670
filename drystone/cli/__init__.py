"""The command line.

msgspec looks for `typing_extensions`, of which it needs nothing that Python has not. Where tools for developers have installed
it, that takes as long to load as all of msgspec.
"""

import sys

if "msgspec" not in sys.modules and "typing_extensions" not in sys.modules:
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules["typing_extensions"]
