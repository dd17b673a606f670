"""The bundled headers parse cleanly for both data models and have glibc's sizes; the benchmark tasks parse with them.

Every header is parsed alone, twice, and together with all the others, with all of clang's ordinary
warnings on. The sizes come from libclang and are compared with what gcc and the system's headers say.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import clang.cindex
import pytest

from tests.places import BENCHMARKS, NO_BENCHMARKS, SOURCES, benchmark_tasks, has_benchmarks

INCLUDE = SOURCES / "frontend" / "include"
MODELS = SOURCES / "frontend" / "models"
TARGETS = {"ILP32": "--target=i386-linux-gnu", "LP64": "--target=x86_64-linux-gnu"}
GCC_TARGETS = {"ILP32": ["-m32", "-msse2", "-mfpmath=sse"], "LP64": ["-m64"]}
STRICT = ["-Wall", "-Wextra", "-Wsystem-headers", "-Wno-unused-parameter", "-Wno-incompatible-library-redeclaration"]
LENIENT = ["-Wno-everything", "-ferror-limit=0", "-fno-spell-checking"]
HEADERS = sorted(str(path.relative_to(INCLUDE)) for path in INCLUDE.rglob("*.h") if path.name != "drystone_prelude.h")


def parse(text: str, data_model: str, flags: list[str]) -> clang.cindex.TranslationUnit:
    """Parses C text with the bundled headers."""
    arguments = ["-x", "c", TARGETS[data_model], "-nostdinc", "-isystem", str(INCLUDE), "-iquote", str(MODELS), "-std=gnu11"]
    arguments += ["-include", str(INCLUDE / "drystone_prelude.h"), *flags]
    return clang.cindex.Index.create().parse("test.c", args=arguments, unsaved_files=[("test.c", text)])


def complaints(text: str, data_model: str, flags: list[str] | None = None) -> list[str]:
    """All warnings and errors for C text."""
    return [str(diagnostic) for diagnostic in parse(text, data_model, STRICT if flags is None else flags).diagnostics]


@pytest.mark.parametrize("data_model", TARGETS)
@pytest.mark.parametrize("header", HEADERS)
def test_header_parses_alone_and_twice(header: str, data_model: str) -> None:
    assert complaints(f"#include <{header}>\n", data_model) == []
    assert complaints(f"#include <{header}>\n#include <{header}>\n", data_model) == []


@pytest.mark.parametrize("data_model", TARGETS)
def test_all_headers_parse_together_in_any_order(data_model: str) -> None:
    for headers in (HEADERS, HEADERS[::-1]):
        # iso646.h defines macros such as `and`, which is why it comes last.
        ordered = [header for header in headers if header != "iso646.h"] + ["iso646.h"]
        assert complaints("".join(f"#include <{header}>\n" for header in ordered), data_model) == []


@pytest.mark.parametrize("data_model", TARGETS)
def test_prelude_leaves_the_names_of_programs_alone(data_model: str) -> None:
    declared = [cursor.spelling for cursor in parse("", data_model, []).cursor.get_children()]
    ours = [name for name in declared if not name.startswith(("__", "_Float"))]
    assert ours == []


@pytest.mark.parametrize("data_model", TARGETS)
@pytest.mark.parametrize("model", sorted(path.name for path in MODELS.glob("*.c")))
def test_library_model_parses_alone(model: str, data_model: str) -> None:
    assert complaints((MODELS / model).read_text(), data_model) == []


def test_assert_follows_ndebug_at_each_inclusion() -> None:
    text = (
        "#include <assert.h>\nvoid f(int x) { assert(x); }\n#define NDEBUG\n#include <assert.h>\nvoid g(int x) { assert(x); }\n"
    )
    assert complaints(text, "LP64") == []
    calls = [cursor.spelling for cursor in parse(text, "LP64", []).cursor.walk_preorder() if cursor.kind.name == "CALL_EXPR"]
    assert calls == ["__assert_fail", "__drystone_removed_assert"]


VARIADIC = """
#include <stdarg.h>
typedef struct { double a; char b[3]; } T;
struct holder { va_list ap; };
int direct(int n, ...) {
  __builtin_va_list ap;
  __builtin_va_start(ap, n);
  int i = __builtin_va_arg(ap, int);
  T t = va_arg(ap, T);
  int (*f)(int) = va_arg(ap, int (*)(int));
  va_list copy;
  va_copy(copy, ap);
  i += va_arg(copy, T).b[1] + t.b[0] + f(1);
  va_end(copy);
  va_end(ap);
  return i;
}
long long parameter(va_list ap) { return va_arg(ap, long long) + *va_arg(ap, char *); }
int member(struct holder *h, va_list *p) { return va_arg(h->ap, int) + va_arg(*p, int); }
"""


@pytest.mark.parametrize("data_model", TARGETS)
def test_va_arg_is_a_call_with_list_size_and_alignment(data_model: str) -> None:
    assert complaints(VARIADIC, data_model) == []
    cursors = list(parse(VARIADIC, data_model, []).cursor.walk_preorder())
    calls = [c for c in cursors if c.kind.name == "CALL_EXPR" and c.spelling == "__drystone_va_arg"]
    assert len(calls) == 8
    assert all(len(list(call.get_arguments())) == 3 for call in calls)


GNU = """
_Float128 a; _Float64x b; _Float32 c; _Float64 d; _Float32x e; __float128 f; __float80 g;
typedef float _Float32;
typedef __float128 _Float128;
struct F *fopen(const char *) __attribute__((__malloc__)) __attribute__((__malloc__(fclose, 1)));
int main() {
  undeclared(1);
  char *p = malloc(3);
  __auto_type x = __extension__({ int y = 2; y; });
  return __builtin_toupper(x) + __builtin_add_overflow_p(x, 1, (int)0) + __builtin_isinff(1.0f) + __builtin_fabsf32(1.0f)
       + __builtin_object_size(p, 0) + __builtin_finite(1.0);
}
old(a, b) char *b; { return b; }
"""


@pytest.mark.parametrize("data_model", TARGETS)
def test_gnu_c_parses(data_model: str) -> None:
    assert complaints(GNU, data_model, LENIENT) == []


ATOMIC = """
#include <stdatomic.h>
#include <stdio.h>
atomic_int a; volatile int v; _Atomic(char *) q; char buffer[8]; unsigned char u; int *p = (int *)buffer; long long w; _Bool b;
atomic_flag flag = ATOMIC_FLAG_INIT;
int main(void) {
  int e = 5, to = 0, from = 4;
#define SHOW(x) printf("%lld\\n", (long long)(x))
  SHOW(atomic_fetch_add(&a, 3)); SHOW(atomic_load(&a)); atomic_store(&a, 9); SHOW(atomic_exchange(&a, 5));
  SHOW(atomic_compare_exchange_strong(&a, &e, 7)); SHOW(atomic_compare_exchange_strong(&a, &e, 8)); SHOW(e); SHOW(a);
  SHOW(atomic_fetch_or(&a, 8)); SHOW(atomic_fetch_and(&a, 12)); SHOW(atomic_fetch_xor(&a, 5)); SHOW(a);
  SHOW(atomic_fetch_sub_explicit(&a, 5, memory_order_relaxed)); SHOW(atomic_fetch_add(&a, atomic_load(&a))); SHOW(a);
  q = buffer; atomic_fetch_add(&q, 2); SHOW(q - buffer);
  SHOW(atomic_flag_test_and_set(&flag)); SHOW(atomic_flag_test_and_set(&flag)); atomic_flag_clear(&flag); SHOW(atomic_flag_test_and_set(&flag));
  SHOW(__sync_fetch_and_add(&v, 5)); SHOW(__sync_add_and_fetch(&v, 5)); SHOW(__sync_bool_compare_and_swap(&v, 10, 3));
  SHOW(__sync_val_compare_and_swap(&v, 10, 4)); SHOW(__sync_lock_test_and_set(&v, 1)); __sync_lock_release(&v); SHOW(v);
  __sync_fetch_and_add(&p, 4); SHOW((char *)p - buffer); SHOW(__sync_fetch_and_nand(&u, 3)); SHOW(u);
  SHOW(__atomic_add_fetch(&u, 300, __ATOMIC_SEQ_CST)); SHOW(__atomic_fetch_nand(&w, 3, 5)); SHOW(w);
  SHOW(__atomic_test_and_set(&b, 5)); SHOW(b); __atomic_clear(&b, 5); SHOW(b);
  __atomic_store(&v, &from, 5); __atomic_load(&v, &to, 5); SHOW(to); to = 8; __atomic_exchange(&v, &to, &from, 5); SHOW(from);
  SHOW(__atomic_compare_exchange_n(&v, &to, 77, 0, 5, 5)); SHOW(v); SHOW(__sync_sub_and_fetch(&v, __sync_sub_and_fetch(&u, 1)));
  return 0;
}
"""


def gcc_output(tmp_path: Path, data_model: str, text: str, flags: list[str]) -> str:
    """What a program prints, built with gcc; skips the test where that is impossible."""
    probe = ["gcc", *GCC_TARGETS[data_model], "-x", "c", "-", "-o", str(tmp_path / "probe")]
    hello = "#include <stdio.h>\nint main(void) { return 0; }"
    if shutil.which("gcc") is None or subprocess.run(probe, input=hello, capture_output=True, text=True, check=False).returncode:
        pytest.skip(f"no gcc for {data_model}")
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(text)
    subprocess.run(["gcc", *GCC_TARGETS[data_model], "-w", *flags, source, "-o", program], check=True, capture_output=True)
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("data_model", TARGETS)
def test_atomic_macros_compute_what_the_builtins_compute(data_model: str, tmp_path: Path) -> None:
    assert complaints(ATOMIC, data_model, LENIENT) == []
    primitives = "void __drystone_atomic_begin(void) {}\nvoid __drystone_atomic_end(void) {}\n"
    bundled = ["-nostdinc", "-isystem", str(INCLUDE), "-include", str(INCLUDE / "drystone_prelude.h")]
    expected = gcc_output(tmp_path, data_model, ATOMIC, [])
    assert gcc_output(tmp_path, data_model, ATOMIC + primitives, bundled) == expected


SIZED_HEADERS = """pthread semaphore setjmp signal sys/stat sys/types sys/socket sys/resource sys/un netinet/in sys/select
    time sys/time stdio stdlib fenv wchar threads sched stddef stdint inttypes locale fcntl poll getopt stdarg stdatomic
    dirent termios netdb sys/utsname pwd grp glob regex sys/times utime sys/statvfs wordexp nl_types iconv ftw net/if uchar sys/wait""".split()
SIZED_TYPES = """pthread_t pthread_attr_t pthread_mutex_t pthread_mutexattr_t pthread_cond_t pthread_condattr_t pthread_rwlock_t
    pthread_rwlockattr_t pthread_barrier_t pthread_barrierattr_t pthread_key_t pthread_once_t pthread_spinlock_t sem_t jmp_buf
    sigjmp_buf sigset_t struct:sigaction siginfo_t stack_t struct:stat struct:sockaddr struct:sockaddr_storage struct:sockaddr_in
    struct:sockaddr_in6 struct:sockaddr_un struct:msghdr struct:iovec struct:linger fd_set struct:tm struct:timespec
    struct:timeval struct:itimerval struct:itimerspec fpos_t div_t ldiv_t lldiv_t imaxdiv_t fenv_t fexcept_t mbstate_t wint_t
    wchar_t mtx_t cnd_t thrd_t tss_t once_flag cpu_set_t max_align_t intmax_t int_fast8_t int_fast16_t int_fast32_t
    int_fast64_t struct:lconv struct:flock struct:pollfd struct:option time_t clock_t off_t ssize_t dev_t ino_t nlink_t mode_t
    blksize_t blkcnt_t suseconds_t useconds_t id_t socklen_t clockid_t timer_t size_t ptrdiff_t intptr_t va_list
    struct:rusage struct:rlimit atomic_int atomic_short atomic_flag long:double loff_t off64_t key_t nfds_t
    struct:dirent struct:termios struct:hostent struct:netent struct:servent struct:protoent struct:addrinfo struct:utsname
    struct:passwd struct:group glob_t regex_t regmatch_t struct:tms struct:utimbuf struct:statvfs wordexp_t nl_catd nl_item iconv_t
    struct:FTW struct:if_nameindex char16_t char32_t idtype_t""".split()


@pytest.mark.parametrize("data_model", TARGETS)
def test_types_have_the_sizes_of_glibc(data_model: str, tmp_path: Path) -> None:
    includes = "#define _GNU_SOURCE\n" + "".join(f"#include <{name}.h>\n" for name in SIZED_HEADERS)
    types = [name.replace(":", " ") for name in SIZED_TYPES]
    show = "".join(f'printf("%d %d\\n", (int)sizeof({name}), (int)_Alignof({name}));\n' for name in types)
    printed = gcc_output(tmp_path, data_model, f"{includes}int main(void) {{\n{show}return 0;\n}}", []).splitlines()
    sized = "".join(f"enum {{ size_{i} = sizeof({name}), align_{i} = _Alignof({name}) }};\n" for i, name in enumerate(types))
    unit = parse(includes + sized, data_model, LENIENT)
    assert [str(diagnostic) for diagnostic in unit.diagnostics] == []
    constants = {c.spelling: c.enum_value for c in unit.cursor.walk_preorder() if c.kind.name == "ENUM_CONSTANT_DECL"}
    ours = {name: f"{constants[f'size_{i}']} {constants[f'align_{i}']}" for i, name in enumerate(types)}
    assert ours == dict(zip(types, printed, strict=True))


@pytest.mark.parametrize("optimise", [["-O0"], ["-O2", "-D_FORTIFY_SOURCE=2"]])
@pytest.mark.parametrize("data_model", TARGETS)
def test_preprocessed_glibc_parses(data_model: str, optimise: list[str], tmp_path: Path) -> None:
    """What gcc makes of the system's own headers, as in the .i files of verification tasks."""
    source, output = tmp_path / "all.c", tmp_path / "all.i"
    gcc_output(tmp_path, data_model, "int main(void) { return 0; }", [])
    for headers, flags in (([], []), (["complex", "tgmath"], ["-DDRYSTONE_FLOATN_MACROS"])):
        names = [*SIZED_HEADERS, "math", "string", "ctype", "errno", "assert", "unistd", *headers]
        source.write_text("#define _GNU_SOURCE\n" + "".join(f"#include <{name}.h>\n" for name in names))
        subprocess.run(["gcc", *GCC_TARGETS[data_model], *optimise, "-E", "-P", source, "-o", output], check=True)
        assert complaints(output.read_text(), data_model, [*LENIENT, *flags]) == []


