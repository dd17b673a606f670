#ifndef DRYSTONE_STDDEF_H
#define DRYSTONE_STDDEF_H

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __WCHAR_TYPE__ wchar_t;
typedef struct {
  long long __long_long __attribute__((__aligned__(__alignof__(long long))));
  long double __long_double __attribute__((__aligned__(__alignof__(long double))));
#ifdef __i386__
  __float128 __float_128 __attribute__((__aligned__(__alignof__(__float128))));
#endif
} max_align_t;

#undef NULL
#define NULL ((void *)0)
#undef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)

#endif
