"""What certificates claim. They are checked by `certificates.check`, which takes nothing from them but these claims.

Locations are those of the program with its calls inlined, recursion unrolled to `recursion` calls, static memory as variables,
before slicing.
"""

from __future__ import annotations

import msgspec

from drystone.logic.packing import unpack
from drystone.logic.terms import Term


class NothingToProve(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="nothing"):
    """The entry reaches no error location and no unknown location: there is none in the functions it calls."""


class SingleExecution(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="execution"):
    """Nothing that is chosen decides anything, so all executions are one; it takes `steps` edges and returns."""

    steps: int


class BoundedCertificate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="bounded"):
    """Executions pass at most `steps` cut points and nest at most `recursion` calls of a function; none ends in an error."""

    steps: int
    recursion: int
    found_by: str  # the solver


class Invariant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What holds whenever control is at a cut point."""

    location: int
    where: str  # for people: file:line
    text: list[str]  # for people: the conjuncts as C expressions
    packed: bytes

    def conjuncts(self) -> list[Term]:
        """Raises ValueError if these are no terms: certificates come from anywhere."""
        return unpack(self.packed, untrusted=True)


class InductiveCertificate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="inductive"):
    """The entry establishes the invariants, every block preserves them, and none lets an error be reached."""

    invariants: list[Invariant]
    recursion: int
    found_by: str
    is_forgetful: bool = False  # a hint: what is in memory should not matter


class KInductiveCertificate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="k-inductive"):
    """As `InductiveCertificate`, but what excludes an error is this: the first k blocks of an execution reach none, and no k
    successive blocks from any cut point reach the first one in the last of them."""

    k: int
    invariants: list[Invariant]
    recursion: int
    found_by: str


class ExploredCertificate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="explored"):
    """The program, with at most `recursion` nested calls of a function and threads that are created in one place, has about
    `states` states between its steps, and none of these is an error. A check finds them all again."""

    states: int
    recursion: int
    variables: list[str] | None = None
    """Which ones, and which regions of memory, tell states apart; all others may be anything. None: all that matter."""


class StatedContract(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a recursive procedure requires of its calls, and ensures when it returns."""

    procedure: str
    requires: list[str]  # for people, as C expressions
    ensures: list[str]
    packed_requires: bytes
    packed_ensures: bytes

    def conjuncts(self) -> tuple[list[Term], list[Term]]:
        """Raises ValueError if these are no terms."""
        return unpack(self.packed_requires, untrusted=True), unpack(self.packed_ensures, untrusted=True)


class ContractsCertificate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="contracts"):
    """The proof is one of the program in which these contracts stand for the procedures (passes/contracts.py)."""

    contracts: list[StatedContract]
    proof: BoundedCertificate | InductiveCertificate | KInductiveCertificate


class PairClaim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What holds whenever a thread is at a place, or two threads are at two places, the smaller one first."""

    places: list[int]  # of the threads' templates (threads/templates.py)
    where: list[str]  # for people: file:line of each
    text: list[str]  # for people: the conjuncts as C expressions, with `x#1` and `x#2` for variables of the threads
    packed: bytes

    def conjuncts(self) -> list[Term]:
        """Raises ValueError if these are no terms."""
        return unpack(self.packed, untrusted=True)


class ModularCertificate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="modular"):
    """However many threads there are: the start establishes the claims, every step of a thread preserves those about itself,
    about others and about threads that it creates, and none lets an error be reached."""

    claims: list[PairClaim]
    found_by: str


Certificate = (
    NothingToProve
    | SingleExecution
    | BoundedCertificate
    | InductiveCertificate
    | KInductiveCertificate
    | ExploredCertificate
    | ContractsCertificate
    | ModularCertificate
)


def kind_of(certificate: Certificate) -> str:
    """The kind of a certificate is the tag of its struct."""
    return str(certificate.__struct_config__.tag)
