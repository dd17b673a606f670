#ifndef DRYSTONE_SCHED_H
#define DRYSTONE_SCHED_H

#include <drystone_types.h>

#define SCHED_OTHER 0
#define SCHED_FIFO 1
#define SCHED_RR 2
#define SCHED_BATCH 3
#define SCHED_IDLE 5

struct sched_param {
  int sched_priority;
};
#define CPU_SETSIZE 1024
typedef struct {
  unsigned long __bits[CPU_SETSIZE / (8 * sizeof(unsigned long))];
} cpu_set_t;
#define CPU_ZERO(set) ((void)(*(set) = (cpu_set_t){{0}}))
#define CPU_SET(cpu, set) \
  ((void)((set)->__bits[(cpu) / (8 * sizeof(long))] |= 1UL << ((cpu) % (8 * sizeof(long)))))
#define CPU_ISSET(cpu, set) \
  (((set)->__bits[(cpu) / (8 * sizeof(long))] >> ((cpu) % (8 * sizeof(long))) & 1UL) != 0)

int sched_yield(void);
int sched_get_priority_max(int);
int sched_get_priority_min(int);
int sched_getscheduler(pid_t);
int sched_setscheduler(pid_t, int, const struct sched_param *);
int sched_getparam(pid_t, struct sched_param *);
int sched_setparam(pid_t, const struct sched_param *);
int sched_setaffinity(pid_t, size_t, const cpu_set_t *);
int sched_getaffinity(pid_t, size_t, cpu_set_t *);
int sched_getcpu(void);

int sched_rr_get_interval(pid_t, struct timespec *);

#endif
