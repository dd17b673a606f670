/* <pthread.h>, <semaphore.h>, <threads.h>: what threads wait for, and what belongs to one of them. Exact, over atomic sections.
 *
 * `__drystone_await(c)`, before anything is written in an atomic section, waits there until c holds: the section begins when it
 * does. Objects are laid out as glibc does as far as static initialisers show it: all zero, but for the kind of a mutex.
 * Where POSIX leaves undefined what happens, it is what glibc does: a normal mutex is unlocked by whoever asks for it, and its owner
 * waits for ever if it locks it again. A condition variable knows by a bit for each thread who waits, and who was woken.
 * A time-out is an input: it may happen whenever the thread would have to wait, and is drawn before the section that it is about. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

#include "effects.h"

void __drystone_atomic_begin(void);
void __drystone_atomic_end(void);
void __drystone_await(int);
int __drystone_wakes(void);
unsigned int __drystone_self(void);
void __drystone_set_errno(int);
unsigned int __VERIFIER_nondet_uint(void);
_Bool __VERIFIER_nondet_bool(void);
unsigned long __VERIFIER_nondet_ulong(void);

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

struct rwlock {
  unsigned int readers;
  unsigned int writer;
#ifdef __LP64__
  unsigned int unused[10];
  unsigned int flags;
#else
  unsigned int unused[4];
  unsigned char flags;
#endif
};

struct barrier {
  unsigned int count;
  unsigned int arrived;
  unsigned int round;
  unsigned int inside;
};

struct attributes {
  int is_detached;
  unsigned long stack;
};

/* Of a mutex, and of its attributes. */
enum { NORMAL, RECURSIVE, CHECKED, ADAPTIVE };
/* Of what is done once. */
enum { NOT_DONE, IN_PROGRESS, DONE };
/* Of keys that are not created again after they were deleted. */
enum { KEYS = 8 };
enum { SMALLEST_STACK = 16384 };

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
  struct mutex *m = (struct mutex *)mutex;
  m->lock = 0;
  m->count = 0;
  m->owner = 0;
  m->kind = attributes ? *(const int *)attributes : NORMAL;
  return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex) { return ((struct mutex *)mutex)->lock != 0 ? EBUSY : 0; }

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

int pthread_mutexattr_gettype(const pthread_mutexattr_t *attributes, int *kind) {
  *kind = *(const int *)attributes;
  return 0;
}

int pthread_mutexattr_setpshared(pthread_mutexattr_t *attributes, int shared) {
  if (shared != PTHREAD_PROCESS_PRIVATE)
    REFUSE("a mutex that processes share");
  return 0;
}

int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attributes, int protocol) {
  if (protocol != PTHREAD_PRIO_NONE)
    REFUSE("a mutex with priorities");
  return 0;
}

int pthread_mutexattr_setrobust(pthread_mutexattr_t *attributes, int robust) {
  if (robust != PTHREAD_MUTEX_STALLED)
    REFUSE("a robust mutex");
  return 0;
}

/* How a thread waits for what another one has. */
enum { PATIENTLY, NOT, UNTIL_NOW, UNTIL_NEVER };

static int __drystone_is_time(const struct timespec *time) { return time->tv_nsec >= 0 && time->tv_nsec < 1000000000; }

/* Until when: it may be too late from the begin, or the time never comes. */
static int __drystone_until(const struct timespec *time) {
  if (!__drystone_is_time(time))
    return UNTIL_NEVER;
  return __VERIFIER_nondet_bool() ? UNTIL_NOW : PATIENTLY;
}

/* Why it does not wait. */
static int __drystone_why(int waits) { return waits == NOT ? EBUSY : waits == UNTIL_NOW ? ETIMEDOUT : EINVAL; }

