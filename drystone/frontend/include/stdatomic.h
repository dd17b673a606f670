#ifndef DRYSTONE_STDATOMIC_H
#define DRYSTONE_STDATOMIC_H

/* The generic functions are the atomic sections of drystone_prelude.h; plain reads, writes and compound
 * assignments of _Atomic objects remain ordinary C expressions. */
typedef enum memory_order {
  memory_order_relaxed,
  memory_order_consume,
  memory_order_acquire,
  memory_order_release,
  memory_order_acq_rel,
  memory_order_seq_cst
} memory_order;

typedef _Atomic(_Bool) atomic_bool;
typedef _Atomic(char) atomic_char;
typedef _Atomic(signed char) atomic_schar;
typedef _Atomic(unsigned char) atomic_uchar;
typedef _Atomic(short) atomic_short;
typedef _Atomic(unsigned short) atomic_ushort;
typedef _Atomic(int) atomic_int;
typedef _Atomic(unsigned int) atomic_uint;
typedef _Atomic(long) atomic_long;
typedef _Atomic(unsigned long) atomic_ulong;
typedef _Atomic(long long) atomic_llong;
typedef _Atomic(unsigned long long) atomic_ullong;
typedef _Atomic(__CHAR16_TYPE__) atomic_char16_t;
typedef _Atomic(__CHAR32_TYPE__) atomic_char32_t;
typedef _Atomic(__WCHAR_TYPE__) atomic_wchar_t;
typedef _Atomic(__INTPTR_TYPE__) atomic_intptr_t;
typedef _Atomic(__UINTPTR_TYPE__) atomic_uintptr_t;
typedef _Atomic(__SIZE_TYPE__) atomic_size_t;
typedef _Atomic(__PTRDIFF_TYPE__) atomic_ptrdiff_t;
typedef _Atomic(__INTMAX_TYPE__) atomic_intmax_t;
typedef _Atomic(__UINTMAX_TYPE__) atomic_uintmax_t;
typedef _Atomic(__INT8_TYPE__) atomic_int_least8_t;
typedef _Atomic(__UINT8_TYPE__) atomic_uint_least8_t;
typedef _Atomic(__INT8_TYPE__) atomic_int_fast8_t;
typedef _Atomic(__UINT8_TYPE__) atomic_uint_fast8_t;
typedef _Atomic(__INT16_TYPE__) atomic_int_least16_t;
typedef _Atomic(__UINT16_TYPE__) atomic_uint_least16_t;
typedef _Atomic(__INTPTR_TYPE__) atomic_int_fast16_t;
typedef _Atomic(__UINTPTR_TYPE__) atomic_uint_fast16_t;
typedef _Atomic(__INT32_TYPE__) atomic_int_least32_t;
typedef _Atomic(__UINT32_TYPE__) atomic_uint_least32_t;
typedef _Atomic(__INTPTR_TYPE__) atomic_int_fast32_t;
typedef _Atomic(__UINTPTR_TYPE__) atomic_uint_fast32_t;
typedef _Atomic(__INT64_TYPE__) atomic_int_least64_t;
typedef _Atomic(__UINT64_TYPE__) atomic_uint_least64_t;
typedef _Atomic(__INT64_TYPE__) atomic_int_fast64_t;
typedef _Atomic(__UINT64_TYPE__) atomic_uint_fast64_t;
typedef struct {
  atomic_bool __flag;
} atomic_flag;

#define ATOMIC_VAR_INIT(value) (value)
#define ATOMIC_FLAG_INIT {0}
#define ATOMIC_BOOL_LOCK_FREE 2
#define ATOMIC_CHAR_LOCK_FREE 2
#define ATOMIC_SHORT_LOCK_FREE 2
#define ATOMIC_INT_LOCK_FREE 2
#define ATOMIC_LONG_LOCK_FREE 2
#define ATOMIC_LLONG_LOCK_FREE 2
#define ATOMIC_POINTER_LOCK_FREE 2
#define ATOMIC_CHAR16_T_LOCK_FREE 2
#define ATOMIC_CHAR32_T_LOCK_FREE 2
#define ATOMIC_WCHAR_T_LOCK_FREE 2

#define kill_dependency(y) (y)
#define atomic_thread_fence(order) ((void)(order))
#define atomic_signal_fence(order) ((void)(order))
#define atomic_is_lock_free(p) ((void)(p), (_Bool)__atomic_always_lock_free(sizeof *(p), 0))
#define atomic_init(p, v) ((void)(*(__typeof__((0, *(p))) *)(p) = (v))) /* not an atomic access */
#define atomic_load(p) __drystone_load(p)
#define atomic_load_explicit(p, order) ((void)(order), __drystone_load(p))
#define atomic_store(p, v) __drystone_store(p, v)
#define atomic_store_explicit(p, v, order) ((void)(order), __drystone_store(p, v))
#define atomic_exchange(p, v) __drystone_exchange(p, v)
#define atomic_exchange_explicit(p, v, order) ((void)(order), __drystone_exchange(p, v))
#define atomic_compare_exchange_strong(p, e, d) __drystone_compare_exchange(p, e, d)
#define atomic_compare_exchange_strong_explicit(p, e, d, order, failure) ((void)(order), (void)(failure), __drystone_compare_exchange(p, e, d))
#define atomic_compare_exchange_weak(p, e, d) __drystone_compare_exchange(p, e, d)
#define atomic_compare_exchange_weak_explicit(p, e, d, order, failure) ((void)(order), (void)(failure), __drystone_compare_exchange(p, e, d))
/* To pointers, gcc adds bytes. */
#define __drystone_moved(old, amount) \
    __builtin_choose_expr(__builtin_classify_type(old) == 5, (__typeof__(old))((char *)(old) + (amount)), (old) + (amount))
#define atomic_fetch_add(p, v) __drystone_atomic_update(p, v, __drystone_moved(__drystone_old, __drystone_v), __drystone_old)
#define atomic_fetch_add_explicit(p, v, order) ((void)(order), atomic_fetch_add(p, v))
#define atomic_fetch_sub(p, v) __drystone_atomic_update(p, v, __drystone_moved(__drystone_old, -__drystone_v), __drystone_old)
#define atomic_fetch_sub_explicit(p, v, order) ((void)(order), atomic_fetch_sub(p, v))
#define atomic_fetch_or(p, v) __drystone_atomic_update(p, v, __drystone_old | __drystone_v, __drystone_old)
#define atomic_fetch_or_explicit(p, v, order) ((void)(order), atomic_fetch_or(p, v))
#define atomic_fetch_and(p, v) __drystone_atomic_update(p, v, __drystone_old & __drystone_v, __drystone_old)
#define atomic_fetch_and_explicit(p, v, order) ((void)(order), atomic_fetch_and(p, v))
#define atomic_fetch_xor(p, v) __drystone_atomic_update(p, v, __drystone_old ^ __drystone_v, __drystone_old)
#define atomic_fetch_xor_explicit(p, v, order) ((void)(order), atomic_fetch_xor(p, v))
#define atomic_flag_test_and_set(p) __drystone_exchange(&(p)->__flag, 1)
#define atomic_flag_test_and_set_explicit(p, order) ((void)(order), atomic_flag_test_and_set(p))
#define atomic_flag_clear(p) __drystone_store(&(p)->__flag, 0)
#define atomic_flag_clear_explicit(p, order) ((void)(order), atomic_flag_clear(p))

#endif
