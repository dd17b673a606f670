// expected: UNKNOWN
#include <pthread.h>

extern void reach_error(void);
int shared;
pthread_barrier_t barrier;

static void *work(void *unused) {
  shared = 1;
  pthread_barrier_wait(&barrier);
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_barrier_init(&barrier, 0, 2);
  pthread_create(&thread, 0, work, 0);
  pthread_barrier_wait(&barrier);
  if (!shared)
    reach_error();
  return 0;
}
