"""Certificates as files, so that others can check them: `drystone verify --certificate`, `drystone check`; docs/certificates.md.

A file says what is claimed (the options that decide what the program is), for which texts (for information: the check reads the
texts it is given), and the certificate itself. Whatever else a file contains, reading it ends in `NotACertificate`.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import msgspec

from drystone import __version__
from drystone.frontend.load import FrontendOptions
from drystone.program.proofs import Certificate, InductiveCertificate, KInductiveCertificate

FORMAT = "drystone certificate"
VERSION = 1


class NotACertificate(Exception):
    """The complete message for people, without the name of the file."""


class Claim(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the texts are read, and what cannot be reached: the fields of `FrontendOptions`, all of them."""

    data_model: str
    entry: str
    error_function: str | None  # None: reach_error and its kin, docs/soundness.md
    std: str
    defines: tuple[str, ...]
    include_directories: tuple[str, ...]
    compile_commands: str | None

    def options(self) -> FrontendOptions:
        return FrontendOptions(**msgspec.structs.asdict(self))


class Source(msgspec.Struct, frozen=True, kw_only=True):
    file: str
    sha256: str


class CertificateFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: str = FORMAT
    version: int = VERSION
    drystone: str  # the version that found the proof
    claim: Claim
    sources: list[Source]
    certificate: Certificate


class _Header(msgspec.Struct, frozen=True):
    format: str
    version: int


def certificate_text(files: list[str], options: FrontendOptions, certificate: Certificate) -> str:
    claim = Claim(**msgspec.structs.asdict(options))
    sources = [Source(file=file, sha256=digest(file)) for file in files]
    content = CertificateFile(drystone=__version__, claim=claim, sources=sources, certificate=certificate)
    return msgspec.json.format(msgspec.json.encode(content), indent=1).decode() + "\n"


def read_certificate(content: bytes) -> CertificateFile:
    """What the file says; its formulas are read by `check_formulas`."""
    try:
        header = msgspec.json.decode(content, type=_Header)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise NotACertificate(f"is not a certificate: {problem}") from None
    if header.format != FORMAT:
        raise NotACertificate(f"is not a certificate: its format is {header.format!r}, not {FORMAT!r}")
    if header.version != VERSION:
        raise NotACertificate(f"is a certificate of version {header.version}; this drystone reads version {VERSION}")
    try:
        return msgspec.json.decode(content, type=CertificateFile)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise NotACertificate(f"is not a certificate that can be checked: {problem}") from None


def check_formulas(certificate: Certificate) -> None:
    """Raises NotACertificate unless all invariants are formulas."""
    if not isinstance(certificate, (InductiveCertificate, KInductiveCertificate)):
        return
    for invariant in certificate.invariants:
        try:
            invariant.conjuncts()
        except ValueError as problem:
            raise NotACertificate(f"its invariant at {invariant.where} cannot be read: {problem}") from None


def digest(file: str) -> str:
    return sha256(Path(file).read_bytes()).hexdigest()


def other_texts(sources: list[Source], files: list[str]) -> list[str]:
    """Those of the files that the certificate was not made for."""
    known = {source.sha256 for source in sources}
    return [file for file in files if digest(file) not in known]
