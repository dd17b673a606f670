/* A lock with a time limit may not be had. BUG: it is taken for granted. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *work(void *unused) {
  pthread_mutex_lock(&lock);
  value = 1;
  value = 0;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t thread;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1;
  pthread_create(&thread, 0, work, 0);
  int result = pthread_mutex_timedlock(&lock, &until);
  assert(result == 0 || result == ETIMEDOUT);
#ifndef BUG
  if (result == 0)
#endif
    assert(value == 0);
  if (result == 0)
    pthread_mutex_unlock(&lock);
  pthread_join(thread, 0);
  return 0;
}
