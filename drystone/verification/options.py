"""What can be said about a program and its verification: frozen values, which the command line makes from its words.

The names are those of the command line: `error_function` is --error-function there. What contradicts itself or names what is not
there ends in a `Refusal`, in the words of the command line.
"""

from __future__ import annotations

import os
from typing import Annotated, Literal

import msgspec

from drystone.base.refusal import Refusal
from drystone.engines.registry import AUTO, WITH_HOSTS

LARGEST = (1 << 63) - 1  # that processes can tell each other

Seconds = Annotated[float, msgspec.Meta(gt=0)]
Bytes = Annotated[int, msgspec.Meta(gt=0, le=LARGEST)]
Count = Annotated[int, msgspec.Meta(ge=1, le=LARGEST)]


DATA_RACE_CHECK = "data-race"

OPTION_WORDS = {
    "asserting": "--assert",
    "checks": "--check",
    "include_directories": "-I",
    "defines": "-D",
    "undefines": "-U",
    "include_files": "-include",
    "system_directories": "-isystem",
}
"""How the command line calls fields, where it is not --name-of-the-field."""


class ProgramOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the program is, as far as it is said. None: as a task definition or property file says, otherwise the default."""

    data_model: Literal["ILP32", "LP64"] | None = None  # by default LP64
    include_directories: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()  # macros, NAME or NAME=VALUE
    undefines: tuple[str, ...] = ()  # macros that are not defined, also if the compiler or a compile_commands.json defines them
    include_files: tuple[str, ...] = ()  # read before each file
    system_directories: tuple[str, ...] = ()  # as -isystem DIR: searched after the other ones
    std: str | None = None  # the version of C, by default gnu11
    entry: str | None = None  # where execution starts, by default main
    error_function: str | None = None  # whose call is the error; by default reach_error and what else docs/soundness.md says
    asserting: tuple[str, ...] = ()  # --assert: more functions whose first argument must hold
    property: str | None = None  # a property file
    check: tuple[str, ...] | None = None
    """What else is an error: names of `drystone.checks.registry`, `CHECKS` and `GROUPS`. Or `data-race`, instead of failed
    assertions. None: nothing else for a task or with `error_function`; for other programs, `DEFAULT` where they are verified."""
    compile_commands: str | None = None  # a compile_commands.json, from which each file's options are taken
    undefined: Literal["any", "machine"] | None = None
    """What an undefined operation gives: `any` value, the default, or what gcc's code gives on the `machine`."""
    external: Literal["pure", "havoc"] | None = None
    """Functions without a body: `pure`, they only return any value, the default for tasks; `havoc`, they may also write what they
    are given, the default for other programs."""
    volatile: Literal["memory", "input"] | None = None
    """A read of a volatile object gives what is in `memory`, the default for tasks, or any value, an `input`, for others."""
    unwind: Count | None = None
    """How often a loop is executed at most, and how deeply calls are nested; executions that go on are not looked at, which every
    result says."""


