/* What is done once is done before anybody goes on. BUG: a flag that is looked at without a lock. */
#include <assert.h>
#include <pthread.h>

static pthread_once_t control = PTHREAD_ONCE_INIT;
static int is_ready, value, times;

static void initialise(void) {
  times++;
  value = 42;
}

static void *work(void *unused) {
#ifdef BUG
  if (!is_ready) {
    is_ready = 1;
    initialise();
  }
#else
  pthread_once(&control, initialise);
#endif
  assert(value == 42);
  return 0;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, 0, work, 0);
  pthread_create(&second, 0, work, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
  assert(times == 1);
  return 0;
}
