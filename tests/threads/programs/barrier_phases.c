/* Two threads fill an array, meet, and read what the other one has written. BUG: they do not meet again before the next round. */
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int cells[2];

static void *work(void *argument) {
  int own = *(int *)argument;
  for (int round = 1; round <= 2; round++) {
    cells[own] = round;
    pthread_barrier_wait(&barrier);
    assert(cells[1 - own] == round);
#ifndef BUG
    pthread_barrier_wait(&barrier);
#endif
  }
  return 0;
}

int main(void) {
  pthread_t first, second;
  int zero = 0, one = 1;
  assert(pthread_barrier_init(&barrier, 0, 2) == 0);
  pthread_create(&first, 0, work, &zero);
  pthread_create(&second, 0, work, &one);
  pthread_join(first, 0);
  pthread_join(second, 0);
  pthread_barrier_destroy(&barrier);
  return 0;
}
