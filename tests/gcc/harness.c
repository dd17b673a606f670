/* What a benchmark task is linked with: its inputs come from a file of 64-bit numbers, its end is an exit code.
   main, exit, abort, malloc of the task are renamed by the compiler or the linker (see tasks.py). */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FINISHED = 40, ERROR = 42, ASSUMPTION = 43, EXHAUSTED = 44 };

static unsigned long long vector[4096];
static size_t count, position;

/* how many inputs were taken is part of what is compared */
void drystone_end(int code) {
    char text[40];
    int length = snprintf(text, sizeof text, "\ninputs taken: %d\n", (int)position);
    if (write(2, text, length) != length) code = 1;
    _exit(code);
}

unsigned long long drystone_next(void) {
    if (position == count) drystone_end(EXHAUSTED);
    return vector[position++];
}

void drystone_error(void) { drystone_end(ERROR); }

__attribute__((weak)) void __VERIFIER_error(void) { drystone_error(); }
__attribute__((weak)) void reach_error(void) { drystone_error(); }
__attribute__((weak)) void __VERIFIER_assume(int condition) { if (!condition) drystone_end(ASSUMPTION); }

/* a failed assert is the error only in programs that call no error function */
extern const int drystone_assert_is_error;
void __assert_fail(const char *text, const char *file, unsigned line, const char *function) {
    drystone_end(drystone_assert_is_error ? ERROR : FINISHED);
}

__attribute__((weak)) void assert(int condition) { if (!condition) __assert_fail("", "", 0, ""); }

void __wrap_exit(int code) { drystone_end(FINISHED); }
void __wrap_abort(void) { drystone_end(FINISHED); }

void *__real_calloc(size_t, size_t);
void *__wrap_malloc(size_t size) { return __real_calloc(1, size); }

int task_main();

int main(int argc, char **argv) {
    FILE *file = fopen(argv[1], "rb");
    if (!file) return 1;
    count = fread(vector, sizeof *vector, sizeof vector / sizeof *vector, file);
    fclose(file);
    static char *arguments[] = {0};
    task_main(0, arguments);
    drystone_end(FINISHED);
}