CONSTANT_HEADERS = [
    "limits",
    "float",
    "stdint",
    "errno",
    "signal",
    "fcntl",
    "sys/stat",
    "math",
    "fenv",
    "sys/socket",
    "sys/wait",
    "poll",
    "dirent",
    "termios",
    "netdb",
    "fnmatch",
    "glob",
    "regex",
    "dlfcn",
    "wordexp",
    "langinfo",
    "ftw",
    "syslog",
    "sys/resource",
    "sys/mman",
    "unistd",
    "locale",
]


def test_constants_have_the_values_of_glibc(tmp_path: Path) -> None:
    """Every object-like macro of these headers that is a number has the value that the system's header gives it."""
    for header in CONSTANT_HEADERS:
        lines = (INCLUDE / f"{header}.h").read_text().splitlines()
        words = [line.split(maxsplit=2) for line in lines if line.startswith("#define ") and len(line.split()) > 2]
        names = [w[1] for w in words if "(" not in w[1] and not w[1].startswith(("_", "SIG_", "FE_DFL", "st_", "sa_", "s6"))]
        names = [name for name in names if name not in ("NAN", "MAXFLOAT", "h_addr", "MAP_FAILED")]
        names = list(dict.fromkeys(names))
        body = "".join(f'#ifdef {n}\nprintf("{n} %La\\n", (long double)({n}));\n#endif\n' for n in names)
        text = f"#define _GNU_SOURCE\n#include <stdio.h>\n#include <{header}.h>\nint main(void) {{\n{body}return 0;\n}}"
        for data_model in TARGETS:
            expected = dict(line.split() for line in gcc_output(tmp_path, data_model, text, []).splitlines())
            bundled = ["-nostdinc", "-isystem", str(INCLUDE)]
            actual = dict(line.split() for line in gcc_output(tmp_path, data_model, text, bundled).splitlines())
            assert {n: v for n, v in actual.items() if n in expected} == expected, (header, data_model)


@pytest.mark.skipif(not has_benchmarks(), reason=NO_BENCHMARKS)
def test_every_benchmark_task_parses_in_its_data_model() -> None:
    errors = {}
    for task in benchmark_tasks():
        text = (BENCHMARKS / task["file"]).read_text(errors="surrogateescape")
        found = complaints(text, task["data_model"], LENIENT)
        if found:
            errors[task["file"]] = found
    assert errors == {}
