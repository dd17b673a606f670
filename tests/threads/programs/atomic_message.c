/* A message that is published by an atomic flag. BUG: published before it is written. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static int message;
static atomic_bool is_published;

static void *publish(void *unused) {
#ifdef BUG
  atomic_store(&is_published, true);
  message = 7;
#else
  message = 7;
  atomic_store_explicit(&is_published, true, memory_order_release);
#endif
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, publish, 0);
  while (!atomic_load_explicit(&is_published, memory_order_acquire))
    ;
  assert(message == 7);
  pthread_join(thread, 0);
  return 0;
}
