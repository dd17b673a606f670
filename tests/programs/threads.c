// expected: FALSE
#include <pthread.h>

extern void reach_error(void);
int shared;

static void *work(void *unused) {
  shared = 1;
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  if (shared)
    reach_error();
  return 0;
}
