"""Options of `drystone verify`."""

from __future__ import annotations

import argparse

from drystone.cli.help import Parser
from drystone.cli.options.shared import add_limit_options, add_program_options
from drystone.cli.options.values import duration, natural, port, positive, sources, switches


def add_verify_options(verify: Parser) -> None:
    add_program_options(verify)
    add_analysis_options(verify)
    add_limit_options(verify)
    _add_counted_limit(verify)
    _add_output_options(verify)
    _add_distribution_options(verify)
    add_trust_options(verify)
    verify.add_argument("--harness", metavar="FILE", help="with --replay native: keep the C file that repeats the execution")


def add_analysis_options(verify: Parser) -> None:
    """Who looks at the program, and how."""
    _add_engine_options(verify)
    _add_predicate_options(verify)
    _add_distributed_analysis_options(verify)
    verify.add_argument("--seed", type=natural, default=0, metavar="N", help="of everything that is random, default 0")


def _add_engine_options(verify: Parser) -> None:
    from drystone.base.registry import told
    from drystone.blocks.registry import ABOUT
    from drystone.engines.dcpa.registry import DOMAINS, SWITCHES
    from drystone.engines.dss.registry import SUMMARIES
    from drystone.engines.registry import AUTO, ENGINES
    from drystone.invariants.registry import SOURCES

    verify.add_argument("--engine", choices=ENGINES, default=AUTO, help=f"which one looks at the program; default {AUTO}")
    turns = "which engines take turns, with which options and how much of the time, a line for each (docs/strategies.md)"
    verify.add_argument("--strategy", metavar="FILE", help=f"with --engine {AUTO}: {turns}; default: as the program suggests")
    candidates = "sources of candidate invariants, as in affine,guards, or none; default all"
    verify.add_argument("--candidates", type=sources, metavar="LIST", help=candidates)
    cuts = "how dss and dcpa cut the program into blocks; default loops; with dcpa several, one for each domain"
    verify.add_argument("--decomposition", metavar="KIND", default="loops", help=cuts)
    kinds_of_summaries = "what the blocks of dss tell each other; default lemmas"
    verify.add_argument("--summaries", metavar="KIND", default="lemmas", help=kinds_of_summaries)
    kept = (
        "what interleaving keeps of states: values of variables (explicit, the default), or truth values of predicates; what "
        "predicate and tree keep: all combinations of predicates (boolean, the default), or each by itself (cartesian)"
    )
    verify.add_argument("--abstraction", choices=["explicit", "predicates", "boolean", "cartesian"], help=kept)
    reductions = (
        "what interleaving leaves out: some orders of threads (por), statements that nobody observes (coi), both (coi-por, the "
        "default), or both and then more orders, as if these statements were not there (por-coi)"
    )
    kinds_of_reduction = ["none", "por", "coi", "coi-por", "por-coi"]
    verify.add_argument("--reduction", choices=kinds_of_reduction, default="coi-por", help=reductions)
    computed = "where predicate computes abstractions: edge, every:N, function or loops; always at loop heads; default loops"
    verify.add_argument("--blk", metavar="KIND", default="loops", help=computed)
    steps = "a step of predicate, tree or bmc is an edge, or a large block; default: all ways from a loop head to the next ones"
    verify.add_argument("--encoding", choices=["single", "large", "large+"], help=steps)
    selections = (
        "which counterexample tree refines: the least of the shortest (predictable, the default), or the first that is found, "
        "perhaps another one each time (naive)"
    )
    verify.add_argument("--selection", choices=["predictable", "naive"], default="predictable", help=selections)
    tried = "with --engine value: an input, or a variable, of which so many values are possible is tried with each; default 64"
    verify.add_argument("--maxenum", type=positive, default=64, metavar="N", help=tried)
    verify.lists = {
        **verify.lists,
        "engines": told(ENGINES),
        "sources of candidate invariants": told(SOURCES),
        "decompositions": ABOUT,
        "summaries": told(SUMMARIES),
        "domains": told(DOMAINS),
        "switches": SWITCHES,
    }


def _add_predicate_options(verify: argparse.ArgumentParser) -> None:
    with_predicates = "with --summaries predicates:"
    verify.add_argument(
        "--start",
        choices=["top", "bottom"],
        default="top",
        help=f"{with_predicates} what a block assumes before it is told anything, all states (default) or none; also of dcpa",
    )
    verify.add_argument(
        "--max-cubes",
        type=positive,
        default=16,
        metavar="N",
        help=f"{with_predicates} of a postcondition, default 16; beyond, it becomes a conjunction",
    )
    verify.add_argument(
        "--instantiation",
        choices=["context-aware", "context-free"],
        default="context-aware",
        help=f"{with_predicates} each block is told what others know (default), or is verified by itself, from any state",
    )


