/* POSIX spin locks. BUG: one thread goes on although it did not get it. */
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int counter;

static void *work(void *unused) {
  pthread_spin_lock(&lock);
  counter++;
  pthread_spin_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t a;
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_create(&a, 0, work, 0);
#ifdef BUG
  int got = pthread_spin_trylock(&lock) == 0;
  counter++;
  if (got)
    pthread_spin_unlock(&lock);
#else
  pthread_spin_lock(&lock);
  counter++;
  pthread_spin_unlock(&lock);
#endif
  pthread_join(a, 0);
  assert(counter == 2);
  pthread_spin_destroy(&lock);
  return 0;
}
