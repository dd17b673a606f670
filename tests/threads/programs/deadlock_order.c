/* Philosophers: with one order of locks, all come to the end, and each has eaten. BUG: says that nobody eats at the same time. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t forks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int uses[3];
static atomic_int eating;

struct seat {
  int low, high;
};

static void *eat(void *argument) {
  struct seat *seat = argument;
  pthread_mutex_lock(&forks[seat->low]);
  pthread_mutex_lock(&forks[seat->high]);
  uses[seat->low]++;
#ifdef BUG
  assert(atomic_fetch_add(&eating, 1) == 0);
  atomic_fetch_sub(&eating, 1);
#endif
  uses[seat->high]++;
  pthread_mutex_unlock(&forks[seat->high]);
  pthread_mutex_unlock(&forks[seat->low]);
  return 0;
}

int main(void) {
  pthread_t a, b;
#ifdef BUG
  struct seat seats[2] = {{0, 0}, {1, 2}};
  seats[0].high = 0;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&forks[0], &attributes);
#else
  struct seat seats[2] = {{0, 1}, {1, 2}};
#endif
  pthread_create(&a, 0, eat, &seats[0]);
  pthread_create(&b, 0, eat, &seats[1]);
  pthread_join(a, 0);
  pthread_join(b, 0);
#ifndef BUG
  assert(uses[0] == 1 && uses[1] == 2 && uses[2] == 1);
#endif
  return 0;
}
