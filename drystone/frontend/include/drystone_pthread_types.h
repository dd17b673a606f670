#ifndef DRYSTONE_DRYSTONE_PTHREAD_TYPES_H
#define DRYSTONE_DRYSTONE_PTHREAD_TYPES_H

/* Thread types with the sizes and alignments of glibc on i386 and x86_64; their contents are opaque. */
#ifdef __LP64__
#define __DRYSTONE_SIZE(ilp32, lp64) lp64
#else
#define __DRYSTONE_SIZE(ilp32, lp64) ilp32
#endif

typedef unsigned long pthread_t;
typedef unsigned int pthread_key_t;
typedef int pthread_once_t;
typedef volatile int pthread_spinlock_t;
typedef union pthread_attr_t {
  char __size[__DRYSTONE_SIZE(36, 56)];
  long __align;
} pthread_attr_t;
typedef union {
  char __size[__DRYSTONE_SIZE(24, 40)];
  long __align;
} pthread_mutex_t;
typedef union {
  char __size[4];
  int __align;
} pthread_mutexattr_t;
typedef union {
  char __size[48];
  long long __align;
} pthread_cond_t;
typedef union {
  char __size[4];
  int __align;
} pthread_condattr_t;
typedef union {
  char __size[__DRYSTONE_SIZE(32, 56)];
  long __align;
} pthread_rwlock_t;
typedef union {
  char __size[8];
  long __align;
} pthread_rwlockattr_t;
typedef union {
  char __size[__DRYSTONE_SIZE(20, 32)];
  long __align;
} pthread_barrier_t;
typedef union {
  char __size[4];
  int __align;
} pthread_barrierattr_t;

#endif
