/* Exactly one thread is told that it was the last. BUG: says that it is the main thread. */
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int leaders;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int meet(void) {
  int result = pthread_barrier_wait(&barrier);
  assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
  if (result == 0)
    return 0;
  pthread_mutex_lock(&lock);
  leaders++;
  pthread_mutex_unlock(&lock);
  return 1;
}

static void *work(void *unused) {
  meet();
  return 0;
}

int main(void) {
  pthread_t first, second;
  pthread_barrier_init(&barrier, 0, 3);
  pthread_create(&first, 0, work, 0);
  pthread_create(&second, 0, work, 0);
  int is_leader = meet();
  pthread_join(first, 0);
  pthread_join(second, 0);
  assert(leaders == 1);
#ifdef BUG
  assert(is_leader);
#endif
  return 0;
}
