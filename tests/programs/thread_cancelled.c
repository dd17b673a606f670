// expected: UNKNOWN
#include <pthread.h>

extern void reach_error(void);
int shared;

static void *work(void *unused) {
  shared = 1;
  pthread_testcancel();
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_cancel(thread);
  if (!shared)
    reach_error();
  return 0;
}