/* In an atomic section: locks a mutex that is free, or says why not. */
static int __drystone_take(struct mutex *m, int waits) {
  unsigned int self = __drystone_self();
  if (m->lock != 0) {
    if (m->kind == RECURSIVE && m->owner == self) {
      m->count++;
      return 0;
    }
    if (waits != NOT && m->kind == CHECKED && m->owner == self)
      return EDEADLK;
    if (waits != PATIENTLY)
      return __drystone_why(waits);
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
  int result = __drystone_take((struct mutex *)mutex, PATIENTLY);
  __drystone_atomic_end();
  return result;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
  __drystone_atomic_begin();
  int result = __drystone_take((struct mutex *)mutex, NOT);
  __drystone_atomic_end();
  return result;
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *time) {
  int waits = __drystone_until(time);
  __drystone_atomic_begin();
  int result = __drystone_take((struct mutex *)mutex, waits);
  __drystone_atomic_end();
  return result;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  __drystone_atomic_begin();
  int result = __drystone_give((struct mutex *)mutex);
  __drystone_atomic_end();
  return result;
}

int pthread_condattr_init(pthread_condattr_t *attributes) { return 0; }

int pthread_condattr_destroy(pthread_condattr_t *attributes) { return 0; }

/* Whatever it shows: time-outs are inputs. */
int pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC ? 0 : EINVAL;
}

int pthread_condattr_setpshared(pthread_condattr_t *attributes, int shared) {
  if (shared != PTHREAD_PROCESS_PRIVATE)
    REFUSE("a condition variable that processes share");
  return 0;
}

int pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) {
  struct condition *c = (struct condition *)condition;
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

/* Leaves the mutex, and is one of those who wait; or says why not. */
static int __drystone_begin_to_wait(struct condition *c, struct mutex *m, unsigned int me) {
  __drystone_atomic_begin();
  if (m->kind == RECURSIVE || m->kind == CHECKED) {
    if (m->lock == 0 || m->owner != __drystone_self()) {
      __drystone_atomic_end();
      return EPERM;
    }
    if (m->count != 0)
      REFUSE("waiting with a mutex that was locked several times");
  }
  m->lock = 0;
  m->owner = 0;
  c->waiting |= me;
  __drystone_atomic_end();
  return 0;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  struct condition *c = (struct condition *)condition;
  struct mutex *m = (struct mutex *)mutex;
  unsigned int me = __drystone_bit();
  int refused = __drystone_begin_to_wait(c, m, me);
  if (refused)
    return refused;
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

/* Who is too late waits no longer, so that a signal goes to another one, even if the mutex cannot be had yet. */
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time) {
  struct condition *c = (struct condition *)condition;
  struct mutex *m = (struct mutex *)mutex;
  if (!__drystone_is_time(time))
    return EINVAL;
  unsigned int me = __drystone_bit();
  int result = __drystone_begin_to_wait(c, m, me);
  if (result)
    return result;
  _Bool is_late = __VERIFIER_nondet_bool();
  int wakes = __drystone_wakes();
  __drystone_atomic_begin();
  __drystone_await(is_late || wakes || (c->woken & me) != 0);
  if (is_late && (c->woken & me) == 0)
    result = ETIMEDOUT;
  c->waiting &= ~me;
  c->woken &= ~me;
  __drystone_atomic_end();
  __drystone_atomic_begin();
  __drystone_await(m->lock == 0);
  m->lock = 1;
  m->owner = __drystone_self();
  __drystone_atomic_end();
  return result;
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
  if (value > INT_MAX) {
    __drystone_set_errno(EINVAL);
    return -1;
  }
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

/* In no section of its own: 0, or why it does not wait. */
static int __drystone_down(unsigned int *count, int waits) {
  int result = 0;
  if (waits == UNTIL_NEVER)
    return EINVAL;
  __drystone_atomic_begin();
  if (*count == 0 && waits != PATIENTLY)
    result = __drystone_why(waits);
  else {
    __drystone_await(*count != 0);
    *count = *count - 1;
  }
  __drystone_atomic_end();
  return result;
}

int sem_trywait(sem_t *semaphore) {
  if (!__drystone_down((unsigned int *)semaphore, NOT))
    return 0;
  __drystone_set_errno(EAGAIN);
  return -1;
}

int sem_timedwait(sem_t *semaphore, const struct timespec *time) {
  int refused = __drystone_down((unsigned int *)semaphore, __drystone_until(time));
  if (!refused)
    return 0;
  __drystone_set_errno(refused);
  return -1;
}

int sem_post(sem_t *semaphore) {
  unsigned int *count = (unsigned int *)semaphore;
  __drystone_atomic_begin();
  _Bool is_full = *count == INT_MAX;
  if (!is_full)
    *count = *count + 1;
  __drystone_atomic_end();
  if (!is_full)
    return 0;
  __drystone_set_errno(EOVERFLOW);
  return -1;
}

int sem_getvalue(sem_t *semaphore, int *value) {
  unsigned int count = *(unsigned int *)semaphore;
  *value = count;
  return 0;
}

/* Readers come first, as glibc's do unless they are told otherwise: a writer that waits keeps no reader away. */
int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes) {
  struct rwlock *l = (struct rwlock *)lock;
  l->readers = 0;
  l->writer = 0;
  l->flags = 0;
  return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock) { return 0; }

int pthread_rwlockattr_init(pthread_rwlockattr_t *attributes) { return 0; }

int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attributes) { return 0; }

