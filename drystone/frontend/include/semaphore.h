#ifndef DRYSTONE_SEMAPHORE_H
#define DRYSTONE_SEMAPHORE_H

#include <drystone_types.h>

#define SEM_FAILED ((sem_t *)0)
typedef union {
  char __size[4 * sizeof(long)];
  long __align;
} sem_t;

int sem_init(sem_t *, int, unsigned int);
int sem_destroy(sem_t *);
sem_t *sem_open(const char *, int, ...);
int sem_close(sem_t *);
int sem_unlink(const char *);
int sem_wait(sem_t *);
int sem_trywait(sem_t *);
int sem_timedwait(sem_t *, const struct timespec *);
int sem_post(sem_t *);
int sem_getvalue(sem_t *, int *);

#endif
