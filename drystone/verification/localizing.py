"""After a verdict FALSE: which lines could be changed so that the execution does not fail.

The program is read once more, as it is written: what the front end knows to be constant is computed there again, so that a
constant can be wrong.
"""

from __future__ import annotations

import msgspec

from drystone.base.deadline import Deadline
from drystone.counterexamples.confirmation import Confirmed, Readings
from drystone.counterexamples.replay import NotReplayed, replay, tidied
from drystone.frontend.load import load
from drystone.localization.block_by_block import ByBlock
from drystone.localization.correction_sets import Limits
from drystone.localization.localize import localize
from drystone.verification.messages import Doing, Known
from drystone.verification.options import Options, worker_count
from drystone.verification.result import Result
from drystone.verification.supervised import Tell


def localized(
    report: Result, confirmed: Confirmed, readings: Readings, options: Options, deadline: Deadline, tell: Tell
) -> Result:
    """The result, its counterexample with candidates for the fault."""
    tell(Known(report, False))  # should time run out now, the verdict is known
    tell(Doing("localizing the fault", {}))
    example = report.evidence.counterexample
    assert example is not None
    reading = readings.first if confirmed.program is readings.first.executed.program else readings.machine
    program = load(readings.files, reading.options, as_written=True).program
    replayed = tidied(confirmed.program, confirmed.replayed)
    try:
        replayed = replay(program, replayed.error, replayed.inputs)
    except NotReplayed:  # it asks for other inputs than the program that the engines know
        program = confirmed.program
    found = localize(program, replayed, Limits(), deadline, _by_block(options))
    evidence = msgspec.structs.replace(report.evidence, counterexample=msgspec.structs.replace(example, localization=found))
    return msgspec.structs.replace(report, evidence=evidence)


def _by_block(options: Options) -> ByBlock | None:
    """As it is asked for; blocks that have found the error localize it, too, in as many processes."""
    if options.localize_blocks is None and options.engine != "dss":
        return None
    is_inline = options.engine != "dss" or options.transport == "inline"
    return ByBlock(options.localize_blocks or "model", 1 if is_inline else worker_count(options))