class Options(ProgramOptions, frozen=True, kw_only=True):
    """How a program is verified; a limit that is None does not hold."""

    engine: str = "auto"
    timeout: Seconds | None = None  # seconds of wall time
    memory: Bytes | None = None  # bytes, of all processes together
    counted: Seconds | None = None  # seconds of work that is counted, the same each time, instead of time
    seed: Annotated[int, msgspec.Meta(ge=0, le=LARGEST)] = 0  # of everything that is random
    workers: Count | None = None  # processes; None: one per core, or per CPU of the cluster
    candidates: tuple[str, ...] | None = None  # sources of candidate invariants; None: all
    uncertified: bool = False  # accept a proof whose certificate was not checked
    all: bool = False  # look for an execution to every error, not only to one
    vacuity: Literal["off", "warn", "error"] | None = None
    """A proof about assertions that no execution reaches: `warn`, the default for programs; `error`, the verdict is UNKNOWN;
    `off`, the default for tasks."""
    is_told: bool = False  # keep what blocks tell each other and when, for a report
    replay: Literal["interpreter", "native"] = "interpreter"  # `native`: a violation is also compiled and run
    no_native: bool = False  # never run the program itself, compiled
    dump_smt: str | None = None  # folder for the queries of this process and its copies, as SMT-LIB files
    certificate: str | None = None  # file for the proof, if the verdict is TRUE
    witness: str | None = None  # file for the proof or the violation, in the format of SV-COMP
    localize: bool = False  # for a violation: which lines could be changed so that the execution does not fail
    localize_blocks: Literal["model", "true"] | None = None  # also block by block, with this as the precondition of a block
    harness: str | None = None  # file for the C text that repeats a violation; with replay `native`

    # of the engine auto
    strategy: str | None = None  # file that says which engines take turns; None: as the program's features say

    # of the engines predicate, tree and bmc
    encoding: Literal["single", "large", "large+"] | None = None  # what a step is; None: from loop head to loop head
    blk: str = "loops"  # predicate: where abstractions are computed, or edge, every:N, function

    # of the engines interleaving, predicate and tree
    abstraction: Literal["explicit", "predicates", "boolean", "cartesian"] | None = None
    """Of interleaving `explicit`, the default, or `predicates`; of predicate and tree `boolean`, the default, or `cartesian`."""

    # of the engine tree
    selection: Literal["predictable", "naive"] = "predictable"  # which counterexample is refined

    # of the engine value
    maxenum: Count = 64  # values of an input, or of a variable behind a branch, that are tried one by one

    # of the engine interleaving
    reduction: Literal["none", "por", "coi", "coi-por", "por-coi"] = "coi-por"

    # of the engine dcpa
    domain: str = "predicates"  # what workers say of states
    direction: Literal["both", "forward", "backward"] = "both"
    switches: tuple[str, ...] = ()  # what it does in another way
    max_states: Count | None = None  # that are kept apart where blocks meet; None: as the domain has it

    # of the engine dss, and of dcpa
    decomposition: str = "loops"
    summaries: str = "lemmas"
    start: Literal["top", "bottom"] = "top"  # predicates: what a block assumes before it is told anything
    max_cubes: Count = 16  # predicates: of a postcondition
    instantiation: Literal["context-aware", "context-free"] = "context-aware"  # predicates: or each block by itself
    precedence: Literal["errors", "postconditions"] | None = None  # what blocks take first; None: dcpa errors, dss postconditions
    transport: Literal["inline", "processes"] | None = None  # None: inline with one worker
    cluster: str | None = None  # address of a Ray cluster
    predictable: bool = False  # the same run for any number of workers
    routing: Literal["star", "broadcast"] = "star"  # messages go to the blocks that need them, or to all
    compress: bool = False
    record: str | None = None  # file for the messages between blocks, or of master and workers
    trace: str | None = None  # file for what each block did when


class CheckOptions(ProgramOptions, frozen=True, kw_only=True):
    """How a certificate is checked; a limit that is None does not hold."""

    timeout: Seconds | None = None  # seconds of wall time
    memory: Bytes | None = None  # bytes, of all processes together
    solver: str | None = None  # None: first the one that did not find the proof
    jobs: Count = 1  # processes that share the work


class ValidateOptions(ProgramOptions, frozen=True, kw_only=True):
    """How a witness is validated; a limit that is None does not hold."""

    timeout: Seconds | None = None  # seconds of wall time
    memory: Bytes | None = None  # bytes, of all processes together
    workers: Count | None = None  # processes; None: one per core
    no_native: bool = False  # never run the program itself, compiled


def is_race_asked(options: ProgramOptions) -> bool:
    return DATA_RACE_CHECK in (options.check or ())


def worker_count(options: Options) -> int:
    """Processes on this machine that work at a time."""
    cores = len(os.sched_getaffinity(0))
    if options.counted is not None:
        return 1
    return (options.workers or cores) if options.cluster is None else min(options.workers or cores, cores)


