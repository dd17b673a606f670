/* Included before every translation unit (-include).
 *
 * It closes the gap between gcc's language, in which most programs were written or preprocessed, and
 * clang's. It declares only names of the implementation (__drystone_*, _FloatN) and macros over
 * reserved names, so that no declaration of a program conflicts with it. */
#ifndef DRYSTONE_PRELUDE_H
#define DRYSTONE_PRELUDE_H

/* Variadic arguments. libclang shows va_arg as an opaque expression; as a call, the front end sees the
 * list, the size and the alignment. The call is a primitive that advances `ap` (whose lvalue stands
 * under the implicit conversions of the first argument; ILP32: `char *`, LP64: an array of one
 * `struct __va_list_tag`, or a pointer to it in a parameter) and yields the address of the argument.
 * __typeof__ admits types to which no `*` can be appended, such as `int (*)(int)`. */
void *__drystone_va_arg(void *, __SIZE_TYPE__, __SIZE_TYPE__);
#define __builtin_va_arg(ap, T) (*(__typeof__(T) *)__drystone_va_arg(ap, sizeof(T), _Alignof(T)))

/* Types that gcc knows as keywords. Typedefs, so that glibc's own `typedef float _Float32;`, which
 * older preprocessed files contain, stays a valid redefinition. Newer files that include <complex.h> say
 * `_Complex _Float32`, which only macros make valid: the front end may choose them. */
#ifdef __clang__
#ifdef DRYSTONE_FLOATN_MACROS
#define _Float32 float
#define _Float64 double
#define _Float32x double
#define _Float64x long double
#define _Float128 __float128
#else
typedef float _Float32;
typedef double _Float64;
typedef double _Float32x;
typedef long double _Float64x;
typedef __float128 _Float128;
#endif
typedef long double __float80;
#endif

/* Attributes with arguments that clang 18 rejects: glibc >= 2.34 writes __malloc__ (fclose, 1). Without
 * parentheses the name is left alone. */
#define __malloc__(...)

/* Atomic builtins. libclang does not show which operation an __atomic_* expression is; here they are
 * plain C between two primitives that mark an atomic section (nothing, in a program without threads).
 * Memory orders are read as the strongest, and a weak compare-and-exchange does not fail spuriously,
 * as on x86. On pointers, gcc's additions count bytes; C11's count elements. */
void __drystone_atomic_begin(void);
void __drystone_atomic_end(void);
#define __drystone_atomic_update(p, operand, new, result) \
  __extension__({ \
    __auto_type __drystone_p = (p); \
    __auto_type __drystone_v = (operand); \
    __drystone_atomic_begin(); \
    __typeof__((0, *__drystone_p)) __drystone_old = *__drystone_p; \
    __auto_type __drystone_new = (__typeof__(__drystone_old))(new); \
    *__drystone_p = __drystone_new; \
    __drystone_atomic_end(); \
    (void)__drystone_v; \
    (void)__drystone_new; \
    result; \
  })
#define __drystone_number(x) \
  ((__typeof__(__builtin_choose_expr(__builtin_classify_type(__drystone_old) == 5, (__UINTPTR_TYPE__)0, __drystone_old)))(x))
#define __drystone_fetch(p, v, op) __drystone_atomic_update(p, v, __drystone_number(__drystone_old) op __drystone_number(__drystone_v), __drystone_old)
#define __drystone_update(p, v, op) __drystone_atomic_update(p, v, __drystone_number(__drystone_old) op __drystone_number(__drystone_v), __drystone_new)
#define __drystone_nand ~(__drystone_number(__drystone_old) & __drystone_number(__drystone_v))
#define __drystone_exchange(p, v) __drystone_atomic_update(p, v, __drystone_v, __drystone_old)
#define __drystone_load(p) \
  __extension__({ \
    __auto_type __drystone_p = (p); \
    __drystone_atomic_begin(); \
    __typeof__((0, *__drystone_p)) __drystone_old = *__drystone_p; \
    __drystone_atomic_end(); \
    __drystone_old; \
  })
