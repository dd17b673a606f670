"""Nothing of the library is forgotten: every function of the bundled headers, of the standard and of clang has an entry.

An entry is a primitive, a model (exact or an effect), or a refusal: a name in `library/known.txt` that has neither.
"""

from __future__ import annotations

import re
from pathlib import Path

import clang.cindex
import pytest

from drystone.frontend.library import PRIMITIVES, plain_name, state, threads
from drystone.frontend.library.known import shapes
from drystone.frontend.library.models import model_files, model_name
from drystone.frontend.load import FrontendOptions, load
from tests.frontend.test_headers import HEADERS, MODELS, parse

DRIVERS = Path(__file__).resolve().parent

REFUSED = {
    "another process, or the system itself": "daemon syscall",
    "changes the environment": "clearenv putenv setenv unsetenv",
    "changes variables or text of the caller by rules without a model": "basename dirname strptime lgammaf_r lgammal_r realpath mktemp",
    "memory that is not the program's": "brk sbrk malloc_usable_size msync",
    "structures of the system": "accept getpeername getsockname getsockopt getitimer setitimer getrlimit setrlimit getrusage ioctl"
    " pselect select readv recvfrom recvmsg sendmsg",
    "trees, tables and queues that it keeps": "hcreate hdestroy hsearch tsearch tfind tdelete twalk insque remque",
    "named semaphores": "sem_close sem_open sem_unlink",
    "streams in memory, or of wide characters": "fmemopen freopen getwchar open_memstream putwchar swprintf tmpnam wprintf",
    "formats that are not literals, and memory for their texts": "asprintf vasprintf vfscanf vscanf vsscanf",
    "the file system, and streams of it": "alphasort closedir dirfd faccessat fchmodat fchown fchownat fdopendir fpathconf fstatat fstatvfs ftw"
    " futimens glob globfree lchown linkat lockf mkdirat mkfifoat mknodat opendir pathconf posix_fadvise"
    " posix_fallocate readdir readdir_r readlinkat renameat rewinddir scandir seekdir shm_open shm_unlink"
    " statvfs symlinkat telldir tempnam unlinkat utime utimensat",
    "terminals": "cfgetispeed cfgetospeed cfsetispeed cfsetospeed ctermid getlogin_r tcdrain tcflow tcflush tcgetattr"
    " tcgetpgrp tcgetsid tcsendbreak tcsetattr tcsetpgrp ttyname_r",
    "names and addresses of the network": "endhostent endnetent endprotoent endservent freeaddrinfo gai_strerror getaddrinfo gethostbyaddr"
    " gethostbyname gethostent gethostid getnameinfo getnetbyaddr getnetbyname getnetent getprotobyname"
    " getprotobynumber getprotoent getservbyname getservbyport getservent if_freenameindex if_indextoname"
    " if_nameindex if_nametoindex sethostent setnetent setprotoent setservent sockatmark",
    "users, groups and processes": "clock_getcpuclockid endgrent endpwent fexecve getgrent getgrgid getgrgid_r getgrnam getgrnam_r getgroups"
    " getpgid getpriority getpwent getpwnam getpwnam_r getpwuid getpwuid_r getsid sched_rr_get_interval"
    " setgrent setpgrp setpriority setpwent setregid setreuid times uname waitid confstr",
    "signals and timers": "psiginfo psignal sigqueue siginterrupt sigtimedwait sigwaitinfo timer_create timer_delete"
    " timer_getoverrun timer_gettime timer_settime",
    "patterns, words and options in texts": "a64l fnmatch getsubopt l64a regcomp regerror regexec regfree wordexp wordfree",
    "code that is loaded when the program runs": "dlclose dlerror dlopen dlsym",
    "locales, and texts in other encodings": "c16rtomb c32rtomb catclose catgets catopen duplocale freelocale iconv iconv_close iconv_open isalnum_l"
    " isalpha_l isblank_l iscntrl_l isdigit_l isgraph_l islower_l isprint_l ispunct_l isspace_l isupper_l"
    " iswalnum_l iswalpha_l iswblank_l iswcntrl_l iswctype_l iswdigit_l iswgraph_l iswlower_l iswprint_l"
    " iswpunct_l iswspace_l iswupper_l iswxdigit_l isxdigit_l mbrtoc16 mbrtoc32 mbsnrtowcs newlocale"
    " nl_langinfo nl_langinfo_l strcasecmp_l strcoll_l strerror_l strfmon strfmon_l strftime_l strncasecmp_l"
    " strxfrm_l tolower_l toupper_l towctrans towctrans_l towlower_l towupper_l uselocale wcscasecmp_l"
    " wcscoll_l wcsftime wcsncasecmp_l wcsnrtombs wcsxfrm_l wctrans wctrans_l wctype_l",
    "state of random numbers, logs and locks": "ftrylockfile initstate lcong48 mlockall munlockall posix_madvise seed48 setlogmask setstate",
    "complex arithmetic": "cacos cacosf cacosl casin casinf casinl catan catanf catanl ccos ccosf ccosl csin csinf csinl ctan ctanf ctanl"
    " cacosh cacoshf cacoshl casinh casinhf casinhl catanh catanhf catanhl ccosh ccoshf ccoshl csinh csinhf csinhl ctanh"
    " ctanhf ctanhl cexp cexpf cexpl clog clogf clogl csqrt csqrtf csqrtl cproj cprojf cprojl cpow cpowf cpowl cabs cabsf"
    " cabsl carg cargf cargl",
    "streams of wide characters": "fgetwc fgetws fputwc fputws fwide fwprintf fwscanf getwc open_wmemstream putwc swscanf ungetwc vfwprintf"
    " vfwscanf vswprintf vswscanf vwprintf vwscanf wscanf",
}
"""Functions of the bundled headers that are unknown locations, and why there is nothing better yet."""
C17 = """
assert isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper
feclearexcept fegetexceptflag feraiseexcept fesetexceptflag fetestexcept fegetround fesetround fegetenv feholdexcept fesetenv
feupdateenv imaxabs imaxdiv strtoimax strtoumax wcstoimax wcstoumax setlocale localeconv acos asin atan atan2 cos sin tan acosh
asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp log log10 log1p log2 logb modf scalbn scalbln cbrt fabs hypot pow sqrt
erf erfc lgamma tgamma ceil floor nearbyint rint lrint llrint round lround llround trunc fmod remainder remquo copysign nan
nextafter nexttoward fdim fmax fmin fma longjmp signal raise remove rename tmpfile tmpnam fclose fflush fopen freopen setbuf
setvbuf fprintf fscanf printf scanf snprintf sprintf sscanf vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf fgetc fgets
fputc fputs getc getchar putc putchar puts ungetc fread fwrite fgetpos fseek fsetpos ftell rewind clearerr feof ferror perror atof
atoi atol atoll strtod strtof strtold strtol strtoll strtoul strtoull rand srand aligned_alloc calloc free malloc realloc abort
atexit at_quick_exit exit _Exit getenv quick_exit system bsearch qsort abs labs llabs div ldiv lldiv mblen mbtowc wctomb mbstowcs
wcstombs memcpy memmove strcpy strncpy strcat strncat memcmp strcmp strcoll strncmp strxfrm memchr strchr strcspn strpbrk strrchr
strspn strstr strtok memset strerror strlen call_once cnd_broadcast cnd_destroy cnd_init cnd_signal cnd_timedwait cnd_wait
mtx_destroy mtx_init mtx_lock mtx_timedlock mtx_trylock mtx_unlock thrd_create thrd_current thrd_detach thrd_equal thrd_exit
thrd_join thrd_sleep thrd_yield tss_create tss_delete tss_get tss_set clock difftime mktime time timespec_get asctime ctime gmtime
localtime strftime mbrtoc16 c16rtomb mbrtoc32 c32rtomb fwprintf fwscanf swprintf swscanf vfwprintf vfwscanf vswprintf vswscanf
vwprintf vwscanf wprintf wscanf fgetwc fgetws fputwc fputws fwide getwc getwchar putwc putwchar ungetwc wcstod wcstof wcstold
wcstol wcstoll wcstoul wcstoull wcscpy wcsncpy wmemcpy wmemmove wcscat wcsncat wcscmp wcscoll wcsncmp wcsxfrm wmemcmp wcschr
wcscspn wcspbrk wcsrchr wcsspn wcsstr wcstok wmemchr wcslen wmemset wcsftime btowc wctob mbsinit mbrlen mbrtowc wcrtomb mbsrtowcs
wcsrtombs iswalnum iswalpha iswblank iswcntrl iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit iswctype
wctype towlower towupper towctrans wctrans cacos casin catan ccos csin ctan cexp clog cabs cpow csqrt carg cimag conj cproj creal
""".split()
MATH = frozenset(C17[C17.index("acos") : C17.index("longjmp")])


