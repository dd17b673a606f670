"""Work in several processes: answers come back, a failure ends the others, a crash gives nothing."""

from __future__ import annotations

import os
import time

import pytest

from drystone.base.fork_pool import Tickets, in_forks
from drystone.base.process_tree import descendants


def test_every_share_is_done_once_by_a_process_of_its_own() -> None:
    answers = in_forks(4, lambda share: (True, f"{share} {os.getpid()}".encode()))
    shares, processes = zip(*(answer.split() for answer in answers), strict=True)
    assert sorted(shares) == [b"0", b"1", b"2", b"3"]
    assert len(set(processes)) == 4 and str(os.getpid()).encode() not in processes


def test_a_failure_ends_the_others() -> None:
    def work(share: int) -> tuple[bool, bytes]:
        if share != 1:
            time.sleep(600)
        return share != 1, b"x" * 100_000

    before = descendants(os.getpid())
    assert in_forks(3, work) == [b"x" * 100_000]
    assert descendants(os.getpid()) == before


def test_a_crash_gives_nothing() -> None:
    def work(share: int) -> tuple[bool, bytes]:
        if share == 1:
            os.kill(os.getpid(), 9)
        if share == 2:
            raise ValueError
        return True, b"done"

    assert in_forks(3, work) == [b"done"]


@pytest.mark.parametrize("count", [0, 1, 7, 20_000])
def test_every_ticket_is_taken_once(count: int) -> None:
    tickets = Tickets(count)

    def work(share: int) -> tuple[bool, bytes]:
        return True, " ".join(map(str, tickets)).encode()

    taken = [int(each) for answer in in_forks(3, work) for each in answer.split()]
    tickets.close()
    assert sorted(taken) == list(range(count))