def _add_distributed_analysis_options(verify: argparse.ArgumentParser) -> None:
    with_dcpa = "with --engine dcpa:"
    said = (
        "what blocks say of states, default predicates; several, as in values,predicates: side by side, and what the first find "
        "helps the last"
    )
    verify.add_argument("--domain", metavar="NAME", default="predicates", help=f"{with_dcpa} {said}")
    verify.add_argument(
        "--direction",
        choices=["both", "forward", "backward"],
        default="both",
        help=f"{with_dcpa} analyse forwards and backwards (default), or only one of them; forwards finds no bugs",
    )
    verify.add_argument(
        "--switches", type=switches, default=(), metavar="LIST", help=f"{with_dcpa} what it does in another way; default none"
    )
    verify.add_argument(
        "--max-states",
        type=positive,
        metavar="N",
        help=f"{with_dcpa} of one postcondition, that are kept apart; beyond, they are joined; default 1, with values 16",
    )


def _add_counted_limit(verify: argparse.ArgumentParser) -> None:
    counted = (
        "limit the engine by its work, as much as takes about TIME, instead of by the clock, in one process: the same run, with "
        "the same counters, each time; --timeout ends it all the same"
    )
    verify.add_argument("--counted", type=duration, metavar="TIME", help=counted)


def _add_output_options(verify: argparse.ArgumentParser) -> None:
    verify.add_argument("--certificate", metavar="FILE", help="for TRUE: write the proof, for `drystone check`")
    for_others = "for TRUE and FALSE: write a witness for other tools, in the format 2.0 of SV-COMP"
    verify.add_argument("--witness", metavar="FILE", help=for_others)
    of_errors = "write a result for each error location, as SARIF 2.1.0, for editors and servers"
    verify.add_argument("--sarif", metavar="FILE", help=of_errors)
    verify.add_argument("--report", metavar="FILE", help="write an HTML file to look at: the verdict, and why, beside the source")
    served = "show the report in a browser while the run goes on, at an address that is told, for this machine alone"
    verify.add_argument("--serve", type=port, nargs="?", const=0, metavar="PORT", help=served)
    which = "for FALSE: tell which lines could be changed so that the execution does not fail, the most suspicious first"
    verify.add_argument("--localize", action="store_true", help=which)
    each = "the same, and also block by block, each for itself; before a block, values are those of the execution, or any (true)"
    verify.add_argument("--localize-blocks", choices=["model", "true"], help=each)
    verify.add_argument("--dump-smt", metavar="DIR", help="keep each query with its answer, as an SMT-LIB file")
    verify.add_argument(
        "--record",
        metavar="FILE",
        help="with --engine dss or tree: keep all messages, for `drystone repeat`; of tree, also for `drystone trace`",
    )
    verify.add_argument(
        "--explain",
        action="store_true",
        help="show what the engines tried: invariants, bounds, blocks; and what proved it or failed",
    )


def _add_distribution_options(verify: argparse.ArgumentParser) -> None:
    """Where blocks and engines run, and what goes between them."""
    workers = (
        "processes: for blocks with dss or dcpa, for states with tree or explicit, for engines side by side with auto; "
        "default: one per core, or CPU of the cluster"
    )
    verify.add_argument("--workers", type=positive, metavar="N", help=workers)
    verify.add_argument(
        "--transport",
        choices=["inline", "processes"],
        help="with --engine dss, dcpa or tree: blocks or workers in one process, or in several; default: inline with one worker",
    )
    cluster = "with --engine dss, dcpa or tree: on a Ray cluster, one host per CPU: its address, or auto to find or start one"
    verify.add_argument("--cluster", metavar="ADDRESS", help=cluster)
    predictable = "with --engine dss or dcpa: the same run, counters and summaries for any number of workers; some speed is lost"
    verify.add_argument("--predictable", action="store_true", help=predictable)
    verify.add_argument("--trace", metavar="FILE", help="with --engine dss or dcpa: what blocks did when, for `drystone trace`")
    verify.add_argument(
        "--routing",
        choices=["star", "broadcast"],
        default="star",
        help="with --engine dss or dcpa: messages go to blocks that need them (default), or to all, to measure what that costs",
    )
    verify.add_argument(
        "--compress", action="store_true", help="with --engine dss, dcpa or tree: compress what goes between processes"
    )
    first = "with --engine dss or dcpa: what a block takes first; default: errors with dcpa, postconditions with dss"
    verify.add_argument("--precedence", choices=["errors", "postconditions"], help=first)


def add_trust_options(verify: argparse.ArgumentParser) -> None:
    """What a verdict needs before it is given."""
    verify.add_argument("--all", action="store_true", help="find out about every assertion: an execution for each that fails")
    verify.add_argument(
        "--vacuity",
        choices=["off", "warn", "error"],
        help="a proof about assertions that no execution reaches: warn, the default; error, the verdict is UNKNOWN; off, the "
        "default for tasks of SV-COMP",
    )
    verify.add_argument("--uncertified", action="store_true", help="accept a proof whose certificate was not checked")
    verify.add_argument(
        "--replay", choices=["interpreter", "native"], default="interpreter", help="native: also compile the program and run it"
    )
    verify.add_argument(
        "--no-native",
        action="store_true",
        help="never run the program itself, compiled, in a sandbox; what only that can show is UNKNOWN",
    )
