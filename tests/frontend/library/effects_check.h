/* In the place of models/effects.h when models are tested: the real function has just been called with the same arguments, and
 * every word checks what it did. See ALLOWS in support.h. */
#ifndef DRYSTONE_EFFECTS_H
#define DRYSTONE_EFFECTS_H

void __VERIFIER_assume(int);
unsigned char __VERIFIER_nondet_approximate_uchar(void);
void effect_errno(void);
void effect_refuses(void);
void effect_writes(const volatile void *, __SIZE_TYPE__);
void effect_holds(int, const char *);
void effect_result(void *, __SIZE_TYPE__);
void *effect_pointer(void);

#define SETS_ERRNO effect_errno()
#define WRITES(p, n) effect_writes((p), (__SIZE_TYPE__)(n))
#define READS_ALL(p, n) ((void)0)
#define WRITES_ALL(p, n) ((void)0)
#define WRITES_OBJECT(p) effect_writes((p), sizeof *(p))
#define HOLDS(claim) effect_holds((claim), #claim)
#define RESULT(T, claim) \
  do { \
    T result; \
    effect_result(&result, sizeof result); \
    effect_holds((claim), #claim); \
    return result; \
  } while (0)
#define ENDS_WITHIN(end, s, n) \
  do { \
    effect_writes((end), sizeof *(end)); \
    effect_holds((const void *)*(end) >= (const void *)(s) && (const void *)*(end) <= (const void *)((s) + (n)), #end); \
  } while (0)
#define RESULT_WITHIN(p, n, null) \
  do { \
    char *result = effect_pointer(); \
    effect_holds(((null) && result == 0) || (result >= (char *)(p) && result <= (char *)(p) + (n)), #p); \
    return (void *)result; \
  } while (0)
#define LIBRARY_OBJECT(T, name, object, null) \
  T *name = effect_pointer(); \
  (void)&(object); \
  if ((null) && name == 0) \
    return 0;
#define MAY_NOT_RETURN ((void)0)
#define NEEDS(p) ((void)(p))
#define REFUSE(what) effect_refuses()
#define REFUSE_WITH(variable) ((void)0)

#endif
