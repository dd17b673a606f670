/* A spin lock over an atomic flag. BUG: it is cleared before the work is done. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag flag = ATOMIC_FLAG_INIT;
static int counter;

static void *work(void *unused) {
  while (atomic_flag_test_and_set(&flag))
    ;
#ifdef BUG
  atomic_flag_clear(&flag);
#endif
  counter = counter + 1;
#ifndef BUG
  atomic_flag_clear(&flag);
#endif
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(counter == 2);
  return 0;
}