int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attributes, int shared) {
  if (shared != PTHREAD_PROCESS_PRIVATE)
    REFUSE("a lock that processes share");
  return 0;
}

static int __drystone_read(struct rwlock *l, int waits) {
  unsigned int self = __drystone_self();
  int result = 0;
  if (waits == UNTIL_NEVER)
    return EINVAL;
  __drystone_atomic_begin();
  if (l->flags != 0)
    REFUSE("a lock that prefers writers");
  if (waits != NOT && l->writer == self)
    result = EDEADLK;
  else if (waits != PATIENTLY && l->writer != 0)
    result = __drystone_why(waits);
  else {
    __drystone_await(l->writer == 0);
    l->readers = l->readers + 1;
  }
  __drystone_atomic_end();
  return result;
}

static int __drystone_write(struct rwlock *l, int waits) {
  unsigned int self = __drystone_self();
  int result = 0;
  if (waits == UNTIL_NEVER)
    return EINVAL;
  __drystone_atomic_begin();
  if (l->flags != 0)
    REFUSE("a lock that prefers writers");
  if (waits != NOT && l->writer == self)
    result = EDEADLK;
  else if (waits != PATIENTLY && (l->writer != 0 || l->readers != 0))
    result = __drystone_why(waits);
  else {
    __drystone_await(l->writer == 0 && l->readers == 0);
    l->writer = self;
  }
  __drystone_atomic_end();
  return result;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock) { return __drystone_read((struct rwlock *)lock, PATIENTLY); }

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) { return __drystone_read((struct rwlock *)lock, NOT); }

int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *time) {
  return __drystone_read((struct rwlock *)lock, __drystone_until(time));
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) { return __drystone_write((struct rwlock *)lock, PATIENTLY); }

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) { return __drystone_write((struct rwlock *)lock, NOT); }

int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *time) {
  return __drystone_write((struct rwlock *)lock, __drystone_until(time));
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
  struct rwlock *l = (struct rwlock *)lock;
  unsigned int self = __drystone_self();
  __drystone_atomic_begin();
  if (l->writer == self)
    l->writer = 0;
  else if (l->writer == 0 && l->readers != 0)
    l->readers = l->readers - 1;
  else
    REFUSE("a lock that the thread does not have");
  __drystone_atomic_end();
  return 0;
}

int pthread_barrierattr_init(pthread_barrierattr_t *attributes) { return 0; }

int pthread_barrierattr_destroy(pthread_barrierattr_t *attributes) { return 0; }

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned int count) {
  struct barrier *b = (struct barrier *)barrier;
  if (count == 0 || count > INT_MAX)
    return EINVAL;
  b->count = count;
  b->arrived = 0;
  b->round = 0;
  b->inside = 0;
  return 0;
}

