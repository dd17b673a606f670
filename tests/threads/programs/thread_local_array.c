/* A thread-local array, and an address of it that is given to another thread. BUG: the other thread writes there. */
#include <assert.h>
#include <pthread.h>

static __thread int own[3] = {1, 2, 3};

static void *work(void *argument) {
  int *others = argument;
  assert(others != own);
  assert(own[1] == 2);
  own[1] = 7;
#ifdef BUG
  others[1] = 7;
#else
  assert(others[1] == 2);
#endif
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, own);
  assert(own[1] == 2);
  pthread_join(thread, 0);
  assert(own[0] == 1 && own[2] == 3);
  return 0;
}
