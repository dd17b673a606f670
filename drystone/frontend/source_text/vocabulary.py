"""What clang can hand over besides ordinary C, and what drystone does about each: attributes, pragmas, sections.

A name that is on no list is refused, so a version of clang that knows more than these lists makes programs UNKNOWN, not wrong.
`tests/frontend/test_vocabulary.py` asks the installed clang for everything that it knows and fails where a list lacks it.
"""

from __future__ import annotations

import re

from drystone.base.regex import regex


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Attributes, by their names without scope (`gnu::`) and underscores (`__weak__`).

LAYOUT = _words(
    "align aligned _Alignas alignas ext_vector_type matrix_type mode packed transparent_union vector_size "
    "neon_polyvector_type neon_vector_type arm_sve_vector_bits riscv_rvv_vector_bits"
)
"""Layout and type, which clang applies; types that drystone has no model of are refused where they are used."""

HARMLESS = LAYOUT | _words(
    # optimisation, code generation, instrumentation: the same result in other instructions
    "always_inline artificial code_align cold convergent cpu_specific disable_sanitizer_instrumentation disable_tail_calls "
    "flatten force_align_arg_pointer function_return gnu_inline hot leaf likely maybe_undef min_vector_width minsize "
    "musttail no_address_safety_analysis no_builtin no_caller_saved_registers no_instrument_function "
    "no_profile_instrument_function no_sanitize no_sanitize_address no_sanitize_memory no_sanitize_thread "
    "no_sanitize_undefined no_speculative_load_hardening no_split_stack no_stack_protector nocf_check nodebug noduplicate "
    "noinline nomerge not_tail_called nothrow nouwtable optnone patchable_function_entry retain safebuffers "
    "speculative_load_hardening standalone_debug strict_gs_check target tls_model uninitialized unlikely used "
    "xray_always_instrument xray_log_args xray_never_instrument zero_call_used_regs opencl_unroll_hint "
    "cfi_canonical_jump_table no_randomize_layout nocommon allocator noalias "
    # warnings and static analysis
    "acquire_capability acquire_handle acquire_shared_capability acquired_after acquired_before analyzer_noreturn annotate "
    "annotate_type argument_with_type_tag assert_capability assert_exclusive_lock assert_shared_capability "
    "assert_shared_lock assume availability bounded btf_decl_tag btf_type_tag callable_when called_once capability "
    "consumable consumable_auto_cast_state consumable_set_state_on_read counted_by deprecated diagnose_as_builtin "
    "diagnose_if enforce_read_only_placement enforce_tcb enforce_tcb_leaf enum_extensibility error exclusive_lock_function "
    "exclusive_locks_required exclusive_trylock_function external_source_symbol fallthrough flag_enum format format_arg "
    "guarded_by guarded_var lifetimebound lock_returned lockable locks_excluded maybe_unused mig_server_routine "
    "no_thread_safety_analysis nodiscard noderef noescape ownership_holds ownership_returns ownership_takes param_typestate "
    "pointer_with_type_tag preferred_name preferred_type pt_guarded_by pt_guarded_var reinitializes release_capability "
    "release_generic_capability release_handle release_shared_capability requires_capability requires_shared_capability "
    "return_typestate scoped_lockable sentinel set_typestate shared_capability shared_lock_function shared_locks_required "
    "shared_trylock_function suppress test_typestate try_acquire_capability try_acquire_shared_capability "
    "type_tag_for_datatype unavailable unlock_function unsafe_buffer_usage unused use_handle warn_unused warn_unused_result "
    "warning callback require_constant_initialization "
    # promises to the optimiser, which a defined program keeps
    "returns_twice align_value alloc_align alloc_size assume_aligned const malloc may_alias nonnull pure restrict "
    "returns_nonnull "
    # visibility between shared objects: the program is one executable
    "visibility type_visibility lto_visibility_public "
    # calling conventions: caller and callee agree
    "aarch64_sve_pcs aarch64_vector_pcs cdecl fastcall intel_ocl_bicc ms_abi pascal pcs preserve_all preserve_most regcall "
    "regparm stdcall sysv_abi thiscall vectorcall swiftasynccall swiftcall swift_async swift_async_context "
    "swift_async_error swift_context swift_error_result swift_indirect_result m68k_rtd "
)
"""No meaning that a verdict depends on, or one that clang's own types and layouts already have."""

MODELLED = _words("weak alias weakref constructor destructor cleanup section noreturn _Noreturn asm thread")
"""Read by `frontend.attributes`."""