#define __drystone_store(p, v) ((void)__drystone_exchange(p, v))
/* Bytes are compared, so that 0.0 and -0.0 differ: floats are refused. */
_Bool __drystone_float_exchange(void);
#define __drystone_same(x) \
  __builtin_choose_expr(__builtin_classify_type(__drystone_old) == 8, __drystone_float_exchange(), __drystone_old == (x))
/* What is expected is read before and written after: the operation is atomic, but not these accesses. */
#define __drystone_compare_exchange(p, expected, desired) \
  __extension__({ \
    __auto_type __drystone_p = (p); \
    __auto_type __drystone_e = (expected); \
    __auto_type __drystone_v = (desired); \
    __typeof__((0, *__drystone_e)) __drystone_x = *__drystone_e; \
    __drystone_atomic_begin(); \
    __typeof__((0, *__drystone_p)) __drystone_old = *__drystone_p; \
    _Bool __drystone_equal = __drystone_same(__drystone_x); \
    if (__drystone_equal) \
      *__drystone_p = (__typeof__(__drystone_old))__drystone_v; \
    __drystone_atomic_end(); \
    if (!__drystone_equal) \
      *__drystone_e = __drystone_old; \
    __drystone_equal; \
  })
#define __drystone_compare_swap(p, expected, desired, result) \
  __extension__({ \
    __auto_type __drystone_p = (p); \
    __auto_type __drystone_e = (expected); \
    __auto_type __drystone_v = (desired); \
    __drystone_atomic_begin(); \
    __typeof__((0, *__drystone_p)) __drystone_old = *__drystone_p; \
    _Bool __drystone_equal = __drystone_same((__typeof__(__drystone_old))__drystone_e); \
    if (__drystone_equal) \
      *__drystone_p = (__typeof__(__drystone_old))__drystone_v; \
    __drystone_atomic_end(); \
    (void)__drystone_equal; \
    result; \
  })

#define __atomic_load_n(p, order) ((void)(order), __drystone_load(p))
#define __atomic_load(p, to, order) ((void)(order), (void)(*(to) = __drystone_load(p)))
#define __atomic_store_n(p, v, order) ((void)(order), __drystone_store(p, v))
#define __atomic_store(p, from, order) ((void)(order), __drystone_store(p, *(from)))
#define __atomic_exchange_n(p, v, order) ((void)(order), __drystone_exchange(p, v))
#define __atomic_exchange(p, from, to, order) ((void)(order), (void)(*(to) = __drystone_exchange(p, *(from))))
#define __atomic_compare_exchange_n(p, e, d, weak, order, failure) ((void)(weak), (void)(order), (void)(failure), __drystone_compare_exchange(p, e, d))
#define __atomic_compare_exchange(p, e, d, weak, order, failure) ((void)(weak), (void)(order), (void)(failure), __drystone_compare_exchange(p, e, *(d)))
#define __atomic_test_and_set(p, order) ((void)(order), (_Bool)__drystone_exchange((unsigned char *)(p), 1))
#define __atomic_clear(p, order) ((void)(order), __drystone_store((unsigned char *)(p), 0))
#define __atomic_thread_fence(order) ((void)(order))
#define __atomic_signal_fence(order) ((void)(order))
#define __atomic_fetch_add(p, v, order) ((void)(order), __drystone_fetch(p, v, +))
#define __atomic_add_fetch(p, v, order) ((void)(order), __drystone_update(p, v, +))
#define __atomic_fetch_sub(p, v, order) ((void)(order), __drystone_fetch(p, v, -))
#define __atomic_sub_fetch(p, v, order) ((void)(order), __drystone_update(p, v, -))
#define __atomic_fetch_or(p, v, order) ((void)(order), __drystone_fetch(p, v, |))
#define __atomic_or_fetch(p, v, order) ((void)(order), __drystone_update(p, v, |))
#define __atomic_fetch_and(p, v, order) ((void)(order), __drystone_fetch(p, v, &))
#define __atomic_and_fetch(p, v, order) ((void)(order), __drystone_update(p, v, &))
#define __atomic_fetch_xor(p, v, order) ((void)(order), __drystone_fetch(p, v, ^))
#define __atomic_xor_fetch(p, v, order) ((void)(order), __drystone_update(p, v, ^))
#define __atomic_fetch_nand(p, v, order) ((void)(order), __drystone_atomic_update(p, v, __drystone_nand, __drystone_old))
#define __atomic_nand_fetch(p, v, order) ((void)(order), __drystone_atomic_update(p, v, __drystone_nand, __drystone_new))
#define __sync_fetch_and_add(p, v, ...) __drystone_fetch(p, v, +)
#define __sync_add_and_fetch(p, v, ...) __drystone_update(p, v, +)
#define __sync_fetch_and_sub(p, v, ...) __drystone_fetch(p, v, -)
#define __sync_sub_and_fetch(p, v, ...) __drystone_update(p, v, -)
#define __sync_fetch_and_or(p, v, ...) __drystone_fetch(p, v, |)
#define __sync_or_and_fetch(p, v, ...) __drystone_update(p, v, |)
#define __sync_fetch_and_and(p, v, ...) __drystone_fetch(p, v, &)
#define __sync_and_and_fetch(p, v, ...) __drystone_update(p, v, &)
#define __sync_fetch_and_xor(p, v, ...) __drystone_fetch(p, v, ^)
#define __sync_xor_and_fetch(p, v, ...) __drystone_update(p, v, ^)
#define __sync_fetch_and_nand(p, v, ...) __drystone_atomic_update(p, v, __drystone_nand, __drystone_old)
#define __sync_nand_and_fetch(p, v, ...) __drystone_atomic_update(p, v, __drystone_nand, __drystone_new)
#define __sync_bool_compare_and_swap(p, e, d, ...) __drystone_compare_swap(p, e, d, __drystone_equal)
#define __sync_val_compare_and_swap(p, e, d, ...) __drystone_compare_swap(p, e, d, __drystone_old)
#define __sync_lock_test_and_set(p, v, ...) __drystone_exchange(p, v)
#define __sync_lock_release(p, ...) __drystone_store(p, 0)
#define __sync_synchronize(...) ((void)0)

