"""Proofs for any number of threads: claims about each thread and each two, which no step of any thread breaks.

Owicki, Gries 1976 ask for interference freedom of assertions of two threads; claims about two threads, with a third one that
interferes, can say more: who holds a lock excludes others. At first a claim about two threads only says whether they can be where
they are; if that is not enough, also how their variables are related.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from drystone.base.plurals import counted
from drystone.claims.certificates import ModularCertificate, PairClaim
from drystone.claims.property import error_marks
from drystone.claims.verdicts import Verdict
from drystone.engines.modular.abstraction import Abstraction, Detail
from drystone.engines.modular.houdini import Claims, Houdini, Unanswered
from drystone.engines.modular.runs import Runs
from drystone.engines.modular.situations import Situations
from drystone.engines.obstacles import Obstacle
from drystone.engines.outcome import EngineResult, ErrorVerdict, Progress
from drystone.engines.question import Question
from drystone.invariants.sampling import Constants
from drystone.ir import names
from drystone.logic import terms
from drystone.logic.packing import pack
from drystone.logic.printing import c_text
from drystone.logic.substitution import substitute
from drystone.logic.terms import Term
from drystone.logic.walks import reachable
from drystone.modular.steps import Steps
from drystone.passes.inline import MAX_EDGES, TooLarge
from drystone.threads.scalar_templates import Refused

_SOLVER = "bitwuzla"
_SHARE_OF_RUNS = 0.1  # of the time
_SHOWN = 8  # claims
_DETAILS = (Detail(False, False), Detail(True, False), Detail(True, True))


def answer(question: Question) -> EngineResult:
    """TRUE or UNKNOWN."""
    program = question.program
    if not program.has_threads:
        return EngineResult(Verdict.UNKNOWN, "the program has no threads")
    counters = {"queries": 0}
    try:
        result = _search(question, Steps(program, MAX_EDGES), counters)
    except TooLarge as problem:
        result = EngineResult(Verdict.UNKNOWN, str(problem), obstacle=Obstacle(too_large=problem.function))
    except Refused as problem:
        result = EngineResult(Verdict.UNKNOWN, f"no proof for any number of threads: {problem}")
    errors = tuple(ErrorVerdict(mark, result.verdict) for mark in error_marks(program))
    return msgspec.structs.replace(result, counters=counters, errors=errors)


def _search(question: Question, steps: Steps, counters: dict[str, int]) -> EngineResult:
    constants = Constants(reachable(list(_formulas(steps)))).anywhere
    runs = Runs(steps, question.settings.seed, constants)
    runs.run(question.deadline.within(question.deadline.remaining() * _SHARE_OF_RUNS))
    flags = _flags(steps, runs)
    left = ""
    for detail in _DETAILS:
        abstraction = Abstraction(constants, flags, detail)
        seen = {key: dict(rows) for key, rows in runs.rows.items()}
        tell = lambda queries: question.observer(Progress("claims", {"queries": queries}))  # noqa: E731
        houdini = Houdini(Situations(steps), seen, abstraction, question.deadline, seed=question.settings.seed, tell=tell)
        try:
            houdini.reach_fixed_point()
            left = houdini.reachable_bad()
            if not left:
                return _proved(steps, houdini.needed())
        except Unanswered:
            expired = question.deadline.expired()
            reason = "out of time" if expired else "a solver gave no answer"
            return EngineResult(Verdict.UNKNOWN, reason, obstacle=Obstacle(is_unanswered=not expired))
        finally:
            counters["queries"] += houdini.queries
    return EngineResult(Verdict.UNKNOWN, f"claims about pairs of threads do not exclude {left}")


def _formulas(steps: Steps) -> Iterator[Term]:
    for step in steps.steps.values():
        yield from (each.guard for each in step.bad)
        for way in step.ways:
            yield way.guard
            yield from way.values.values()


def _flags(steps: Steps, runs: Runs) -> dict[Term, list[int]]:
    """Global variables that are only assigned constants, as locks are, and the values that were seen of them."""
    assigned: dict[str, set[Term]] = {}
    for step in steps.steps.values():
        for way in step.ways:
            for name in way.values:
                assigned.setdefault(name, set()).update(_leaves(way.values[name]))
    found: dict[Term, list[int]] = {}
    for name in steps.globals():
        symbol = terms.state(name, steps.sorts[name])
        if all(each.operator == "const" or each is symbol for each in assigned.get(name, ())):
            places = [(key, runs.names(key).index(name)) for key in runs.rows if len(key) == 1]
            found[symbol] = sorted({row[position] for key, position in places for row in runs.rows[key]})
    return found


def _leaves(term: Term) -> set[Term]:
    return _leaves(term.arguments[1]) | _leaves(term.arguments[2]) if term.operator == "ite" else {term}


def _proved(steps: Steps, claims: Claims) -> EngineResult:
    stated = [
        PairClaim(list(key), [steps.where(place) for place in key], _text(formulas), pack(formulas))
        for key, formulas in claims.items()
    ]
    reason = f"by {counted(len(stated), 'claims')} about threads and pairs of threads, for any number of threads"
    shown = [f"{' and '.join(each.where)}: {' && '.join(each.text)}" for each in stated if each.text]
    return EngineResult(Verdict.TRUE, reason, certificate=ModularCertificate(stated, _SOLVER), explanation=tuple(shown[:_SHOWN]))


def _text(formulas: list[Term]) -> list[str]:
    found = []
    for formula in formulas:
        words = {symbol: _word(str(symbol.payload)) for symbol in terms.free_symbols(formula)}
        if not any(names.is_own(word) for word in words.values()):
            found.append(c_text(substitute(formula, {each: terms.state(word, each.sort) for each, word in words.items()})))
    return found


def _word(name: str) -> str:
    slot, bar, own = name.partition("|")
    return f"{names.local(own)}#{slot}" if bar else name
