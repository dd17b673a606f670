/* Native definitions of the primitives that the front end provides to the library models. */
#include "support.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

static uint64_t state = 88172645463325252u;

uint64_t random_bits(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state * 2685821657736338717u;
}

int random_below(int bound) { return (int)((random_bits() >> 33) % (unsigned)bound); }

_Bool assumption_failed;
jmp_buf assumption;
static uint64_t scripted[4096];
static int scripted_count, scripted_next;

void script(int count, ...) {
  va_list values;
  va_start(values, count);
  scripted_count = count;
  scripted_next = 0;
  for (int i = 0; i < count; i++)
    scripted[i] = va_arg(values, uint64_t);
  va_end(values);
}

static uint64_t next_input(void) { return scripted_next < scripted_count ? scripted[scripted_next++] : random_bits(); }

void __VERIFIER_assume(int condition) {
  if (!condition) {
    assumption_failed = 1;
    longjmp(assumption, 1);
  }
}

int __VERIFIER_nondet_int(void) { return (int)next_input(); }
unsigned __VERIFIER_nondet_uint(void) { return (unsigned)next_input(); }
long __VERIFIER_nondet_long(void) { return (long)next_input(); }
unsigned long __VERIFIER_nondet_ulong(void) { return (unsigned long)next_input(); }
char __VERIFIER_nondet_char(void) { return (char)next_input(); }
unsigned char __VERIFIER_nondet_uchar(void) { return (unsigned char)next_input(); }

double __VERIFIER_nondet_double(void) {
  uint64_t bits = next_input();
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

float __VERIFIER_nondet_float(void) {
  uint32_t bits = (uint32_t)next_input();
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

int __VERIFIER_nondet_approximate_int(void) { return __VERIFIER_nondet_int(); }
char __VERIFIER_nondet_approximate_char(void) { return __VERIFIER_nondet_char(); }
unsigned char __VERIFIER_nondet_approximate_uchar(void) { return __VERIFIER_nondet_uchar(); }
long __VERIFIER_nondet_approximate_long(void) { return __VERIFIER_nondet_long(); }
int __VERIFIER_nondet_approximate_printed_length(void) { return __VERIFIER_nondet_int(); }
char __VERIFIER_nondet_approximate_printed_character(void) { return __VERIFIER_nondet_char(); }

int rereads, writes_files; /* what the program of the model calls, chosen by the driver */
int __drystone_rereads(void) { return rereads; }
int __drystone_writes_files(void) { return writes_files; }
int __drystone_closes(void) { return 0; }
int __drystone_has_pipes(void) { return 0; }
int __drystone_may_fail_to_print(void) { return 1; }
int __drystone_most_printed(void) { return INT_MAX; }
int __drystone_sends_signals(void) { return 0; }
void *__drystone_pages(size_t size) { return calloc(1, size); }
void __drystone_text(const char *format, va_list list) {}
unsigned long __VERIFIER_nondet_approximate_ulong(void) { return __VERIFIER_nondet_ulong(); }
double __VERIFIER_nondet_approximate_double(void) { return __VERIFIER_nondet_double(); }
float __VERIFIER_nondet_approximate_float(void) { return __VERIFIER_nondet_float(); }

static long double scripted_long;
void script_long(long double value) { scripted_long = value; }
long double __VERIFIER_nondet_approximate_longdouble(void) { return scripted_long; }

/* Effects */

enum { WATCHED = 16, LARGEST = 4096 };
static struct {
  unsigned char *start;
  size_t size;
  unsigned char before[LARGEST], after[LARGEST];
  _Bool allowed[LARGEST];
} watched[WATCHED];
static int watched_count;
static const char *called;
static unsigned char recorded[64];
static size_t recorded_size;
static int recorded_errno;
static _Bool errno_allowed, is_checking;

/* The models of stdlib.c have an errno of their own. */
__attribute__((weak)) int *model___errno_location(void);
static int *model_errno(void) { return model___errno_location != 0 ? model___errno_location() : &errno; }

void watch(void *start, size_t size) {
  CHECK(watched_count < WATCHED && size <= LARGEST, "too much is watched");
  watched[watched_count].start = start;
  watched[watched_count].size = size;
  watched_count++;
}

void unwatch(void) { watched_count = 0; }

void watch_before(void) {
  for (int i = 0; i < watched_count; i++)
    memcpy(watched[i].before, watched[i].start, watched[i].size);
  errno = 0;
}

void watch_after(const char *name, const void *result, size_t size) {
  recorded_errno = errno;
  called = name;
  recorded_size = size;
  memcpy(recorded, result, size);
  for (int i = 0; i < watched_count; i++) {
    memcpy(watched[i].after, watched[i].start, watched[i].size);
    memset(watched[i].allowed, 0, sizeof watched[i].allowed);
  }
  errno_allowed = 0;
  is_checking = 1;
}

void watch_again(void) {
  is_checking = 0;
  for (int i = 0; i < watched_count; i++)
    memcpy(watched[i].start, watched[i].before, watched[i].size);
  *model_errno() = 0;
}

void watch_compare(_Bool same_result) {
  int number = *model_errno();
  CHECK(same_result, "result of %s", called);
  CHECK(errno_allowed || number == recorded_errno, "errno of %s: %d, not %d", called, recorded_errno, number);
  for (int i = 0; i < watched_count; i++)
    for (size_t k = 0; k < watched[i].size; k++)
      CHECK(watched[i].allowed[k] || watched[i].start[k] == watched[i].after[k], "byte %d of object %d that %s wrote", (int)k, i, called);
}

void watch_end(void) {
  for (int i = 0; i < watched_count; i++)
    memcpy(watched[i].start, watched[i].after, watched[i].size);
}

void effect_errno(void) { errno_allowed = 1; }

void effect_refuses(void) { __VERIFIER_assume(0); }

void effect_writes(const volatile void *start, size_t size) {
  const unsigned char *first = (const unsigned char *)start;
  for (int i = 0; i < watched_count; i++)
    for (size_t k = 0; k < watched[i].size; k++)
      if (watched[i].start + k >= first && watched[i].start + k < first + size)
        watched[i].allowed[k] = 1;
}

void effect_holds(int claim, const char *text) { CHECK(claim || !is_checking, "what %s left: %s", called, text); }

void effect_result(void *result, size_t size) {
  CHECK(size == recorded_size, "size of the result of %s", called);
  memcpy(result, recorded, size);
}

void *effect_pointer(void) {
  void *pointer;
  effect_result(&pointer, sizeof pointer);
  return pointer;
}

#define PRIMITIVES(T, s) \
  T __drystone_fp_floor##s(T x) { return floor##s(x); } \
  T __drystone_fp_ceil##s(T x) { return ceil##s(x); } \
  T __drystone_fp_trunc##s(T x) { return trunc##s(x); } \
  T __drystone_fp_round##s(T x) { return round##s(x); } \
  T __drystone_fp_rint##s(T x) { return rint##s(x); } \
  T __drystone_fp_fmod##s(T x, T y) { return fmod##s(x, y); } \
  T __drystone_fp_sqrt##s(T x) { return sqrt##s(x); } \
  T __drystone_fp_abs##s(T x) { return fabs##s(x); }
PRIMITIVES(double, )
PRIMITIVES(float, f)
PRIMITIVES(long double, l)