/* Builtins of gcc that clang lacks: language. */
#define __builtin_alloca_with_align_and_max(size, align, max) __builtin_alloca_with_align(size, align)
#define __builtin_add_overflow_p(a, b, c) __extension__({ __typeof__(c) __drystone_r; (void)(c); __builtin_add_overflow(a, b, &__drystone_r); })
#define __builtin_sub_overflow_p(a, b, c) __extension__({ __typeof__(c) __drystone_r; (void)(c); __builtin_sub_overflow(a, b, &__drystone_r); })
#define __builtin_mul_overflow_p(a, b, c) __extension__({ __typeof__(c) __drystone_r; (void)(c); __builtin_mul_overflow(a, b, &__drystone_r); })
#define __builtin_iseqsig(a, b) ((a) == (b))

/* Builtins of clang that differ from others only in how they are compiled. */
#define __builtin_memcpy_inline(to, from, size) ((void)__builtin_memcpy(to, from, size))
#define __builtin_memset_inline(to, byte, size) ((void)__builtin_memset(to, byte, size))

/* Builtins of gcc that clang lacks: floating point under the names of a type. */
#define __builtin_isinff(x) __builtin_isinf(x)
#define __builtin_isinfl(x) __builtin_isinf(x)
#define __builtin_isnanf(x) __builtin_isnan(x)
#define __builtin_isnanl(x) __builtin_isnan(x)
#define __builtin_finite(x) __builtin_isfinite(x)
#define __builtin_finitef(x) __builtin_isfinite(x)
#define __builtin_finitel(x) __builtin_isfinite(x)
#define __builtin_inff32 __builtin_inff
#define __builtin_inff32x __builtin_inf
#define __builtin_inff64 __builtin_inf
#define __builtin_inff64x __builtin_infl
#define __builtin_huge_valf32 __builtin_huge_valf
#define __builtin_huge_valf32x __builtin_huge_val
#define __builtin_huge_valf64 __builtin_huge_val
#define __builtin_huge_valf64x __builtin_huge_vall
#define __builtin_nanf32 __builtin_nanf
#define __builtin_nanf32x __builtin_nan
#define __builtin_nanf64 __builtin_nan
#define __builtin_nanf64x __builtin_nanl
#define __builtin_nansf32 __builtin_nansf
#define __builtin_nansf32x __builtin_nans
#define __builtin_nansf64 __builtin_nans
#define __builtin_nansf64x __builtin_nansl
#define __builtin_fabsf32 __builtin_fabsf
#define __builtin_fabsf32x __builtin_fabs
#define __builtin_fabsf64 __builtin_fabs
#define __builtin_fabsf64x __builtin_fabsl
#define __builtin_copysignf32 __builtin_copysignf
#define __builtin_copysignf32x __builtin_copysign
#define __builtin_copysignf64 __builtin_copysign
#define __builtin_copysignf64x __builtin_copysignl
#define __builtin_ceilf32 __builtin_ceilf
#define __builtin_ceilf32x __builtin_ceil
#define __builtin_ceilf64 __builtin_ceil
#define __builtin_ceilf64x __builtin_ceill
#define __builtin_floorf32 __builtin_floorf
#define __builtin_floorf32x __builtin_floor
#define __builtin_floorf64 __builtin_floor
#define __builtin_floorf64x __builtin_floorl
#define __builtin_truncf32 __builtin_truncf
#define __builtin_truncf32x __builtin_trunc
#define __builtin_truncf64 __builtin_trunc
#define __builtin_truncf64x __builtin_truncl
#define __builtin_roundf32 __builtin_roundf
#define __builtin_roundf32x __builtin_round
#define __builtin_roundf64 __builtin_round
#define __builtin_roundf64x __builtin_roundl
#define __builtin_rintf32 __builtin_rintf
#define __builtin_rintf32x __builtin_rint
#define __builtin_rintf64 __builtin_rint
#define __builtin_rintf64x __builtin_rintl
#define __builtin_nearbyintf32 __builtin_nearbyintf
#define __builtin_nearbyintf32x __builtin_nearbyint
#define __builtin_nearbyintf64 __builtin_nearbyint
#define __builtin_nearbyintf64x __builtin_nearbyintl
#define __builtin_sqrtf32 __builtin_sqrtf
#define __builtin_sqrtf32x __builtin_sqrt
#define __builtin_sqrtf64 __builtin_sqrt
#define __builtin_sqrtf64x __builtin_sqrtl
#define __builtin_fmaf32 __builtin_fmaf
#define __builtin_fmaf32x __builtin_fma
#define __builtin_fmaf64 __builtin_fma
#define __builtin_fmaf64x __builtin_fmal
#define __builtin_fmaxf32 __builtin_fmaxf
#define __builtin_fmaxf32x __builtin_fmax
#define __builtin_fmaxf64 __builtin_fmax
#define __builtin_fmaxf64x __builtin_fmaxl
#define __builtin_fminf32 __builtin_fminf
#define __builtin_fminf32x __builtin_fmin
#define __builtin_fminf64 __builtin_fmin
#define __builtin_fminf64x __builtin_fminl

