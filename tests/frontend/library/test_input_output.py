"""Results of functions that print and read, and ends of programs: what cannot happen is not found, what can is not denied.

An assertion that always holds is TRUE, or at least not FALSE (`UNDECIDED`: all that is known is approximated, or there is no bound);
one that can fail is FALSE, or at least not TRUE (`UNDENIED`).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from drystone.base.deadline import Deadline
from drystone.claims.verdicts import Verdict
from drystone.counterexamples.replay import NotReplayed, relies_on_approximation, replay
from drystone.engines.outcome import unobserved
from drystone.engines.portfolio.auto import check
from drystone.engines.question import Settings
from drystone.frontend.load import FrontendOptions, load
from drystone.pipeline import PreparedProgram

HEADERS = (
    "err",
    "errno",
    "setjmp",
    "signal",
    "stdarg",
    "stdint",
    "stdio",
    "stdlib",
    "string",
    "time",
    "unistd",
    "sys/mman",
    "sys/wait",
)
HEAD = "".join(f"#include <{name}.h>\n" for name in HEADERS) + (
    "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nextern char __VERIFIER_nondet_char(void);\n"
    "#define CHECK(condition) if (!(condition)) reach_error()\n"
    "static int say(const char *f, ...) { va_list l; va_start(l, f); int n = vprintf(f, l); va_end(l); return n; }\n"
    "static int line(char *b, const char *f, ...) { va_list l; va_start(l, f); int n = vsnprintf(b, 8, f, l); va_end(l); return n; }\n"
)

HOLDS = [
    'CHECK(printf("abc") == 3);',
    'CHECK(printf("") == 0);',
    'CHECK(printf("%d", 12345) == 5);',
    'CHECK(printf("%s|%c", "text", 99) == 6);',
    'CHECK(fprintf(stderr, "abc\\n") == 4);',
    'CHECK(fprintf(stdout, "%5.1f|", 2.5) == 6);',
    "CHECK(__builtin_printf(\"%%\") == 1);",
    "int c = __VERIFIER_nondet_int(); CHECK(putchar(c) == (unsigned char)c);",
    "int c = __VERIFIER_nondet_int(); CHECK(putc(c, stdout) == (unsigned char)c);",
    "int c = __VERIFIER_nondet_int(), r = fputc(c, stderr); CHECK(r == (c & 255));",
    'FILE *f = fopen("x", "w"); if (f) { int r = fputc(300, f); CHECK(r == -1 || r == 44); }',
    'int n = printf("%d", __VERIFIER_nondet_int()); CHECK(n >= -1);',
    'int n = say("%d", __VERIFIER_nondet_int()); CHECK(n >= -1);',
    'CHECK(puts("x") >= -1);',
    'CHECK(fputs("x", stdout) >= -1);',
    'CHECK(fwrite("abc", 1, 3, stdout) <= 3);',
    'CHECK(fwrite("abc", 0, 3, stdout) == 0);',
    'long r = write(1, "abc", 3); CHECK(r >= -1 && r <= 3);',
    "int r = fflush(stdout); CHECK(r == 0 || r == -1);",
    'char b[9] = "zzzzzzzz"; CHECK(sprintf(b, "abc") == 3); CHECK(b[0] == 97 && b[2] == 99 && b[3] == 0 && b[4] == 122);',
    'char b[9]; CHECK(sprintf(b, "%d-%s", -7, "x") == 4); CHECK(strcmp(b, "-7-x") == 0);',
    'char b[3] = "zz"; CHECK(snprintf(b, 2, "abc") == 3); CHECK(b[0] == 97 && b[1] == 0 && b[2] == 0);',
    'char b[3] = "zz"; CHECK(snprintf(b, 0, "abc") == 3 && b[0] == 122);',
    'char b[9]; int n = snprintf(b, 9, "%d", __VERIFIER_nondet_int()); CHECK(n >= 0 && b[n < 8 ? n : 8] == 0);',
    'char b[9]; b[8] = 5; snprintf(b, 8, "%d", __VERIFIER_nondet_int()); CHECK(b[8] == 5);',
    'char b[9]; b[8] = 5; line(b, "%d", __VERIFIER_nondet_int()); CHECK(b[8] == 5);',
    "int c = getchar(); CHECK(c >= -1 && c <= 255);",
    "int c = getc(stdin); CHECK(c >= EOF && c <= 255);",
    "int c = getchar(), d = getchar(); CHECK(c != EOF || d == EOF);",
    "CHECK(feof(stdin) == 0);",
    "int c = getchar(); CHECK(c == EOF || !feof(stdin));",
    "char b[4]; if (!fgets(b, 4, stdin)) CHECK(getchar() == EOF);",
    "int c = __VERIFIER_nondet_int(); if (c != EOF && ungetc(c, stdin) != EOF) CHECK(getchar() == (unsigned char)c);",
    "int c = getchar(); if (c != EOF) { ungetc(c, stdin); CHECK(getc(stdin) == c); }",
    'CHECK(ungetc(120, stdin) == 120 && getchar() == 120);',
    "CHECK(ungetc(EOF, stdin) == EOF);",
    "char b[4]; b[3] = 7; if (fgets(b, 3, stdin)) CHECK(b[0] == 0 || b[1] == 0 || b[2] == 0); CHECK(b[3] == 7);",
    "char b[4] = { 9, 9, 9, 9 }; if (!fgets(b, 4, stdin)) CHECK(b[0] == 9);",
    "char b[4] = { 9, 9, 9, 9 }; size_t n = fread(b, 1, 3, stdin); CHECK(n <= 3 && b[3] == 9);",
    "errno = 0; say(\"%d %s\", 7, \"x\"); CHECK(errno == 0);",
    'char b[9]; errno = 0; int n = line(b, "%d %c", 7, 65); CHECK(n >= 0 && errno == 0);',
    "CHECK(stdin != NULL && stdout != NULL && stderr != NULL);",
    "CHECK(stdin != stdout && stdout != stderr && stdin != stderr);",
    "CHECK(ftell(stdin) >= -1);",
    'FILE *f = fopen("x", "r"); if (f) { CHECK(f != stdin); int r = fclose(f); CHECK(r == 0 || r == EOF); }',
    'int x = 5; if (scanf("%d", &x) < 1) CHECK(x == 5);',
    'char c = 5; if (scanf(" %c", &c) == 1) CHECK(c != 32 && c != 10);',
    'int x; if (scanf("%d", &x) == EOF) CHECK(feof(stdin));',
    'int x, y; if (scanf("%d", &x) == EOF && feof(stdin)) CHECK(scanf("%d", &y) == EOF);',
    'CHECK(scanf("") == 0 && scanf(" ") == 0);',
    'char c; int r = scanf("%c", &c); CHECK(r != 0);',
    'char c; int r = scanf(" %c", &c); CHECK(r != 0);',
    'char c; int r = fscanf(stdin, "%*c%c", &c); CHECK(r != 0);',
    'char c, d; int r = scanf("%c%c", &c, &d); CHECK(r != 0);',
    'char b[9]; int r = scanf("%s", b); CHECK(r != 0);',
    'int x; char c; if (scanf("%d%c", &x, &c) == 1) CHECK(feof(stdin));',
    'CHECK(fopen("", "r") == 0 && fopen("x", "z") == 0 && fdopen(-1, "r") == 0);',
    "CHECK(getpid() <= 4194304);",
    "CHECK(time(0) < 9300000000);",
    'CHECK(popen("true", "z") == 0);',
    "extern int *__errno_location(void); extern void *reallocarray(void *, size_t, size_t); char *p = reallocarray(0, (size_t)-1, 3); "
    "CHECK(p == 0 && *__errno_location() == 12);",
    "exit(0); reach_error();",
    "_exit(0); reach_error();",
    "quick_exit(0); reach_error();",
    "abort(); reach_error();",
    "raise(SIGABRT); reach_error();",
    "raise(SIGKILL); reach_error();",
    'err(1, "%s", "x"); reach_error();',
    'errx(1, "x"); reach_error();',
    "__builtin_trap(); reach_error();",
    "pause(); reach_error();",
    "void (*end)(int) = exit; end(1); reach_error();",
    "unsigned r = sleep(3); CHECK(r == 0);",
    "CHECK(usleep(3) == 0);",
    "extern int fesetround(int); CHECK(fesetround(0) == 0);",
    "struct timespec t = {0, 3}; CHECK(nanosleep(&t, 0) == 0);",
    "struct timespec t = {0, -3}; errno = 0; CHECK(nanosleep(&t, 0) == -1 && errno == EINVAL);",
    "int r = fork(); CHECK(r >= -1);",
    "CHECK(fork() <= 4194304);",
    "int p = getpid(); if (fork() > 0) CHECK(p == getpid());",
    "int p = getpid(); if (fork() == 0) CHECK(p != getpid());",
    "int p = fork(); if (p > 0) CHECK(p != getpid());",
    "signal(SIGPIPE, SIG_IGN); raise(SIGABRT); reach_error();",
    'int (*p)(const char *, ...) = printf; CHECK(p("abc") >= -1);',
]  # fmt: skip

UNDECIDED = [
    "extern char *gets(char *); char b[9]; if (gets(b)) CHECK(b[0] != 10);",
    "extern int *__errno_location(void); *__errno_location() = 0; char *p = realloc(0, (size_t)-100); CHECK(p == 0 && *__errno_location() == 12);",
    "extern int *__errno_location(void); *__errno_location() = 0; char *p = realloc(0, 8); CHECK(p != 0 && *__errno_location() == 0);",
    "char *p = 0; size_t n = 0; if (getline(&p, &n, stdin) == -1) CHECK(p != 0 && n != 0);",
    "extern char **environ; CHECK(environ != 0);",
    "extern int optind; CHECK(optind == 1);",
    "close(0); CHECK(getchar() == EOF);",
    "ungetc(97, stdin); rewind(stdin); CHECK(getchar() != 300);",
    "while (getchar() != EOF) { } CHECK(feof(stdin));",
    'char *p = 0; size_t n = 0; long r = getline(&p, &n, stdin); CHECK(r == -1 || (r > 0 && p != 0 && (size_t)r < n && p[r] == 0));',
    'FILE *f = tmpfile(); if (f) { if (fputc(65, f) == 65) { rewind(f); int c = getc(f); CHECK(c != 66); } }',
    'FILE *f = fopen("x", "w+"); if (f) { fprintf(f, "7"); rewind(f); int x = 7; fscanf(f, "%d", &x); CHECK(x == 7); }',
    'char b[9]; int r = scanf("%8s", b); if (r == 1) CHECK(b[0] != 32);',
    'char b[9] = "abc"; if (scanf("%s", b) == 1) CHECK(b[0] != 10 && b[0] != 32);',
    'int x; char s[] = "12"; if (sscanf(s, "%d", &x) == 1) CHECK(x == 12);',
    'int x; char c; if (scanf("%d%c", &x, &c) == 2) CHECK(c != 48);',
    'int x, y; if (scanf("%d", &x) == EOF) CHECK(scanf("%d", &y) != 1);',
    'int x, y; if (scanf("%d", &x) == 0) CHECK(scanf("%d", &y) == 0);',
    'int x; char c; if (scanf("%d", &x) == 1 && scanf("%c", &c) == 1) CHECK(c != 48);',
    'char b[9]; if (scanf("%[a-c]", b) == 1) CHECK(b[0] != 100);',
    'int x = 0; if (scanf("%2d", &x) == 1) CHECK(x <= 99);',
    'int x; if (scanf("%d", &x) == EOF) CHECK(scanf("%d", &x) != 0);',
    "extern int fesetround(int); fesetround(0x800); double x = 1, y = 3; CHECK(x / y * y == 1);",
    "int p = fork(); if (p > 0) { int q = fork(); if (q > 0) CHECK(p != q); }",
    "if (fork() == 0) { kill(getppid(), 9); _exit(0); } sleep(1); reach_error();",
    "fclose(stdin); char c; int n = read(0, &c, 1); CHECK(n != 1);",
    'CHECK(fopen("/", "w") == 0);',
    'FILE *f = fopen("/dev/null", "r"); int x; if (f) CHECK(fscanf(f, "%d", &x) == EOF);',
    'CHECK(remove("/") != 0);',
    'CHECK(rename("", "x") != 0);',
    'FILE *f = popen("exit 3", "r"); if (f) CHECK(pclose(f) != 0);',
    "void *(*p)(size_t) = malloc; errno = 0; void *q = p(-1); CHECK(q == 0 && errno == 12);",
    'FILE *f = fopen("x", "w"); if (!f) { fputs("a", f); reach_error(); }',
    'FILE *f = fopen("x", "w"); if (!f) { fprintf(f, "a"); reach_error(); }',
    "FILE *f = 0; getc(f); reach_error();",
    "FILE *f = 0; fclose(f); reach_error();",
    "FILE *f = 0; if (feof(f)) reach_error(); reach_error();",
    'FILE *f = 0; int x; fscanf(f, "%d", &x); reach_error();',
    "char *s = 0; puts(s); reach_error();",
    'char *s = 0; printf("%s\\n", s); reach_error();',
    'strtok(0, " "); reach_error();',
    "char *s = 0; atof(s); reach_error();",
    "alarm(1); sleep(3); reach_error();",
    "alarm(1); for (;;) if (__VERIFIER_nondet_int() == 7) reach_error();",
    "int p[2]; pipe(p); close(p[0]); write(p[1], \"a\", 1); reach_error();",
    "int p[2]; pipe(p); close(p[0]); dup2(p[1], 1); puts(\"a\"); fflush(stdout); reach_error();",
    "int p[2]; pipe(p); close(p[0]); FILE *f = fdopen(p[1], \"w\"); if (f) { fputs(\"a\", f); fclose(f); reach_error(); }",
    "int p[2]; char c; pipe(p); read(p[0], &c, 1); reach_error();",
    "int p[2]; pipe(p); dup2(p[0], 0); getchar(); reach_error();",
    "int p[2], x; pipe(p); dup2(p[0], 0); scanf(\"%d\", &x); reach_error();",
    "int p = fork(); if (p == 0) for (;;) { } wait(0); reach_error();",
    'system("kill -9 $PPID"); reach_error();',
    'float x; unsigned u = 0; if (scanf("%f", &x) == 1) memcpy(&u, &x, 4); CHECK(u != 0x7f800001);',
]  # fmt: skip

FAILS = [
    'CHECK(printf("abc") == 4);',
    'CHECK(printf("%d", 12345) != 5);',
    "int c = __VERIFIER_nondet_int(); CHECK(putchar(c) != 65);",
    'char b[9]; sprintf(b, "abc"); CHECK(b[1] != 98);',
    'char b[9]; b[1] = 0; int x = 0; sprintf(b, "%c%c", x, 113); CHECK(!(b[0] == 0 && b[1] == 113));',
    'char b[9]; snprintf(b, 2, "abc"); CHECK(b[0] != 97 || b[1] != 0);',
    "CHECK(getchar() != 65);",
    "CHECK(getchar() != EOF);",
    "int c = getchar(), d = getchar(); CHECK(c == d);",
    "getchar(); CHECK(!feof(stdin));",
    "int c = getchar(); CHECK(c != EOF || feof(stdin) == 0);",
    "char b[4]; CHECK(fgets(b, 4, stdin) == 0 || b[0] != 65);",
    "char b[4]; CHECK(fgets(b, 4, stdin) != 0);",
    "char b[4] = { 1 }; CHECK(fread(b, 1, 4, stdin) != 4 || b[2] != 66);",
    'FILE *f = fopen("x", "r"); CHECK(f != 0);',
    'FILE *f = fopen("x", "r"); if (f) CHECK(getc(f) != 65);',
    'int x = 5; scanf("%d", &x); CHECK(x == 5);',
    'int x = 5; CHECK(scanf("%d", &x) == 1);',
    'char c = 5; if (scanf(" %c", &c) == 1) CHECK(c != 65);',
    'int x = 0, y = 0; if (scanf("%d", &x) == 1 && scanf("%d", &y) == 1) CHECK(x != 3 || y != 4);',
    'int x = 0, y = 0; if (scanf("%d", &x) == 1) CHECK(scanf("%d", &y) == 1);',
    'int x = 0; char c = 5; if (scanf("%d,%c", &x, &c) == 2) CHECK(c != 48);',
    'int x = 0, y = 0; if (scanf("%d%%%d", &x, &y) == 2) CHECK(x != 3 || y != 4);',
    'char c; int r = scanf("%c", &c); CHECK(r != -1);',
    'char c; int r = scanf("a%c", &c); CHECK(r != 0);',
    'char c; int r = scanf("%*d%c", &c); CHECK(r != 0);',
    'char c; int r = scanf("%*[a]%c", &c); CHECK(r != 0);',
    'float x; unsigned u = 0; if (scanf("%f", &x) == 1) memcpy(&u, &x, 4); CHECK(u != 0x3f800001);',
    "CHECK(fork() != 0);",
    "CHECK(fork() != -1);",
    "CHECK(fork() <= 0);",
    "alarm(0); reach_error();",
    "int x = __VERIFIER_nondet_int(); write(1, \"a\", 1); char c; read(0, &c, 1); CHECK(x != 4);",
    "char *p = getenv(\"AB\"); CHECK(p == 0);",
    'warnx("x"); reach_error();',
    "signal(SIGPIPE, SIG_IGN); reach_error();",
    "int x = __VERIFIER_nondet_int(); if (x == 3) exit(x); CHECK(x != 4);",
    'if (__VERIFIER_nondet_int()) errx(1, "x"); reach_error();',
]  # fmt: skip

UNDENIED = [
    "ungetc(97, stdin); char b[9]; fgets(b, 9, stdin); CHECK(getchar() == 97);",
    "ungetc(97, stdin); char b[9]; fread(b, 1, 2, stdin); CHECK(getchar() == 97);",
    "ungetc(97, stdin); char *p = 0; size_t n = 0; getline(&p, &n, stdin); CHECK(getchar() == 97);",
    'ungetc(97, stdin); char c; scanf("%c", &c); CHECK(getchar() == 97);',
    "ungetc(97, stdin); rewind(stdin); CHECK(getchar() == 97);",
    "ungetc(97, stdin); fseek(stdin, 0, 0); CHECK(getchar() == 97);",
    "ungetc(97, stdin); fpos_t p; fgetpos(stdin, &p); fsetpos(stdin, &p); CHECK(getchar() == 97);",
    'FILE *f = fopen("x", "r"); if (f) { ungetc(97, f); fseek(f, 0, 0); CHECK(getc(f) == 97); }',
    'int x; if (scanf("%d", &x) == EOF) CHECK(!feof(stdin));',
    'int x; if (scanf("%d", &x) == 1) CHECK(!feof(stdin));',
    'int x; while (scanf("%d", &x) == 1) { } if (feof(stdin)) CHECK(getchar() != EOF);',
    'FILE *f = stdin; int x; if (fscanf(f, "%d", &x) == EOF) CHECK(!feof(stdin));',
    "while (getchar() != EOF) { } fseek(stdin, 0, 0); CHECK(!feof(stdin));",
    'while (getchar() != EOF) { } stdin = fopen("x", "r"); if (stdin) CHECK(getchar() == EOF);',
    "FILE **p = &stdin; *p = 0; CHECK(stdin != 0);",
    'extern int *__errno_location(void); *__errno_location() = 2; perror("x"); CHECK(*__errno_location() == 2);',
    'int n = printf("%d", __VERIFIER_nondet_int()); CHECK(n != 3);',
    'char b[9]; sprintf(b, "%d", __VERIFIER_nondet_int()); CHECK(b[0] != 55);',
    "char *p = 0; size_t n = 0; if (getline(&p, &n, stdin) > 0) CHECK(p[0] != 65);",
    "fpos_t p; memset(&p, 0, sizeof p); fgetpos(stdin, &p); CHECK(((char *)&p)[0] == 0);",
    'char b[9] = ""; scanf("%8s", b); CHECK(b[1] == 0);',
    'int x = 0; scanf("%2d", &x); CHECK(x != 42);',
    'char b[4] = ""; scanf("%3c", b); CHECK(b[2] == 0);',
    'void *p = 0; scanf("%p", &p); CHECK(p == 0);',
    'int n = 0; printf("abc%n", &n); CHECK(n == 0);',
    'char b[9]; int (*p)(char *, const char *, ...) = sprintf; int n = 0; p(b, "abc%n", &n); CHECK(n == 0);',
    'char b[9]; int n = 0; const char *f = "ab" "%" "n"; line(b, f, &n); CHECK(n == 0);',
    'int n = 0; const char *f = "ab%n"; say(f, &n); CHECK(n == 0);',
    'int (*p)(const char *, ...) = printf; int n = 0; p("abc%n", &n); CHECK(n == 0);',
    'int x = 3; char b[40]; sprintf(b, "%p", (void *)&x); int *q = 0; unsigned long v = strtoul(b, 0, 16); q = (int *)v; *q = 4; CHECK(x == 3);',
    "static char b[BUFSIZ]; setbuf(stdout, b); putchar(65); CHECK(b[0] == 0);",
    "signal(SIGABRT, SIG_IGN); raise(SIGABRT); reach_error();",
    "raise(SIGCHLD); reach_error();",
    "kill(getpid(), 0); reach_error();",
    "sigset_t s; sigemptyset(&s); sigaddset(&s, SIGABRT); sigprocmask(SIG_BLOCK, &s, 0); raise(SIGABRT); reach_error();",
    'CHECK(getw(stdin) != 65);',
    "jmp_buf j; if (setjmp(j) == 0) longjmp(j, 1); else reach_error();",
    'CHECK(getenv("A=B") == 0);',
    "void *(*p)(size_t) = malloc; errno = 0; void *q = p(-1); CHECK(q != 0 || errno != 12);",
    'int (*p)(FILE *, const char *, ...) = fprintf; FILE *f = fopen("x", "w"); if (f) { errno = 0; p(f, "x"); CHECK(errno == 0); }',
    'int (*p)(const char *, ...) = printf; errno = 0; p("%ls", L"\\x20ac"); CHECK(errno == 0);',
    'char b[9]; CHECK(snprintf(b, 9, "%ls", L"\\x20ac") >= 0);',
    'char b[9]; CHECK(sprintf(b, "%lc", 0x20ac) >= 0);',
    'char b[9]; CHECK(snprintf(b, 9, "%2147483647d%d", 1, 2) >= 0);',
    'char b[9]; CHECK(snprintf(b, 9, "%*d%d", 2147483647, 1, 2) >= 0);',
    'char b[9]; CHECK(line(b, "%l\\163", L"\\x20ac") >= 0);',
    'char b[9]; errno = 0; snprintf(b, 9, "%ls", L"\\x20ac"); CHECK(errno == 0);',
    'errno = 0; printf("%ls", L"\\x20ac"); CHECK(errno == 0);',
    'errno = 0; say("%S", L"\\x20ac"); CHECK(errno == 0);',
    "char *p = mmap(0, 100, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); if (p != MAP_FAILED) CHECK((uintptr_t)p % 4096 != 0);",
]  # fmt: skip

HANDLERS = [
    "static void last(void) { reach_error(); }\nint main(void) { at_quick_exit(last); quick_exit(0); }",
    "extern int on_exit(void (*)(int, void *), void *);\nstatic void last(int n, void *p) { reach_error(); }\n"
    "int main(void) { on_exit(last, 0); return 0; }",
    "extern int __cxa_atexit(void (*)(void *), void *, void *);\nstatic void last(void *p) { reach_error(); }\n"
    "int main(void) { __cxa_atexit(last, 0, 0); return 0; }",
    "static void late(int n) { reach_error(); }\nint main(void) { signal(SIGABRT, late); raise(SIGABRT); return 0; }",
    "static void late(int n) { reach_error(); }\nint main(void) { signal(SIGINT, late); raise(SIGINT); return 0; }",
]


ATEXIT = [  # what handlers find, and whether it is an error
    ("static int g; static void last(void) { CHECK(g == WHAT(0, 1)); }\nint main(void) { atexit(last); g = 1; return 0; }"),
    ("static int g; static void last(void) { CHECK(g == WHAT(0, 2)); }\nint main(void) { atexit(last); g = 2; exit(g); }"),
    ("static int g; static void last(void) { CHECK(g == WHAT(0, 3)); }\nint main(void) { atexit(last); g = 3; errx(1, \"x\"); }"),
    ("static int g; static void last(void) { CHECK(g == WHAT(0, 4)); }\n"
     "int main(void) { void (*end)(int) = exit; atexit(last); g = 4; end(0); return 0; }"),
    ("static int g; static void one(void) { g = 1; } static void two(void) { CHECK(g == WHAT(1, 0)); }\n"
     "int main(void) { atexit(one); atexit(two); return 0; }"),
    ("static int g; static void one(void) { g++; } static void two(void) { CHECK(g == WHAT(1, 2)); }\n"
     "int main(void) { atexit(two); atexit(one); atexit(one); return 0; }"),
    ("static int g = 1; static void last(void) { CHECK(WHAT(g, g + 1) != 1); }\n"
     "int main(void) { if (__VERIFIER_nondet_int()) atexit(last); return 0; }"),
]  # fmt: skip


def verdict(text: str, folder: Path, seconds: float = 10) -> Verdict:
    """As `drystone verify` gives it, without the help of a compiler."""
    path = folder / "program.c"
    path.write_text(HEAD + text)
    program = load([str(path)], FrontendOptions()).program
    result = check("bmc", PreparedProgram(program), Settings(), Deadline.after(seconds), unobserved)
    if result.verdict is not Verdict.FALSE:
        return result.verdict
    assert result.error is not None
    try:
        replayed = replay(program, result.error, result.inputs)
    except NotReplayed:
        return Verdict.UNKNOWN
    return Verdict.UNKNOWN if relies_on_approximation(PreparedProgram(program), replayed, Deadline.after(10)) else Verdict.FALSE


@pytest.mark.parametrize("body", HOLDS)
def test_what_always_holds(body: str, tmp_path: Path) -> None:
    assert verdict(f"int main(void) {{ {body} return 0; }}\n", tmp_path) is Verdict.TRUE


@pytest.mark.parametrize("body", UNDECIDED)
def test_what_holds_and_is_not_known(body: str, tmp_path: Path) -> None:
    assert verdict(f"int main(void) {{ {body} return 0; }}\n", tmp_path, seconds=1) is not Verdict.FALSE


@pytest.mark.parametrize("body", FAILS)
def test_what_can_fail(body: str, tmp_path: Path) -> None:
    assert verdict(f"int main(void) {{ {body} return 0; }}\n", tmp_path) is Verdict.FALSE


@pytest.mark.parametrize("body", UNDENIED)
def test_what_can_fail_and_is_not_known(body: str, tmp_path: Path) -> None:
    assert verdict(f"int main(void) {{ {body} return 0; }}\n", tmp_path, seconds=1) is not Verdict.TRUE


@pytest.mark.parametrize("program", HANDLERS)
def test_handlers_are_not_forgotten(program: str, tmp_path: Path) -> None:
    assert verdict(program, tmp_path) is not Verdict.TRUE


@pytest.mark.parametrize("reached", [True, False])
@pytest.mark.parametrize("program", ATEXIT)
def test_exit_handlers(program: str, reached: bool, tmp_path: Path) -> None:
    text = f"#define WHAT(yes, no) {'yes' if reached else 'no'}\n{program}\n"
    assert verdict(text, tmp_path) is (Verdict.FALSE if reached else Verdict.TRUE)


@pytest.mark.parametrize("end", ["_exit(0);", "abort();", "quick_exit(0);", "raise(SIGABRT);"])
def test_ends_without_handlers(end: str, tmp_path: Path) -> None:
    text = f"static void last(void) {{ reach_error(); }}\nint main(void) {{ atexit(last); {end} return 0; }}\n"
    assert verdict(text, tmp_path) is Verdict.TRUE
