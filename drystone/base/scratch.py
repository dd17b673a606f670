"""A scratch folder that is removed whatever becomes of this process, also when it is killed and cannot do so itself."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PATIENCE = 5.0  # seconds


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """The name of a folder of one's own, which is made by who needs it. This process must have no other threads."""
    folder = Path(tempfile.gettempdir()) / f"drystone-{os.getpid()}-{os.urandom(4).hex()}"
    alive, held = os.pipe()
    keeper = os.fork()
    if keeper == 0:
        _remove_at_the_end(folder, alive)
    os.close(alive)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.kill(keeper, signal.SIGKILL)  # it has nothing to do any more, and need not wait for who else holds the pipe
        os.close(held)
        os.waitpid(keeper, 0)


def _remove_at_the_end(folder: Path, alive: int) -> None:
    """In a copy of the process, which waits until the process and all copies of it have closed their side of the pipe: none of
    them lives then; other programs that they have started, a compiler for instance, may do so for a moment. It holds no other
    file, and nothing that is said to the terminal ends it. Does not return."""
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        os.closerange(0, alive)
        os.closerange(alive + 1, os.sysconf("SC_OPEN_MAX"))
        os.read(alive, 1)
        limit = time.monotonic() + _PATIENCE
        while folder.exists() and time.monotonic() < limit:
            shutil.rmtree(folder, ignore_errors=True)
            time.sleep(0.02)
    finally:
        os._exit(0)