/* The last one goes on at once, and is told so; the others when they see that it has come. */
int pthread_barrier_wait(pthread_barrier_t *barrier) {
  struct barrier *b = (struct barrier *)barrier;
  __drystone_atomic_begin();
  unsigned int round = b->round;
  unsigned int arrived = b->arrived + 1;
  _Bool is_last = arrived == b->count;
  if (is_last) {
    b->arrived = 0;
    b->round = round + 1;
  } else {
    b->arrived = arrived;
    b->inside = b->inside + 1;
  }
  __drystone_atomic_end();
  if (is_last)
    return PTHREAD_BARRIER_SERIAL_THREAD;
  __drystone_atomic_begin();
  __drystone_await(b->round != round);
  b->inside = b->inside - 1;
  __drystone_atomic_end();
  return 0;
}

/* Waits until all have left. */
int pthread_barrier_destroy(pthread_barrier_t *barrier) {
  struct barrier *b = (struct barrier *)barrier;
  __drystone_atomic_begin();
  __drystone_await(b->inside == 0);
  __drystone_atomic_end();
  return 0;
}

/* 1 is free, as on x86. */
int pthread_spin_init(pthread_spinlock_t *lock, int shared) {
  *(int *)lock = 1;
  return 0;
}

int pthread_spin_destroy(pthread_spinlock_t *lock) { return 0; }

int pthread_spin_lock(pthread_spinlock_t *lock) {
  int *word = (int *)lock;
  __drystone_atomic_begin();
  __drystone_await(*word == 1);
  *word = 0;
  __drystone_atomic_end();
  return 0;
}

int pthread_spin_trylock(pthread_spinlock_t *lock) {
  int *word = (int *)lock;
  __drystone_atomic_begin();
  _Bool is_free = *word == 1;
  if (is_free)
    *word = 0;
  __drystone_atomic_end();
  return is_free ? 0 : EBUSY;
}

int pthread_spin_unlock(pthread_spinlock_t *lock) {
  *(int *)lock = 1;
  return 0;
}

/* Others wait until it is done. */
int pthread_once(pthread_once_t *control, void (*routine)(void)) {
  __drystone_atomic_begin();
  int state = *control;
  __drystone_await(state != IN_PROGRESS);
  if (state == NOT_DONE)
    *control = IN_PROGRESS;
  __drystone_atomic_end();
  if (state == NOT_DONE) {
    routine();
    *control = DONE;
  }
  return 0;
}

static unsigned int __drystone_keys;
static _Thread_local void *__drystone_values[KEYS];

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
  if (destructor && destructor != free)
    REFUSE("a destructor of what belongs to a thread");
  __drystone_atomic_begin();
  unsigned int created = __drystone_keys;
  __drystone_keys = created + 1;
  __drystone_atomic_end();
  if (created >= KEYS)
    REFUSE("more than 8 keys");
  *key = created;
  return 0;
}

int pthread_key_delete(pthread_key_t key) { return key < KEYS ? 0 : EINVAL; }

void *pthread_getspecific(pthread_key_t key) {
  if (key >= KEYS)
    return 0;
  return __drystone_values[key];
}

int pthread_setspecific(pthread_key_t key, const void *value) {
  if (key >= KEYS)
    return EINVAL;
  __drystone_values[key] = (void *)value;
  return 0;
}

int pthread_attr_init(pthread_attr_t *attributes) {
  struct attributes *a = (struct attributes *)attributes;
  a->is_detached = PTHREAD_CREATE_JOINABLE;
  a->stack = 0;
  return 0;
}

int pthread_attr_destroy(pthread_attr_t *attributes) { return 0; }

int pthread_attr_setdetachstate(pthread_attr_t *attributes, int state) {
  if (state != PTHREAD_CREATE_JOINABLE && state != PTHREAD_CREATE_DETACHED)
    return EINVAL;
  ((struct attributes *)attributes)->is_detached = state;
  return 0;
}

int pthread_attr_getdetachstate(const pthread_attr_t *attributes, int *state) {
  *state = ((const struct attributes *)attributes)->is_detached;
  return 0;
}

int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size) {
  if (size < SMALLEST_STACK)
    return EINVAL;
  ((struct attributes *)attributes)->stack = size;
  return 0;
}

