/* Each thread counts for itself, and adds at the end. BUG: the counter is shared. */
#include <assert.h>
#include <pthread.h>

#ifdef BUG
static int counter;
#else
static _Thread_local int counter;
#endif
static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
  counter++;
  counter++;
  pthread_mutex_lock(&lock);
  total += counter;
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(total == 4 && counter == 0);
  return 0;
}