def is_modelled(name: str) -> bool:
    return plain_name(name) in PRIMITIVES or model_name(name) is not None or threads.OPERATIONS.match(name) is not None


def declared() -> list[str]:
    """The functions of the bundled headers."""
    text = "".join(f"#include <{header}>\n" for header in HEADERS if header != "iso646.h")
    found = {cursor.spelling for cursor in parse(text, "LP64", []).cursor.get_children() if cursor.kind.name == "FUNCTION_DECL"}
    assert len(found) > 500
    return sorted(found)


def test_every_function_of_a_header_has_an_entry() -> None:
    refused = {name for names in REFUSED.values() for name in names.split()}
    found = {name for name in declared() if not is_modelled(name)}
    assert found - refused == set()
    assert [name for name in found if name not in shapes()] == []  # a call is an unknown location


@pytest.mark.parametrize("suffix", ["", "f", "l"])
def test_every_function_of_the_standard_has_an_entry(suffix: str) -> None:
    names = [name + suffix for name in C17 if not suffix or name in MATH]
    assert [name for name in names if not is_modelled(name) and name not in shapes()] == []


def test_a_model_has_the_type_that_the_library_gives_it(tmp_path: Path) -> None:
    """A program that declares the function as its header does gets the model."""
    path = tmp_path / "program.c"
    names = [name for name in declared() if model_name(name) == name]
    uses = "".join(f"p = (void (*)(void)){name};" for name in names)
    includes = "".join(f"#include <{header}>\n" for header in HEADERS if header != "iso646.h")
    path.write_text(f"{includes}void (*volatile p)(void); int main(void) {{ {uses} return 0; }}\n")
    program = load([str(path)], FrontendOptions()).program
    assert [name for name in names if program.functions.get(name) is None] == []