REFUSED = _words(
    # which code runs, or when, is decided elsewhere
    "ifunc naked interrupt cpu_dispatch target_clones target_version overloadable enable_if builtin_alias "
    "clang_builtin_alias pass_object_size pass_dynamic_object_size init_priority kernel "
    # linkage that is not modelled
    "common selectany internal_linkage weak_import using_if_exists loader_uninitialized exclude_from_explicit_instantiation "
    "code_seg allocate "
    # layout that gcc has not
    "ms_struct randomize_layout address_space property uuid "
    # other languages and machines
    "NSObject abi_tag always_destroy amdgpu_flat_work_group_size amdgpu_kernel amdgpu_num_sgpr amdgpu_num_vgpr "
    "amdgpu_waves_per_eu available_only_in_default_eval_method blocks carries_dependency cf_audited_transfer cf_consumed "
    "cf_returns_not_retained cf_returns_retained cf_unknown_transfer constant coro_disable_lifetimebound coro_lifetimebound "
    "coro_only_destroy_when_complete coro_return_type coro_wrapper device device_builtin_surface_type "
    "device_builtin_texture_type global host ibaction iboutlet iboutletcollection intel_reqd_sub_group_size launch_bounds "
    "managed no_destroy nosvm ns_consumed ns_consumes_self ns_error_domain ns_returns_autoreleased ns_returns_not_retained "
    "ns_returns_retained objc_arc_weak_reference_unavailable objc_boxable objc_bridge objc_bridge_mutable "
    "objc_bridge_related objc_class_stub objc_designated_initializer objc_direct objc_direct_members objc_exception "
    "objc_externally_retained objc_gc objc_independent_class objc_method_family objc_non_runtime_protocol "
    "objc_nonlazy_class objc_ownership objc_precise_lifetime objc_protocol_requires_explicit_implementation "
    "objc_requires_property_definitions objc_requires_super objc_returns_inner_pointer objc_root_class objc_runtime_name "
    "objc_runtime_visible objc_subclassing_restricted opencl_constant opencl_generic opencl_global opencl_global_device "
    "opencl_global_host opencl_local opencl_private os_consumed os_consumes_this os_returns_not_retained "
    "os_returns_retained os_returns_retained_on_non_zero os_returns_retained_on_zero reqd_work_group_size shared swift_attr "
    "swift_bridge swift_bridged_typedef swift_error swift_name swift_async_name swift_newtype swift_objc_members "
    "swift_private swift_wrapper sycl_kernel sycl_special_class trivial_abi vec_type_hint vecreturn work_group_size_hint "
)
"""Where one of these acts, what happens is not modelled."""

REFUSED_OF_GCC = _words("copy hardbool no_icf_alias scalar_storage_order symver model ms_hook_prologue persistent noinit strub")
"""Attributes that clang ignores although gcc gives them a meaning. Others that clang ignores mean nothing to gcc either, or only
to its optimiser (noipa, noclone, optimize, access, ...)."""

# What `target` and `optimize` choose, by attribute or pragma: the same results in other instructions, or other floating point.

_INSTRUCTIONS = regex(
    r"mmx|sse|sse2|(?:no-)?(?:sse3|ssse3|sse4|sse4\.[12]|sse4a|avx|avx2|f16c|popcnt|abm|lzcnt|bmi|bmi2|tbm|aes|pclmul|sha|crc32|movbe"
    r"|rdrnd|rdseed|adx|fsgsbase|cx16|sahf|prfchw|clflushopt|xsave|xsaveopt|fxsr|vzeroupper)|tune=[\w.-]+|default"
)
"""Without those that multiply and add in one rounding (fma, avx512f, ...) or leave the arithmetic of SSE."""
_OPTIMISATION = regex(
    r"-?O?[0-3sg]|-?O|(?:-?f)?(?:no-)?(?:tree-[a-z-]+|ipa-[a-z-]+|inline[a-z-]*|unroll-[a-z-]+|reorder-[a-z-]+|align-[a-z-]+|peel-loops"
    r"|split-loops|unswitch-loops|omit-frame-pointer|optimize-sibling-calls|strict-aliasing|toplevel-reorder|crossjumping|gcse"
    r"|schedule-insns2?|if-conversion2?|stack-protector|jump-tables|guess-branch-probability|prefetch-loop-arrays)"
)


def _are_all(form: re.Pattern[str], arguments: str) -> bool:
    """Do plain strings or numbers, with commas in and between them, say nothing else? Macros and joined strings never match."""
    listed = [argument.strip() for argument in re.sub(r"\A\((.*)\)\Z", r"\1", arguments.strip(), flags=re.DOTALL).split(",")]
    joined = ",".join(listed)
    strings = re.fullmatch(r'(?:"[^"\\]*"|\d+)(?:,(?:"[^"\\]*"|\d+))*', joined)
    return strings is not None and all(form.fullmatch(word.strip()) for word in joined.replace('"', "").split(","))


