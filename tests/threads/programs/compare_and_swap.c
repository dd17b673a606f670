/* A counter without locks, by compare-and-swap. BUG: without looking whether it succeeded. */
#include <assert.h>
#include <pthread.h>

static int counter;

static void *work(void *unused) {
  int old, is_swapped;
  do {
    old = __atomic_load_n(&counter, __ATOMIC_SEQ_CST);
    is_swapped = __sync_bool_compare_and_swap(&counter, old, old + 1);
#ifdef BUG
    is_swapped = 1;
#endif
  } while (!is_swapped);
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