def reject_contradictions(options: Options) -> None:
    """What cannot be meant, whatever the program is."""
    if options.no_native and options.replay == "native":
        raise Refusal("--replay native runs the program, which --no-native forbids: use one of them")
    if options.all and is_race_asked(options):
        raise Refusal("--all tells failed assertions apart, and data races are one property: use one of them")
    if options.harness is not None and options.replay != "native":
        raise Refusal("--harness keeps what --replay native makes: use both")
    if options.all and (options.record is not None or options.trace is not None):
        raise Refusal("--all looks at the program several times, and --record and --trace are about one: use one of them")
    if options.engine == "dcpa" and options.record is not None:
        raise Refusal("--record is about summaries of blocks, or a tree: use --engine dss or tree")
    if options.engine == "tree":
        for name, is_set in (
            ("--predictable", options.predictable),
            ("--routing", options.routing != "star"),
        ):
            if is_set:
                raise Refusal(f"{name} is about blocks and their messages: use --engine dss")
        if options.trace is not None:
            raise Refusal("--trace is about blocks; a recording of a tree has all times: use --record")
    if options.engine not in WITH_HOSTS:
        for name, is_set in (
            ("--record", options.record is not None),
            ("--trace", options.trace is not None),
            ("--transport", options.transport is not None),
            ("--cluster", options.cluster is not None),
            ("--predictable", options.predictable),
            ("--routing", options.routing != "star"),
            ("--compress", options.compress),
            ("--precedence", options.precedence is not None),
        ):
            if is_set:
                raise Refusal(f"{name} is about blocks and their messages: use --engine dss")
    if options.strategy is not None and options.engine != AUTO:
        raise Refusal(f"--strategy says itself which engines take turns: use --engine {AUTO}")
    if options.engine != "interleaving" and options.reduction != Options().reduction:
        raise Refusal("--reduction is about interleavings of threads: use --engine interleaving")
    if options.engine != "dcpa":
        for name in ("domain", "direction", "switches", "max_states"):
            if getattr(options, name) != getattr(Options(), name):
                raise Refusal(f"--{name.replace('_', '-')} is about distributed analyses: use --engine dcpa")
    _reject_of_other_analyses(options)
    for name in ("start", "max_cubes", "instantiation"):
        if getattr(options, name) != getattr(Options(), name) and (options.engine, name) != ("dcpa", "start"):
            _reject_of_other_summaries(options.summaries, name)
    if options.counted is not None:
        _reject_several_processes(options)
    if options.transport is not None and options.cluster is not None:
        raise Refusal("--cluster says where the blocks live, and so does --transport: use one of them")


def _reject_of_other_analyses(options: Options) -> None:
    """What an abstraction, a block and a step are, says the engine."""
    if options.abstraction is not None:
        engines = ("predicate", "tree") if options.abstraction in ("boolean", "cartesian") else ("interleaving",)
        if options.engine not in engines:
            raise Refusal(f"--abstraction {options.abstraction} is one of --engine {' or '.join(engines)}: use that")
    if options.encoding is not None and options.engine not in ("predicate", "tree", "bmc"):
        raise Refusal("--encoding is about the steps of an analysis: use --engine predicate, tree or bmc")
    if options.selection != Options().selection and options.engine != "tree":
        raise Refusal("--selection is about which counterexample is refined: use --engine tree")
    if options.maxenum != Options().maxenum and options.engine != "value":
        raise Refusal("--maxenum is about values that are tried one by one: use --engine value")
    if options.blk != Options().blk:
        if options.engine != "predicate":
            raise Refusal("--blk is about where predicates are looked at: use --engine predicate")
        from drystone.engines.predicate import is_blk

        if not is_blk(options.blk):
            raise Refusal(f"--blk {options.blk} is none of edge, every:N, loops, function")


def _reject_of_other_summaries(summaries: str, name: str) -> None:
    """What only some domains know."""
    from drystone.engines.dss.registry import SUMMARIES, domain_of

    if name not in domain_of(summaries).takes:
        other = next(other for other in SUMMARIES if name in domain_of(other).takes)
        raise Refusal(f"--{name.replace('_', '-')} is about {SUMMARIES[other].about}: use --summaries {other}")


def _reject_several_processes(options: Options) -> None:
    """Who does what first among several processes is not counted."""
    if options.engine in ("auto", "execute"):
        raise Refusal(f"--counted is about an engine in one process, and {options.engine} has others: use another --engine")
    if options.cluster is not None or options.transport == "processes" or (options.workers or 1) > 1:
        raise Refusal("--counted is about work in one process: use one worker, and blocks inline")
