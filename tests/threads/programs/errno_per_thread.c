/* What another thread does to its errno does not matter. BUG: it says so in a variable of its own. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static int error;
#ifdef BUG
#define LAST error
#else
#define LAST errno
#endif

static void *work(void *unused) {
  LAST = ENOENT;
  assert(LAST == ENOENT);
  return 0;
}

int main(void) {
  pthread_t thread;
  LAST = 0;
  pthread_create(&thread, 0, work, 0);
  assert(LAST == 0);
  pthread_join(thread, 0);
  return 0;
}
