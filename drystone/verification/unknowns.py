"""Why a verdict is UNKNOWN and what to do about it, in words for C developers."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from drystone.base.plurals import counted
from drystone.concrete.inputs import Event
from drystone.engines.obstacles import Met, Obstacle, UndefinedSeen
from drystone.frontend.user_places import UserPlace, user_place
from drystone.ir.automaton import Mark, Program, Unmodelled
from drystone.ir.loops import loop_heads
from drystone.passes.inline import MAX_EDGES, TooLarge
from drystone.pipeline import PreparedProgram
from drystone.verification.result import UndefinedReport, UnmodelledReport

_SHOWN_LOOPS = 3


class Unknown(msgspec.Struct, frozen=True):
    """The fields of a `Result` that say why it is UNKNOWN."""

    reason: str
    cause: str
    hint: str = ""
    unmodelled: UnmodelledReport | None = None


class Limit(msgspec.Struct, frozen=True):
    """What has run out, if something has."""

    is_reached: bool
    seconds: float
    is_counted: bool = False  # of counted work

    @property
    def words(self) -> str:
        amount = f"{round(self.seconds, 1):g} s"
        return f"the counted work of {amount} is done" if self.is_counted else f"out of time after {amount}"

    @property
    def longer(self) -> str:
        return "a larger --counted" if self.is_counted else "a longer --timeout"


def undecided(prepared: PreparedProgram, engine: str, obstacle: Obstacle, limit: Limit, otherwise: str) -> Unknown:
    """Why the engines have found nothing. `otherwise`: what they say themselves, should there be no better words."""
    if obstacle.met is not None and (obstacle.is_final or not obstacle.met.mark.is_bound):
        return _unmodelled(prepared.program, obstacle.met, obstacle.is_final, limit)
    if obstacle.met is not None:
        return _recursion(prepared.program, obstacle.met, limit)
    cause = "time" if limit.is_reached else "memory" if obstacle.is_out_of_memory else "engine"
    hint = limit.longer if limit.is_reached else f"another --engine, or {limit.longer}"
    if engine in _PARTIAL:
        hint = f"--engine auto, or {limit.longer}"
    if obstacle.is_out_of_memory:
        hint = f"a larger --memory, or {limit.longer}"
    if obstacle.unconfirmed is not None:
        mark = obstacle.unconfirmed
        what = f"{mark.what} ({prepared.program.where(mark.origin)}) may fail, but no inputs were found with which it does"
        return Unknown(f"{limit.words}: {what}" if limit.is_reached else what, cause, hint)
    done = _done(prepared, engine, obstacle)
    if not done and not limit.is_reached:
        return Unknown(otherwise, cause, hint)
    if limit.is_reached:
        return Unknown(f"{limit.words}: {' and '.join(done)}" if done else limit.words, cause, hint)
    return Unknown(" and ".join(done), cause, hint)


def no_execution_gets_past(program: Program, mark: Mark) -> Unknown:
    """There is no error but behind what is not modelled here."""
    return _unmodelled(program, Met(mark), True, Limit(False, 0.0))


def unchecked(problem: str) -> Unknown:
    """There is a proof, and no valid certificate."""
    what = f"its check did not succeed: {problem}" if problem else "it has no certificate that could be checked"
    return Unknown(f"a proof was found, but {what}", "certificate", "a longer --timeout; or --uncertified, to trust the engine")


def undefined_report(program: Program, event: Event | UndefinedSeen) -> UndefinedReport:
    place = user_place(program, event.origin, event.calls)
    what = f"{event.what} in {place.function}()" if place.function else event.what
    return UndefinedReport(what, *program.place(place.origin))


def _unmodelled(program: Program, met: Met, is_final: bool, limit: Limit) -> Unknown:
    mark, place = met.mark, user_place(program, met.mark.origin, met.calls)
    kind, name = (Unmodelled.LIBRARY, place.function) if place.function else (mark.unmodelled, mark.name)
    if is_final:
        reason = f"the analysis ends in every execution at {_subject(kind, name, mark.what)} ({place.text(program)})"
    else:
        reason = f"the verdict depends on {_subject(kind, name, mark.what)} ({place.text(program)})"
        reason += f"; no error was found elsewhere, {limit.words}" if limit.is_reached else ""
    file, line = program.place(place.origin)
    report = UnmodelledReport(kind.value, name, mark.what, file, line)
    return Unknown(reason, "time" if limit.is_reached and not is_final else "unsupported", _hint(kind, name), report)


def _subject(kind: Unmodelled, name: str, what: str) -> str:
    match kind:
        case Unmodelled.BODY:
            return f"{name}(), which has no body"
        case Unmodelled.LIBRARY:
            return f"a call of {name}() that is not modelled"
        case Unmodelled.BUILTIN:
            return f"{name}, a builtin that is not modelled"
        case Unmodelled.ASSEMBLY:
            return "inline assembly that is not modelled"
        case Unmodelled.VOLATILE:
            return f"{name}, which may change at any time"
        case Unmodelled.THREADS:
            return f"{name}(): {what}" if name else what
        case _:
            return f"what is not modelled: {what}"


def _hint(kind: Unmodelled, name: str) -> str:
    match kind:
        case Unmodelled.BODY:
            return f"add the file that defines {name}, or write a stub; --external pure, if it only returns a value"
        case Unmodelled.LIBRARY:
            return f"write a function {name} of your own that does what this program needs"
        case Unmodelled.BUILTIN:
            return f"write a function for it, and put it there with -D {name}=FUNCTION"
        case Unmodelled.ASSEMBLY:
            return "write in C what it does, for instance under an #ifdef that -D selects"
        case Unmodelled.VOLATILE:
            return "--volatile memory, if only the program changes it"
        case Unmodelled.THREADS:
            return "verify what a single thread does: --entry FUNCTION"
        case _:
            return "write it in another way, or begin elsewhere: --entry FUNCTION"


def _recursion(program: Program, met: Met, limit: Limit) -> Unknown:
    """An engine that unrolls recursion has come to its bound."""
    mark = met.mark
    if mark.unmodelled is Unmodelled.THREADS:
        reason = f"there may be {mark.what} ({program.where(mark.origin)}); no error was found with as many"
        hint = "bound their number"
        if not limit.is_reached:
            return Unknown(reason, "threads", hint)
        return Unknown(f"{limit.words}: {reason}", "time", f"{hint}; or {limit.longer}")
    depth = sum(call.function == mark.name for call in met.calls)
    place = user_place(program, mark.origin, met.calls)
    bound = f"{counted(depth, 'calls')}" if depth else "was looked at"
    reason = f"{mark.name}() calls itself ({place.text(program)}), perhaps deeper than {bound}; no error was found up to there"
    hint = "bound the depth by an assumption about its arguments (__VERIFIER_assume), or write a loop"
    if not limit.is_reached:
        return Unknown(reason, "recursion", hint)
    return Unknown(f"{limit.words}: {reason}", "time", f"{hint}; or {limit.longer}")


_PARTIAL = frozenset(("execute", "bmc", "contracts", "modular"))  # only find errors, or prove only some programs
_SEEKING_INVARIANTS = frozenset(("auto", "dss", "dss without memory", "k-induction"))


def _done(prepared: PreparedProgram, engine: str, obstacle: Obstacle) -> list[str]:
    """What has been done without success."""
    found = []
    if obstacle.too_large:
        found.append(f"the program is too large with a copy of each function per call, most of all {obstacle.too_large}()")
    if obstacle.checked:
        found.append(f"no error is reached within {counted(obstacle.checked, 'loop iterations')}")
    elif obstacle.runs:
        found.append(f"{counted(obstacle.runs, 'executions')} did not reach the error")
    loops = _loops(prepared) if engine in _SEEKING_INVARIANTS else []
    if loops:
        found.append(f"no invariant that excludes the error was found for {_enumerated(prepared.program, loops)}")
    elif obstacle.is_unanswered:
        found.append("a solver gave no answer")
    return found


def _enumerated(program: Program, loops: Sequence[UserPlace]) -> str:
    texts = list(dict.fromkeys(_loop(program, each) for each in loops))
    shown, more = texts[:_SHOWN_LOOPS], len(texts) - _SHOWN_LOOPS
    return f"the {'loop' if len(texts) == 1 else 'loops'} {', '.join(shown)}" + (f" and {more} more" if more > 0 else "")


def _loop(program: Program, place: UserPlace) -> str:
    return f"{f'in {place.function}() called ' if place.function else ''}at {place.text(program)}"


def _loops(prepared: PreparedProgram) -> list[UserPlace]:
    """Those that matter to the error; none, if the program is too large to tell."""
    try:
        flat = prepared.flat(recursion_bound=1, max_edges=MAX_EDGES, sliced=True).program
    except TooLarge:
        return []
    procedure = flat.procedures[flat.entry]
    outgoing, found = procedure.outgoing(), []
    for head in sorted(loop_heads(procedure)):
        origin = next((edge.origin for edge in outgoing[head] if edge.origin.file >= 0), None)
        if origin is not None:
            found.append(user_place(prepared.program, origin, procedure.open_calls(head)))
    return sorted(found, key=lambda place: (place.origin.file, place.origin.line))
