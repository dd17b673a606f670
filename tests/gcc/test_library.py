"""Library functions as programs meet them: right or UNKNOWN, never wrong.

Every case is some statements and a condition. All are compiled into one program, which says what the real functions make of the
condition; then the condition, and its negation, are the way to an error, of which one must not be TRUE and the other not FALSE.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.counterexamples.replay import relies_on_approximation, replay
from drystone.engines.outcome import unobserved
from drystone.engines.portfolio.auto import check
from drystone.engines.question import Settings
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import PreparedProgram
from tests.gcc.amount import ALL, LIBRARY_CASES

NATIVE = """#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fenv.h>
#include <ftw.h>
#include <glob.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>
#include <arpa/inet.h>
"""
HEAD = """#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fenv.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <search.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>
typedef struct { long storage[200]; } ucontext_t;
typedef struct { size_t gl_pathc; char **gl_pathv; size_t gl_offs; int gl_flags; long rest[6]; } glob_t;
struct stat;
struct random_data { int *a, *b, *c; int d, e, f; int *g; };
extern int getcontext(ucontext_t *), setcontext(const ucontext_t *);
extern int ftw(const char *, int (*)(const char *, const struct stat *, int), int);
extern int glob(const char *, int, int (*)(const char *, int), glob_t *);
extern int __cxa_atexit(void (*)(void *), void *, void *);
extern void sincosl(long double, long double *, long double *), sincos(double, double *, double *);
extern int initstate_r(unsigned, char *, size_t, struct random_data *), random_r(struct random_data *, int *);
extern char *ecvt(double, int, int *, int *), *l64a(long), *fcvt(double, int, int *, int *);
extern long a64l(const char *);
extern int getsubopt(char **, char *const *, char **), mallopt(int, int), strfromd(char *, size_t, const char *, double);
extern size_t confstr(int, char *, size_t), strlcpy(char *, const char *, size_t);
extern size_t c32rtomb(char *, unsigned, mbstate_t *);
extern char *canonicalize_file_name(const char *), *strfry(char *), *get_current_dir_name(void);
extern void *memfrob(void *, size_t);
extern int getdate_r(const char *, struct tm *), mprobe(void *), getentropy(void *, size_t), rpmatch(const char *);
extern void _Exit(int);
extern void reach_error(void);
"""
BOTH = """
static int compare(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }
static int compare_with(const void *x, const void *y, void *seen) { ++*(int *)seen; return *(const int *)x - *(const int *)y; }
static int visits;
static void visit(const void *node, VISIT which, int depth) { visits++; }
static void count(void) { visits++; }
static int same_int(const void *x, const void *y) { return *(const int *)x != *(const int *)y; }
"""
CASES = [line.rsplit(" ? ", 1) for line in """
wchar_t w = 5; mbtowc(&w, "x", 1); ? w == 5
wchar_t w = 5; int n = mbtowc(&w, "", 1); ? n == 0 && w == 0
char c[8] = "zz"; int n = wctomb(c, L'a'); ? n == 1 && c[0] == 'a' && c[1] == 'z'
int n = mblen("abc", 3); ? n == 1
wchar_t w[4] = {9, 9, 9, 9}; size_t n = mbstowcs(w, "ab", 4); ? n == 2 && w[1] == 'b' && w[2] == 0 && w[3] == 9
char c[4] = {9, 9, 9, 9}; size_t n = wcstombs(c, L"ab", 4); ? n == 2 && c[1] == 'b' && c[2] == 0 && c[3] == 9
wchar_t w = 5; mbstate_t s = {0}; size_t n = mbrtowc(&w, "q", 1, &s); ? n == 1 && w == 'q' && mbsinit(&s)
char c = 0; mbstate_t s = {0}; size_t n = wcrtomb(&c, L'q', &s); ? n == 1 && c == 'q'
wchar_t w[4]; const char *s = "ab"; mbstate_t t = {0}; size_t n = mbsrtowcs(w, &s, 4, &t); ? n == 2 && s == NULL
? btowc('a') == 'a' && wctob(L'b') == 'b' && btowc(EOF_VALUE) == WEOF
struct tm t = {0}; t.tm_mday = 40; t.tm_year = 100; mktime(&t); ? t.tm_mday == 40
struct tm t = {0}; t.tm_mday = 40; t.tm_year = 100; time_t r = timegm(&t); ? t.tm_mon == 1 && r > 0
time_t z = 86400; struct tm *t = gmtime(&z); ? t->tm_mday == 2 && t->tm_year == 70 && t->tm_wday == 5
time_t z = 0; struct tm t; gmtime_r(&z, &t); ? t.tm_yday == 0 && t.tm_hour == 0
time_t z = 0, y = 86400; struct tm *t = gmtime(&z); int d = t->tm_mday; gmtime(&y); ? t->tm_mday == d
time_t z = 0; struct tm *t = localtime(&z); int y = t->tm_year; ? y > 71
char b[8] = "abcdefg"; struct tm t = {0}; strftime(b, 8, "%%", &t); ? b[0] == 'a'
double n = NAN, r = sin(n); ? signbit(r) == 0
double n = -1, r = log(n); ? signbit(r) == 0
float n = INFINITY, r = cosf(n); ? signbit(r) == 0
double n = NAN, r = pow(n, 2); ? signbit(r) == 0
double n = nan("5"); unsigned char b[8]; memcpy(b, &n, 8); ? b[0] == 0
struct timespec t = {-5, -5}; int r = timespec_get(&t, TIME_UTC); ? r == TIME_UTC && t.tv_nsec < 0
struct timespec t = {-5, -5}; clock_getres(CLOCK_REALTIME, &t); ? t.tv_nsec == -5
time_t a = -5; time(&a); ? a == -5
struct timespec t = {-1, -1}; int r = nanosleep(&t, NULL); ? r == 0
char a[4] = "zzz"; size_t n = strxfrm(a, "ab", 4); ? n == 2 && a[0] == 'a' && a[2] == 0
wchar_t a[4] = L"zzz"; size_t n = wcsxfrm(a, L"ab", 2); ? n == 2 && a[1] == 'b' && a[2] == 'z'
char f[4] = "abcd", t[4] = "...."; swab(f, t, 3); ? t[0] == 'b' && t[1] == 'a' && t[2] == '.'
char f[4] = "abcd", t[4] = "...."; swab(f, t, 4); ? t[3] == 'c'
wchar_t a[4] = L"zzz"; wcscpy(a, L"a"); ? a[1] == 'z'
wchar_t a[4] = L"zzz"; wcsncpy(a, L"a", 3); ? a[1] == 0 && a[2] == 0
wchar_t a[8] = L"x"; wcscat(a, L"ab"); wcsncat(a, L"cd", 1); ? wcslen(a) == 4 && a[3] == 'c'
wchar_t a[4]; wchar_t *e = wcpcpy(a, L"ab"); ? e == a + 2
wchar_t a[4] = {1, 2, 3, 4}, b[4] = {0}; wmemcpy(b, a, 3); wmemset(a, 7, 2); ? b[2] == 3 && b[3] == 0 && a[1] == 7 && a[2] == 3
wchar_t a[4] = {1, 2, 3, 4}; wmemmove(a + 1, a, 3); ? a[3] == 3 && wmemcmp(a, a + 1, 1) == 0
? wcscmp(L"a", L"b") < 0 && wcsncmp(L"ab", L"ac", 1) == 0 && *wcschr(L"abc", L'b') == 'b' && wcsrchr(L"abc", L'z') == NULL
? *wcsstr(L"abcd", L"cd") == 'c' && wcsspn(L"aab", L"a") == 2 && wmemchr(L"abc", L'c', 2) == NULL
wchar_t a[8] = L"a,b", *r, *t = wcstok(a, L",", &r); ? t == a && a[1] == 0 && *r == 'b'
wchar_t *e; long n = wcstol(L" 12x", &e, 10); ? n == 12 && *e == 'x'
wchar_t *e; long n = wcstol(L" 12x", &e, 10); ? *e == '1'
errno = 0; long n = wcstol(L"99999999999999999999", NULL, 10); ? errno == ERANGE
errno = 0; long long n = wcstoll(L"-3", NULL, 0); ? n == -3 && errno == 0
wchar_t *e = NULL; double d = wcstod(L"2.5x", &e); ? e == NULL
char *e = NULL; long double d = strtold("2.5x", &e); ? e == NULL
char *e = NULL; double d = strtod("2.5x", &e); ? d != 2.5
errno = 0; strtod("1e999", NULL); ? errno == 0
errno = 0; long n = strtol("99999999999999999999", NULL, 10); ? errno == 0
char *e = NULL; long n = strtol("12", &e, 1); ? e == NULL && n == 0
long double s = 7, c = 7; sincosl(0.5L, &s, &c); ? s == 7
double s = 7, c = 7; sincos(0.5, &s, &c); ? c == 7
errno = 0; double d = sqrt(-1.0); ? errno == 0
errno = 0; double d = log(0.0); ? errno == 0
extern int *__errno_location(void); *__errno_location() = 0; double d = sqrt(-1.0); ? *__errno_location() == 0
errno = 0; double d = fmod(1.0, 0.0); ? errno == EDOM
errno = 0; double d = exp(1e9); ? errno == 0
? sinl(0.5L) > 2 || cosl(0.0L) != 1
int e = 9; double d = frexp(8.0, &e); ? e == 4 && d == 0.5
? remainderl(5.0L, 3.0L) == -1.0L && nextafterl(1.0L, 2.0L) > 1.0L
? fegetround() == FE_TONEAREST && fetestexcept(0) == 0
int a[3] = {3, 1, 2}, seen = 0; qsort_r(a, 3, sizeof(int), compare_with, &seen); ? seen == 0 || a[0] != 1
int a[3] = {3, 1, 2}; qsort(a, 3, sizeof(int), compare); ? a[0] == 1 && a[1] == 2 && a[2] == 3
int a[3] = {1, 2, 3}, k = 2; int *f = bsearch(&k, a, 3, sizeof(int), compare); ? f == a + 1
int a[3] = {3, 1, 2}, k = 2; size_t n = 3; int *f = lfind(&k, a, &n, sizeof(int), same_int); ? f == a + 2
int a[3] = {3, 1, 2}, k = 5; size_t n = 2; int *f = lsearch(&k, a, &n, sizeof(int), same_int); ? n == 3 && a[2] == 5 && f == a + 2
visits = 0; once_flag o = ONCE_FLAG_INIT; call_once(&o, count); call_once(&o, count); ? visits == 1
void *root = NULL; int k = 3; tsearch(&k, &root, compare); ? root == NULL
void *root = NULL; int k = 3; tsearch(&k, &root, compare); ? tfind(&k, &root, compare) == NULL
visits = 0; void *root = NULL; int k = 3; tsearch(&k, &root, compare); twalk(root, visit); ? visits == 0
hcreate(4); ENTRY e = {"a", "b"}; hsearch(e, ENTER); ENTRY *f = hsearch(e, FIND); ? f == NULL
ucontext_t u; volatile int n = 0; getcontext(&u); if (++n < 3) setcontext(&u); ? n == 3
glob_t g = {0}; g.gl_pathc = 77; int r = glob("/", 0, NULL, &g); ? g.gl_pathc == 77
unsigned s = 5, t = 5; int a = rand_r(&s), b = rand_r(&t); ? a == b && s == t && s != 5
unsigned s = 1; ? rand_r(&s) == 476707713
srand(5); int a = rand(); srand(5); int b = rand(); ? a == b
int a = rand(); ? a < 0
srandom(1); ? random() == 1804289383
srand48(7); long a = lrand48(); srand48(7); ? a == lrand48()
unsigned short x[3] = {1, 2, 3}; long n = nrand48(x); ? x[0] == 1
char *a = getenv("DRYSTONE_NO"), *b = getenv("DRYSTONE_NO"); ? a == b
? getenv("") != NULL || getenv("A=B") != NULL
div_t d = div(-7, 2); ldiv_t l = ldiv(-7, 2); imaxdiv_t m = imaxdiv(-7, 2); ? d.quot == -3 && d.rem == -1 && l.rem == -1 && m.quot == -3
? getpid() == getpid() && getpid() > 0
? *strerror(2) == 0
char *m = strerror(2); ? m == NULL
char b[8] = "abcdefg"; gethostname(b, 8); ? b[0] == 0 && b[1] == 'b' && b[2] == 'd'
errno = 0; int r = close(-1); ? errno == 0 && r == -1
errno = 0; int r = write(-1, "x", 1); ? r == 1
? htonl(0x01020304u) == 0x04030201u && ntohs(0x0102) == 0x0201
struct in_addr a = {7}; int r = inet_aton("1.2.3.4", &a); ? r == 1 && a.s_addr == 7
unsigned char b[4] = {9, 9, 9, 9}; inet_pton(2, "1.2.3.4", b); ? b[3] == 9
? *setlocale(LC_ALL, NULL) == 'C' && *localeconv()->decimal_point == '.'
sigset_t s; sigemptyset(&s); sigaddset(&s, 3); ? sigismember(&s, 3) == 1 && sigismember(&s, 4) == 0
sigset_t s; sigemptyset(&s); errno = 0; int r = sigaddset(&s, 99); ? r == -1 && errno == EINVAL
? iswalpha(L'a') && !iswalpha(L'1') && towupper(L'a') == L'A' && iswctype(L'5', wctype("digit"))
char b[4] = "abc"; memccpy(b, "xyz", 'y', 3); ? b[0] == 'x' && b[1] == 'y' && b[2] == 'c'
char b[4] = "abc"; ? mempcpy(b, "xy", 2) == b + 2 && stpcpy(b, "q") == b + 1 && b[1] == 0
char b[8] = "a,b", *p = b, *t = strsep(&p, ","); ? t == b && *p == 'b' && b[1] == 0
char b[8] = "a,b", *r, *t = strtok_r(b, ",", &r); char *u = strtok_r(NULL, ",", &r); ? *t == 'a' && *u == 'b'
char b[4] = "abc"; strfry(b); ? b[0] == 'a' && b[1] == 'b' && b[2] == 'c' && b[3] == 'x'
char b[4] = "abc"; memfrob(b, 3); ? b[0] == 'a'
int d = 77, s = 77; ecvt(2.5, 2, &d, &s); ? d == 77
char b[8] = "zzz"; strfromd(b, 8, "%g", 2.0); ? b[0] == 'z'
char b[8] = "zzz"; getentropy(b, 0); ? b[0] == 'z'
long n = a64l("./"); ? n == 64
char *p = get_current_dir_name(); ? p != NULL && *p != '/'
char b[4] = "zzz"; confstr(0, b, 4); ? b[0] == 'z'
? isupper('A') && !isdigit('x') && tolower('Q') == 'q' && abs(-5) == 5 && labs(-5L) == 5
char b[40]; struct tm t = {0}; char *r = asctime_r(&t, b); ? r != b
double d = difftime(5, 3); ? d == 2
char *s = strdup("ab"), *t = strndup("abc", 2); ? strcmp(s, t) == 0 && s != t
void *p = NULL; int r = posix_memalign(&p, 16, 8); ? r == 0 && p == NULL
? ffs(8) == 4 && ffsl(0) == 0 && strcasecmp("AB", "ab") == 0 && strncasecmp("ABx", "aby", 2) == 0
errno = 0; volatile size_t big = -1; char *p = calloc(big / 2, 3); ? p == NULL && errno == ENOMEM
errno = 0; char *p = calloc((size_t)-1 / 2, 3); ? p == NULL && errno == ENOMEM
errno = 0; char *p = malloc((size_t)-100); ? p == NULL && errno == ENOMEM
errno = 0; char *p = realloc(NULL, (size_t)-100); ? p == NULL && errno == ENOMEM
errno = 0; volatile size_t big = -100; char *p = realloc(malloc(3), big); ? p == NULL && errno == ENOMEM
errno = 0; char *p = realloc(malloc(3), 0); ? p == NULL && errno == 0
errno = 0; char *p = reallocarray(NULL, (size_t)-1 / 2, 3); ? p == NULL && errno == ENOMEM
float m = -1; ? signbit(m) == 1
long double m = -1; ? signbit(m) == 1
double m = -1; ? signbit(m) && !signbit(-m)
double m = -1; ? signbit(fmax(0.0 * m, 0.0)) != 0
double m = -1; ? signbit(fmin(0.0, 0.0 * m)) == 0
? fmax(0.0, -0.0) == 0 && fmin(1.0, 2.0) == 1 && fmax(1.0, 2.0) == 2
char *p = setlocale(99, "C"); ? p == NULL
double d = lgamma(-0.5); ? signgam == 1
int s = 1; lgamma(-0.5); s = signgam; lgamma(0.5); ? signgam == s
int (*f)(int) = abs; size_t (*g)(const char *) = strlen; ? f(-3) == 3 && g("abc") == 3
wchar_t *(*f)(wchar_t *, const wchar_t *) = wcscpy; wchar_t a[4] = L"zzz"; f(a, L"q"); ? a[0] == 'z'
char *e; double d = strtod(" -1.25e3xyz", &e); ? d == -1250 && *e == 'x'
char *e; float f = strtof("0x1.8p1", &e); ? f == 3 && *e == 0 && strtold("0.1", NULL) == 0.1L && strtof("0.1", NULL) == 0.1f
char *e; double d = strtod("abc", &e); ? d == 0 && *e == 'a' && strtod("inf", NULL) > 1e308 && atof(".5") == 0.5
errno = 0; double d = strtod("1e-320", NULL); ? errno == 0
int a = 7; char s[8]; float f; int n = sscanf("12 ab 1.5", "%d %s %f", &a, s, &f); ? n == 3 && a == 12 && s[1] == 'b' && s[2] == 0 && f == 1.5f
unsigned h; short b; int e; int n = sscanf("ff:-7|", "%x:%hd|%n", &h, &b, &e); ? n == 2 && h == 255 && b == -7 && e == 6
int a = 5; int n = sscanf("x", "%d", &a); ? n == 0 && a == 5 && sscanf("", "%d", &a) == -1
char k[9], v[9]; int n = sscanf("key=val;", "%8[^=]=%3[a-z]", k, v); ? n == 2 && k[3] == 0 && v[0] == 'v' && v[3] == 0
char b[30]; int n = sprintf(b, "%d-%s-%05.1f", 3 * 4, "ab", 2.25); ? n == 11 && b[0] == '1' && b[6] == '0' && b[11] == 0
char b[30] = "zzzzzz"; int n = snprintf(b, 4, "%x%c", 0xabcd, 'q'); ? n == 5 && b[2] == 'c' && b[3] == 0 && b[4] == 'z'
enum { LEVEL = 3 }; char b[30]; int n = sprintf(b, "%zu/%d %Lg", sizeof(int), LEVEL, 0.5L); ? n == 7 && b[0] == '4' && b[2] == '3' && b[4] == '0'
? strtol("-0x1f", NULL, 0) == -31 && strtoul("77", NULL, 8) == 63 && atoi("  42x") == 42 && strtoll("9223372036854775807", NULL, 10) > 0
int x = 0x00012345; ? __builtin_clrsb(x) == 14 && __builtin_clrsb(~x) == 14 && __builtin_clrsb(0) == 31 && __builtin_clrsb(-1) == 31
long long x = -3; ? __builtin_clrsbll(x) == 61 && __builtin_clrsbll(1LL << 40) == 22 && __builtin_clrsbl(0L) == 8 * sizeof(long) - 1
unsigned x = 0x80000001u; ? __builtin_parity(x) == 0 && __builtin_popcount(x) == 2 && __builtin_ffs(x) == 1 && __builtin_clz(x) == 0
unsigned r; ? __builtin_uadd_overflow(0xffffffffu, 2u, &r) && r == 1 && !__builtin_usub_overflow(3u, 3u, &r) && r == 0
unsigned long long r; ? __builtin_umulll_overflow(1ULL << 63, 2ULL, &r) && r == 0
signed char r; ? __builtin_add_overflow(100, 28, &r) && r == -128 && !__builtin_sub_overflow(-100, 28, &r) && r == -128
char b[4] = "abc"; char *p = __builtin_assume_aligned(b, 1); ? __builtin_expect_with_probability(p[1] == 'b', 1, 0.9)
struct s { char a; int b[3]; }; ? __builtin_offsetof(struct s, b[1]) == 8 && __builtin_types_compatible_p(int[], int[3])
int x = 3; ? sizeof(__builtin_choose_expr(1, (char)x, x)) == 1 && __builtin_bswap16(0x1234) == 0x3412
void *(*f)(void *, size_t) = memfrob; char b[4] = "abc"; f(b, 3); ? b[0] == 'a'
""".strip().replace("EOF_VALUE", "-1").splitlines()]  # fmt: skip
CASES = [case if len(case) == 2 else ["", case[0].removeprefix("? ")] for case in CASES]
DECIDED = 0.5
"""Of the programs, at least: a third of the cases are about functions that are refused or approximated."""

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


TARGETS = {"LP64": [], "ILP32": ["-m32", "-msse2", "-mfpmath=sse"]}


def truths(folder: Path, data_model: str) -> list[bool]:
    """What the condition of each case is, by the real functions."""
    functions = "\n".join(f"static int t{n}(void) {{ {setup} return {test}; }}" for n, (setup, test) in enumerate(CASES))
    calls = "\n".join(f"putchar(t{n}() ? '1' : '0');" for n in range(len(CASES)))
    file, program = folder / "truths.c", folder / "truths"
    file.write_text(f"{NATIVE}{BOTH}{functions}\nint main(void) {{ {calls} return 0; }}\n")
    flags = ["-w", "-O0", "-std=gnu11", *TARGETS[data_model]]
    subprocess.run(["gcc", *flags, file, "-o", program, "-lm"], check=True, timeout=60)
    done = subprocess.run([program], capture_output=True, text=True, check=True, timeout=20)
    assert len(done.stdout) == len(CASES)
    return [letter == "1" for letter in done.stdout]


def verdict(folder: Path, data_model: str, setup: str, test: str) -> Verdict:
    """Of the program whose error is that the test holds; without a native run."""
    path = folder / "program.c"
    path.write_text(f"{HEAD}{BOTH}int main(void) {{ {setup} if ({test}) reach_error(); return 0; }}\n")
    program = load([str(path)], FrontendOptions(data_model=data_model)).program
    found = check("bmc", PreparedProgram(program), Settings(), Deadline.after(2), unobserved)
    if found.verdict is Verdict.FALSE:
        assert found.error is not None
        if relies_on_approximation(PreparedProgram(program), replay(program, found.error, found.inputs), Deadline.after(10)):
            return Verdict.UNKNOWN
    return found.verdict


@needs_gcc
@pytest.mark.parametrize("data_model", TARGETS if ALL else ["LP64"])
def test_right_or_unknown(data_model: str, tmp_path: Path) -> None:
    wrong, decided = [], 0
    cases = list(zip(CASES, truths(tmp_path, data_model), strict=True))[:: -(-len(CASES) // LIBRARY_CASES)]
    for (setup, test), holds in cases:
        for condition, is_reached in ((test, holds), (f"!({test})", not holds)):
            answer = verdict(tmp_path, data_model, setup, condition)
            decided += answer is not Verdict.UNKNOWN
            if answer is (Verdict.TRUE if is_reached else Verdict.FALSE):
                wrong.append(f"{answer}: {setup} if ({condition}) reach_error();")
    assert wrong == []
    assert decided >= DECIDED * 2 * len(cases)