/* How large it is by default, the limits of the process say. */
int pthread_attr_getstacksize(const pthread_attr_t *attributes, size_t *size) {
  unsigned long given = ((const struct attributes *)attributes)->stack;
  if (given == 0) {
    given = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(given >= SMALLEST_STACK);
  }
  *size = given;
  return 0;
}

int pthread_attr_setguardsize(pthread_attr_t *attributes, size_t size) { return 0; }

int pthread_attr_setscope(pthread_attr_t *attributes, int scope) {
  return scope == PTHREAD_SCOPE_SYSTEM ? 0 : scope == PTHREAD_SCOPE_PROCESS ? ENOTSUP : EINVAL;
}

int pthread_yield(void) { return 0; }

int pthread_setname_np(pthread_t thread, const char *name) {
  unsigned int length = 0;
  while (length < 16 && name[length] != 0)
    length++;
  return length < 16 ? 0 : ERANGE;
}

/* Nobody cancels a thread: pthread_cancel has no model. */
static _Thread_local int __drystone_cancel_state;
static _Thread_local int __drystone_cancel_type;

int pthread_setcancelstate(int state, int *old) {
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
    return EINVAL;
  if (old)
    *old = __drystone_cancel_state;
  __drystone_cancel_state = state;
  return 0;
}

int pthread_setcanceltype(int type, int *old) {
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
    return EINVAL;
  if (old)
    *old = __drystone_cancel_type;
  __drystone_cancel_type = type;
  return 0;
}

void pthread_testcancel(void) {}

/* <threads.h>: the same objects, other results. */
static int __drystone_status(int result) {
  return result == 0 ? thrd_success : result == EBUSY ? thrd_busy : result == ETIMEDOUT ? thrd_timedout : thrd_error;
}

int mtx_init(mtx_t *mutex, int kind) {
  struct mutex *m = (struct mutex *)mutex;
  if ((kind & ~(mtx_recursive | mtx_timed)) != 0)
    return thrd_error;
  m->lock = 0;
  m->count = 0;
  m->owner = 0;
  m->kind = (kind & mtx_recursive) != 0 ? RECURSIVE : NORMAL;
  return thrd_success;
}

void mtx_destroy(mtx_t *mutex) {}

int mtx_lock(mtx_t *mutex) { return __drystone_status(pthread_mutex_lock((pthread_mutex_t *)mutex)); }

int mtx_trylock(mtx_t *mutex) { return __drystone_status(pthread_mutex_trylock((pthread_mutex_t *)mutex)); }

int mtx_timedlock(mtx_t *mutex, const struct timespec *time) {
  return __drystone_status(pthread_mutex_timedlock((pthread_mutex_t *)mutex, time));
}

int mtx_unlock(mtx_t *mutex) { return __drystone_status(pthread_mutex_unlock((pthread_mutex_t *)mutex)); }

int cnd_init(cnd_t *condition) { return __drystone_status(pthread_cond_init((pthread_cond_t *)condition, 0)); }

void cnd_destroy(cnd_t *condition) {}

int cnd_signal(cnd_t *condition) { return __drystone_status(pthread_cond_signal((pthread_cond_t *)condition)); }

int cnd_broadcast(cnd_t *condition) { return __drystone_status(pthread_cond_broadcast((pthread_cond_t *)condition)); }

int cnd_wait(cnd_t *condition, mtx_t *mutex) {
  return __drystone_status(pthread_cond_wait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex));
}

int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *time) {
  return __drystone_status(pthread_cond_timedwait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, time));
}

void call_once(once_flag *flag, void (*function)(void)) { pthread_once((pthread_once_t *)flag, function); }

int tss_create(tss_t *key, tss_dtor_t destructor) { return __drystone_status(pthread_key_create(key, destructor)); }

void tss_delete(tss_t key) {}

void *tss_get(tss_t key) { return pthread_getspecific(key); }

int tss_set(tss_t key, void *value) { return __drystone_status(pthread_setspecific(key, value)); }

void thrd_yield(void) {}

/* No signal interrupts it. */
int thrd_sleep(const struct timespec *duration, struct timespec *rest) { return __drystone_is_time(duration) ? 0 : -2; }
