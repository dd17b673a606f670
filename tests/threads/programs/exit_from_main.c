/* main leaves by pthread_exit, the others go on. BUG: who comes last sees what main has written after all. */
#include <assert.h>
#include <pthread.h>

static int value = 1;

static void *work(void *main_thread) {
  pthread_join(*(pthread_t *)main_thread, 0);
#ifdef BUG
  assert(value == 1);
#else
  assert(value == 2);
#endif
  return 0;
}

static pthread_t first;

int main(void) {
  pthread_t thread;
  first = pthread_self();
  pthread_create(&thread, 0, work, &first);
  value = 2;
  pthread_exit(0);
  value = 3;
}