def is_plain_target(arguments: str) -> bool:
    """Does `target` with these arguments leave all results as they are?"""
    return _are_all(_INSTRUCTIONS, arguments)


def is_plain_optimisation(arguments: str) -> bool:
    """Does `optimize` with these arguments leave all results as they are?"""
    return _are_all(_OPTIMISATION, arguments)


# Sections. Data in a section of its own is ordinary data, unless the start-up code, the linker or the loader looks there.

_ACTING_SECTION = regex(
    r"\.(?:init|fini|preinit_array.*|init_array.*|fini_array.*|ctors.*|dtors.*|interp|dyn.*|got.*|plt.*|rel.*|eh_frame.*"
    r"|gcc_except_table.*|tdata.*|tbss.*|note.*|debug.*|jcr|symtab.*|strtab|shstrtab|hash|gnu\.(?:hash|version.*|attributes)"
    r"|group|comment|stab.*)"
)
_PLAIN_SECTION = regex(r"[\w.$-]+")


def is_plain_section(name: str) -> bool:
    """Is a section of this name only a place?"""
    return _PLAIN_SECTION.fullmatch(name) is not None and _ACTING_SECTION.fullmatch(name) is None


_OF_THE_LINKER = regex(
    r"__(?:start|stop)_\w+|_?_?(?:etext|edata)|_end|__bss_start|__executable_start|__ehdr_start|__dso_handle|_DYNAMIC|_GLOBAL_OFFSET_TABLE_"
    r"|__(?:pre)?(?:init|fini)_array_(?:start|end)"
)


def is_made_by_linker(name: str) -> bool:
    """Does the linker define this symbol where no file does? What lies there is not modelled."""
    return _OF_THE_LINKER.fullmatch(name) is not None


# Pragmas, by their first words.

HARMLESS_PRAGMAS = regex(
    r"once\b|mark\b|region\b|endregion\b|message\b|ident\b|push_macro\b|pop_macro\b|comment\b|detect_mismatch\b|unused\b"
    r"|GCC\s+(?:diagnostic|visibility|poison|system_header|dependency|warning|error|unroll|ivdep|novector|push_options|pop_options"
    r"|reset_options|pch_preprocess|nounroll)\b"
    r"|clang\s+(?:dependency|diagnostic|loop|assume_nonnull|module|system_header|optimize|arc_cf_code_audited|final|header_unsafe|restrict_expansion"
    r"|deprecated|debug|poison|__debug|unsafe_buffer_usage|riscv|max_tokens_here|max_tokens_total)\b"
    r"|(?:unroll|nounroll|unroll_and_jam|nounroll_and_jam|optimize|intrinsic|function|warning|alloc_text|inline_depth|inline_recursion)\b"
    # gcc has none of these; what changes the rounding mode is refused where it is called
    r"|STDC\s+(?:CX_LIMITED_RANGE|FP_CONTRACT|FENV_ACCESS)\b"
    # without -fopenmp and its kin both compilers leave them out
    r"|omp\b|acc\b|OPENCL\b|cuda\b|__drystone"
)
_CHOOSING = regex(r"GCC\s+(?:(target)|optimize)\b(.*)")


def is_harmless_pragma(text: str) -> bool:
    chosen = _CHOOSING.fullmatch(text)
    if chosen is not None:
        return is_plain_target(chosen[2]) if chosen[1] else is_plain_optimisation(chosen[2])
    return HARMLESS_PRAGMAS.match(text) is not None


MODELLED_PRAGMAS = regex(r"weak\b|redefine_extname\b|pack\b")
"""`pack` is clang's layout; the others are read by `frontend.pragmas`."""

REFUSED_PRAGMAS = regex(
    r"STDC\b|GCC\b|clang\b|scalar_storage_order\b|ms_struct\b|align\b|options\b|segment\b|section\b|bss_seg\b|data_seg\b|const_seg\b"
    r"|code_seg\b|init_seg\b|float_control\b|fenv_access\b|fp_contract\b|extern_prefix\b|vtordisp\b"
    r"|pointers_to_members\b|strict_gs_check\b|alloc_size\b|ms_|runtime_checks\b|rtGlobal\b|hdrstop\b|include_alias\b"
    r"|managed\b|unmanaged\b"
)


MADE_BY_LIBRARY = frozenset(
    "environ __environ _environ optarg optind opterr optopt program_invocation_name program_invocation_short_name __progname "
    "__progname_full tzname timezone daylight __tzname __timezone __daylight signgam __signgam getdate_err sys_errlist sys_nerr "
    "_sys_errlist _sys_nerr sys_siglist _sys_siglist error_message_count error_one_per_line error_print_progname".split()
)
"""Variables that the C library defines, with contents of its own that have no model."""