@pytest.mark.parametrize("file", sorted(MODELS.glob("*.c")), ids=lambda file: file.stem)
def test_others_change_a_variable_of_a_model_or_not(file: Path) -> None:
    known = state.CHANGED | state.FORGOTTEN | state.KEPT
    found = []

    def look(cursor: clang.cindex.Cursor, prefix: str) -> None:
        for child in cursor.get_children():
            if child.kind.name == "VAR_DECL" and child.storage_class.name == "STATIC" and not is_constant(child.type):
                found.append(prefix + child.spelling)
            look(child, f"{child.spelling}." if child.kind.name == "FUNCTION_DECL" else prefix)

    look(parse(file.read_text(), "LP64", [f"-I{MODELS}"]).cursor, "")
    assert [name for name in found if name not in known] == []


def is_constant(type_: clang.cindex.Type) -> bool:
    while type_.kind.name == "CONSTANTARRAY":
        type_ = type_.element_type
    return bool(type_.is_const_qualified())


def test_every_model_is_tested() -> None:
    """By its driver, which compares it with the real function."""
    missing = []
    for name, file in model_files().items():
        if (
            file.stem in ("stdio", "threads")
            or name.startswith("__drystone")
            or re.sub(r"[fl]$", "", name) in UNTESTED
            or name in UNTESTED
        ):
            continue
        driver = (DRIVERS / f"check_{file.stem}.c").read_text()
        base = re.sub(r"[fl]$", "", name)
        words = {name, f"model_{name}", base, f"__{name}"}
        if words.isdisjoint(re.findall(r"\w+", driver)):
            missing.append(f"{file.stem}: {name}")
    assert missing == []


UNTESTED = {
    "chroot": "the test may be allowed to do it",
    "sync": "slow",
    "name": "a parameter of a macro",
    **dict.fromkeys(("nan", "memalign", "valloc", "strerror_r", "__strdup"), "calls what is tested"),
    **{f"__{name}_chk": "calls what is tested" for name in "memcpy memmove memset strcpy strncpy strcat strncat".split()},
}
"""Why no driver calls the model. Those of streams and threads are tested as programs see them (test_input_output.py, tests/threads)."""


