/* What the drivers of the library models share: random inputs, checks, and the primitives that the
 * models call, with inputs that a driver can script. */
#ifndef DRYSTONE_MODEL_SUPPORT_H
#define DRYSTONE_MODEL_SUPPORT_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Declares the model of a library function beside the function itself. */
#define MODEL(name) extern __typeof__(name) model_##name

#define CHECK(condition, ...) \
  do { \
    if (!(condition)) { \
      printf("%s:%d: %s: ", __FILE__, __LINE__, #condition); \
      printf(__VA_ARGS__); \
      printf("\n"); \
      exit(1); \
    } \
  } while (0)

extern int rereads, writes_files; /* the answers to __drystone_rereads() and __drystone_writes_files() */

uint64_t random_bits(void);
int random_below(int bound);

/* The next calls of __VERIFIER_nondet_* return these bit patterns; without a script, random bits. */
void script(int count, ...);        /* count values, each uint64_t */
void script_long(long double);      /* the next long doubles are this */
extern _Bool assumption_failed;     /* set by __VERIFIER_assume(0), which then jumps */
extern jmp_buf assumption;

/* Runs the statement; false if an assumption failed in it. */
#define RUNS(statement) (assumption_failed = 0, setjmp(assumption) == 0 ? ((void)(statement), 1) : 0)

/* Memory that the next calls may write to. */
void watch(void *, size_t);
void unwatch(void);

/* Calls the real function, then its model: on what the real one left, where effects are checked against it, and once more on
 * what was there before, where everything that no effect allows must come out the same: result, memory, errno. The arguments are
 * evaluated three times. */
#define ALLOWS(f, ...) \
  do { \
    watch_before(); \
    __typeof__(f(__VA_ARGS__)) real = f(__VA_ARGS__), first = real, second = real; \
    watch_after(#f, &real, sizeof real); \
    if (RUNS(first = model_##f(__VA_ARGS__))) { \
      watch_again(); \
      if (RUNS(second = model_##f(__VA_ARGS__))) \
        watch_compare(memcmp(&second, &real, _Generic(real, long double: 10, default: sizeof real)) == 0); \
    } \
    watch_end(); \
  } while (0)
/* For a function that is not called with what it left. */
#define EXACTLY(f, ...) \
  do { \
    watch_before(); \
    __typeof__(f(__VA_ARGS__)) real = f(__VA_ARGS__), second = real; \
    watch_after(#f, &real, sizeof real); \
    watch_again(); \
    if (RUNS(second = model_##f(__VA_ARGS__))) \
      watch_compare(memcmp(&second, &real, sizeof real) == 0); \
    watch_end(); \
  } while (0)
#define ALLOWS_VOID(f, ...) \
  do { \
    char real = 0; \
    watch_before(); \
    f(__VA_ARGS__); \
    watch_after(#f, &real, sizeof real); \
    if (RUNS(model_##f(__VA_ARGS__))) { \
      watch_again(); \
      if (RUNS(model_##f(__VA_ARGS__))) \
        watch_compare(1); \
    } \
    watch_end(); \
  } while (0)
void watch_before(void);
void watch_after(const char *, const void *, size_t);
void watch_again(void);
void watch_compare(_Bool);
void watch_end(void);

#endif