/* Builtins of gcc that clang lacks: library functions. */
#define __builtin_exit exit
#define __builtin_puts puts
#define __builtin_putchar putchar
#define __builtin_putc putc
#define __builtin_fputc fputc
#define __builtin_fputs fputs
#define __builtin_fwrite fwrite
#define __builtin_fprintf fprintf
#define __builtin_vfprintf vfprintf
#define __builtin_fscanf fscanf
#define __builtin_vfscanf vfscanf
#define __builtin_strnlen strnlen
#define __builtin_strftime strftime
#define __builtin_aligned_alloc aligned_alloc
#define __builtin_posix_memalign posix_memalign
#define __builtin_fork fork
#define __builtin_execl execl
#define __builtin_execlp execlp
#define __builtin_execle execle
#define __builtin_execv execv
#define __builtin_execvp execvp
#define __builtin_execve execve
#define __builtin_gettext gettext
#define __builtin_dgettext dgettext
#define __builtin_dcgettext dcgettext
int __builtin_isalnum(int);
int __builtin_isalpha(int);
int __builtin_isascii(int);
int __builtin_isblank(int);
int __builtin_iscntrl(int);
int __builtin_isdigit(int);
int __builtin_isgraph(int);
int __builtin_islower(int);
int __builtin_isprint(int);
int __builtin_ispunct(int);
int __builtin_isspace(int);
int __builtin_isupper(int);
int __builtin_isxdigit(int);
int __builtin_toascii(int);
int __builtin_tolower(int);
int __builtin_toupper(int);
int __builtin_iswalnum(unsigned);
int __builtin_iswalpha(unsigned);
int __builtin_iswblank(unsigned);
int __builtin_iswcntrl(unsigned);
int __builtin_iswdigit(unsigned);
int __builtin_iswgraph(unsigned);
int __builtin_iswlower(unsigned);
int __builtin_iswprint(unsigned);
int __builtin_iswpunct(unsigned);
int __builtin_iswspace(unsigned);
int __builtin_iswupper(unsigned);
int __builtin_iswxdigit(unsigned);
unsigned __builtin_towlower(unsigned);
unsigned __builtin_towupper(unsigned);
#define __builtin_feclearexcept feclearexcept
#define __builtin_fegetenv fegetenv
#define __builtin_fegetexceptflag fegetexceptflag
#define __builtin_fegetround fegetround
#define __builtin_feholdexcept feholdexcept
#define __builtin_feraiseexcept feraiseexcept
#define __builtin_fesetenv fesetenv
#define __builtin_fesetexceptflag fesetexceptflag
#define __builtin_fesetround fesetround
#define __builtin_fetestexcept fetestexcept
#define __builtin_feupdateenv feupdateenv
#define __builtin_sincos sincos
#define __builtin_sincosf sincosf
#define __builtin_sincosl sincosl
#define __builtin_scalb scalb
#define __builtin_drem drem
#define __builtin_gamma gamma
#define __builtin_j0 j0
#define __builtin_j1 j1
#define __builtin_jn jn
#define __builtin_y0 y0
#define __builtin_y1 y1
#define __builtin_yn yn
#define __builtin_imaxabs imaxabs
#define __builtin_printf_unlocked printf
#define __builtin_fprintf_unlocked fprintf
#define __builtin_puts_unlocked puts
#define __builtin_putchar_unlocked putchar
#define __builtin_putc_unlocked putc
#define __builtin_fputc_unlocked fputc
#define __builtin_fputs_unlocked fputs
#define __builtin_fwrite_unlocked fwrite

