#ifndef DRYSTONE_DRYSTONE_TYPES_H
#define DRYSTONE_DRYSTONE_TYPES_H

/* The types that several headers share, with the sizes of glibc on i386 and x86_64. */
#include <stddef.h>

#ifdef __LP64__
typedef long ssize_t;
typedef unsigned long nlink_t;
#else
typedef int ssize_t;
typedef unsigned int nlink_t;
#endif
typedef __INT64_TYPE__ __drystone_int64;

typedef long time_t;
typedef long clock_t;
typedef int clockid_t;
typedef void *timer_t;
typedef long suseconds_t;
typedef unsigned int useconds_t;
typedef long off_t;
typedef __drystone_int64 off64_t;
typedef __drystone_int64 loff_t;
typedef int pid_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef unsigned int id_t;
typedef unsigned int mode_t;
typedef unsigned long ino_t;
typedef __UINT64_TYPE__ dev_t;
typedef long blksize_t;
typedef long blkcnt_t;
typedef unsigned long fsblkcnt_t;
typedef unsigned long fsfilcnt_t;
typedef int key_t;
typedef unsigned int socklen_t;

struct timespec {
  time_t tv_sec;
  long tv_nsec;
};
struct timeval {
  time_t tv_sec;
  suseconds_t tv_usec;
};

typedef struct {
  unsigned long __val[1024 / (8 * sizeof(unsigned long))];
} sigset_t;

#endif
