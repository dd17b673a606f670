/* Without a guard, as the standard asks: each inclusion follows NDEBUG anew. */
#undef assert
#ifdef NDEBUG
#define assert(e) __drystone_removed_assert()
#else
#define assert(e) ((e) ? (void)0 : __assert_fail(#e, __FILE__, __LINE__, __func__))
#endif

#ifndef DRYSTONE_ASSERT_H
#define DRYSTONE_ASSERT_H

#define static_assert _Static_assert
_Noreturn void __assert_fail(const char *, const char *, unsigned int, const char *);
_Noreturn void __assert(const char *, const char *, int);
void __drystone_removed_assert(void);

#endif
