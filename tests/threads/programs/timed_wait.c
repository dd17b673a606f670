/* Waiting with a time limit: looks again at what it waited for. BUG: takes a time-out for a failure that cannot be. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_done;

static void *work(void *unused) {
  pthread_mutex_lock(&lock);
  is_done = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t thread;
  struct timespec until = {.tv_sec = 2000000000, .tv_nsec = 0};
  int result = 0;
  pthread_create(&thread, 0, work, 0);
  pthread_mutex_lock(&lock);
  while (!is_done && result == 0)
    result = pthread_cond_timedwait(&changed, &lock, &until);
  assert(result == 0 || result == ETIMEDOUT);
#ifdef BUG
  assert(result == 0);
#else
  assert(is_done || result == ETIMEDOUT);
#endif
  pthread_mutex_unlock(&lock);
  pthread_join(thread, 0);
  return 0;
}
