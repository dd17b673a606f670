"""Campaigns count what they compare, and go on where they were interrupted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.campaigns import Compare, Counts, campaign, read, write
from tests.places import ROOT


def _even_is_unsafe(compared: list[int], stops_at: int = -1) -> Compare:
    def compare(seed: int) -> tuple[str, bool]:
        if seed == stops_at:
            raise KeyboardInterrupt
        compared.append(seed)
        assert seed != 7, "wrong"
        return "safe endless" if seed % 2 else "unsafe", seed % 3 == 0

    return compare


def test_a_campaign_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    keep, compared = tmp_path / "counts.txt", list[int]()
    with pytest.raises(KeyboardInterrupt):
        campaign({"one": _even_is_unsafe(compared, 60)}, read(keep), 80, 0, keep)
    assert len(compared) == 60 and read(keep)["one"].programs == 50
    compared.clear()
    assert campaign({"one": _even_is_unsafe(compared)}, read(keep), 80, 0, keep)
    assert compared == list(range(50, 80))
    assert read(keep)["one"].line("one") == (
        "one                            80 programs    27 decided (unsafe 14/40, safe endless 13/39)"
        "  1 contradictions (seeds 7)  0 s"
    )


def test_all_configurations_get_on_together(tmp_path: Path) -> None:
    first, second = list[int](), list[int]()
    assert not campaign({"one": _even_is_unsafe(first), "two": _even_is_unsafe(second)}, {"one": Counts(25)}, 25, 0, None)
    assert not first and len(second) == 25


def test_what_is_kept_is_read_as_it_was_written(tmp_path: Path) -> None:
    kept = ROOT / "bench" / "results" / "explicit.txt"
    write(tmp_path / "again.txt", read(kept))
    assert (tmp_path / "again.txt").read_text() == kept.read_text()


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "counts.txt").write_text("something else\n")
    with pytest.raises(ValueError, match="not a file of counts: something else"):
        read(tmp_path / "counts.txt")
