"""Packed terms with and without zstd: with the library, without it, and across the two."""

from __future__ import annotations

import sys
import zlib
from types import ModuleType

import pytest

from drystone.logic.packing import digest, pack, unpack
from tests.logic.test_terms import random_terms

LIBRARIES = ("compression.zstd", "zstandard")
TERMS = random_terms(7, 300)


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> None:
    """No module of this name can be imported."""
    for name in LIBRARIES:
        monkeypatch.setitem(sys.modules, name, None)


@pytest.fixture(params=LIBRARIES)
def present(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, absent: None) -> ModuleType:
    """Only one of the two libraries; another compression stands in where it is not installed."""
    monkeypatch.delitem(sys.modules, request.param)
    try:
        return __import__(request.param, fromlist=["compress"])
    except ImportError:
        library = ModuleType(request.param)
        library.compress, library.decompress = zlib.compress, zlib.decompress  # type: ignore[attr-defined]
        if "." in request.param:
            monkeypatch.setitem(sys.modules, request.param.partition(".")[0], ModuleType(request.param.partition(".")[0]))
        monkeypatch.setitem(sys.modules, request.param, library)
        return library


def test_compressed_where_the_library_is(present: ModuleType) -> None:
    plain, compressed = pack(TERMS), pack(TERMS, compress=True)
    assert plain[:1] == b"\0" and compressed[:1] == b"\1" and len(compressed) < len(plain)
    assert present.decompress(compressed[1:]) == plain[1:]
    assert unpack(compressed) == unpack(plain) == TERMS


def test_plain_where_it_is_not(absent: None) -> None:
    assert pack(TERMS, compress=True) == pack(TERMS)
    assert unpack(pack(TERMS, compress=True)) == TERMS


def test_the_reason_is_said_where_compressed_terms_cannot_be_read(present: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    compressed = pack(TERMS, compress=True)
    for name in LIBRARIES:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ValueError, match="packed with zstd, which this Python does not have"):
        unpack(compressed)


def test_compressed_bytes_that_are_broken_are_rejected(present: ModuleType) -> None:
    compressed = pack(TERMS, compress=True)
    for broken in (compressed[:1], compressed[: len(compressed) // 2], b"\1" + present.compress(b"no graph")):
        with pytest.raises(ValueError, match="no packed terms"):
            unpack(broken)


def test_the_digest_does_not_depend_on_the_library(present: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    with_library = digest(TERMS)
    for name in LIBRARIES:
        monkeypatch.setitem(sys.modules, name, None)
    assert digest(TERMS) == with_library
