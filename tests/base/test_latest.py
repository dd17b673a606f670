"""What a process has said last is all that the other one sees, once."""

from __future__ import annotations

import os

from drystone.base.latest import Latest


def test_only_the_latest_is_heard_and_once() -> None:
    latest = Latest()
    assert latest.take() is None
    latest.put(b"one")
    latest.put(b"another")
    assert latest.take() == b"another" and latest.take() is None
    latest.put(b"one")
    assert latest.take() == b"one"


def test_what_is_too_long_changes_nothing() -> None:
    latest = Latest()
    latest.put(b"one")
    latest.put(b"x" * 1_000_000)
    assert latest.take() == b"one"


def test_another_process_says_it() -> None:
    """Whatever is heard is something that was said, however often it changes meanwhile."""
    latest = Latest()
    child = os.fork()
    if child == 0:
        for number in range(20_000):
            latest.put(b"%d;" % number * (1 + number % 7))
        os._exit(0)
    heard: list[bytes] = []
    while not os.waitpid(child, os.WNOHANG)[0]:
        if (said := latest.take()) is not None:
            heard.append(said)
    heard += [said] if (said := latest.take()) is not None else []
    assert heard[-1] == b"19999;" * (1 + 19_999 % 7)
    for said in heard:
        words = said.split(b";")[:-1]
        assert len(set(words)) == 1 and len(words) == 1 + int(words[0]) % 7