def builtins(target: str) -> list[str]:
    """The names among the strings of libclang that it has builtins for."""
    library = Path(clang.cindex.conf.lib._name).read_bytes()
    strings = sorted({match.decode() for match in re.findall(rb"(?<=\0)[A-Za-z_]\w{2,80}(?=\0)", library)})
    text = "\n".join(f"#if __has_builtin({name})\nint found_{name};\n#endif" for name in strings if name != "defined")
    unit = clang.cindex.Index.create().parse(
        "test.c", args=[f"--target={target}", "-w", "-nostdinc"], unsaved_files=[("test.c", text)]
    )
    found = [cursor.spelling.removeprefix("found_") for cursor in unit.cursor.get_children()]
    assert len(found) > 500
    return found


OPERATORS = re.compile(
    r"__builtin_|__sync_|__atomic_"  # refused by the front end unless clang evaluates them (library/__init__.py)
    r"|__c11_atomic_|__scoped_atomic_|__opencl_atomic_|__hip_atomic_"  # no calls for libclang
    r"|__is_|__arithmetic_fence$|_Block_|__xray_|__warn_memset"  # operators on types, and what other languages have
)


@pytest.mark.parametrize("target", ["x86_64-linux-gnu", "i386-linux-gnu"])
def test_every_builtin_has_an_entry(target: str) -> None:
    names = builtins(target)
    assert [name for name in names if not is_modelled(name) and name not in shapes() and not OPERATORS.match(name)] == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("extern long mktimes(int); if (mktimes(3)) return 1;", None),
        ("extern int hcreate(unsigned long); hcreate(3);", "hcreate: a library function that has no model"),
        ("extern int tsearch(int); tsearch(3);", None),  # another function of this name
        ("extern int getsubopt(); getsubopt(3);", "getsubopt: a library function that has no model"),
        ("extern int index(int, int); index(3, 4);", None),
        (
            "static int (*f)(unsigned long); extern int hcreate(unsigned long); f = hcreate; f(1);",
            "call of hcreate through a pointer",
        ),
        ("issignaling(1.0);", "issignaling: a library function that has no model"),  # a macro that needs _GNU_SOURCE
        ("extern int major(int); major(3);", None),
        ("__builtin_ia32_pause();", "builtin __builtin_ia32_pause"),
        ("_mm_pause();", "_mm_pause: a library function that has no model"),
        ("_mm_lfence();", "_mm_lfence: a library function that has no model"),
    ],
)
def test_what_is_refused(text: str, what: str | None, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    declarations = "void _mm_pause(void); void _mm_lfence(void);"
    path.write_text(f"{declarations} int main(void) {{ {text} return 0; }}\n")
    program = load([str(path)], FrontendOptions()).program
    marks = [mark.what for procedure in program.procedures.values() for mark in procedure.marks.values()]
    assert marks == ([] if what is None else [what])


def test_models_are_where_the_header_says() -> None:
    assert {path.name for path in MODELS.iterdir()} == {*(path.name for path in set(model_files().values())), "effects.h"}


def test_a_refused_function_is_declared_as_the_library_has_it(tmp_path: Path) -> None:
    """A call of it, as its header declares it, is an unknown location with its name, and not a function of the program."""
    includes = "".join(f"#include <{header}>\n" for header in HEADERS if header != "iso646.h")
    cursors = {cursor.spelling: cursor for cursor in parse(includes, "LP64", []).cursor.get_children()}
    names = sorted(name for listed in REFUSED.values() for name in listed.split())
    calls = []
    for number, name in enumerate(names):
        types = [argument.type.spelling.replace("[]", "[1]") for argument in cursors[name].get_arguments()]
        objects = " ".join(f"__typeof__({ctype}) a{position};" for position, ctype in enumerate(types))
        passed = ", ".join(f"a{position}" for position in range(len(types)))
        calls.append(f"if (__VERIFIER_nondet_int() == {number}) {{ {objects} {name}({passed}); }}")
    path = tmp_path / "program.c"
    path.write_text(
        f"{includes}extern int __VERIFIER_nondet_int(void);\nint main(void) {{\n{chr(10).join(calls)}\nreturn 0; }}\n"
    )
    program = load([str(path)], FrontendOptions()).program
    marks = {mark.what for mark in program.procedures["main"].marks.values()}
    assert [name for name in names if not any(what.startswith(f"{name}") for what in marks)] == []
