/* What the drivers of the library models share: random inputs, checks, and the primitives that the
 * models call, with inputs that a driver can script. */
#ifndef DRYSTONE_MODEL_SUPPORT_H
#define DRYSTONE_MODEL_SUPPORT_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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
extern _Bool assumption_failed;     /* set by __VERIFIER_assume(0), which then jumps */
extern jmp_buf assumption;

/* Runs the statement; false if an assumption failed in it. */
#define RUNS(statement) (assumption_failed = 0, setjmp(assumption) == 0 ? ((void)(statement), 1) : 0)

#endif
