/* The words in which models say what a function may do where they do not say what it does.
 *
 * In the front end they are inputs; in tests/frontend/library/effects_check.h, which takes the place of this file there, they are
 * checks of what the real function has just done with the same arguments. A function first says what it writes, then what holds,
 * then what its result may be; a word that is not said is not done. */
#ifndef DRYSTONE_EFFECTS_H
#define DRYSTONE_EFFECTS_H

void __VERIFIER_assume(int);
void __drystone_may_set_errno(void);
void __drystone_any_object(void *);
void __drystone_reads(const void *, __SIZE_TYPE__);
void __drystone_writes(const void *, __SIZE_TYPE__);
void __drystone_refuse(const char *);
void __drystone_changes(const char *);
void __drystone_goes_on(unsigned char);
unsigned char __VERIFIER_nondet_approximate_uchar(void);
__SIZE_TYPE__ __VERIFIER_nondet_approximate_size(void);

/* errno may be set to any error. */
#define SETS_ERRNO __drystone_may_set_errno()
/* n bytes at p may be written: any bytes. */
#define WRITES(p, n) \
  for (__SIZE_TYPE__ __drystone_i = 0; __drystone_i < (__SIZE_TYPE__)(n); __drystone_i++) \
  ((unsigned char *)(p))[__drystone_i] = __VERIFIER_nondet_approximate_uchar()
/* All of the n bytes at p are read, or written: where memory is checked, they have to be there. */
#define READS_ALL(p, n) __drystone_reads(p, n)
#define WRITES_ALL(p, n) __drystone_writes(p, n)
/* All members of *p may be written. */
#define WRITES_OBJECT(p) __drystone_any_object(p)
/* What is true afterwards. */
#define HOLDS(claim) __VERIFIER_assume(claim)
/* The result: a number for which the claim holds, determined by the arguments and the state of the system. */
#define RESULT(T, claim) \
  do { \
    T __VERIFIER_nondet_approximate_##T(void); \
    T result = __VERIFIER_nondet_approximate_##T(); \
    __VERIFIER_assume(claim); \
    return result; \
  } while (0)
/* *end becomes s + k for some k <= n. */
#define ENDS_WITHIN(end, s, n) \
  do { \
    __SIZE_TYPE__ __drystone_k = __VERIFIER_nondet_approximate_size(); \
    __VERIFIER_assume(__drystone_k <= (__SIZE_TYPE__)(n)); \
    *(end) = (__typeof__(*(end)))((s) + __drystone_k); \
  } while (0)
/* The result is p + k for some k <= n; or a null pointer, if null is not 0. */
#define RESULT_WITHIN(p, n, null) \
  do { \
    __SIZE_TYPE__ __drystone_k = __VERIFIER_nondet_approximate_size(); \
    if ((null) && __drystone_k == (__SIZE_TYPE__)-1) \
      return 0; \
    __VERIFIER_assume(__drystone_k <= (__SIZE_TYPE__)(n)); \
    return (void *)((char *)(p) + __drystone_k); \
  } while (0)
/* `name` is the address of an object of the library, which later calls may write again; or the result is a null pointer. */
#define LIBRARY_OBJECT(T, name, object, null) \
  T *name = &(object); \
  if ((null) && __VERIFIER_nondet_approximate_uchar() == 0) \
    return 0;
/* The program may not get further: it waits for something that never comes, or gets a signal that ends it, now or later. Who
 * reaches what follows rests on that. */
#define MAY_NOT_RETURN __drystone_goes_on(__VERIFIER_nondet_approximate_uchar())
/* Who passes a null pointer here gets no further: the function follows it. */
#define NEEDS(p) \
  do { \
    if ((p) == 0) \
      MAY_NOT_RETURN; \
  } while (0)
/* This use of the function has no model. */
#define REFUSE(what) __drystone_refuse(what)
/* The function changes this variable of the library: it has no model where the program uses that. */
#define REFUSE_WITH(variable) __drystone_changes(variable)

#endif