/* What gcc makes of these, where clang has its own opinion. */
#define __PRETTY_FUNCTION__ __func__
#define __builtin_classify_type(...) \
  (__builtin_classify_type(__VA_ARGS__) - 2u < 3u ? 1 : __builtin_classify_type(__VA_ARGS__)) /* char, enum, bool: integers */
#undef __INT_FAST16_TYPE__
#undef __INT_FAST32_TYPE__
#undef __UINT_FAST16_TYPE__
#undef __UINT_FAST32_TYPE__
#undef __INT_FAST16_MAX__
#undef __INT_FAST32_MAX__
#undef __UINT_FAST16_MAX__
#undef __UINT_FAST32_MAX__
#undef __INT_FAST16_WIDTH__
#undef __INT_FAST32_WIDTH__
#define __INT_FAST16_TYPE__ __INTPTR_TYPE__
#define __INT_FAST32_TYPE__ __INTPTR_TYPE__
#define __UINT_FAST16_TYPE__ __UINTPTR_TYPE__
#define __UINT_FAST32_TYPE__ __UINTPTR_TYPE__
#define __INT_FAST16_MAX__ __INTPTR_MAX__
#define __INT_FAST32_MAX__ __INTPTR_MAX__
#define __UINT_FAST16_MAX__ __UINTPTR_MAX__
#define __UINT_FAST32_MAX__ __UINTPTR_MAX__
#define __INT_FAST16_WIDTH__ __INTPTR_WIDTH__
#define __INT_FAST32_WIDTH__ __INTPTR_WIDTH__

#endif
