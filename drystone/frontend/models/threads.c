/* <pthread.h>, <semaphore.h>: what threads wait for. Exact, over atomic sections.
 *
 * `__drystone_await(c)`, before anything is written in an atomic section, waits there until c holds: the section begins when it
 * does. Objects are laid out as glibc does as far as static initialisers show it: all zero, but for the kind of a mutex.
 * Where POSIX leaves undefined what happens, it is what glibc does: a normal mutex is unlocked by whoever asks for it, and its owner
 * waits for ever if it locks it again. A condition variable knows by a bit for each thread who waits, and who was woken. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

#include "effects.h"

void __drystone_atomic_begin(void);
void __drystone_atomic_end(void);
void __drystone_await(int);
int __drystone_wakes(void);
unsigned int __drystone_self(void);
unsigned int __VERIFIER_nondet_uint(void);
_Bool __VERIFIER_nondet_bool(void);

struct mutex {
  int lock;
  unsigned int count;
  unsigned int owner;
#ifdef __LP64__
  unsigned int users;
#endif
  int kind;
};

struct condition {
  unsigned int waiting;
  unsigned int woken;
};

/* Of a mutex, and of its attributes. */
enum { NORMAL, RECURSIVE, CHECKED, ADAPTIVE };

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
  struct mutex *m = (struct mutex *)mutex;
  m->lock = 0;
  m->count = 0;
  m->owner = 0;
  m->kind = attributes ? *(const int *)attributes : NORMAL;
  return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex) { return 0; }

int pthread_mutexattr_init(pthread_mutexattr_t *attributes) {
  *(int *)attributes = NORMAL;
  return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attributes) { return 0; }

int pthread_mutexattr_settype(pthread_mutexattr_t *attributes, int kind) {
  if (kind < NORMAL || kind > ADAPTIVE)
    return EINVAL;
  *(int *)attributes = kind;
  return 0;
}

/* In an atomic section: locks a mutex that is free, or says why not. */
static int __drystone_take(struct mutex *m, int is_tried) {
  unsigned int self = __drystone_self();
  if (m->lock != 0) {
    if (m->kind == RECURSIVE && m->owner == self) {
      m->count++;
      return 0;
    }
    if (is_tried)
      return EBUSY;
    if (m->kind == CHECKED && m->owner == self)
      return EDEADLK;
  }
  __drystone_await(m->lock == 0);
  m->lock = 1;
  m->owner = self;
  return 0;
}

/* In an atomic section. */
static int __drystone_give(struct mutex *m) {
  if (m->kind == RECURSIVE || m->kind == CHECKED) {
    unsigned int self = __drystone_self();
    if (m->lock == 0 || m->owner != self)
      return EPERM;
    if (m->count != 0) {
      m->count--;
      return 0;
    }
  }
  m->lock = 0;
  m->owner = 0;
  return 0;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  __drystone_atomic_begin();
  int result = __drystone_take((struct mutex *)mutex, 0);
  __drystone_atomic_end();
  return result;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
  __drystone_atomic_begin();
  int result = __drystone_take((struct mutex *)mutex, 1);
  __drystone_atomic_end();
  return result;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  __drystone_atomic_begin();
  int result = __drystone_give((struct mutex *)mutex);
  __drystone_atomic_end();
  return result;
}

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) {
  struct condition *c = (struct condition *)condition;
  if (attributes)
    REFUSE("attributes of a condition variable");
  c->waiting = 0;
  c->woken = 0;
  return 0;
}

int pthread_cond_destroy(pthread_cond_t *condition) { return 0; }

static unsigned int __drystone_bit(void) {
  unsigned int self = __drystone_self();
  if (self >= 32)
    REFUSE("a condition variable of more than 31 threads");
  return 1u << self;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  struct condition *c = (struct condition *)condition;
  struct mutex *m = (struct mutex *)mutex;
  if (m->kind == RECURSIVE || m->kind == CHECKED)
    REFUSE("a condition variable with a mutex that is recursive, or checks for errors");
  unsigned int me = __drystone_bit();
  __drystone_atomic_begin();
  m->lock = 0;
  m->owner = 0;
  c->waiting |= me;
  __drystone_atomic_end();
  int wakes = __drystone_wakes();
  __drystone_atomic_begin();
  __drystone_await((wakes || (c->woken & me) != 0) && m->lock == 0);
  c->waiting &= ~me;
  c->woken &= ~me;
  m->lock = 1;
  m->owner = __drystone_self();
  __drystone_atomic_end();
  return 0;
}

int pthread_cond_signal(pthread_cond_t *condition) {
  struct condition *c = (struct condition *)condition;
  unsigned int chosen = __VERIFIER_nondet_uint() & 31;
  __drystone_atomic_begin();
  unsigned int asleep = c->waiting & ~c->woken;
  unsigned int woken = asleep & 1u << chosen;
  c->woken |= woken != 0 ? woken : asleep & -asleep;
  __drystone_atomic_end();
  return 0;
}

int pthread_cond_broadcast(pthread_cond_t *condition) {
  struct condition *c = (struct condition *)condition;
  __drystone_atomic_begin();
  c->woken = c->waiting;
  __drystone_atomic_end();
  return 0;
}

int sem_init(sem_t *semaphore, int shared, unsigned int value) {
  if (shared)
    REFUSE("a semaphore that processes share");
  *(unsigned int *)semaphore = value;
  return 0;
}

int sem_destroy(sem_t *semaphore) { return 0; }

int sem_wait(sem_t *semaphore) {
  unsigned int *count = (unsigned int *)semaphore;
  __drystone_atomic_begin();
  __drystone_await(*count != 0);
  *count = *count - 1;
  __drystone_atomic_end();
  return 0;
}

int sem_post(sem_t *semaphore) {
  unsigned int *count = (unsigned int *)semaphore;
  __drystone_atomic_begin();
  *count = *count + 1;
  __drystone_atomic_end();
  return 0;
}
