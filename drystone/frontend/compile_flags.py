"""What the options of a compiler mean for the program: each is handed to clang (and to the compiler of counterexamples), changes
nothing that a verdict is about, or is refused. None is ignored in silence.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from drystone.base.regex import regex
from drystone.base.response_files import expanded
from drystone.frontend.errors import FrontendError

_PATHS = ("-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-I")
"""Options with the name of a file or folder."""
_MACROS = ("-D", "-U")
_WIDTHS = {"-m32": "ILP32", "-m64": "LP64"}

_HANDED_ON = regex(
    r"-std=.*|-ansi|-trigraphs|-pthread|-f(?:no-)?gnu89-inline|-f(?:un)?signed-char|-fno-(?:un)?signed-char|-f(?:no-)?short-enums"
    r"|-ffreestanding|-fhosted|-f(?:no-)?builtin(?:-\w+)?|-f(?:no-)?ms-extensions"
    r"|-f(?:no-)?dollars-in-identifiers|-f(?:macro|file)-prefix-map=.*"
)
"""What decides the meaning of the text, and means the same to clang and gcc."""

_WITHOUT_MEANING = (
    r"-c|-S|-g.*|-p|-pg|-pipe|-v|-w|-s|-O[0123gsz]?|-M[DMGP]?|-MMD|-M[FTQ].+|-o.+|-Q|-H|--verbose|--coverage|-no-canonical-prefixes"
    r"|-save-temps.*|-nostdinc|-P|-C|-pedantic(?:-errors)?|-xc|--sysroot=.*|-B.+|--param=.*|-integrated-as",
    r"-W(?![lap],).*|-Wp,-M.*|-Wa,--?noexecstack|-Q?unused-arguments|-fmax-errors=.*|-ferror-limit=.*|-ftabstop=.*",
    # of the linker
    r"-L.+|-l.+|-shared|-static(?:-lib\w+)?|-rdynamic|-(?:no-)?pie|-(?:static-)?libgcc|-fuse-ld=.*",
    # diagnostics, debugging, measurements
    r"-f(?:no-)?(?:diagnostics-|color-diagnostics|caret-diagnostics|show-|message-length|debug-|record-|verbose-asm|ident\b|stack-usage"
    r"|callgraph-info|dump-|mem-report|time-report|profile-|test-coverage|coverage-|analyzer|standalone-debug|crash-diagnostics"
    r"|random-seed|var-tracking|eliminate-unused|dwarf|gnu-unique|lto|fat-lto-objects|use-linker-plugin|whole-program"
    r"|optimization-record|save-optimization-record|temp-file|working-directory|canonical-system-headers|macro-backtrace-limit).*",
    # how code is generated: addresses, sections, frames, protection, order of instructions
    r"-f(?:no-)?(?:pic|PIC|pie|PIE|plt|visibility|semantic-interposition|function-sections|data-sections|omit-frame-pointer"
    r"|omit-leaf-frame-pointer|stack-protector|stack-clash-protection|stack-check|cf-protection|asynchronous-unwind-tables"
    r"|unwind-tables|exceptions|non-call-exceptions|zero-initialized-in-bss|jump-tables|common|align-|conserve-stack|inline|early-inlining"
    r"|partial-inlining|keep-|unroll|peel-loops|tree-|ipa-|gcse|cse-|reorder-|schedule-|sched-|sel-sched|split-|thread-jumps|crossjumping"
    r"|if-conversion|ira-|lra-|rename-registers|web|prefetch-loop|vectorize|slp-vectorize|optimize-sibling-calls|merge-constants"
    r"|guess-branch|branch-|devirtualize|vect-cost-model|strict-flex-arrays|strict-volatile|caller-saves|combine-stack"
    r"|compare-elim|defer-pop|forward-propagate|hoist|isolate-erroneous|loop-|move-loop|ssa-|store-merging|shrink-wrap|toplevel-reorder"
    r"|unit-at-a-time|code-hoisting|graphite|integrated-as|integrated-cc1|zero-call-used-regs|patchable-function-entry).*",
    # what is so anyway: wrap-around, no aliasing rules, no contraction, IEEE 754
    r"-f(?:no-)?(?:wrapv|wrapv-pointer|strict-overflow|strict-aliasing|delete-null-pointer-checks|rounding-math|trapping-math|float-store"
    r"|signaling-nans|strict-enums|stdarg-opt|strict-float-cast-overflow|asm-blocks|lax-vector-conversions)|-ffp-contract=off"
    r"|-fno-(?:fast-math|unsafe-math-optimizations|associative-math|reciprocal-math|finite-math-only|single-precision-constant"
    r"|cx-limited-range|trapv|sanitize.*|openmp.*|short-wchar|pack-struct|instrument-functions|split-stack|plan9-extensions|fp-int-builtin.*)"
    r"|-fsigned-zeros|-fhonor-(?:nans|infinities)|-fmath-errno|-fexcess-precision=standard|-fasm|-f(?:in|exec)(?:put)?-charset=(?i:utf-?8)"
    r"|-ftrivial-auto-var-init=uninitialized|-ftls-model=.*|-fextended-identifiers|-mfpmath=sse|-masm=att|-fsigned-bitfields|-fno-unsigned-bitfields|-fno-merge-all-constants|-mlong-double-80|-malign-data=.*",
    # instructions: a program sees which there are by predefined macros only, which are an assumption of their own
    r"-mtune=.*|-march=(?:x86-64(?:-v2)?|i[3-6]86|pentium.*|prescott|nocona|core2|nehalem|westmere|sandybridge|ivybridge|k8|opteron|athlon.*)"
    r"|-m(?:no-)?(?:mmx|sse|sse2|sse3|ssse3|sse4|sse4\.[12]|sse4a|popcnt|crc32|cx16|aes|pclmul|avx|3dnow|movbe|bmi|bmi2|lzcnt|abm|fxsr"
    r"|sahf|rdrnd|rdseed|adx|xsave\w*|red-zone|push-args|accumulate-outgoing-args|stackrealign|omit-leaf-frame-pointer|tls-direct-seg-refs"
    r"|skip-rax-setup|shstk|fentry|vzeroupper|retpoline.*|avx2|general-regs-only)|-mno-(?:fma|fma4|avx512\w*)"
    r"|-m(?:cmodel|preferred-stack-boundary|stack-alignment|incoming-stack-boundary|indirect-branch|function-return|branch-cost"
    r"|indirect-branch-register|indirect-branch-cs-prefix|harden-sls|tls-dialect|stack-protector-guard[\w-]*)(?:=.*)?",
)  # fmt: skip
_HARMLESS = regex("|".join(f"(?:{part})" for part in _WITHOUT_MEANING))
"""What changes nothing that docs/soundness.md speaks of, or says what holds anyway."""
_LEVEL = regex(r"-O[0123gsz]?")
_WITH_A_WORD = frozenset(
    ("-o", "-MF", "-MT", "-MQ", "-L", "-l", "-Xlinker", "-isysroot", "--sysroot", "--param", "-B", "-z", "-arch")
)
"""Options without meaning that another word belongs to."""
_OF_THE_LINKER = ("-Wl,", "-nostdlib", "-nodefaultlibs", "-nostartfiles")
"""Without effect where nothing is linked."""


def read_flags(words: Sequence[str], folder: str, data_model: str, whose: str) -> list[str]:
    """The options of a compile command that decide what its text means, for clang and gcc; names of files are absolute.

    `folder` is where the command is executed; `whose` says whose command it is, for messages.
    """
    kept: list[str] = []
    given = list(_separated(expanded(words, folder)))
    for option, value in given:
        if option in _PATHS:
            kept += [option, _named(option, value, folder)]
        elif option in _MACROS:
            kept.append(option + value)
        elif option in _WIDTHS:
            if _WIDTHS[option] != data_model:
                raise FrontendError(f"{whose}: {option} means --data-model {_WIDTHS[option]}, but {data_model} is asked for")
        elif option == "-x" and value != "c":
            raise FrontendError(f"{whose}: its language is {value}, not C (-x {value})")
        elif _HANDED_ON.fullmatch(option):
            kept.append(option)
        elif option.startswith(_OF_THE_LINKER) and ("-c", "") in given:
            continue
        elif option.startswith("-") and option not in _WITH_A_WORD and option != "-x" and not _HARMLESS.fullmatch(option):
            raise FrontendError(f"{whose}: {option} may change what the program means, and is not modelled")
    return [*_optimised([option for option, _ in given]), *kept]


def _optimised(options: Sequence[str]) -> list[str]:
    """What a program sees of the level of optimisation: macros. The last level counts."""
    level = next((option.removeprefix("-O") for option in reversed(options) if _LEVEL.fullmatch(option)), "0")
    if level == "0":
        return []
    return ["-D__OPTIMIZE__=1", "-U__NO_INLINE__", *(["-D__OPTIMIZE_SIZE__=1"] if level in ("s", "z") else [])]


def stated(kept: Sequence[str]) -> list[str]:
    """Of what `read_flags` gives: all but names of files, whose texts are compared instead."""
    behind_path = False
    found: list[str] = []
    for word in kept:
        if not behind_path and word not in _PATHS:
            found.append(word)
        behind_path = not behind_path and word in _PATHS
    return found


def _separated(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Options and the words that belong to them. Words that are no options name the compiler and files."""
    remaining = iter(words)
    for word in remaining:
        if word.startswith("-Wp,") and not word.startswith("-Wp,-M"):
            yield from _separated(word.removeprefix("-Wp,").split(","))
            continue
        option = next((option for option in (*_PATHS, *_MACROS) if word.startswith(option)), word)
        if option != word:
            yield option, word[len(option) :]
        elif option in (*_PATHS, *_MACROS, "-x", *_WITH_A_WORD):
            yield option, next(remaining, "")
        else:
            yield option, ""


def _named(option: str, name: str, folder: str) -> str:
    """The name of a file or folder wherever it is read; a file that is not there is looked for as by #include."""
    absolute = name if os.path.isabs(name) else str(Path(folder) / name)
    return name if option in ("-include", "-imacros") and not os.path.exists(absolute) else absolute
