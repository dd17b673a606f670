"""Certificates as files, so that others can check them: `drystone verify --certificate`, `drystone check`; docs/certificates.md.

A file says what is claimed (the options that decide what the program is), for which texts, and the certificate itself. It chooses
nothing: what the program is, the command line says, and a file that claims something else is refused. Whatever else a file
contains, reading it ends in `NotACertificate`.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from drystone.base.version import __version__
from drystone.claims.certificates import Certificate, InductiveCertificate, KInductiveCertificate, ModularCertificate
from drystone.frontend.load import FrontendOptions
from drystone.frontend.source_text.texts import ReadUnit, UnitTexts, texts_of

FORMAT = "drystone certificate"
VERSION = 2


class NotACertificate(Exception):
    """The complete message for people, without the name of the file."""


_CLAIM = msgspec.defstruct(
    "Claim",
    [(field.name, field.type) for field in msgspec.structs.fields(FrontendOptions)],
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
)
"""How the texts are read, and what cannot be reached: the fields of `FrontendOptions`, all of them and no others."""


class CertificateFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: str = FORMAT
    version: int = VERSION
    drystone: str  # the version that found the proof
    claim: dict[str, Any]  # see `claimed_options`
    sources: list[UnitTexts]
    certificate: Certificate


class _Header(msgspec.Struct, frozen=True):
    format: str
    version: int


def certificate_text(read: list[ReadUnit], options: FrontendOptions, certificate: Certificate) -> str:
    claim = msgspec.structs.asdict(options)
    content = CertificateFile(drystone=__version__, claim=claim, sources=list(map(texts_of, read)), certificate=certificate)
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
        found = msgspec.json.decode(content, type=CertificateFile)
        claimed_options(found.claim)
        return found
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise NotACertificate(f"is not a certificate that can be checked: {problem}") from None


def claimed_options(claim: dict[str, Any]) -> FrontendOptions:
    """Raises msgspec.ValidationError unless it says all that there is to say, and nothing else."""
    return FrontendOptions(**msgspec.structs.asdict(msgspec.convert(claim, _CLAIM)))


def check_formulas(certificate: Certificate) -> None:
    """Raises NotACertificate unless all invariants are formulas."""
    if isinstance(certificate, (InductiveCertificate, KInductiveCertificate)):
        stated = [(each.conjuncts, f"invariant at {each.where}") for each in certificate.invariants]
    elif isinstance(certificate, ModularCertificate):
        stated = [(each.conjuncts, f"claim about {' and '.join(each.where)}") for each in certificate.claims]
    else:
        return
    for conjuncts, what in stated:
        try:
            conjuncts()
        except ValueError as problem:
            raise NotACertificate(f"its {what} cannot be read: {problem}") from None


def digest(file: str) -> str:
    return sha256(Path(file).read_bytes()).hexdigest()
